//! Commands leave nothing behind.

use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_sandbox::{Choice, End, Limit};
use rstest::rstest;
use uuid::Uuid;

use crate::place::{Place, command, sandbox, settings, spec, text};

/// A number of seconds that no other process sleeps: by it a process is found again.
pub(crate) fn marker() -> String {
    format!("{}", 100_000_000 + Uuid::now_v7().as_u128() % 900_000_000)
}

/// Counts the processes of this machine that have the marker among their arguments.
pub(crate) fn alive(marker: &str) -> usize {
    let lines = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = lines.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|word| word == marker.as_bytes())).count()
}

/// Counts the processes of this machine that see a folder of this name mounted.
fn that_see(name: &str) -> usize {
    let mounts = std::fs::read_dir("/proc").unwrap().flatten();
    let mounts = mounts.filter_map(|entry| std::fs::read_to_string(entry.path().join("mountinfo")).ok());
    mounts.filter(|mounts| mounts.contains(name)).count()
}

/// Waits until exactly `count` processes have the marker.
pub(crate) async fn await_alive(marker: &str, count: usize) {
    let reached = async {
        while alive(marker) != count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reached).await.unwrap();
}

/// The control groups of a run.
pub(crate) fn groups(run: RunId) -> Vec<std::path::PathBuf> {
    fn below(folder: &std::path::Path, depth: u32, name: &str, found: &mut Vec<std::path::PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().contains(name) {
                found.push(entry.path());
            } else if depth > 0 && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                below(&entry.path(), depth - 1, name, found);
            }
        }
    }
    let mut found = Vec::new();
    below("/sys/fs/cgroup".as_ref(), 5, &run.0.simple().to_string(), &mut found);
    found
}

/// Leaves two processes behind: one that only lost its parent, one that also left its session and closed its output.
fn leaves_orphans(marker: &str) -> String {
    format!("setsid sh -c 'sleep {marker} >/dev/null 2>&1 &' & sleep {marker} & sleep 0.2")
}

#[rstest]
#[tokio::test]
async fn orphans_end_with_their_command(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let marker = marker();
    let outcome = place.run(&["sh", "-c", &leaves_orphans(&marker)]).await;
    assert_eq!(outcome.end, End::Exited(0));
    assert_eq!(alive(&marker), 0);
    // Nor does the next command find them.
    let words = format!("cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -c '^{marker}$'");
    let outcome = place.run(&["sh", "-c", &words]).await;
    assert_eq!(text(&outcome.stdout), "0");
    place.workspace.close().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn orphans_end_at_the_time_limit(#[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let marker = marker();
    let mut command = command(&["sh", "-c", &format!("{}; sleep {marker}", leaves_orphans(&marker))]);
    command.limits.time = Duration::from_secs(1);
    let outcome = place.workspace.run(&command).await.unwrap();
    assert_eq!(outcome.end, End::LimitHit(Limit::Time));
    assert_eq!(alive(&marker), 0);
    let run = place.run;
    place.workspace.close().await.unwrap();
    assert_eq!(groups(run), Vec::<std::path::PathBuf>::new());
}

#[rstest]
#[tokio::test]
async fn a_dropped_command_ends(#[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let marker = marker();
    let command = command(&["sh", "-c", &format!("sleep {marker} & sleep {marker}")]);
    tokio::select! {
        _ = place.workspace.run(&command) => panic!("it sleeps for years"),
        () = await_alive(&marker, 2) => {}
    }
    await_alive(&marker, 0).await;
    // The workspace goes on.
    assert_eq!(place.run(&["true"]).await.end, End::Exited(0));
    let run = place.run;
    place.workspace.close().await.unwrap();
    assert_eq!(groups(run), Vec::<std::path::PathBuf>::new());
}

/// The process tree is dropped at various moments, some of them before bubblewrap's own processes are tied to each other.
#[tokio::test]
async fn a_process_tree_that_is_given_up_while_it_starts_leaves_nothing() {
    let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let Some(sandbox) = sandbox(Choice::Bubblewrap, &settings(state.path())).await else { return };
    for number in 0..150 {
        let opening = sandbox.open(spec(RunId(Uuid::now_v7()), folder.path()));
        let _: Result<_, _> = tokio::time::timeout(Duration::from_micros(200 * number), opening).await;
    }
    let name = folder.path().file_name().unwrap().to_str().unwrap().to_owned();
    let gone = async {
        while that_see(&name) > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), gone).await.unwrap();
}
