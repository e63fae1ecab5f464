use autoheal_engine::ErrorCode;
use autoheal_forge::{BranchName, CommitId, ForgeError, Git, Pushed, RepositoryAddress};
use autoheal_testkit::git_http::{Behaviour, GitHttp};
use autoheal_testkit::repository::{self, TestRepository};
use proptest::prelude::*;

use crate::{Cloned, address, git, id, request};

/// A repository, its clone, and two commits on top of each other that wait to be pushed.
struct Scene {
    repository: TestRepository,
    git: Git,
    clone: Cloned,
    first: CommitId,
    second: CommitId,
    branch: BranchName,
}

impl Scene {
    async fn new() -> Self {
        let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
        let git = git();
        let clone = Cloned::of(&git, &repository).await;
        let path = clone.path();
        let first = git.commit_on(&path, &clone.head, &request(&[("a.py", Some("a = 2\n"))])).await.unwrap();
        let second = git.commit_on(&path, &first, &request(&[("a.py", Some("a = 3\n"))])).await.unwrap();
        let branch = BranchName::parse("TEAM_LEADER_AI_Fix").unwrap();
        Self { repository, git, clone, first, second, branch }
    }

    async fn push(&self, commit: &CommitId, expected: Option<&CommitId>) -> Result<Pushed, ForgeError> {
        let address = address(&self.repository.path());
        self.git.push(&self.clone.path(), &address, commit, &self.branch, expected).await
    }

    fn remote(&self) -> String {
        self.repository.git(&["for-each-ref", "--format=%(refname) %(objectname)"])
    }
}

#[tokio::test]
async fn a_folder_gets_the_branch_and_keeps_its_files() {
    let scene = Scene::new().await;
    scene.repository.write("a.py", "a = 'being edited'\n");
    assert_eq!(scene.push(&scene.first, None).await.unwrap(), Pushed::Now);
    assert_eq!(scene.push(&scene.second, Some(&scene.first)).await.unwrap(), Pushed::Now);
    let found = scene.git.ls_remote(&address(&scene.repository.path()), &scene.branch).await.unwrap();
    assert_eq!(found.as_ref(), Some(&scene.second));
    assert_eq!(scene.repository.git(&["rev-parse", "HEAD"]), scene.clone.head.as_str());
    assert_eq!(scene.repository.git(&["status", "--short"]), " M a.py");
}

#[tokio::test]
async fn a_push_may_be_repeated() {
    let scene = Scene::new().await;
    assert_eq!(scene.push(&scene.first, None).await.unwrap(), Pushed::Now);
    assert_eq!(scene.push(&scene.first, None).await.unwrap(), Pushed::Before);
    assert_eq!(scene.push(&scene.first, Some(&scene.clone.head)).await.unwrap(), Pushed::Before);
}

#[tokio::test]
async fn a_branch_that_moved_is_left_alone() {
    let scene = Scene::new().await;
    let somebody = scene.repository.git(&["rev-parse", "HEAD"]);
    scene.repository.git(&["branch", scene.branch.as_str()]);
    let before = scene.remote();
    let refused = scene.push(&scene.first, None).await.unwrap_err();
    assert!(
        matches!(&refused, ForgeError::RemoteMoved { found: Some(found), .. } if found.as_str() == somebody),
        "{refused}"
    );
    let refused = scene.push(&scene.second, Some(&scene.first)).await.unwrap_err();
    assert!(matches!(refused, ForgeError::RemoteMoved { .. }), "{refused}");
    assert_eq!(scene.remote(), before);
}

#[tokio::test]
async fn history_is_never_rewritten() {
    let scene = Scene::new().await;
    scene.push(&scene.second, None).await.unwrap();
    let before = scene.remote();
    let refused = scene.push(&scene.first, Some(&scene.second)).await.unwrap_err();
    assert!(matches!(refused, ForgeError::WouldRewrite { .. }), "{refused}");
    assert_eq!(scene.remote(), before);
}

#[tokio::test]
async fn a_branch_that_is_checked_out_is_refused() {
    let scene = Scene::new().await;
    scene.repository.git(&["worktree", "add", "--quiet", "-b", scene.branch.as_str(), "../elsewhere"]);
    let refused = scene.push(&scene.first, Some(&scene.clone.head)).await.unwrap_err();
    assert!(matches!(refused, ForgeError::CheckedOut { .. }), "{refused}");

    let scene = Scene::new().await;
    scene.repository.git(&["config", "receive.denyCurrentBranch", "updateInstead"]);
    scene.repository.git(&["checkout", "--quiet", "-b", scene.branch.as_str()]);
    let refused = scene.push(&scene.first, Some(&scene.clone.head)).await.unwrap_err();
    assert!(matches!(refused, ForgeError::ProtectedBranch { .. } | ForgeError::CheckedOut { .. }), "{refused}");
}

