use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use autoheal_forge::{BranchName, ForgeError, Git};
use autoheal_testkit::repository::TestRepository;
use proptest::prelude::*;

use crate::{Cloned, git, id, request};

#[tokio::test]
async fn the_same_request_gives_the_same_commit_on_every_machine() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n"), ("b.py", "b = 1\n")]);
    let git = git();
    let (one, other) = (Cloned::of(&git, &repository).await, Cloned::of(&git, &repository).await);
    let wanted = request(&[("a.py", Some("a = 2\n")), ("b.py", None), ("new/c.py", Some("c = 1\n"))]);
    let first = git.commit_on(&one.path(), &one.head, &wanted).await.unwrap();
    assert_eq!(git.commit_on(&one.path(), &one.head, &wanted).await.unwrap(), first);
    assert_eq!(git.commit_on(&other.path(), &other.head, &wanted).await.unwrap(), first);
    assert_eq!(git.files(&one.path(), &first).await.unwrap(), ["a.py", "new/c.py"]);
    assert_eq!(git.file(&one.path(), &first, "a.py").await.unwrap().unwrap(), b"a = 2\n");
    assert_eq!(git.file(&one.path(), &first, "b.py").await.unwrap(), None);
    assert_eq!(git.head(&one.path()).await.unwrap(), one.head, "nothing moved");

    let log = git.log(&one.path(), Some(&one.head), &first).await.unwrap();
    let [commit] = log.as_slice() else { panic!("{log:?}") };
    assert_eq!(
        (&commit.message, &commit.author, &commit.parents),
        (&wanted.message, &wanted.author, &vec![one.head.clone()])
    );
    assert_eq!(commit.at.as_seconds(), wanted.at.as_seconds());
}

#[tokio::test]
async fn a_commit_moves_the_branch_and_the_files_and_nothing_else() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n"), ("b.py", "b = 1\n"), ("run.sh", "#!/bin/sh\n")]);
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(repository.path().join("run.sh"), mode).unwrap();
    repository.commit("executable");
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    let branch = BranchName::parse("T_L_AI_Fix").unwrap();
    git.create_branch(&clone.path(), &branch, &clone.head).await.unwrap();
    fs::write(clone.path().join("b.py"), "b = 'not committed'\n").unwrap();

    let wanted = request(&[("a.py", Some("a = 2\n")), ("run.sh", Some("#!/bin/sh\nexit 1\n"))]);
    let commit = git.commit(&clone.path(), &wanted).await.unwrap();
    assert_eq!(git.branch(&clone.path(), &branch).await.unwrap(), Some(commit.clone()));
    assert_eq!(fs::read_to_string(clone.path().join("a.py")).unwrap(), "a = 2\n");
    assert_eq!(fs::read_to_string(clone.path().join("b.py")).unwrap(), "b = 'not committed'\n");
    assert_ne!(clone.path().join("run.sh").metadata().unwrap().permissions().mode() & 0o100, 0, "still executable");
    assert_eq!(git.changed_files(&clone.path(), &clone.head, &commit).await.unwrap(), ["a.py", "run.sh"]);
    let diff = git.diff(&clone.path(), &clone.head, &commit).await.unwrap();
    assert!(diff.contains("-a = 1\n+a = 2\n") && !diff.contains("old mode"), "{diff}");

    git.reset_hard(&clone.path(), &clone.head).await.unwrap();
    assert_eq!(fs::read_to_string(clone.path().join("b.py")).unwrap(), "b = 1\n");
    assert!(matches!(
        git.commit(&clone.path(), &request(&[("a.py", Some("a = 1\n"))])).await,
        Err(ForgeError::NothingToCommit)
    ));
}

#[tokio::test]
async fn nothing_is_committed_on_main() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    let refused = git.commit(&clone.path(), &request(&[("a.py", Some("a = 2\n"))])).await;
    assert!(matches!(refused, Err(ForgeError::ProtectedBranch { .. })), "{refused:?}");
    assert_eq!(git.head(&clone.path()).await.unwrap(), clone.head);
}

