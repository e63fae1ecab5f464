use std::fs;
use std::time::Duration;

use autoheal_engine::ErrorCode;
use autoheal_forge::{CloneOptions, ForgeError, RepositoryAddress, SizeLimits};
use autoheal_testkit::git_http::{Behaviour, GitHttp};
use autoheal_testkit::repository::TestRepository;
use proptest::prelude::*;

use crate::{Cloned, address, git, git_with};

#[tokio::test]
async fn a_folder_is_cloned_without_sharing_anything() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let git = git();
    let clone = Cloned::of(&git, &repository).await;
    assert_eq!(fs::read_to_string(clone.path().join("a.py")).unwrap(), "a = 1\n");
    assert_eq!(clone.head.as_str(), repository.git(&["rev-parse", "HEAD"]));
    assert!(!clone.path().join(".git/objects/info/alternates").exists());
    assert_eq!(fs::read_dir(clone.folder.path()).unwrap().count(), 1, "only the clone is left beside it");
}

#[tokio::test]
async fn a_clone_may_be_shallow_and_of_one_branch() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    repository.write("a.py", "a = 2\n").commit("second");
    repository.git(&["checkout", "--quiet", "-b", "other"]);
    let tip = repository.write("a.py", "a = 3\n").commit("third");
    repository.git(&["checkout", "--quiet", "main"]);
    let folder = tempfile::tempdir().unwrap();
    let into = folder.path().join("clone");
    let options = CloneOptions { depth: Some(1), branch: Some("other".to_owned()), ..CloneOptions::default() };
    let git = git();
    git.clone(&address(&repository.path()), &into, &options).await.unwrap();
    let head = git.head(&into).await.unwrap();
    assert_eq!(head.as_str(), tip);
    assert_eq!(git.log(&into, None, &head).await.unwrap().len(), 1);
}

#[tokio::test]
async fn each_failure_has_its_code_and_leaves_nothing() {
    let served = tempfile::tempdir().unwrap();
    let empty = TestRepository::new();
    let plain = tempfile::tempdir().unwrap();
    let server = GitHttp::serve(served.path(), Behaviour::Open);
    let closed = GitHttp::serve(served.path(), Behaviour::Token("other".to_owned()));
    let forbidden = GitHttp::serve(served.path(), Behaviour::Status(403));
    let broken = GitHttp::serve(served.path(), Behaviour::Status(500));
    let cases = [
        (RepositoryAddress::parse(&server.url("absent")).unwrap(), ErrorCode::RepoNotFound),
        (RepositoryAddress::parse(&closed.url("private")).unwrap(), ErrorCode::RepoAccessDenied),
        (RepositoryAddress::parse(&forbidden.url("private")).unwrap(), ErrorCode::RepoAccessDenied),
        (RepositoryAddress::parse(&broken.url("any")).unwrap(), ErrorCode::RepoCloneFailed),
        (RepositoryAddress::parse("http://127.0.0.1:1/nobody/listens").unwrap(), ErrorCode::RepoCloneFailed),
        (address(&empty.path()), ErrorCode::RepoCloneFailed),
        (address(plain.path()), ErrorCode::InvalidInput),
        (RepositoryAddress::Path("/nonexistent/folder".into()), ErrorCode::RepoNotFound),
    ];
    let git = git();
    for (address, code) in cases {
        let folder = tempfile::tempdir().unwrap();
        let error = git.clone(&address, &folder.path().join("clone"), &CloneOptions::default()).await.unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{address} left something behind");
    }
}

