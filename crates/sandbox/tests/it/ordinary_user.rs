//! The tests of this program again, as an ordinary user who cannot make control groups.

use std::os::unix::fs::chown;

use autoheal_sandbox::{Choice, End};
use autoheal_testkit::ordinary_user::{USER, test_again};

use crate::place::{Place, text};

#[test]
fn the_walls_stand_for_an_ordinary_user_too() {
    test_again("bubblewrap", &["Bubblewrap", "weak::"], "a_fork_bomb_hits_the_process_limit");
}

#[tokio::test]
async fn root_runs_commands_as_the_owner_of_the_folder() {
    if !nix::unistd::geteuid().is_root() {
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