#[tokio::test]
async fn the_default_branch_is_refused_whatever_its_name() {
    let scene = Scene::new().await;
    scene.repository.git(&["branch", "--move", "main", "trunk"]);
    let trunk = BranchName::parse("trunk").unwrap();
    let remote = address(&scene.repository.path());
    assert_eq!(scene.git.default_branch(&remote).await.unwrap().as_deref(), Some("trunk"));
    let refused = scene.git.push(&scene.clone.path(), &remote, &scene.first, &trunk, Some(&scene.clone.head)).await;
    assert!(matches!(refused, Err(ForgeError::ProtectedBranch { .. })), "{refused:?}");
}

#[tokio::test]
async fn http_takes_pushes_and_gives_them_back() {
    let scene = Scene::new().await;
    let served = tempfile::tempdir().unwrap();
    let bare = scene.repository.bare_copy(served.path(), "project");
    let server = GitHttp::serve(served.path(), Behaviour::Open);
    let remote = RepositoryAddress::parse(&server.url("project")).unwrap();
    let path = scene.clone.path();
    assert_eq!(scene.git.push(&path, &remote, &scene.first, &scene.branch, None).await.unwrap(), Pushed::Now);
    assert_eq!(repository::git(&bare, &["rev-parse", scene.branch.as_str()]), scene.first.as_str());
    let fresh = Cloned::of(&scene.git, &scene.repository).await;
    let fetched = scene.git.fetch_branch(&fresh.path(), &remote, &scene.branch).await.unwrap();
    assert_eq!(fetched.as_ref(), Some(&scene.first));
    assert_eq!(scene.git.log(&fresh.path(), Some(&fresh.head), &scene.first).await.unwrap().len(), 1);
    let absent = BranchName::parse("absent").unwrap();
    assert_eq!(scene.git.fetch_branch(&fresh.path(), &remote, &absent).await.unwrap(), None);
}

#[tokio::test]
async fn a_refusal_of_the_other_side_is_told() {
    let scene = Scene::new().await;
    let served = tempfile::tempdir().unwrap();
    let bare = scene.repository.bare_copy(served.path(), "project");
    std::fs::create_dir_all(bare.join("hooks")).unwrap();
    let hook = bare.join("hooks/pre-receive");
    std::fs::write(&hook, "#!/bin/sh\necho 'branches need a ticket' >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let server = GitHttp::serve(served.path(), Behaviour::Open);
    let remote = RepositoryAddress::parse(&server.url("project")).unwrap();
    let refused = scene.git.push(&scene.clone.path(), &remote, &scene.first, &scene.branch, None).await.unwrap_err();
    assert!(matches!(&refused, ForgeError::PushRejected { reason, .. } if reason.contains("ticket")), "{refused}");
    assert_eq!(refused.code(), ErrorCode::GitPushFailed);
}

/// Names that come near to `main` and `master`, and names that do not.
fn branch_name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop_oneof![Just("main"), Just("master"), Just("HEAD"), Just("trunk")].prop_map(str::to_owned),
        "(refs/heads/|heads/|refs/remotes/)?[mM][aA](in|IN|ster|STER)",
        "[+:^-]?(main|master)(\\^0|~1|:main|\\.lock)?",
        "[ -~]{0,16}",
        "[A-Z0-9_]{1,12}_AI_Fix",
    ]
}

// Feature: autoheal-ci-agent, Property 16: Main Branch Protection
#[test]
fn no_name_and_no_expectation_moves_main_or_master() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let scene = runtime.block_on(Scene::new());
    scene.repository.git(&["branch", "master"]);
    scene.repository.git(&["checkout", "--quiet", "-b", "trunk"]);
    let remote = address(&scene.repository.path());
    let guarded = || scene.repository.git(&["rev-parse", "main", "master", "trunk", "HEAD"]);
    let before = guarded();
    let expectations = [None, Some(scene.clone.head.clone()), Some(scene.first.clone())];
    proptest!(ProptestConfig::with_cases(100), |(name in branch_name(), which in 0..3_usize)| {
        if let Ok(branch) = BranchName::parse(&name) {
            prop_assert!(!["main", "master"].contains(&branch.as_str().to_ascii_lowercase().as_str()));
            let clone = scene.clone.path();
            let push = scene.git.push(&clone, &remote, &scene.first, &branch, expectations[which].as_ref());
            let pushed = runtime.block_on(push);
            prop_assert!(pushed.is_err() || branch.as_str() != "trunk");
        }
        prop_assert_eq!(guarded(), before.clone());
        let clone_main = repository::git(&scene.clone.path(), &["rev-parse", "main"]);
        prop_assert_eq!(id(&clone_main), scene.clone.head.clone());
    });
}
