use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use autoheal_engine::ErrorCode;
use autoheal_forge::{BranchName, CloneOptions, Pushed, RepositoryAddress};
use autoheal_testkit::git_http::{Behaviour, GitHttp};
use autoheal_testkit::repository::TestRepository;
use proptest::prelude::*;

use crate::{git_with_token, request};

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

/// Returns whether any process of this machine has `needle` among its arguments.
fn stands_in_arguments(needle: &str) -> bool {
    fs::read_dir("/proc").unwrap().flatten().any(|process| {
        fs::read(process.path().join("cmdline"))
            .is_ok_and(|arguments| String::from_utf8_lossy(&arguments).contains(needle))
    })
}

/// Returns whether a file below `folder` holds `needle`.
fn stands_in_files(folder: &Path, needle: &str) -> bool {
    fs::read_dir(folder).unwrap().flatten().any(|entry| {
        let path = entry.path();
        if path.is_dir() {
            stands_in_files(&path, needle)
        } else {
            fs::read(&path).is_ok_and(|content| String::from_utf8_lossy(&content).contains(needle))
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_opens_the_door_and_stays_out_of_sight() {
    let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let served = tempfile::tempdir().unwrap();
    repository.bare_copy(served.path(), "private");
    let server = GitHttp::serve(served.path(), Behaviour::Token(TOKEN.to_owned()));
    let remote = RepositoryAddress::parse(&server.url("private")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let clone = folder.path().join("clone");
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut is_seen = false;
            while !is_over.load(Ordering::SeqCst) {
                is_seen |= stands_in_arguments(TOKEN);
            }
            is_seen
        });
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                let git = git_with_token(&server.origin(), TOKEN);
                git.clone(&remote, &clone, &CloneOptions::default()).await.unwrap();
                let head = git.head(&clone).await.unwrap();
                let commit = git.commit_on(&clone, &head, &request(&[("a.py", Some("a = 2\n"))])).await.unwrap();
                let branch = BranchName::parse("T_L_AI_Fix").unwrap();
                assert_eq!(git.push(&clone, &remote, &commit, &branch, None).await.unwrap(), Pushed::Now);
                assert!(!format!("{git:?}").contains(TOKEN));
            });
        });
        is_over.store(true, Ordering::SeqCst);
        assert!(!watching.join().unwrap(), "the token stood in the arguments of a process");
    });
    assert!(server.requests().iter().any(|request| request.password.as_deref() == Some(TOKEN)));
    assert!(server.requests().iter().all(|request| !request.target.contains(TOKEN)));
    assert!(!stands_in_files(folder.path(), TOKEN), "the token stands in a file of the clone");
}

#[tokio::test]
async fn a_wrong_token_is_an_error_that_does_not_repeat_it() {
    let served = tempfile::tempdir().unwrap();
    let server = GitHttp::serve(served.path(), Behaviour::Token("another".to_owned()));
    let remote = RepositoryAddress::parse(&server.url("private")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let git = git_with_token(&server.origin(), TOKEN);
    let error = git.clone(&remote, &folder.path().join("c"), &CloneOptions::default()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::RepoAccessDenied, "{error}");
    assert!(!format!("{error} {error:?}").contains(TOKEN));
}

#[tokio::test]
async fn a_redirect_to_another_host_gets_no_token() {
    let served = tempfile::tempdir().unwrap();
    let thief = GitHttp::serve(served.path(), Behaviour::Token(TOKEN.to_owned()));
    let server = GitHttp::serve(served.path(), Behaviour::Redirect(thief.origin()));
    let remote = RepositoryAddress::parse(&server.url("private")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let git = git_with_token(&server.origin(), TOKEN);
    let options = CloneOptions { timeout: Duration::from_secs(20), ..CloneOptions::default() };
    let error = git.clone(&remote, &folder.path().join("c"), &options).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::RepoAccessDenied, "{error}");
    assert!(!thief.requests().is_empty(), "git followed the redirect");
    assert!(thief.requests().iter().all(|request| request.password.is_none()));
}

#[tokio::test]
async fn a_token_of_another_host_stays_here() {
    let served = tempfile::tempdir().unwrap();
    let server = GitHttp::serve(served.path(), Behaviour::Token(TOKEN.to_owned()));
    let remote = RepositoryAddress::parse(&server.url("private")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let git = git_with_token("https://github.com", TOKEN);
    let error = git.clone(&remote, &folder.path().join("c"), &CloneOptions::default()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::RepoAccessDenied, "{error}");
    assert!(!server.requests().is_empty(), "it was asked");
    assert!(server.requests().iter().all(|request| request.password.is_none()));
}

// Feature: autoheal-ci-agent, Property 30: Token Exclusion from Logs
#[test]
fn no_error_repeats_a_token_even_when_the_server_does() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let served = tempfile::tempdir().unwrap();
    let servers = [403, 404, 500].map(|status| GitHttp::serve(served.path(), Behaviour::Indiscreet(status)));
    let token = prop_oneof!["gh[pousr]_[A-Za-z0-9]{36}", "github_pat_[A-Za-z0-9_]{40,80}", "[!-~]{8,40}"];
    proptest!(ProptestConfig::with_cases(100), |(token in token, which in 0..3_usize)| {
        let remote = RepositoryAddress::parse(&servers[which].url("private")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let git = git_with_token(&servers[which].origin(), &token);
        let cloned = runtime.block_on(git.clone(&remote, &folder.path().join("c"), &CloneOptions::default()));
        let error = cloned.unwrap_err();
        let told = format!("{error} {error:?} {git:?}");
        prop_assert!(!told.contains(&token), "{}", told);
        let given = servers[which].requests().into_iter().next_back().and_then(|request| request.password);
        prop_assert_eq!(given, Some(token));
    });
}
