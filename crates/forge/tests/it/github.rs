use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::ErrorCode;
use autoheal_forge::github::{GitHub, site_of_api};
use autoheal_forge::host::connection::ConnectionSettings;
use autoheal_forge::host::{
    ChangeRequestText, CheckState, CodeHost as _, HostError, Opened, RepositoryName, StatusState,
};
use autoheal_forge::{BranchName, CloneOptions, CommitId, Pushed, RepositoryAddress};
use autoheal_testkit::github::description::Description;
use autoheal_testkit::github::{Behaviour, CiPlan, FakeGitHub, Fault, Pull};
use autoheal_testkit::repository::TestRepository;
use proptest::prelude::*;
use secrecy::SecretString;
use serde_json::json;
use url::Url;

use crate::{git_with_token, request};

const TOKEN: &str = "ghp_0123456789abcdefghijABCDEFGHIJ012345";

struct Scene {
    github: FakeGitHub,
    client: GitHub,
    repository: RepositoryName,
    commit: CommitId,
}

fn client(github: &FakeGitHub, token: Option<&str>) -> GitHub {
    let settings = ConnectionSettings {
        first_wait: Duration::ZERO,
        patience: Duration::from_secs(5),
        ..ConnectionSettings::default()
    };
    GitHub::new(github.api().parse().unwrap(), token.map(SecretString::from), settings).unwrap()
}

impl Scene {
    fn new(behaviour: Behaviour) -> Self {
        let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
        repository.git(&["branch", "T_L_AI_Fix"]);
        let commit = CommitId::parse(&repository.git(&["rev-parse", "HEAD"])).unwrap();
        let github = FakeGitHub::serve(&repository, behaviour);
        let client = client(&github, Some(TOKEN));
        let address = RepositoryAddress::parse(&github.url()).unwrap();
        let repository = address.on(client.site()).unwrap();
        Self { github, client, repository, commit }
    }

    fn with_ci(plan: CiPlan) -> Self {
        Self::new(Behaviour::new(TOKEN, move |_| plan.clone()))
    }

    async fn states(&self) -> Vec<(String, CheckState)> {
        let checks = self.client.checks(&self.repository, &self.commit).await.unwrap();
        checks.checks.into_iter().map(|check| (check.name, check.state)).collect()
    }

    fn text(title: &str) -> ChangeRequestText {
        let body = "What was changed.".to_owned();
        let (head, base) = ("T_L_AI_Fix".to_owned(), "main".to_owned());
        ChangeRequestText { head, base, title: title.to_owned(), body, commits: BTreeSet::new() }
    }
}

#[tokio::test]
async fn a_repository_says_which_branch_a_clone_checks_out() {
    let scene = Scene::with_ci(CiPlan::none());
    assert_eq!(scene.client.default_branch(&scene.repository).await.unwrap(), "main");
    scene.github.check_against_description();
}

#[tokio::test]
async fn runs_are_followed_until_they_end_and_what_did_not_change_is_not_sent_again() {
    let scene = Scene::with_ci(CiPlan::green());
    assert_eq!(scene.states().await, []);
    let ci = |state| vec![("ci".to_owned(), state)];
    assert_eq!(scene.states().await, ci(CheckState::Pending));
    assert_eq!(scene.states().await, ci(CheckState::Success));
    assert_eq!(scene.states().await, ci(CheckState::Success));
    let exchanges = scene.github.exchanges();
    let last = exchanges.iter().rev().find(|exchange| exchange.path.ends_with("/actions/runs")).unwrap();
    assert_eq!(last.status, 304);
    scene.github.check_against_description();
}

