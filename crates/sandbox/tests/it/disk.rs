//! Limits on what commands may write on the host's disks.

use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_sandbox::{Choice, End, Limit, Sandbox, SandboxError, Settings};
use rstest::rstest;

use crate::place::{Place, command, sandbox, settings, spec, text};

/// Writes 200 files of 1 MiB, then waits.
const FILL: &str = "import os, time\n\
     for i in range(200):\n\
     \x20   with open(f'f{i}', 'wb') as f: f.write(os.urandom(1 << 20)); os.fsync(f.fileno())\n";

#[rstest]
#[tokio::test]
async fn filling_the_folder_hits_the_disk_limit(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
    #[values("", "time.sleep(1000)")] then: &str,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    let outcome = place.python(&format!("{FILL}{then}")).await;
    assert_eq!(outcome.end, End::LimitHit(Limit::Disk), "{}", text(&outcome.stderr));
    // What was left still counts.
    assert_eq!(place.run(&["sleep", "1000"]).await.end, End::LimitHit(Limit::Disk));
}

#[rstest]
#[tokio::test]
async fn many_empty_entries_hit_the_disk_limit(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let script = "import os, time\nfor i in range(12000): os.mkdir(f'd{i}')\ntime.sleep(1000)";
    assert_eq!(place.python(script).await.end, End::LimitHit(Limit::Disk));
}

#[rstest]
#[tokio::test]
async fn one_file_that_is_too_large_hits_the_disk_limit(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    let mut command = command(&["dd", "if=/dev/zero", "of=file", "bs=1M", "count=1", "seek=100000"]);
    command.limits.disk.bytes = autoheal_sandbox::Disk::default().bytes;
    let outcome = place.workspace.run(&command).await.unwrap();
    assert_eq!(outcome.end, End::LimitHit(Limit::Disk), "{}", text(&outcome.stderr));
}

#[tokio::test]
async fn folders_are_counted_without_following_links() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let outside = tempfile::tempdir().unwrap();
    for number in 0..20_000 {
        std::fs::File::create(outside.path().join(number.to_string())).unwrap();
    }
    std::os::unix::fs::symlink(outside.path(), place.folder.path().join("link")).unwrap();
    let mut command = command(&["sleep", "6"]);
    command.limits.time = Duration::from_secs(20);
    assert_eq!(place.workspace.run(&command).await.unwrap().end, End::Exited(0));
}

#[rstest]
#[tokio::test]
async fn nothing_starts_where_too_little_is_free(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
) {
    let (state, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let settings = Settings { free_space: 1 << 60, ..settings(state.path()) };
    let Some(sandbox) = sandbox(choice, &settings).await else { return };
    let opened = Sandbox::open(sandbox.as_ref(), spec(RunId(uuid::Uuid::now_v7()), folder.path())).await;
    let Err(error @ SandboxError::NoSpace { .. }) = opened else { panic!("it opened") };
    assert!(error.to_string().contains("sandbox.free_space_mib"), "{error}");
}
