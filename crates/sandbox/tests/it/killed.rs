//! The whole program is killed, and cannot clean up.

use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_sandbox::{Choice, End};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use rstest::rstest;
use uuid::Uuid;

use crate::containers;
use crate::place::{Place, command, settings};
use crate::remains::{await_alive, groups, marker};

const CHILD: &str = "AUTOHEAL_SANDBOX_TEST_CHILD";

/// Not a test of its own: the process that [`nothing_outlives_the_program`] kills.
#[tokio::test]
#[ignore = "started by another test"]
async fn child() {
    let words: Vec<String> = std::env::var(CHILD).unwrap().split(' ').map(str::to_owned).collect();
    let [choice, run, marker] = &words[..] else { panic!("{words:?}") };
    let choice: Choice = choice.parse().unwrap();
    let folder = tempfile::tempdir_in(std::env::temp_dir()).unwrap();
    let mut place = Place::open_for(choice, run.parse().unwrap(), folder).await.unwrap();
    let outcome =
        place.workspace.run(&command(&["sh", "-c", &format!("setsid sleep {marker} & sleep {marker}")])).await;
    panic!("it sleeps for years: {outcome:?}");
}

#[rstest]
#[tokio::test]
async fn nothing_outlives_the_program(#[values("bubblewrap", "docker")] choice: &str) {
    if Place::open(choice.parse().unwrap()).await.is_none() {
        return;
    }
    let run = RunId(Uuid::now_v7());
    let marker = marker();
    let folder = tempfile::tempdir().unwrap();
    let mut child = start("killed::child", &format!("{choice} {run} {marker}"), folder.path());
    await_alive(&marker, 2).await;
    child.kill().unwrap();
    child.wait().unwrap();
    await_alive(&marker, 0).await;
    containers::await_none(run).await;
    // Only empty control groups can be left, and the next start removes them.
    let state = tempfile::tempdir().unwrap();
    autoheal_sandbox::sweep(&settings(state.path())).await.unwrap();
    assert_eq!(groups(run), Vec::<std::path::PathBuf>::new());
}

#[expect(clippy::disallowed_methods, reason = "the test kills a process like itself")]
fn start(test: &str, told: &str, folder: &Path) -> std::process::Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--ignored"])
        .env(CHILD, told)
        .env("TMPDIR", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Not a test of its own: the process that [`a_hundred_kills_leave_no_container_and_touch_no_other`] kills, busy with everything that a
/// run does with containers, until it is killed.
#[tokio::test]
#[ignore = "started by another test"]
async fn busy_child() {
    let run: RunId = std::env::var(CHILD).unwrap().parse().unwrap();
    loop {
        let folder = tempfile::tempdir_in(std::env::temp_dir()).unwrap();
        let mut place = Place::open_for(Choice::Docker, run, folder).await.unwrap();
        assert_eq!(place.run(&["true"]).await.end, End::Exited(0));
        let _session = place.workspace.session(&command(&["sleep", "1000"])).await.unwrap();
        assert_eq!(place.run(&["sh", "-c", "setsid sleep 1000 &"]).await.end, End::Exited(0));
        place.workspace.close().await.unwrap();
    }
}

/// Lifetime of a child: depending on it, the child dies while it makes a container, runs a command in one, or
/// removes one.
const LIFE_MILLIS: std::ops::Range<u64> = 0..1500;

// Feature: autoheal-ci-agent, Property 7: Docker Container Cleanup
#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_kills_leave_no_container_and_touch_no_other() {
    let Some(mut own) = Place::open(Choice::Docker).await else { return };
    let docker = containers::engine().await.unwrap();
    let [own_container] = &containers::of_this(own.run).await[..] else { panic!("one container is open") };
    let labels = docker.inspect_container(own_container, None).await.unwrap().config.unwrap().labels.unwrap();
    let with = |changes: &[(&str, &str)]| {
        let changes = changes.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned()));
        labels.clone().into_iter().chain(changes).collect::<HashMap<_, _>>()
    };
    // A process with the number of this one that started with the machine: it is gone.
    let gone = format!("{}-1", std::process::id());
    let elsewhere = with(&[("autoheal.owner", &gone), ("autoheal.place", "elsewhere")]);
    let strangers = [containers::make(&docker, HashMap::new()).await, containers::make(&docker, elsewhere).await];
    // What is left when a process is killed between making a container and starting it.
    let abandoned = containers::make(&docker, with(&[("autoheal.owner", &gone)])).await;

    let mut random = TestRunner::deterministic();
    let mut cases = tokio::task::JoinSet::new();
    let mut runs = Vec::new();
    for _ in 0..100 {
        if cases.len() == 4 {
            cases.join_next().await.unwrap().unwrap();
        }
        let run = RunId(Uuid::now_v7());
        runs.push(run);
        let life = Duration::from_millis(LIFE_MILLIS.new_tree(&mut random).unwrap().current());
        cases.spawn(killed_after(life, run));
    }
    while let Some(case) = cases.join_next().await {
        case.unwrap();
    }
    for run in runs {
        containers::await_none(run).await;
    }
    assert!(!containers::is_there(&docker, &abandoned).await);
    for stranger in strangers {
        assert!(containers::is_there(&docker, &stranger).await);
        containers::remove(&docker, &stranger).await;
    }
    assert_eq!(own.run(&["true"]).await.end, End::Exited(0));
    assert_eq!(containers::of_this(own.run).await, std::slice::from_ref(own_container));
    own.workspace.close().await.unwrap();
}

/// Kills a busy process; the next start removes what it left.
async fn killed_after(life: Duration, run: RunId) {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start("killed::busy_child", &run.to_string(), folder.path());
    tokio::time::sleep(life).await;
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    child.kill().unwrap();
    child.wait().unwrap();
    let state = tempfile::tempdir().unwrap();
    autoheal_sandbox::sweep(&settings(state.path())).await.unwrap();
    containers::await_none(run).await;
}