#[tokio::test]
async fn other_ci_counts_and_our_own_word_does_not() {
    let scene = Scene::with_ci(CiPlan {
        statuses: vec![("jenkins".to_owned(), "failure".to_owned())],
        checks: vec![("circle".to_owned(), "success".to_owned()), ("later".to_owned(), "skipped".to_owned())],
        ..CiPlan::none()
    });
    let said = StatusState::Success;
    scene.client.set_status(&scene.repository, &scene.commit, said, "3 fixes, all tests pass").await.unwrap();
    let expected = [
        ("circle".to_owned(), CheckState::Success),
        ("jenkins".to_owned(), CheckState::Failure),
        ("later".to_owned(), CheckState::Neutral),
    ];
    assert_eq!(scene.states().await, expected);
    scene.client.set_status(&scene.repository, &scene.commit, said, "3 fixes, all tests pass").await.unwrap();
    assert_eq!(scene.github.statuses().len(), 1, "what is said there already is not said again");
    scene.github.check_against_description();
}

#[tokio::test]
async fn a_token_that_may_not_see_other_ci_sees_actions_and_says_so() {
    let scene = Scene::with_ci(CiPlan { appears_after: 0, ..CiPlan::green() });
    let forbidden = Fault::new("GET", "/check-runs", 403).saying("Resource not accessible by personal access token");
    scene.github.fail_next([forbidden]);
    let seen = scene.client.checks(&scene.repository, &scene.commit).await.unwrap();
    assert_eq!(seen.checks.len(), 1);
    assert!(matches!(seen.unread, Some(HostError::Forbidden { .. })));
    scene.github.fail_next([Fault::new("GET", "/actions/runs", 403).saying("no")]);
    let refused = scene.client.checks(&scene.repository, &scene.commit).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::RepoAccessDenied);
}

#[tokio::test]
async fn lists_are_read_to_their_last_page() {
    let plan = CiPlan {
        checks: (0..7).map(|n| (format!("check {n}"), "success".to_owned())).collect(),
        statuses: (0..7).map(|n| (format!("status {n}"), "failure".to_owned())).collect(),
        ..CiPlan::none()
    };
    let scene = Scene::new(Behaviour { page_size: 3, ..Behaviour::new(TOKEN, move |_| plan.clone()) });
    assert_eq!(scene.states().await.len(), 14);
    scene.github.check_against_description();
}

#[tokio::test]
async fn a_log_is_read_where_it_lies_without_the_token() {
    let scene = Scene::with_ci(CiPlan::red(&format!("2026-01-01T00:00:00.0000000Z {TOKEN}: it failed\n")));
    for _ in 0..3 {
        scene.states().await;
    }
    let checks = scene.client.checks(&scene.repository, &scene.commit).await.unwrap().checks;
    let jobs = scene.client.jobs(&scene.repository, checks[0].run.unwrap()).await.unwrap();
    assert_eq!((jobs[0].name.as_str(), jobs[0].state), ("test", CheckState::Failure));
    let log = scene.client.job_log(&scene.repository, jobs[0].id).await.unwrap();
    assert_eq!(log.text, "***: it failed\n");
    assert!(log.folders.contains(&"/home/runner/work/shop/shop".to_owned()), "{log:?}");
    let asked = scene.github.log_requests();
    assert!(asked.len() == 1 && !asked[0].1, "{asked:?}");
    let missing = scene.client.job_log(&scene.repository, 9).await.unwrap_err();
    assert_eq!(missing.code(), ErrorCode::RepoNotFound);
    scene.github.check_against_description();
}

#[tokio::test]
async fn there_is_one_pull_request_however_often_it_is_opened() {
    let scene = Scene::with_ci(CiPlan::none());
    let open =
        async |title: &str| scene.client.open_change_request(&scene.repository, &Scene::text(title)).await.unwrap();
    let Opened::New(first) = open("one").await else { unreachable!("there was none") };
    let again = [open("one").await, open("two").await];
    assert!(again.iter().all(|opened| matches!(opened, Opened::Updated(pull) if pull.number == first.number)));
    let pulls = scene.github.pulls();
    assert_eq!(pulls.len(), 1);
    assert_eq!(pulls[0].title, "two");
    assert!(pulls[0].body.ends_with("What was changed."));
    scene.github.close_pulls();
    let commits = [scene.commit.to_string()].into();
    let again = ChangeRequestText { commits, ..Scene::text("three") };
    let again = scene.client.open_change_request(&scene.repository, &again).await.unwrap();
    assert!(matches!(again, Opened::Refused(_)), "a person said no to this");
    assert_eq!(scene.github.pulls().len(), 1);
    assert!(matches!(open("four").await, Opened::New(_)), "what is offered now is something else");
    scene.github.check_against_description();
}

