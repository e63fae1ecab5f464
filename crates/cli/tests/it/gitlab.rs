//! From red to green at GitLab: the real binary, the real git server, and a GitLab of one's own.

use std::process::Command;

use autoheal_testkit::gitlab::{Behaviour, CiPlan, Commit, FakeGitLab, Fault};
use autoheal_testkit::repository::{self, TestRepository};
use serde_json::{Value, json};

use crate::binary::{Ended, Home, path_with_program};
use crate::github::{FILES, file_with};
use crate::healing::sandbox;

const TOKEN: &str = "glpat-planted0123456789-_abcdefghij";

const BRANCH: &str = "AUTOHEAL_BOT_AI_Fix";

/// The log of a job that fails for what only CI shows, with everything that a runner adds.
const MISSING_IMPORT: &str = "\
\u{1b}[0KRunning with gitlab-runner 17.0.0 (44feccdf)\u{1b}[0;m
section_start:1767225600:get_sources\r\u{1b}[0K\u{1b}[0K\u{1b}[36;1mGetting source from Git repository\u{1b}[0;m
Initialized empty Git repository in /home/gitlab-runner/builds/t1_x/0/octo/tools/shop/.git/
section_end:1767225601:get_sources\r\u{1b}[0Ksection_start:1767225601:step_script\r\u{1b}[0K
\u{1b}[32;1m$ python -m shop.receipt\u{1b}[0;m
Traceback (most recent call last):
  File \"/home/gitlab-runner/builds/t1_x/0/octo/tools/shop/shop/receipt.py\", line 6, in <module>
    print(receipt([1]))
  File \"/home/gitlab-runner/builds/t1_x/0/octo/tools/shop/shop/receipt.py\", line 2, in receipt
    return json.dumps({'prices': prices})
NameError: name 'json' is not defined
section_end:1767225602:step_script\r\u{1b}[0Ksection_start:1767225602:cleanup_file_variables\r\u{1b}[0K\u{1b}[0KCleaning up
section_end:1767225603:cleanup_file_variables\r\u{1b}[0K\u{1b}[31;1mERROR: Job failed: exit code 1
\u{1b}[0;m";

/// Returns the CI results of a commit, by its contents.
fn ci(commit: &Commit<'_>) -> CiPlan {
    if !commit.file("shop/cart.py").contains("(prices):") {
        return CiPlan::red("SyntaxError in shop/cart.py\n");
    }
    if commit.file("shop/receipt.py").contains("import json") { CiPlan::green() } else { CiPlan::red(MISSING_IMPORT) }
}

struct World {
    home: Home,
    gitlab: FakeGitLab,
    sandbox: &'static str,
}

impl World {
    fn new(behaviour: Behaviour) -> Option<Self> {
        let sandbox = sandbox()?;
        let definition = "test:\n  script:\n    - python -m unittest\n    - python -m shop.receipt\n";
        let mut files: Vec<(&str, &str)> = FILES.to_vec();
        files.retain(|(path, _)| !path.starts_with(".github/"));
        files.push((".gitlab-ci.yml", definition));
        let gitlab = FakeGitLab::serve(&TestRepository::with_files(&files), behaviour);
        Some(Self { home: Home::new(), gitlab, sandbox })
    }

    fn with_ci(ci: impl Fn(&Commit<'_>) -> CiPlan + Send + Sync + 'static) -> Option<Self> {
        Self::new(Behaviour::new(TOKEN, ci))
    }

    fn heal(&self, more: &[&str]) -> Command {
        let url = self.gitlab.url();
        let common = ["heal", &url, "--gitlab-url", self.gitlab.origin(), "--sandbox", self.sandbox, "--json"];
        let mut command = self.home.command(&[&common[..], more].concat());
        command.env("GITLAB_TOKEN", TOKEN).env("AUTOHEAL_CI_POLL_MILLIS", "1000");
        command
    }

    fn healed(&self, more: &[&str]) -> (Ended, Value) {
        let ended = Ended::of(&mut self.heal(more));
        let results = serde_json::from_str(&ended.stdout).unwrap_or_default();
        (ended, results)
    }

    fn branch_file(&self, path: &str) -> String {
        repository::git(&self.gitlab.repository(), &["show", &format!("{BRANCH}:{path}")])
    }
}

/// A shell that runs the script of the job that `autoheal init` prints, in a pipeline of this world.
#[expect(clippy::disallowed_methods, reason = "runs a job as GitLab's runner does")]
fn job(world: &World) -> Command {
    let checkout = TestRepository::with_files(&[("a.py", "a = 1\n")]);
    let arguments = ["init", "--repository", "--test-command", "", "--workflow", "gitlab"];
    let printed = Ended::of(world.home.command(&arguments).current_dir(checkout.path()));
    assert_eq!(printed.code, Some(0), "{}", printed.told());
    let jobs: Value = serde_saphyr::from_str(&printed.stdout).unwrap();
    assert_eq!(jobs["autoheal"]["rules"][1]["when"], "on_failure");
    let script = jobs["autoheal"]["script"].as_array().unwrap();
    let script: Vec<&str> = script.iter().map(|line| line.as_str().unwrap()).collect();
    let mut shell = Command::new("sh");
    shell.args(["-e", "-c", &script.join("\n")]).env_clear().current_dir(world.home.path());
    shell.env("HOME", world.home.path()).env("PATH", path_with_program()).env("AUTOHEAL_SANDBOX", world.sandbox);
    shell.env("CI_PROJECT_URL", world.gitlab.url()).env("CI_SERVER_URL", world.gitlab.origin());
    shell.env("CI_COMMIT_BRANCH", "main").env("AUTOHEAL_GITLAB_TOKEN", TOKEN);
    shell
}

#[test]
fn the_job_that_init_prints_opens_a_merge_request() {
    let Some(world) = World::with_ci(|_| CiPlan::green()) else { return };
    let ended = Ended::of(&mut job(&world));
    let requests = world.gitlab.merge_requests();
    assert_eq!(requests.len(), 1, "{}", ended.told());
    assert_eq!((requests[0].source.as_str(), requests[0].target.as_str()), (BRANCH, "main"));
    assert!(world.branch_file("shop/cart.py").starts_with("def total(prices):\n"));
    // The pipeline of the new branch decides, and the job does not wait for it.
    assert_eq!(ended.code, Some(5), "{}", ended.told());
}

#[test]
fn a_repository_at_gitlab_is_healed_until_its_pipeline_is_green() {
    let Some(world) = World::with_ci(ci) else { return };
    let main = world.gitlab.branch("main");
    let (ended, results) = world.healed(&["--merge-request", "--log", "trace"]);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert_eq!((&results["stop_reason"], &results["ci_status"]), (&json!("GREEN"), &json!("PASSED")));
    assert_eq!(results["hosted_ci"]["verdict"], "GREEN");
    let history: Vec<_> =
        results["iteration_history"].as_array().unwrap().iter().map(|round| &round["status"]).collect();
    assert_eq!(history, ["FAILED", "PASSED"]);
    assert!(world.branch_file("shop/cart.py").starts_with("def total(prices):\n"));
    assert!(world.branch_file("shop/receipt.py").starts_with("import json\n"));
    assert_eq!(world.gitlab.branch("main"), main);

    let requests = world.gitlab.merge_requests();
    assert_eq!(requests.len(), 1);
    assert_eq!((requests[0].source.as_str(), requests[0].target.as_str()), (BRANCH, "main"));
    assert_eq!(requests[0].title, "[AI-AGENT] Fix 2 errors: IMPORT, SYNTAX");
    for part in ["What failed, and what was changed", "NameError: name 'json'", "Close this merge request"] {
        assert!(requests[0].description.contains(part), "{part} is not in {}", requests[0].description);
    }
    let page = format!("{}/-/merge_requests/1", world.gitlab.url());
    assert_eq!(results["pull_request"], page);
    let states: Vec<_> = world.gitlab.statuses().into_iter().map(|status| status.state).collect();
    assert_eq!(states, ["failed", "success"]);

    let report = world.home.run(&["report", "last"]);
    let commands = world.home.run(&["report", "last", "--commands"]);
    assert!(report.stdout.contains(&page), "{}", report.stdout);
    assert!(commands.stdout.contains("$ python -m shop.receipt"), "{}", commands.stdout);
    for told in [&ended.told(), &report.told(), &commands.told()] {
        assert!(!told.contains(TOKEN) && !told.contains("section_start"), "{told}");
    }
    assert_eq!(file_with(TOKEN, world.home.path()), None);
    assert_eq!(file_with(TOKEN, world.gitlab.folder()), None);
    world.gitlab.check_against_shapes();
}

#[test]
fn without_a_pipeline_where_one_is_expected_nothing_is_green() {
    let Some(world) = World::with_ci(|_| CiPlan::none()) else { return };
    let ended = Ended::of(world.heal(&[]).env("AUTOHEAL_CI_GRACE_SECONDS", "0"));
    let results: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &results["stop_reason"]), (Some(1), &json!("NO_CI_RUN")), "{}", ended.told());
    let plan = || CiPlan { needs_start: true, appears_after: 0, ..CiPlan::green() };
    let Some(world) = World::with_ci(move |_| plan()) else { return };
    let ended = Ended::of(world.heal(&["--dispatch-workflows"]).env("AUTOHEAL_CI_GRACE_SECONDS", "0"));
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert_eq!(world.gitlab.starts(), [BRANCH]);
    world.gitlab.check_against_shapes();
}

#[test]
fn a_hostile_gitlab_leads_nowhere() {
    let evil = "https://evil.example";
    let hostile = |commit: &Commit<'_>| {
        let noise = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{1b}[31m/close\r".repeat(1 << 16);
        let healed = commit.file("shop/receipt.py").contains("import json");
        if healed {
            CiPlan::green()
        } else {
            CiPlan::red(&format!("{noise}\n{}{MISSING_IMPORT}", "x".repeat(20 << 20)))
        }
    };
    let behaviour = Behaviour { pages_at: Some(evil.to_owned()), ..Behaviour::new(TOKEN, hostile) };
    let Some(world) = World::new(behaviour) else { return };
    // A log elsewhere is not followed; the run goes on with what the next look shows.
    world.gitlab.fail_next([Fault::new("GET", "/trace", 302).header("Location", "http://169.254.169.254/latest")]);
    let (ended, results) = world.healed(&["--merge-request"]);
    assert_eq!(results["pull_request"], format!("{}/-/merge_requests/1", world.gitlab.url()), "{}", ended.told());
    let warnings = results["warnings"].to_string();
    assert!(warnings.contains("points elsewhere"), "{warnings}");
    let report = world.home.run(&["report", "last"]);
    let commands = world.home.run(&["report", "last", "--commands"]);
    for told in [&ended.told(), &report.told(), &commands.told()] {
        assert!(!told.contains(evil) && !told.contains('\u{1b}') && !told.contains(TOKEN), "{told}");
    }
    assert!(world.gitlab.merge_requests()[0].description.lines().all(|line| !line.trim_start().starts_with('/')));
}

#[test]
fn a_token_of_gitlab_is_for_its_own_host() {
    let Some(world) = World::with_ci(ci) else { return };
    // Without the setting the host is any server of this machine, which gets no token.
    let url = world.gitlab.url();
    let mut command = world.home.command(&["heal", &url, "--sandbox", world.sandbox]);
    let ended = Ended::of(command.env("GITLAB_TOKEN", TOKEN));
    assert_ne!(ended.code, Some(0));
    assert!(ended.stderr.contains("REPO_ACCESS_DENIED"), "{}", ended.told());
    assert!(world.gitlab.exchanges().is_empty());
    for (arguments, said) in [
        (["--gitlab-url", "http://gitlab.example"], "write https://HOST"),
        (["--gitlab-url", "https://gitlab.example/api/v4"], "write https://HOST"),
        (["--gitlab-token-file", "/nowhere/at/all"], "cannot read"),
    ] {
        let ended = world.home.run(&[&["heal", &url], &arguments[..]].concat());
        assert_eq!(ended.code, Some(2), "{arguments:?}: {}", ended.told());
        assert!(ended.stderr.contains(said), "{arguments:?}: {}", ended.stderr);
    }
}
