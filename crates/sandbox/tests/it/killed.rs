//! The whole program is killed, and cannot clean up.

use std::path::Path;
use std::process::Stdio;

use autoheal_engine::RunId;
use autoheal_sandbox::Choice;
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
    let mut child = start_child(choice, run, &marker, folder.path());
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
fn start_child(choice: &str, run: RunId, marker: &str, folder: &Path) -> std::process::Child {
    std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "killed::child", "--ignored"])
        .env(CHILD, format!("{choice} {run} {marker}"))
        .env("TMPDIR", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}