#[tokio::test]
async fn a_pull_request_of_a_person_or_for_another_branch_is_left_as_it_is() {
    for (base, body) in [("main", "Mine."), ("other", "<!-- autoheal -->\nOf another run.")] {
        let scene = Scene::with_ci(CiPlan::none());
        let pull = Pull {
            number: 5,
            head: "T_L_AI_Fix".to_owned(),
            base: base.to_owned(),
            title: "x".to_owned(),
            body: body.to_owned(),
            is_open: true,
            merged: None,
        };
        scene.github.put_pull(pull.clone());
        let opened = scene.client.open_change_request(&scene.repository, &Scene::text("one")).await.unwrap();
        assert!(matches!(opened, Opened::Left(left) if left.number == 5));
        assert_eq!(scene.github.pulls(), [pull]);
    }
}

#[tokio::test]
async fn a_pull_request_whose_answer_was_lost_is_found_again() {
    let scene = Scene::with_ci(CiPlan::none());
    let lost = Fault::new("GET", "/pulls", 500);
    let opened = scene.client.open_change_request(&scene.repository, &Scene::text("one")).await.unwrap();
    scene.github.fail_next([lost]);
    let again = scene.client.open_change_request(&scene.repository, &Scene::text("one")).await.unwrap();
    assert!(matches!((opened, again), (Opened::New(_), Opened::Updated(_))));
    assert_eq!(scene.github.pulls().len(), 1);
    scene.github.check_against_description();
}

#[tokio::test]
async fn a_comment_is_replaced_by_the_next_one() {
    let scene = Scene::with_ci(CiPlan::none());
    let (head, base) = ("T_L_AI_Fix".to_owned(), "main".to_owned());
    let pull = Pull { number: 5, head, base, title: "x".to_owned(), body: String::new(), is_open: true, merged: None };
    scene.github.put_pull(pull);
    let first = scene.client.comment(&scene.repository, 5, "one").await.unwrap();
    assert_eq!(scene.client.comment(&scene.repository, 5, "two").await.unwrap(), first);
    let comments = scene.github.comments();
    assert_eq!(comments.len(), 1);
    assert!(comments[0].body.ends_with("two"));
    let of_somebody = Fault::new("PATCH", "/issues/comments", 403).saying("Must have admin rights to Repository.");
    scene.github.fail_next([of_somebody]);
    assert_ne!(scene.client.comment(&scene.repository, 5, "three").await.unwrap(), first, "a mark that is not ours");
    assert_eq!(scene.github.comments().len(), 2);
    let absent = scene.client.comment(&scene.repository, 6, "four").await.unwrap_err();
    assert_eq!(absent.code(), ErrorCode::RepoNotFound);
    scene.github.check_against_description();
}

#[tokio::test]
async fn a_workflow_can_be_started() {
    let scene = Scene::with_ci(CiPlan { needs_dispatch: true, appears_after: 0, ..CiPlan::green() });
    assert_eq!(scene.states().await, []);
    let startable = async |file: &str| scene.client.startable(&scene.repository, &[file.to_owned()]).await.unwrap();
    assert_eq!(startable(".github/workflows/other.yml").await, []);
    let workflows = startable(".github/workflows/ci.yml").await;
    let branch = BranchName::parse("T_L_AI_Fix").unwrap();
    scene.client.start(&scene.repository, &workflows[0], &branch).await.unwrap();
    assert_eq!(scene.github.dispatches(), ["T_L_AI_Fix"]);
    assert_eq!(scene.states().await.len(), 1);
    scene.github.check_against_description();
}

