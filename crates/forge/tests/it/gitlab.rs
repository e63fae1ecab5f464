use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::ErrorCode;
use autoheal_forge::gitlab::{GitLab, GitLabToken, TokenKind};
use autoheal_forge::host::connection::ConnectionSettings;
use autoheal_forge::host::{
    ChangeRequestText, CheckState, CodeHost as _, CodeHosts, HostError, Opened, RepositoryName, StatusState,
};
use autoheal_forge::{BranchName, CloneOptions, CommitId, Git, GitSettings, Pushed, RepositoryAddress};
use autoheal_testkit::gitlab::{Behaviour, CiPlan, FakeGitLab, Fault, JobPlan, MergeRequest, PipelinePlan};
use autoheal_testkit::repository::TestRepository;
use proptest::prelude::*;
use secrecy::SecretString;

use crate::request;

const TOKEN: &str = "glpat-0123456789abcdefghij";

const BRANCH: &str = "T_L_AI_Fix";

struct Scene {
    gitlab: FakeGitLab,
    client: GitLab,
    repository: RepositoryName,
    commit: CommitId,
}

fn client(gitlab: &FakeGitLab, token: Option<(TokenKind, &str)>) -> GitLab {
    let settings = ConnectionSettings {
        first_wait: Duration::ZERO,
        patience: Duration::from_secs(5),
        ..ConnectionSettings::default()
    };
    let token = token.map(|(kind, secret)| GitLabToken { kind, secret: SecretString::from(secret) });
    GitLab::new(&gitlab.origin().parse().unwrap(), token, settings).unwrap()
}

impl Scene {
    fn new(behaviour: Behaviour) -> Self {
        let kind = match behaviour.header.0 {
            "job-token" => TokenKind::Job,
            "authorization" => TokenKind::OAuth,
            _ => TokenKind::Private,
        };
        let repository = TestRepository::with_files(&[("a.py", "a = 1\n")]);
        repository.git(&["branch", BRANCH]);
        let commit = CommitId::parse(&repository.git(&["rev-parse", "HEAD"])).unwrap();
        let gitlab = FakeGitLab::serve(&repository, behaviour);
        let client = client(&gitlab, Some((kind, TOKEN)));
        let address = RepositoryAddress::parse(&gitlab.url()).unwrap();
        let repository = address.on(client.site()).unwrap();
        Self { gitlab, client, repository, commit }
    }

    fn with_ci(plan: CiPlan) -> Self {
        Self::new(Behaviour::new(TOKEN, move |_| plan.clone()))
    }

    async fn states(&self) -> Vec<(String, CheckState)> {
        let checks = self.client.checks(&self.repository, &self.commit).await.unwrap();
        checks.checks.into_iter().map(|check| (check.name, check.state)).collect()
    }

    async fn say(&self, state: StatusState) {
        self.client.set_status(&self.repository, &self.commit, state, "3 fixes").await.unwrap();
    }

    fn text(title: &str) -> ChangeRequestText {
        let (head, base, body) = (BRANCH.to_owned(), "main".to_owned(), "What was changed.".to_owned());
        ChangeRequestText { head, base, title: title.to_owned(), body, commits: BTreeSet::new() }
    }

    fn request(state: &str, description: &str, target: &str) -> MergeRequest {
        MergeRequest {
            iid: 5,
            source: BRANCH.to_owned(),
            target: target.to_owned(),
            title: "x".to_owned(),
            description: description.to_owned(),
            state: state.to_owned(),
            is_of_fork: false,
        }
    }
}