#[tokio::test]
async fn a_folder_that_cannot_be_created_is_a_disk_error() {
    let repository = TestRepository::with_files(&[("a.py", "")]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let cloned = git().clone(&address(&repository.path()), &file.join("clone"), &CloneOptions::default()).await;
    assert_eq!(cloned.unwrap_err().code(), ErrorCode::DiskFailed);
}

#[tokio::test]
async fn a_missing_branch_is_named() {
    let repository = TestRepository::with_files(&[("a.py", "")]);
    let folder = tempfile::tempdir().unwrap();
    let options = CloneOptions { branch: Some("absent".to_owned()), ..CloneOptions::default() };
    let error = git().clone(&address(&repository.path()), &folder.path().join("c"), &options).await.unwrap_err();
    assert!(matches!(&error, ForgeError::BranchMissing { branch, .. } if branch == "absent"), "{error}");
}

#[tokio::test]
async fn a_server_that_never_answers_costs_the_timeout_only() {
    let served = tempfile::tempdir().unwrap();
    let server = GitHttp::serve(served.path(), Behaviour::Silent);
    let folder = tempfile::tempdir().unwrap();
    let options = CloneOptions { timeout: Duration::from_millis(300), ..CloneOptions::default() };
    let address = RepositoryAddress::parse(&server.url("any")).unwrap();
    let error = git().clone(&address, &folder.path().join("clone"), &options).await.unwrap_err();
    assert!(matches!(error, ForgeError::TimedOut { .. }), "{error}");
    assert!(error.is_passing());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_dropped_clone_leaves_nothing() {
    let served = tempfile::tempdir().unwrap();
    let server = GitHttp::serve(served.path(), Behaviour::Silent);
    let folder = tempfile::tempdir().unwrap();
    let address = RepositoryAddress::parse(&server.url("any")).unwrap();
    let (git, into, options) = (git(), folder.path().join("clone"), CloneOptions::default());
    {
        let clone = git.clone(&address, &into, &options);
        let asked = async {
            while server.requests().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! { biased; () = asked => {}, _ = clone => unreachable!("nobody answered") }
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_huge_repository_is_cut_at_the_limit() {
    let repository = TestRepository::new();
    // One byte a thousandth as large in the pack as on disk: the limit holds for what is written out too.
    repository.write("zeros.bin", vec![0_u8; 20_000_000]).commit("large");
    let folder = tempfile::tempdir().unwrap();
    let git = git_with(SizeLimits { clone_bytes: 5_000_000, ..SizeLimits::default() });
    let into = folder.path().join("c");
    let error = git.clone(&address(&repository.path()), &into, &CloneOptions::default()).await.unwrap_err();
    assert!(matches!(error, ForgeError::TooLarge { limit: 5_000_000, .. }), "{error}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

fn bad_address(server: String, closed: String) -> impl Strategy<Value = String> {
    let word = "[A-Za-z0-9_.-]{1,12}";
    prop_oneof![
        ".{0,40}",
        (word, word).prop_map(|(scheme, rest)| format!("{scheme}://{rest}")),
        word.prop_map(|host| format!("https://{host}.invalid/owner/name")),
        (word, word).prop_map(|(owner, name)| format!("https://github.com/{owner}/{name}/extra")),
        word.prop_map(move |name| format!("{server}/{name}.git")),
        word.prop_map(move |name| format!("{closed}/{name}.git")),
        word.prop_map(|name| format!("/nonexistent/{name}")),
    ]
}

// Feature: autoheal-ci-agent, Property 21: Repository Clone Error Handling
#[test]
fn an_address_that_cannot_be_cloned_gives_an_error_that_says_why() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let served = tempfile::tempdir().unwrap();
    let server = GitHttp::serve(served.path(), Behaviour::Open);
    let closed = GitHttp::serve(served.path(), Behaviour::Token("other".to_owned()));
    let git = git();
    // A relative path could name a folder of the package: none of these names one that is a git repository.
    proptest!(ProptestConfig::with_cases(120), |(text in bad_address(server.origin(), closed.origin()))| {
        let folder = tempfile::tempdir().unwrap();
        let into = folder.path().join("clone");
        let cloned = RepositoryAddress::parse(&text)
            .and_then(|address| runtime.block_on(git.clone(&address, &into, &CloneOptions::default())));
        let error = cloned.unwrap_err();
        let codes = [
            ErrorCode::InvalidInput,
            ErrorCode::RepoCloneFailed,
            ErrorCode::RepoNotFound,
            ErrorCode::RepoAccessDenied,
        ];
        prop_assert!(codes.contains(&error.code()), "{error}");
        prop_assert!(error.to_string().len() > 20, "no reason: {error}");
        prop_assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    });
}
