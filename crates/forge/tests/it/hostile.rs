//! Repositories that try to run something on the host, or to reach files outside.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use autoheal_forge::{BranchName, CloneOptions};
use autoheal_testkit::repository::TestRepository;

use crate::{Cloned, address, git, request};

/// A script that leaves `trace` behind when anybody runs it, and passes its input on.
fn trap(folder: &Path, trace: &Path) -> PathBuf {
    let script = folder.join("trap.sh");
    fs::write(&script, format!("#!/bin/sh\ntouch '{}'\ncat\n", trace.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    script
}

/// Everything at once: hooks, monitors, filters, textconv, drivers, helpers, included configuration.
fn booby_trapped(trap: &Path) -> TestRepository {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    repository.write(".gitattributes", "* filter=evil diff=evil merge=evil\n");
    repository.commit("attributes");
    let trap_text = trap.to_str().unwrap();
    for (key, value) in [
        ("core.fsmonitor", trap_text),
        ("core.sshCommand", trap_text),
        ("core.gitProxy", trap_text),
        ("core.askPass", trap_text),
        ("core.editor", trap_text),
        ("core.pager", trap_text),
        ("core.alternateRefsCommand", trap_text),
        ("credential.helper", trap_text),
        ("filter.evil.clean", trap_text),
        ("filter.evil.smudge", trap_text),
        ("filter.evil.process", trap_text),
        ("filter.evil.required", "true"),
        ("diff.evil.textconv", trap_text),
        ("diff.evil.command", trap_text),
        ("diff.external", trap_text),
        ("merge.evil.driver", trap_text),
        ("gpg.program", trap_text),
        ("commit.gpgSign", "true"),
        ("uploadpack.packObjectsHook", trap_text),
        ("receive.denyCurrentBranch", "updateInstead"),
    ] {
        repository.git(&["config", key, value]);
    }
    let included = repository.path().join(".git/more");
    fs::write(&included, format!("[core]\n\thooksPath = {}\n", repository.path().join(".git/hooks").display()))
        .unwrap();
    repository.git(&["config", "include.path", included.to_str().unwrap()]);
    let hooks = repository.path().join(".git/hooks");
    fs::create_dir_all(&hooks).unwrap();
    for hook in [
        "post-checkout",
        "pre-commit",
        "commit-msg",
        "post-commit",
        "pre-push",
        "pre-receive",
        "update",
        "post-receive",
        "post-update",
        "reference-transaction",
        "proc-receive",
        "push-to-checkout",
        "post-index-change",
        "prepare-commit-msg",
        "fsmonitor-watchman",
        "pre-auto-gc",
    ] {
        fs::copy(trap, hooks.join(hook)).unwrap();
    }
    repository
}

#[tokio::test]
async fn nothing_of_a_repository_is_run() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("was-run");
    let repository = booby_trapped(&trap(folder.path(), &trace));
    // Objects borrowed from elsewhere make a receiving git ask for their references by a command.
    let other = TestRepository::with_files(&[("b.py", "b = 1\n")]);
    let alternates = repository.path().join(".git/objects/info/alternates");
    fs::create_dir_all(alternates.parent().unwrap()).unwrap();
    fs::write(&alternates, format!("{}\n", other.path().join(".git/objects").display())).unwrap();

    let (git, remote) = (git(), address(&repository.path()));
    let clone = Cloned::of(&git, &repository).await;
    let path = clone.path();
    let branch = BranchName::parse("T_L_AI_Fix").unwrap();
    repository.write("a.py", "a = 'uncommitted'\n");
    assert_eq!(git.uncommitted_changes(&repository.path(), &path).await.unwrap().len(), 1);
    git.copy_uncommitted(&repository.path(), &path).await.unwrap();
    git.reset_hard(&path, &clone.head).await.unwrap();
    git.create_branch(&path, &branch, &clone.head).await.unwrap();
    let commit = git.commit(&path, &request(&[("a.py", Some("a = 2\n"))])).await.unwrap();
    git.diff(&path, &clone.head, &commit).await.unwrap();
    git.log(&path, None, &commit).await.unwrap();
    git.export(&path, &commit, &folder.path().join("export")).await.unwrap();
    git.push(&path, &remote, &commit, &branch, None).await.unwrap();
    git.fetch_branch(&path, &remote, &branch).await.unwrap();
    git.default_branch(&remote).await.unwrap();
    assert!(!trace.exists(), "something of the repository was run on the host");
    assert_eq!(fs::read_to_string(repository.path().join("a.py")).unwrap(), "a = 'uncommitted'\n");
}

#[tokio::test]
async fn the_trap_does_work() {
    // Without this a typing error in the trap would make the test above pass for ever.
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("was-run");
    let repository = booby_trapped(&trap(folder.path(), &trace));
    // The filter's `process` protocol is not what the trap speaks; its plain command is.
    repository.git(&["config", "filter.evil.process", ""]);
    repository.git(&["config", "filter.evil.required", "false"]);
    repository.git(&["config", "commit.gpgSign", "false"]);
    repository.write("a.py", "a = 2\n").commit("springs the trap");
    assert!(trace.exists());
}

#[tokio::test]
async fn submodules_are_not_fetched() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("was-run");
    let script = trap(folder.path(), &trace);
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let head = repository.git(&["rev-parse", "HEAD"]);
    let url = format!("ext::{}", script.display());
    let modules = format!("[submodule \"m\"]\n\tpath = m\n\turl = {url}\n\tupdate = !{}\n", script.display());
    repository.write(".gitmodules", modules);
    repository.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},m")]);
    repository.git(&["add", ".gitmodules"]);
    repository.git(&["commit", "--quiet", "--message", "a submodule"]);
    let clone = Cloned::of(&git(), &repository).await;
    assert!(!trace.exists());
    assert_eq!(fs::read_dir(clone.path().join("m")).unwrap().count(), 0);
}

#[tokio::test]
async fn links_out_of_the_tree_are_neither_followed_nor_written_through() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim");
    fs::write(&victim, "secret\n").unwrap();
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    symlink(&victim, repository.path().join("link.py")).unwrap();
    symlink(outside.path(), repository.path().join("folder")).unwrap();
    repository.commit("links");
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    for path in ["link.py", "folder/victim", "folder/new"] {
        assert!(git.commit_on(&clone.path(), &clone.head, &request(&[(path, Some("x"))])).await.is_err(), "{path}");
    }
    let export = clone.folder.path().join("export");
    git.export(&clone.path(), &clone.head, &export).await.unwrap();
    assert!(export.join("link.py").is_symlink());
    assert_eq!(fs::read_to_string(&victim).unwrap(), "secret\n");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[tokio::test]
async fn a_folder_that_looks_like_an_option_is_a_folder() {
    let parent = tempfile::tempdir().unwrap();
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let odd = parent.path().join("--upload-pack=touch was-run; 'x");
    fs::rename(repository.path(), &odd).unwrap();
    let git = git();
    let into = parent.path().join("clone");
    git.clone(&address(&odd), &into, &CloneOptions::default()).await.unwrap();
    let head = git.head(&into).await.unwrap();
    let commit = git.commit_on(&into, &head, &request(&[("a.py", Some("a = 2\n"))])).await.unwrap();
    let branch = BranchName::parse("T_L_AI_Fix").unwrap();
    git.push(&into, &address(&odd), &commit, &branch, None).await.unwrap();
    assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 2);
}
