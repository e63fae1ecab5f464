//! A mount shows the path that the caller named, whatever a command has made of the way to it.

use std::os::unix::fs::symlink;
use std::path::Path;

use autoheal_engine::RunId;
use autoheal_sandbox::{Choice, End, Mount, SandboxError, Workspace, WorkspaceSpec};
use rstest::rstest;

use crate::place::{command, sandbox, settings, spec, text};

/// A tree, a place for scratch, and a folder of the host with a secret.
struct Host {
    place: tempfile::TempDir,
}

impl Host {
    fn new() -> Self {
        let host = Self { place: tempfile::tempdir().unwrap() };
        for folder in ["tree", "scratch", "home"] {
            std::fs::create_dir(host.at(folder)).unwrap();
        }
        std::fs::write(host.at("home/key"), "SECRET").unwrap();
        host
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.place.path().join(path)
    }

    /// Opens a workspace that shows `shown` of this place, and scratch, at the same paths.
    async fn open(
        &self,
        choice: Choice,
        shown: &[(&str, &Path, bool)],
    ) -> Option<Result<Box<dyn Workspace>, SandboxError>> {
        let state = tempfile::tempdir().unwrap();
        let sandbox = sandbox(choice, &settings(state.path())).await?;
        let mounts = shown.iter().map(|(host, inside, writable)| Mount {
            host: self.at(host),
            inside: inside.to_path_buf(),
            writable: *writable,
        });
        let root = self.at("tree");
        let run = RunId(uuid::Uuid::now_v7());
        let opened =
            sandbox.open(WorkspaceSpec { inside: root.clone(), mounts: mounts.collect(), ..spec(run, &root) }).await;
        if let Err(error @ SandboxError::MissingImage { .. }) = &opened {
            autoheal_testkit::skip(&format!("mounts with {choice:?}"), &error.to_string());
            return None;
        }
        Some(opened)
    }

    fn is_untouched(&self) -> bool {
        let entries = std::fs::read_dir(self.at("home")).unwrap().count();
        entries == 1 && std::fs::read_to_string(self.at("home/key")).unwrap() == "SECRET"
    }
}

#[rstest]
#[tokio::test]
async fn a_link_that_a_command_planted_is_not_shown(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let host = Host::new();
    let scratch = host.at("scratch");
    let shown: &[(&str, &Path, bool)] = &[("scratch", &scratch, true)];
    let Some(opened) = host.open(choice, shown).await else { return };
    let mut workspace = opened.unwrap();
    let plant =
        format!("ln -s {} {}/cache && ls {}", host.at("home").display(), scratch.display(), host.at("home").display());
    let outcome = workspace.run(&command(&["sh", "-c", &plant])).await.unwrap();
    assert!(matches!(outcome.end, End::Exited(code) if code != 0), "the host's folder is not seen: {outcome:?}");
    workspace.close().await.unwrap();
    assert!(host.at("scratch/cache").symlink_metadata().unwrap().is_symlink());
    let cache = host.at("tree/cache");
    for shown in [("scratch/cache", cache.as_path(), true), ("scratch/cache/key", cache.as_path(), false)] {
        let refused = host.open(choice, &[shown]).await.unwrap().err().unwrap().to_string();
        assert!(refused.contains("cannot be shown in the sandbox") && refused.contains("symbolic link"), "{refused}");
    }
    assert!(host.is_untouched());
}

#[rstest]
#[tokio::test]
async fn nothing_is_shown_out_of_what_commands_may_write(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let host = Host::new();
    std::fs::create_dir(host.at("scratch/cache")).unwrap();
    let (scratch, cache) = (host.at("scratch"), host.at("tree/cache"));
    let shown: &[(&str, &Path, bool)] = &[("scratch", &scratch, true), ("scratch/cache", &cache, true)];
    let Some(opened) = host.open(choice, shown).await else { return };
    let refused = opened.err().unwrap().to_string();
    assert!(refused.contains("which commands may write"), "{refused}");
}

#[rstest]
#[tokio::test]
async fn a_mount_does_not_follow_a_link_in_the_tree_to_its_place(
    #[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice,
) {
    let host = Host::new();
    std::fs::create_dir(host.at("packages")).unwrap();
    symlink(format!("/oldroot{}", host.at("home").display()), host.at("tree/one")).unwrap();
    let inside = host.at("tree/one/new/node_modules");
    let Some(opened) = host.open(choice, &[("packages", &inside, false)]).await else { return };
    let refused = opened.err().unwrap().to_string();
    assert!(refused.contains("symbolic link"), "{refused}");
    assert!(host.is_untouched());
}

/// A namespace is set up anew for each command, so the mounts are checked again in the tree that the last command left.
#[tokio::test]
async fn a_link_on_the_way_to_a_mount_ends_a_workspace() {
    let host = Host::new();
    std::fs::create_dir(host.at("packages")).unwrap();
    std::fs::create_dir_all(host.at("tree/one")).unwrap();
    let inside = host.at("tree/one/node_modules");
    let Some(opened) = host.open(Choice::Bubblewrap, &[("packages", &inside, false)]).await else { return };
    let mut workspace = opened.unwrap();
    let swap = format!("mv one two && ln -s /oldroot{} one && ls -la", host.at("home").display());
    let outcome = workspace.run(&command(&["sh", "-c", &swap])).await.unwrap();
    assert_eq!(outcome.end, End::Exited(0), "{}", text(&outcome.stderr));
    let refused = workspace.run(&command(&["true"])).await.unwrap_err().to_string();
    assert!(refused.contains("symbolic link"), "{refused}");
    assert!(host.is_untouched());
}