#[tokio::test]
async fn each_kind_of_token_has_its_header_and_git_has_it_too() {
    for header in [("private-token", ""), ("job-token", ""), ("authorization", "Bearer ")] {
        let scene = Scene::new(Behaviour { header, ..Behaviour::new(TOKEN, |_| CiPlan::none()) });
        assert_eq!(scene.client.default_branch(&scene.repository).await.unwrap(), "main", "{header:?}");
        let tokens = CodeHosts::new([std::sync::Arc::new(scene.client) as _]).git_tokens();
        let git = Git::new(GitSettings { tokens, ..GitSettings::default() }).unwrap();
        let address = RepositoryAddress::parse(&scene.gitlab.url()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let clone = folder.path().join("clone");
        git.clone(&address, &clone, &CloneOptions::default()).await.unwrap();
        let commit = git.commit_on(&clone, &scene.commit, &request(&[("a.py", Some("a = 2\n"))])).await.unwrap();
        let branch = BranchName::parse("T_L_2_AI_Fix").unwrap();
        assert_eq!(git.push(&clone, &address, &commit, &branch, None).await.unwrap(), Pushed::Now);
        assert_eq!(scene.gitlab.branch(branch.as_str()).as_deref(), Some(commit.as_str()));
        scene.gitlab.check_against_shapes();
    }
    let refusing = Scene::new(Behaviour { may_push: false, ..Behaviour::new(TOKEN, |_| CiPlan::none()) });
    let tokens = CodeHosts::new([std::sync::Arc::new(refusing.client) as _]).git_tokens();
    let git = Git::new(GitSettings { tokens, ..GitSettings::default() }).unwrap();
    let address = RepositoryAddress::parse(&refusing.gitlab.url()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let clone = folder.path().join("clone");
    git.clone(&address, &clone, &CloneOptions::default()).await.unwrap();
    let commit = git.commit_on(&clone, &refusing.commit, &request(&[("a.py", Some("a = 2\n"))])).await.unwrap();
    let error = git.push(&clone, &address, &commit, &BranchName::parse(BRANCH).unwrap(), Some(&refusing.commit)).await;
    assert_eq!(error.unwrap_err().code(), ErrorCode::RepoAccessDenied);
}

#[tokio::test]
async fn a_pipeline_is_followed_until_it_ends() {
    let scene = Scene::with_ci(CiPlan::green());
    assert_eq!(scene.states().await, []);
    let pipeline = |state| vec![("pipeline".to_owned(), state)];
    assert_eq!(scene.states().await, pipeline(CheckState::Pending));
    assert_eq!(scene.states().await, pipeline(CheckState::Success));
    scene.gitlab.check_against_shapes();
}

#[tokio::test]
async fn our_own_word_turns_no_pipeline_red_for_us() {
    let scene = Scene::with_ci(CiPlan { appears_after: 0, ..CiPlan::green() });
    scene.states().await;
    scene.say(StatusState::Pending).await;
    assert_eq!(scene.gitlab.statuses(), [], "it would be a job of the pipeline that never ends");
    assert_eq!(scene.states().await, [("pipeline".to_owned(), CheckState::Success)]);
    scene.say(StatusState::Failure).await;
    assert_eq!(scene.gitlab.statuses().len(), 1);
    assert_eq!(scene.states().await, [("pipeline".to_owned(), CheckState::Success)]);
    scene.say(StatusState::Failure).await;
    assert_eq!(scene.gitlab.statuses().len(), 1, "what is said there already is not said again");
    scene.say(StatusState::Success).await;
    assert_eq!(scene.gitlab.statuses().len(), 2);
    scene.gitlab.check_against_shapes();
}

#[tokio::test]
async fn a_job_that_has_the_name_of_our_status_hides_no_failure() {
    let job = JobPlan {
        name: "autoheal".to_owned(),
        status: "failed".to_owned(),
        allow_failure: false,
        trace: String::new(),
    };
    let (source, status) = ("push".to_owned(), "failed".to_owned());
    let pipeline = PipelinePlan { source, takes: 0, status, jobs: vec![job], when_retried: None };
    let scene = Scene::with_ci(CiPlan { pipelines: vec![pipeline], ..CiPlan::none() });
    assert_eq!(scene.states().await, [("pipeline".to_owned(), CheckState::Failure)]);
}

#[tokio::test]
async fn other_ci_counts_by_its_statuses() {
    let statuses =
        [("jenkins", "failed"), ("circle", "success")].map(|(name, state)| (name.to_owned(), state.to_owned()));
    let scene = Scene::with_ci(CiPlan { statuses: statuses.to_vec(), ..CiPlan::none() });
    scene.say(StatusState::Success).await;
    let expected = [("circle".to_owned(), CheckState::Success), ("jenkins".to_owned(), CheckState::Failure)];
    assert_eq!(scene.states().await, expected);
    scene.gitlab.fail_next([Fault::new("GET", "/statuses", 403).saying("403 Forbidden")]);
    let seen = scene.client.checks(&scene.repository, &scene.commit).await.unwrap();
    assert!(seen.checks.is_empty() && matches!(seen.unread, Some(HostError::Forbidden { .. })));
    scene.gitlab.check_against_shapes();
}

#[tokio::test]
async fn lists_are_read_to_their_last_page() {
    let statuses: Vec<_> = (0..7).map(|n| (format!("status {n}"), "success".to_owned())).collect();
    let plan = CiPlan { statuses, ..CiPlan::none() };
    let scene = Scene::new(Behaviour { page_size: 3, ..Behaviour::new(TOKEN, move |_| plan.clone()) });
    assert_eq!(scene.states().await.len(), 7);
    scene.gitlab.check_against_shapes();
}

#[tokio::test]
async fn a_log_is_read_at_the_host_and_nowhere_else() {
    let scene = Scene::with_ci(CiPlan::red(&format!(
        "\u{1b}[31m{TOKEN}: it failed\u{1b}[0;m\nERROR: Job failed: exit code 1\n"
    )));
    for _ in 0..3 {
        scene.states().await;
    }
    let run = scene.client.checks(&scene.repository, &scene.commit).await.unwrap().checks[0].run.unwrap();
    let jobs = scene.client.jobs(&scene.repository, run).await.unwrap();
    assert_eq!((jobs[0].name.as_str(), jobs[0].state), ("test", CheckState::Failure));
    let log = scene.client.job_log(&scene.repository, jobs[0].id).await.unwrap();
    assert_eq!(log.text, "***: it failed\n");
    assert_eq!(log.folders, ["/builds/octo/tools/shop"]);
    let missing = scene.client.job_log(&scene.repository, 9).await.unwrap_err();
    assert_eq!(missing.code(), ErrorCode::RepoNotFound);
    for place in ["http://169.254.169.254/latest/meta-data", "https://10.0.0.1/log", "http://127.0.0.1:9/log"] {
        scene.gitlab.fail_next([Fault::new("GET", "/trace", 302).header("Location", place)]);
        let error = scene.client.job_log(&scene.repository, jobs[0].id).await.unwrap_err();
        assert!(matches!(error, HostError::Redirected { .. }), "{place}: {error}");
    }
    scene.gitlab.check_against_shapes();
}

#[tokio::test]
async fn of_a_huge_log_the_beginning_and_the_end_are_kept() {
    let scene = Scene::with_ci(CiPlan::red(&format!("begin\n{}\nend\n", "noise \u{1b}[32mgreen\n".repeat(2 << 20))));
    for _ in 0..3 {
        scene.states().await;
    }
    let run = scene.client.checks(&scene.repository, &scene.commit).await.unwrap().checks[0].run.unwrap();
    let jobs = scene.client.jobs(&scene.repository, run).await.unwrap();
    let log = scene.client.job_log(&scene.repository, jobs[0].id).await.unwrap();
    assert!(log.text.starts_with("begin\n") && log.text.trim_end().ends_with("end"), "{}", log.text.len());
    assert!(log.text.len() < 4 << 20 && !log.text.contains('\u{1b}'), "{}", log.text.len());
}

#[tokio::test]
async fn there_is_one_merge_request_however_often_it_is_opened() {
    let scene = Scene::new(Behaviour {
        pages_at: Some("https://evil.example".to_owned()),
        ..Behaviour::new(TOKEN, |_| CiPlan::none())
    });
    let open =
        async |title: &str| scene.client.open_change_request(&scene.repository, &Scene::text(title)).await.unwrap();
    let Opened::New(first) = open("one").await else { unreachable!("there was none") };
    assert_eq!(first.page, format!("{}/-/merge_requests/1", scene.gitlab.url()), "whatever page the host names");
    let again = [open("one").await, open("two").await];
    assert!(again.iter().all(|opened| matches!(opened, Opened::Updated(request) if request.number == first.number)));
    let requests = scene.gitlab.merge_requests();
    assert_eq!((requests.len(), requests[0].title.as_str()), (1, "two"));
    assert!(requests[0].description.ends_with("What was changed."));
    scene.gitlab.close_merge_requests();
    let commits = [scene.commit.to_string()].into();
    let again = ChangeRequestText { commits, ..Scene::text("three") };
    let again = scene.client.open_change_request(&scene.repository, &again).await.unwrap();
    assert!(matches!(again, Opened::Refused(_)), "a person said no to this");
    assert!(matches!(open("four").await, Opened::New(_)), "what is offered now is something else");
    scene.gitlab.check_against_shapes();
}

#[tokio::test]
async fn a_merge_request_of_a_person_or_for_another_branch_is_left_as_it_is() {
    for (target, description) in [("main", "Mine."), ("other", "<!-- autoheal -->\nOf another run.")] {
        let scene = Scene::with_ci(CiPlan::none());
        let request = Scene::request("opened", description, target);
        scene.gitlab.put_merge_request(request.clone());
        let opened = scene.client.open_change_request(&scene.repository, &Scene::text("one")).await.unwrap();
        assert!(matches!(opened, Opened::Left(left) if left.number == 5));
        assert_eq!(scene.gitlab.merge_requests(), [request]);
    }
    let scene = Scene::with_ci(CiPlan::none());
    let of_fork = MergeRequest { is_of_fork: true, ..Scene::request("opened", "A fork's.", "main") };
    scene.gitlab.put_merge_request(of_fork.clone());
    assert_eq!(scene.client.change_requests(&scene.repository, BRANCH).await.unwrap(), [], "a branch of the same name");
    let refused = scene.client.open_change_request(&scene.repository, &Scene::text("one")).await.unwrap_err();
    assert!(matches!(refused, HostError::Refused { .. }), "{refused}");
}

#[tokio::test]
async fn a_note_is_replaced_by_the_next_one_and_gives_no_orders() {
    let scene = Scene::with_ci(CiPlan::none());
    scene.gitlab.put_merge_request(Scene::request("opened", "", "main"));
    let first = scene.client.comment(&scene.repository, 5, "one\n/merge").await.unwrap();
    assert!(first.starts_with(&scene.gitlab.url()) && first.contains("#note_"), "{first}");
    assert!(scene.gitlab.notes()[0].body.ends_with("one\n&#47;merge"));
    assert_eq!(scene.client.comment(&scene.repository, 5, "two").await.unwrap(), first);
    let notes = scene.gitlab.notes();
    assert!(notes.len() == 1 && notes[0].body.ends_with("two"), "{notes:?}");
    scene.gitlab.fail_next([Fault::new("PUT", "/notes/", 403).saying("403 Forbidden")]);
    assert_ne!(scene.client.comment(&scene.repository, 5, "three").await.unwrap(), first, "a mark that is not ours");
    let absent = scene.client.comment(&scene.repository, 6, "four").await.unwrap_err();
    assert_eq!(absent.code(), ErrorCode::RepoNotFound);
    scene.gitlab.check_against_shapes();
}

#[tokio::test]
async fn a_pipeline_can_be_started_and_its_failed_jobs_again() {
    let red = CiPlan::red("it failed\n");
    let pipelines = vec![PipelinePlan { when_retried: Some("success".to_owned()), ..red.pipelines[0].clone() }];
    let scene = Scene::with_ci(CiPlan { needs_start: true, appears_after: 0, pipelines, ..red });
    assert_eq!(scene.states().await, []);
    let startable = scene.client.startable(&scene.repository, &[]).await.unwrap();
    scene.client.start(&scene.repository, &startable[0], &BranchName::parse(BRANCH).unwrap()).await.unwrap();
    assert_eq!(scene.gitlab.starts(), [BRANCH]);
    let pipeline = |state| vec![("pipeline (api)".to_owned(), state)];
    assert_eq!(scene.states().await, pipeline(CheckState::Failure));
    let run = scene.client.checks(&scene.repository, &scene.commit).await.unwrap().checks[0].run.unwrap();
    scene.client.rerun_failed_jobs(&scene.repository, run).await.unwrap();
    assert_eq!(scene.states().await, pipeline(CheckState::Pending));
    assert_eq!(scene.states().await, pipeline(CheckState::Success));
    scene.gitlab.check_against_shapes();
}

#[tokio::test]
async fn errors_have_their_names_and_a_remedy() {
    let scene = Scene::with_ci(CiPlan::none());
    let default_branch = async |client: &GitLab| client.default_branch(&scene.repository).await.unwrap_err();
    let error = default_branch(&client(&scene.gitlab, Some((TokenKind::Private, "glpat-of-somebody-else")))).await;
    assert!(matches!(error, HostError::Unauthorized { .. }) && error.to_string().contains("AUTOHEAL_GITLAB_TOKEN"));
    let error = default_branch(&client(&scene.gitlab, Some((TokenKind::Job, TOKEN)))).await;
    assert!(matches!(error, HostError::Unauthorized { .. }), "another kind of token: {error}");
    assert_eq!(default_branch(&client(&scene.gitlab, None)).await.code(), ErrorCode::RepoAccessDenied);
    scene.gitlab.fail_next([Fault::new("GET", "shop", 403).saying("insufficient_scope")]);
    let error = default_branch(&scene.client).await;
    assert!(matches!(error, HostError::Forbidden { .. }) && error.to_string().contains("docs/gitlab.md"), "{error}");
    for place in ["http://127.0.0.1:9/elsewhere", "https://169.254.169.254/"] {
        scene.gitlab.fail_next([Fault::new("GET", "shop", 301).header("Location", place)]);
        let error = default_branch(&scene.client).await;
        assert!(matches!(error, HostError::Redirected { .. }), "{error}");
    }
    let limited = |seconds| Fault::new("GET", "shop", 429).header("Retry-After", seconds).saying("Retry later");
    scene.gitlab.fail_next([limited("0")]);
    scene.client.default_branch(&scene.repository).await.unwrap();
    scene.gitlab.fail_next([limited("3600")]);
    let error = default_branch(&scene.client).await;
    assert!(matches!(error, HostError::RateLimited { wait, .. } if wait.as_secs() == 3600), "{error}");
    scene.gitlab.fail_next([Fault::new("GET", "shop", 502), Fault::new("GET", "shop", 503)]);
    scene.client.default_branch(&scene.repository).await.unwrap();
}

// Feature: autoheal-ci-agent, Property 30: Token Exclusion from Logs
#[test]
fn no_error_of_gitlab_repeats_a_token_even_when_the_server_does() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let scene = Scene::with_ci(CiPlan::none());
    let statuses = [401_u16, 403, 404, 409, 422, 500];
    let kinds = [TokenKind::Private, TokenKind::Job, TokenKind::OAuth];
    let token = prop_oneof!["glpat-[A-Za-z0-9_-]{20}", "glcbt-[A-Za-z0-9_-]{20,40}", "[!-~]{8,40}"];
    proptest!(ProptestConfig::with_cases(100), |(token in token, which in 0..6_usize, kind in 0..3_usize)| {
        let settings = ConnectionSettings { tries: 1, ..ConnectionSettings::default() };
        let secret = GitLabToken { kind: kinds[kind], secret: token.clone().into() };
        let client = GitLab::new(&scene.gitlab.origin().parse().unwrap(), Some(secret), settings).unwrap();
        scene.gitlab.fail_next([Fault::new("GET", "shop", statuses[which]).saying(&format!("{token} is no good"))]);
        let error = runtime.block_on(client.default_branch(&scene.repository)).unwrap_err();
        let told = format!("{error} {error:?} {client:?}");
        prop_assert!(!told.contains(&token), "{}", told);
    });
}
