//! The tests of this program again, as an ordinary user who cannot make control groups.

use std::os::unix::fs::{PermissionsExt, chown};

use autoheal_sandbox::{Choice, End};

use crate::place::{Place, text};

/// No user of the machine.
const USER: u32 = 54321;

fn is_root() -> bool {
    nix::unistd::geteuid().is_root()
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the test starts itself as another user")]
async fn the_walls_stand_for_an_ordinary_user_too() {
    if !is_root() {
        // Then the other tests have shown it.
        return;
    }
    let home = tempfile::tempdir().unwrap();
    chown(home.path(), Some(USER), Some(USER)).unwrap();
    let program = home.path().join("it");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    let output = tokio::process::Command::new(program)
        .args(["Bubblewrap", "weak::", "--test-threads=1"])
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", home.path())
        .env("TMPDIR", home.path())
        .current_dir(home.path())
        .uid(USER)
        .gid(USER)
        .output()
        .await
        .unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    if let Some(reason) = said.lines().find_map(|line| line.strip_prefix("SKIPPED: ")) {
        autoheal_testkit::skip("bubblewrap as an ordinary user", reason);
        return;
    }
    assert!(output.status.success(), "{said}");
    assert!(said.contains("a_fork_bomb_hits_the_process_limit") && !said.contains(" 0 passed"), "{said}");
}

#[tokio::test]
async fn root_runs_commands_as_the_owner_of_the_folder() {
    if !is_root() {
        autoheal_testkit::skip("commands as the owner of the folder", "only root can become another user");
        return;
    }
    for choice in [Choice::Bubblewrap, Choice::Docker] {
        let folder = tempfile::tempdir().unwrap();
        chown(folder.path(), Some(USER), Some(USER)).unwrap();
        let run = autoheal_engine::RunId(uuid::Uuid::now_v7());
        let Some(mut place) = Place::open_for(choice, run, folder).await else { continue };
        let outcome = place.run(&["sh", "-c", "id -u; touch made"]).await;
        assert_eq!(
            (text(&outcome.stdout), outcome.end),
            (USER.to_string(), End::Exited(0)),
            "{}",
            text(&outcome.stderr)
        );
    }
}
