//! Repositories that are small to fetch and large to write out.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use autoheal_forge::{BranchName, CloneOptions, CommitId, ForgeError, Git, SizeLimits, Surplus};
use autoheal_testkit::repository::TestRepository;

use crate::{Cloned, address, git, git_with, id, request};

/// A repository with a small commit on top of one whose tree is `tree`.
fn hidden_below(repository: &TestRepository, tree: &str) -> CommitId {
    let bomb = repository.git(&["commit-tree", tree, "-m", "bomb"]);
    repository.write("a.py", "a = 1\n").commit("small");
    let small = repository.git(&["rev-parse", "HEAD^{tree}"]);
    let top = repository.git(&["commit-tree", &small, "-p", &bomb, "-m", "top"]);
    repository.git(&["update-ref", "refs/heads/main", &top]);
    id(&bomb)
}

/// A tree object of these entries (`MODE TYPE HASH` each, with the name added).
fn tree(repository: &TestRepository, entry: &str, count: usize) -> String {
    let listing = (0..count).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "{entry}\tn{number:04}");
        text
    });
    let file = repository.path().join(".git/listing");
    fs::write(&file, listing).unwrap();
    repository.git_with_input(&["mktree"], &file)
}

/// 48 names of one blob of 4 MiB.
fn many_names(repository: &TestRepository) -> CommitId {
    repository.write("zeros", vec![0_u8; 4 << 20]).commit("a blob");
    let blob = repository.git(&["rev-parse", "HEAD:zeros"]);
    let tree = tree(repository, &format!("100644 blob {blob}"), 48);
    hidden_below(repository, &tree)
}

/// 50 to the power of 4 files, 6.25 million, in four trees.
fn nested(repository: &TestRepository) -> (String, CommitId) {
    repository.write("empty", "").commit("a blob");
    let blob = repository.git(&["rev-parse", "HEAD:empty"]);
    let leaf = tree(repository, &format!("100644 blob {blob}"), 50);
    let bomb = (0..3).fold(leaf, |below, _| tree(repository, &format!("040000 tree {below}"), 50));
    (bomb.clone(), hidden_below(repository, &bomb))
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_none())
}

#[tokio::test]
async fn a_commit_of_many_names_for_one_blob_is_not_written_out() {
    let repository = TestRepository::new();
    let bomb = many_names(&repository);
    let git = git_with(SizeLimits { tree_bytes: 64 << 20, ..SizeLimits::default() });
    let clone = Cloned::of(&git, &repository).await;
    let into = clone.folder.path().join("before");
    let error = git.export(&clone.path(), &bomb, &into).await.unwrap_err();
    assert!(matches!(error, ForgeError::TreeTooLarge { surplus: Surplus::Bytes { limit }, .. } if limit == 64 << 20));
    assert!(error.to_string().contains("git.tree_mib"), "{error}");
    assert!(is_empty(&into));
}

#[tokio::test]
async fn a_tree_of_millions_of_entries_is_listed_no_further_than_the_limit() {
    let repository = TestRepository::new();
    let (_, bomb) = nested(&repository);
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    let (dir, into) = (clone.path(), clone.folder.path().join("before"));
    let branch = BranchName::parse("autoheal/x").unwrap();
    let too_many = |error: ForgeError| {
        assert!(
            matches!(error, ForgeError::TreeTooLarge { surplus: Surplus::Entries { limit: 200_000 }, .. }),
            "{error}"
        );
    };
    too_many(git.export(&dir, &bomb, &into).await.unwrap_err());
    too_many(git.reset_hard(&dir, &bomb).await.unwrap_err());
    too_many(git.create_branch(&dir, &branch, &bomb).await.unwrap_err());
    too_many(git.commit_on(&dir, &bomb, &request(&[("a.py", Some("a = 2\n"))])).await.unwrap_err());
    too_many(git.files(&dir, &bomb).await.unwrap_err());
    too_many(git.submodules(&dir, &bomb).await.unwrap_err());
    assert!(is_empty(&into));
    assert_eq!(fs::read_to_string(dir.join("a.py")).unwrap(), "a = 1\n");
}

#[tokio::test]
async fn a_clone_whose_own_commit_is_too_large_leaves_nothing() {
    let repository = TestRepository::new();
    let (bomb, _) = nested(&repository);
    let top = repository.git(&["commit-tree", &bomb, "-m", "bomb"]);
    repository.git(&["update-ref", "refs/heads/main", &top]);
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("clone");
    let error = git().clone(&address(&repository.path()), &into, &CloneOptions::default()).await.unwrap_err();
    assert!(matches!(error, ForgeError::TreeTooLarge { surplus: Surplus::Entries { .. }, .. }), "{error}");
    assert!(is_empty(folder.path()));
}

#[tokio::test]
async fn a_clone_with_too_many_branches_is_refused() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    for name in ["one", "two", "three"] {
        repository.git(&["branch", name]);
    }
    let folder = tempfile::tempdir().unwrap();
    let of = async |references| {
        let git = git_with(SizeLimits { references, ..SizeLimits::default() });
        let into = folder.path().join(references.to_string());
        git.clone(&address(&repository.path()), &into, &CloneOptions::default()).await
    };
    let error = of(2).await.unwrap_err();
    assert!(matches!(error, ForgeError::TooManyReferences { limit: 2, .. }), "{error}");
    of(100).await.unwrap();
}

#[tokio::test]
async fn a_git_that_needs_too_much_memory_fails_by_itself() {
    let repository = TestRepository::new();
    let bomb = nested(&repository).1;
    let limits = SizeLimits { memory: 256 << 20, entries: u64::MAX, ..SizeLimits::default() };
    let clone = Cloned::of(&git(), &repository).await;
    let git: Git = git_with(limits);
    let error = git.export(&clone.path(), &bomb, &clone.folder.path().join("before")).await.unwrap_err();
    assert!(matches!(&error, ForgeError::Command { reason, .. } if reason.contains("memory")), "{error}");
}