#[tokio::test]
async fn errors_have_their_names() {
    let scene = Scene::with_ci(CiPlan::none());
    let stranger = client(&scene.github, Some("ghp_of_somebody_else"));
    let error = stranger.default_branch(&scene.repository).await.unwrap_err();
    assert!(matches!(error, HostError::Unauthorized { .. }), "{error}");
    let nobody = client(&scene.github, None).default_branch(&scene.repository).await.unwrap_err();
    assert_eq!(nobody.code(), ErrorCode::RepoAccessDenied);
    let elsewhere = RepositoryName { owner: "octo".to_owned(), name: "nothing".to_owned() };
    assert_eq!(scene.client.default_branch(&elsewhere).await.unwrap_err().code(), ErrorCode::RepoNotFound);

    let forbidden = Fault::new("GET", "/shop", 403).saying("Resource not accessible by integration");
    scene.github.fail_next([forbidden]);
    assert_eq!(scene.client.default_branch(&scene.repository).await.unwrap_err().code(), ErrorCode::RepoAccessDenied);
    let moved = Fault::new("GET", "/shop", 301).header("Location", "http://127.0.0.1:9/elsewhere");
    scene.github.fail_next([moved]);
    let error = scene.client.default_branch(&scene.repository).await.unwrap_err();
    assert!(matches!(error, HostError::Redirected { .. }), "{error}");
}

#[tokio::test]
async fn a_server_that_fails_is_asked_again_where_that_is_safe() {
    let scene = Scene::with_ci(CiPlan::none());
    scene.github.fail_next([Fault::new("GET", "/shop", 502), Fault::new("GET", "/shop", 503)]);
    scene.client.default_branch(&scene.repository).await.unwrap();
    scene.github.fail_next([Fault::new("POST", "/pulls", 502)]);
    let error = scene.client.open_change_request(&scene.repository, &Scene::text("one")).await.unwrap_err();
    assert!(matches!(error, HostError::Down { status: 502, .. }), "{error}");
    let posts = scene.github.exchanges().iter().filter(|exchange| exchange.method == "POST").count();
    assert_eq!(posts, 1);
}

#[tokio::test]
async fn a_limit_is_waited_for_within_patience() {
    let scene = Scene::with_ci(CiPlan::none());
    let limited = |seconds| Fault::new("GET", "/shop", 429).header("Retry-After", seconds).saying("slow down");
    scene.github.fail_next([limited("0")]);
    scene.client.default_branch(&scene.repository).await.unwrap();
    scene.github.fail_next([limited("3600")]);
    let error = scene.client.default_branch(&scene.repository).await.unwrap_err();
    assert!(matches!(error, HostError::RateLimited { wait, .. } if wait.as_secs() == 3600), "{error}");
    let spent =
        Fault::new("GET", "/shop", 403).header("X-RateLimit-Remaining", "0").header("X-RateLimit-Reset", "4102444800");
    scene.github.fail_next([spent]);
    assert!(matches!(scene.client.default_branch(&scene.repository).await, Err(HostError::RateLimited { .. })));
}

#[tokio::test]
async fn git_and_the_api_are_one_host_with_one_token() {
    let scene = Scene::with_ci(CiPlan::none());
    let git = git_with_token(&scene.github.url(), TOKEN);
    let address = RepositoryAddress::parse(&scene.github.url()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let clone = folder.path().join("clone");
    git.clone(&address, &clone, &CloneOptions::default()).await.unwrap();
    let commit = git.commit_on(&clone, &scene.commit, &request(&[("a.py", Some("a = 2\n"))])).await.unwrap();
    let branch = BranchName::parse("T_L_2_AI_Fix").unwrap();
    assert_eq!(git.push(&clone, &address, &commit, &branch, None).await.unwrap(), Pushed::Now);
    assert_eq!(scene.github.branch(branch.as_str()).as_deref(), Some(commit.as_str()));

    let refusing = Scene::new(Behaviour { may_push: false, ..Behaviour::new(TOKEN, |_| CiPlan::none()) });
    let address = RepositoryAddress::parse(&refusing.github.url()).unwrap();
    let error = git.push(&clone, &address, &commit, &branch, None).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::RepoAccessDenied, "{error}");
}

