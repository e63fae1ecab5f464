use std::fs;
use std::os::unix::fs::symlink;

use autoheal_forge::ForgeError;
use autoheal_testkit::repository::TestRepository;

use crate::{Cloned, git, request};

#[tokio::test]
async fn changes_are_found_and_taken_along() {
    let repository = TestRepository::with_files(&[
        ("a.py", "a = 1\n"),
        ("gone.py", ""),
        ("becomes_folder", ""),
        ("staged.py", ""),
        (".gitignore", "*.log\n"),
    ]);
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    assert!(!git.is_dirty(&repository.path(), &clone.path()).await.unwrap());

    repository.write("a.py", "a = 2\n").write("new dir/ü.py", "new\n").write("debug.log", "ignored\n");
    repository.write("staged.py", "staged\n").git(&["add", "staged.py"]);
    repository.write("excluded.py", "").write(".git/info/exclude", "excluded.py\n");
    fs::remove_file(repository.path().join("gone.py")).unwrap();
    fs::remove_file(repository.path().join("becomes_folder")).unwrap();
    repository.write("becomes_folder/x.py", "x\n");
    symlink("a.py", repository.path().join("link.py")).unwrap();
    let status = repository.git(&["status", "--short"]);

    let changes = git.copy_uncommitted(&repository.path(), &clone.path()).await.unwrap();
    let mut paths: Vec<_> = changes.iter().map(|change| change.path.as_str()).collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        ["a.py", "becomes_folder", "becomes_folder/x.py", "gone.py", "link.py", "new dir/ü.py", "staged.py"]
    );
    assert_eq!(fs::read_to_string(clone.path().join("a.py")).unwrap(), "a = 2\n");
    assert_eq!(fs::read_to_string(clone.path().join("new dir/ü.py")).unwrap(), "new\n");
    assert_eq!(fs::read_to_string(clone.path().join("becomes_folder/x.py")).unwrap(), "x\n");
    assert_eq!(fs::read_link(clone.path().join("link.py")).unwrap().to_str(), Some("a.py"));
    assert!(!clone.path().join("gone.py").exists() && !clone.path().join("debug.log").exists());
    assert_eq!(repository.git(&["status", "--short"]), status, "the checkout is as it was");
    assert!(git.is_dirty(&repository.path(), &clone.path()).await.unwrap());

    let wanted = request(&[]);
    let commit = git.commit_uncommitted(&repository.path(), &clone.path(), &wanted).await.unwrap().unwrap();
    assert_eq!(
        git.commit_uncommitted(&repository.path(), &clone.path(), &wanted).await.unwrap(),
        Some(commit.clone()),
        "the same changes give the same commit"
    );
    assert_eq!(
        git.files(&clone.path(), &commit).await.unwrap(),
        [".gitignore", "a.py", "becomes_folder/x.py", "link.py", "new dir/ü.py", "staged.py"]
    );
    let export = clone.folder.path().join("export");
    git.export(&clone.path(), &commit, &export).await.unwrap();
    assert_eq!(fs::read_link(export.join("link.py")).unwrap().to_str(), Some("a.py"));
}

#[tokio::test]
async fn without_changes_there_is_no_commit() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    assert_eq!(git.commit_uncommitted(&repository.path(), &clone.path(), &request(&[])).await.unwrap(), None);
}

#[tokio::test]
async fn links_out_of_the_tree_are_refused() {
    for target in ["/etc/passwd", "../outside", "package/../../outside", ".git/config"] {
        let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
        let git = git();
        let clone = Cloned::of(&git, &repository).await;
        symlink(target, repository.path().join("link")).unwrap();
        let refused = git.copy_uncommitted(&repository.path(), &clone.path()).await;
        assert!(matches!(refused, Err(ForgeError::OutsideTree { .. })), "{target}: {refused:?}");
    }
}

#[tokio::test]
async fn a_committed_link_is_replaced_and_never_written_through() {
    let outside = tempfile::tempdir().unwrap();
    let victim = outside.path().join("victim.py");
    fs::write(&victim, "untouched\n").unwrap();
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    symlink(&victim, repository.path().join("link.py")).unwrap();
    symlink(outside.path(), repository.path().join("folder")).unwrap();
    repository.commit("links");
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    fs::remove_file(repository.path().join("link.py")).unwrap();
    fs::remove_file(repository.path().join("folder")).unwrap();
    repository.write("link.py", "a file now\n").write("folder/victim.py", "a folder now\n");
    git.copy_uncommitted(&repository.path(), &clone.path()).await.unwrap();
    assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched\n");
    assert_eq!(fs::read_to_string(clone.path().join("link.py")).unwrap(), "a file now\n");
    assert_eq!(fs::read_to_string(clone.path().join("folder/victim.py")).unwrap(), "a folder now\n");
}