#[tokio::test]
async fn resetting_never_moves_main() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let second = id(&repository.write("a.py", "a = 2\n").commit("second"));
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    let first = id(&repository.git(&["rev-parse", "HEAD~1"]));
    fs::write(clone.path().join("untracked.py"), "").unwrap();
    git.reset_hard(&clone.path(), &first).await.unwrap();
    assert_eq!(git.head(&clone.path()).await.unwrap(), first);
    assert_eq!(git.current_branch(&clone.path()).await.unwrap(), None);
    assert!(!clone.path().join("untracked.py").exists());
    let main = autoheal_testkit::repository::git(&clone.path(), &["rev-parse", "main"]);
    assert_eq!(main, second.as_str());
}

#[tokio::test]
async fn an_export_holds_the_files_and_not_the_clone() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n"), ("package/b.py", "b = 1\n")]);
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    let into = clone.folder.path().join("export");
    git.export(&clone.path(), &clone.head, &into).await.unwrap();
    assert_eq!(fs::read_to_string(into.join("package/b.py")).unwrap(), "b = 1\n");
    assert!(!into.join(".git").exists());
}

#[tokio::test]
async fn paths_out_of_the_tree_are_refused() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    std::os::unix::fs::symlink("/etc", repository.path().join("etc")).unwrap();
    std::os::unix::fs::symlink("a.py", repository.path().join("link.py")).unwrap();
    repository.commit("links");
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    for path in
        ["../a.py", "/etc/passwd", ".git/config", "package/.GIT/config", "etc/passwd", "link.py", "", ".", "a/../b"]
    {
        let refused = git.commit_on(&clone.path(), &clone.head, &request(&[(path, Some("x"))])).await;
        assert!(matches!(refused, Err(ForgeError::OutsideTree { .. })), "{path}: {refused:?}");
        assert!(Git::read_files(&clone.path(), &[path.to_owned()]).is_err(), "{path}");
    }
}

// The hash depends on the content alone, whatever the content is.
#[test]
fn any_content_comes_back_as_it_was_committed() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let git = git();
    let clone = runtime.block_on(Cloned::of(&git, &repository));
    proptest!(ProptestConfig::with_cases(100), |(
        content in proptest::collection::vec(any::<u8>(), 0..200),
        name in "[a-z ü\"'\\\\*?\\[\\]$`;&|-]{1,12}\\.py",
        message in "[^\0]{0,60}",
    )| {
        let mut wanted = request(&[]);
        wanted.files.insert(name.clone(), Some(content.clone()));
        wanted.message = format!("[AI-AGENT] {message}");
        let commit = runtime.block_on(git.commit_on(&clone.path(), &clone.head, &wanted)).unwrap();
        prop_assert_eq!(runtime.block_on(git.file(&clone.path(), &commit, &name)).unwrap(), Some(content));
        prop_assert_eq!(runtime.block_on(git.changed_files(&clone.path(), &clone.head, &commit)).unwrap(), [name]);
    });
}

#[tokio::test]
async fn what_is_on_the_default_branch_is_told_from_what_nobody_has_accepted() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let first = id(&repository.git(&["rev-parse", "HEAD"]));
    repository.git(&["checkout", "--quiet", "-b", "unread"]);
    repository.write("a.py", "a = 2\n");
    let unread = id(&repository.commit("nobody has read this"));
    let git = git();
    // The branch that is checked out is not the default one because of that.
    let clone = Cloned::of(&git, &repository).await;
    assert_eq!(clone.head, unread);
    let address = crate::address(&repository.path());
    for (commit, is_accepted) in [(&first, true), (&unread, false)] {
        let found = git.is_on_default_branch(&clone.path(), &address, commit).await.unwrap();
        assert_eq!(found, is_accepted, "{commit}");
    }
    assert_eq!(git.default_commit(&clone.path(), &address).await.unwrap(), Some(first));
    // Without a branch of such a name it is the one that is checked out, for what is installed; nothing says so.
    repository.git(&["branch", "--quiet", "--move", "main", "old"]);
    let clone = Cloned::of(&git, &repository).await;
    assert!(git.is_on_default_branch(&clone.path(), &address, &unread).await.unwrap());
    assert_eq!(git.default_commit(&clone.path(), &address).await.unwrap(), None);
}