#[tokio::test]
async fn what_is_not_as_github_describes_it_would_be_seen() {
    let Some(description) = Description::find() else {
        autoheal_testkit::skip("GitHub's description of its API", "it is not in the cache: ./test fetches it");
        return;
    };
    let scene = Scene::with_ci(CiPlan::green());
    scene.states().await;
    scene.states().await;
    scene.client.open_change_request(&scene.repository, &Scene::text("one")).await.unwrap();
    for exchange in scene.github.exchanges() {
        assert_eq!(description.faults(&exchange), Vec::<String>::new());
        let mut wrong = exchange.clone();
        wrong.answer = Some(json!({ "workflow_runs": "none", "check_runs": [{}], "statuses": 1, "number": "one" }));
        assert!(!description.faults(&wrong).is_empty(), "{}", exchange.path);
        let mut wrong = exchange;
        wrong.query.push(("nobody".to_owned(), "knows".to_owned()));
        assert!(!description.faults(&wrong).is_empty(), "{}", wrong.path);
    }
}

#[test]
fn a_host_is_known_by_its_api() {
    let host = |text: &str| site_of_api(&Url::parse(text).unwrap());
    assert_eq!(host("https://api.github.com").unwrap().web().as_str(), "https://github.com/");
    let enterprise = host("https://git.example.org/api/v3").unwrap();
    for text in [
        "http://git.example.org/api/v3",
        "https://git.example.org",
        "https://user@git.example.org/api/v3",
        "https://git.example.org/api/v3?x=y",
        "ftp://git.example.org/api/v3",
    ] {
        assert_eq!(host(text).unwrap_err().code(), ErrorCode::InvalidInput, "{text}");
    }
    let address =
        RepositoryAddress::parse_on("https://git.example.org/o/r", std::slice::from_ref(&enterprise)).unwrap();
    assert_eq!(address.on(&enterprise).unwrap().to_string(), "o/r");
    for text in [
        "https://git.example.org.evil.org/o/r",
        "https://git.example.org:8443/o/r",
        "https://git.example.org/o/r/tree",
        "https://git.example.org/o",
        "http://git.example.org/o/r",
        "https://token@git.example.org/o/r",
        "https://bitbucket.org/o/r",
    ] {
        assert!(RepositoryAddress::parse_on(text, std::slice::from_ref(&enterprise)).is_err(), "{text}");
    }
    assert!(RepositoryAddress::parse("https://git.example.org/o/r").is_err());
    let public = RepositoryAddress::parse_on("https://github.com/o/r", std::slice::from_ref(&enterprise)).unwrap();
    assert_eq!(public.on(&enterprise), None, "a token is for its own host");
}

// Feature: autoheal-ci-agent, Property 30: Token Exclusion from Logs
#[test]
fn no_error_of_the_api_repeats_a_token_even_when_the_server_does() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let scene = Scene::with_ci(CiPlan::none());
    let token = prop_oneof!["gh[pousr]_[A-Za-z0-9]{36}", "github_pat_[A-Za-z0-9_]{40,80}", "[!-~]{8,40}"];
    let statuses = [401_u16, 403, 404, 409, 422, 500];
    proptest!(ProptestConfig::with_cases(100), |(token in token, which in 0..6_usize)| {
        let settings = ConnectionSettings { tries: 1, ..ConnectionSettings::default() };
        let client = GitHub::new(scene.github.api().parse().unwrap(), Some(token.clone().into()), settings).unwrap();
        scene.github.fail_next([Fault::new("GET", "/shop", statuses[which]).saying(&format!("{token} is no good"))]);
        let error = runtime.block_on(client.default_branch(&scene.repository)).unwrap_err();
        let told = format!("{error} {error:?} {client:?}");
        prop_assert!(!told.contains(&token), "{}", told);
    });
}
