//! From red to green at GitHub: the real binary, the real git server, and a GitHub of one's own.

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use autoheal_testkit::github::{Behaviour, CiPlan, Commit, Exchange, FakeGitHub, Fault, Pull};
use autoheal_testkit::kill::{Scenario, kill_after_each_node};
use autoheal_testkit::repository::{self, TestRepository};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::binary::{Ended, Home};
use crate::healing::sandbox;
use crate::stopping::Running;

pub(crate) const TOKEN: &str = "ghp_planted0123456789ABCDEFGHIJabcdefghij";

const BRANCH: &str = "AUTOHEAL_BOT_AI_Fix";

/// `total` does not parse; that `receipt` lacks an import shows only where CI runs it, for containers are not started here.
pub(crate) const FILES: [(&str, &str); 6] = [
    ("shop/__init__.py", ""),
    ("shop/cart.py", "def total(prices)\n    return sum(prices)\n"),
    (
        "shop/receipt.py",
        "def receipt(prices):\n    return json.dumps({'prices': prices})\n\n\nif __name__ == '__main__':\n    print(receipt([1]))\n",
    ),
    ("tests/__init__.py", ""),
    (
        "tests/test_cart.py",
        "import unittest\n\nfrom shop.cart import total\n\n\nclass CartTest(unittest.TestCase):\n    \
         def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n",
    ),
    (
        ".github/workflows/ci.yml",
        "on: [push, workflow_dispatch]\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: python -m unittest\n      \
         - run: docker run --rm shop python -m shop.receipt\n",
    ),
];

const MISSING_IMPORT: &str = "\
2026-01-01T00:00:00.0000000Z ##[group]Run python -m shop.receipt
2026-01-01T00:00:00.0000000Z ##[endgroup]
2026-01-01T00:00:01.0000000Z Traceback (most recent call last):
2026-01-01T00:00:01.0000000Z   File \"/home/runner/work/shop/shop/shop/receipt.py\", line 6, in <module>
2026-01-01T00:00:01.0000000Z     print(receipt([1]))
2026-01-01T00:00:01.0000000Z   File \"/home/runner/work/shop/shop/shop/receipt.py\", line 2, in receipt
2026-01-01T00:00:01.0000000Z     return json.dumps({'prices': prices})
2026-01-01T00:00:01.0000000Z NameError: name 'json' is not defined
2026-01-01T00:00:01.0000000Z ##[error]Process completed with exit code 1.
";

/// Returns the CI results of a commit, by its contents.
pub(crate) fn ci(commit: &Commit<'_>) -> CiPlan {
    if !commit.file("shop/cart.py").contains("(prices):") {
        return CiPlan::red("2026-01-01T00:00:00.0000000Z ##[error]SyntaxError in shop/cart.py\n");
    }
    if commit.file("shop/receipt.py").contains("import json") { CiPlan::green() } else { CiPlan::red(MISSING_IMPORT) }
}

pub(crate) struct World {
    pub(crate) home: Home,
    pub(crate) github: FakeGitHub,
    pub(crate) sandbox: &'static str,
}

impl World {
    pub(crate) fn new(behaviour: Behaviour) -> Option<Self> {
        Self::of(&FILES, behaviour)
    }

    pub(crate) fn of(files: &[(&str, &str)], behaviour: Behaviour) -> Option<Self> {
        let sandbox = sandbox()?;
        let github = FakeGitHub::serve(&TestRepository::with_files(files), behaviour);
        Some(Self { home: Home::new(), github, sandbox })
    }

    pub(crate) fn with_ci(ci: impl Fn(&Commit<'_>) -> CiPlan + Send + Sync + 'static) -> Option<Self> {
        Self::new(Behaviour::new(TOKEN, ci))
    }

    pub(crate) fn heal(&self, more: &[&str]) -> Command {
        let (url, api) = (self.github.url(), self.github.api());
        let common = ["heal", &url, "--github-api", &api, "--sandbox", self.sandbox, "--json"];
        let mut command = self.home.command(&[&common[..], more].concat());
        command.env("GITHUB_TOKEN", TOKEN).env("AUTOHEAL_CI_POLL_MILLIS", "1000");
        command
    }

    pub(crate) fn healed(&self, more: &[&str]) -> (Ended, Value) {
        let ended = Ended::of(&mut self.heal(more));
        let results = serde_json::from_str(&ended.stdout).unwrap_or_default();
        (ended, results)
    }

    fn branch_file(&self, path: &str) -> String {
        repository::git(&self.github.repository(), &["show", &format!("{BRANCH}:{path}")])
    }

    fn subjects(&self) -> String {
        repository::git(&self.github.repository(), &["log", "--reverse", "--format=%s", &format!("main..{BRANCH}")])
    }
}

fn file_with_token(folder: &Path) -> Option<String> {
    file_with(TOKEN, folder)
}

/// Finds a file below `folder` that holds the text.
pub(crate) fn file_with(text: &str, folder: &Path) -> Option<String> {
    std::fs::read_dir(folder).unwrap().flatten().find_map(|entry| {
        let path = entry.path();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            return file_with(text, &path);
        }
        let holds = std::fs::read(&path).is_ok_and(|bytes| holds(&bytes, text));
        holds.then(|| path.display().to_string())
    })
}

fn holds_token(bytes: &[u8]) -> bool {
    holds(bytes, TOKEN)
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

/// Processes that show the token: in their arguments, or a repository's own command in its environment.
fn processes_with_token() -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let shows = |path: &Path| {
        let read = |name: &str| std::fs::read(path.join(name)).unwrap_or_default();
        let name = String::from_utf8_lossy(&read("comm")).trim().to_owned();
        let is_of_repository = name.contains("python") || name == "bwrap";
        (holds_token(&read("cmdline")) || (is_of_repository && holds_token(&read("environ")))).then_some(name)
    };
    processes.filter_map(|process| shows(&process.path())).collect()
}

/// The specification's end-to-end test "Successful Healing Flow".
#[test]
fn successful_healing_flow() {
    let Some(world) = World::with_ci(|_| CiPlan::green()) else { return };
    let main = world.github.branch("main");
    let file = world.home.path().join("results.json");
    let (ended, results) = world.healed(&["--output", file.to_str().unwrap()]);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    let report = world.home.run(&["report", "last"]).stdout;
    let agents = report.split_once("## Time per agent").unwrap().1;
    for agent in [
        "analyze_repo",
        "discover_tests",
        "diagnose_failures",
        "plan",
        "generate_fixes",
        "patch_code",
        "commit_push",
        "monitor_ci",
    ] {
        assert!(agents.contains(agent), "{agent} did not run: {agents}");
    }
    assert_eq!((&results["fixes_applied"], &results["iterations"]), (&json!(1), &json!(1)));
    assert_eq!((&results["ci_status"], &results["hosted_ci"]["verdict"]), (&json!("PASSED"), &json!("GREEN")));
    assert_eq!(world.subjects(), "[AI-AGENT] Fix SYNTAX error in cart.py line 1");
    assert_eq!(world.github.branch("main"), main);
    assert_eq!(serde_json::from_str::<Value>(&std::fs::read_to_string(file).unwrap()).unwrap(), results);
    assert!(world.github.pulls().is_empty(), "none was asked for");
    world.github.check_against_description();
}

/// The specification's end-to-end test "Retry Loop Flow": red, heal, push, red again for what only CI shows, heal, green, pull request.
#[test]
fn retry_loop_flow() {
    let Some(world) = World::with_ci(ci) else { return };
    let is_over = AtomicBool::new(false);
    let (ended, results) = std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut seen = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                seen.extend(processes_with_token());
            }
            seen
        });
        let healed = world.healed(&["--pull-request", "--log", "trace"]);
        is_over.store(true, Ordering::SeqCst);
        assert_eq!(watching.join().unwrap(), Vec::<String>::new());
        healed
    });
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert_eq!(results["stop_reason"], "GREEN");
    assert_eq!(results["ci_status"], "PASSED");
    let history: Vec<_> =
        results["iteration_history"].as_array().unwrap().iter().map(|round| &round["status"]).collect();
    assert_eq!(history, ["FAILED", "PASSED"]);
    assert_eq!(results["hosted_ci"]["verdict"], "GREEN");
    let looks = results["hosted_ci"]["looks"].as_array().unwrap();
    assert!(looks.len() >= 6 && looks.iter().all(|look| look["at"].is_number()), "{looks:?}");

    assert!(world.branch_file("shop/cart.py").starts_with("def total(prices):\n"));
    assert!(world.branch_file("shop/receipt.py").starts_with("import json\n"));
    let subjects = "[AI-AGENT] Fix SYNTAX error in cart.py line 1\n[AI-AGENT] Fix IMPORT error in receipt.py line 1";
    assert_eq!(world.subjects(), subjects);

    let pulls = world.github.pulls();
    assert_eq!(pulls.len(), 1);
    assert_eq!((pulls[0].head.as_str(), pulls[0].base.as_str()), (BRANCH, "main"));
    assert_eq!(pulls[0].title, "[AI-AGENT] Fix 2 errors: IMPORT, SYNTAX");
    for part in [
        "What failed, and what was changed",
        "NameError: name 'json'",
        "Tests before",
        "Tests after",
        "green",
        "How to undo",
    ] {
        assert!(pulls[0].body.contains(part), "{part} is not in {}", pulls[0].body);
    }
    assert!(results["pull_request"].as_str().is_some_and(|page| page.ends_with("/octo/shop/pull/1")));
    let states: Vec<_> = world.github.statuses().into_iter().map(|status| status.state).collect();
    assert_eq!(states, ["pending", "failure", "pending", "success"]);

    let report = world.home.run(&["report", "last"]);
    let diff = world.home.run(&["report", "last", "--commands"]);
    for told in [&ended.told(), &report.told(), &diff.told()] {
        assert!(!told.contains(TOKEN), "{told}");
    }
    assert_eq!(file_with_token(world.home.path()), None);
    assert_eq!(file_with_token(world.github.folder()), None);
    assert!(world.github.log_requests().iter().all(|(_, with_token)| !with_token));
    world.github.check_against_description();
}

/// Returns the output of `docker inspect` for all containers of runs.
#[expect(clippy::disallowed_methods, reason = "asks the engine what a stranger could ask")]
fn inspected_containers() -> String {
    let docker = |arguments: &[&str]| {
        let output = Command::new("docker").args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let listed = docker(&["ps", "--all", "--quiet", "--no-trunc", "--filter", "label=autoheal.run"]);
    let names: Vec<&str> = listed.lines().collect();
    if names.is_empty() { String::new() } else { docker(&[&["inspect"], &names[..]].concat()) }
}

/// The image that `cargo xtask image python` makes.
pub(crate) const IMAGE: &str = "autoheal-python:local";

/// Returns whether Docker works here and has the image; if not, reports the test as skipped.
pub(crate) fn docker_works(part: &str) -> bool {
    let home = Home::new();
    let told = Ended::of(home.command(&["check", "--quick", "--json"]).env("AUTOHEAL_PYTHON_IMAGE", IMAGE));
    let parts: Vec<Value> = serde_json::from_str(&told.stdout).unwrap();
    let works = parts.iter().any(|part| part["name"] == "docker" && part["usable"] == true);
    if !works {
        autoheal_testkit::skip(part, "Docker does not work here");
    }
    works
}

#[test]
fn a_container_shows_no_token() {
    if !docker_works("what a container shows") {
        return;
    }
    let Some(world) = World::with_ci(|_| CiPlan::green()) else { return };
    let world = World { sandbox: "docker", ..world };
    let is_over = AtomicBool::new(false);
    let (ended, seen) = std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut seen = Vec::new();
            while !is_over.load(Ordering::SeqCst) {
                seen.push(inspected_containers());
            }
            seen
        });
        let ended = Ended::of(world.heal(&[]).env("AUTOHEAL_PYTHON_IMAGE", IMAGE));
        is_over.store(true, Ordering::SeqCst);
        (ended, watching.join().unwrap())
    });
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert!(seen.iter().any(|told| told.contains("\"Config\"")), "no container was seen");
    assert!(seen.iter().all(|told| !told.contains(TOKEN)));
}

#[test]
fn a_fix_that_ci_does_not_confirm_is_taken_back() {
    let broken = |commit: &Commit<'_>| {
        let is_healed = commit.file("shop/cart.py").contains("(prices):");
        if is_healed { CiPlan::red(MISSING_IMPORT) } else { ci(commit) }
    };
    let Some(world) = World::with_ci(broken) else { return };
    let (ended, results) = world.healed(&["--pull-request"]);
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    assert_eq!(results["ci_status"], "FAILED");
    assert!(!world.branch_file("shop/receipt.py").contains("import json"), "{}", world.subjects());
    assert!(world.subjects().contains("Take back the fix"), "{}", world.subjects());
    let fixed: Vec<_> = results["fixes"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|fix| fix["status"] == "Fixed")
        .map(|fix| &fix["file"])
        .collect();
    assert_eq!(fixed, ["shop/cart.py"]);
    assert_eq!(world.github.pulls().len(), 1);
    assert!(world.github.pulls()[0].body.contains("taken back"));
    assert_eq!(world.github.statuses().last().unwrap().state, "failure");
    world.github.check_against_description();
}

#[test]
fn what_is_green_here_and_has_no_ci_is_told_apart() {
    let Some(world) = World::with_ci(|_| CiPlan::none()) else { return };
    let ended = Ended::of(world.heal(&[]).env("AUTOHEAL_CI_GRACE_SECONDS", "0"));
    let results: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    assert_eq!((&results["stop_reason"], &results["ci_status"]), (&json!("NO_CI_RUN"), &json!("FAILED")));
    assert!(world.branch_file("shop/cart.py").contains("(prices):"), "the branch is there all the same");
    world.github.check_against_description();
    let Some(world) = World::with_ci(|_| CiPlan::none()) else { return };
    let (not_waited, results) = world.healed(&["--no-wait-ci"]);
    assert_eq!(
        (not_waited.code, &results["stop_reason"]),
        (Some(5), &json!("PARTLY_CHECKED")),
        "{}",
        not_waited.told()
    );
}

#[test]
fn a_workflow_is_started_by_hand_where_that_is_allowed() {
    let plan = || CiPlan { needs_dispatch: true, appears_after: 0, ..CiPlan::green() };
    let Some(world) = World::with_ci(move |_| plan()) else { return };
    let ended = Ended::of(world.heal(&["--dispatch-workflows"]).env("AUTOHEAL_CI_GRACE_SECONDS", "0"));
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert_eq!(world.github.dispatches(), [BRANCH]);
    world.github.check_against_description();
}

/// The log of a test that fails by an assertion there, and passes here.
const TOOK_TOO_LONG: &str = "\
2026-01-01T00:00:00.0000000Z ##[group]Run python -m unittest
2026-01-01T00:00:00.0000000Z ##[endgroup]
2026-01-01T00:00:01.0000000Z F
2026-01-01T00:00:01.0000000Z ======================================================================
2026-01-01T00:00:01.0000000Z FAIL: test_total (tests.test_cart.CartTest.test_total)
2026-01-01T00:00:01.0000000Z ----------------------------------------------------------------------
2026-01-01T00:00:01.0000000Z Traceback (most recent call last):
2026-01-01T00:00:01.0000000Z   File \"/home/runner/work/shop/shop/tests/test_cart.py\", line 8, in test_total
2026-01-01T00:00:01.0000000Z     self.assertEqual(total([1, 2]), 3)
2026-01-01T00:00:01.0000000Z AssertionError: took too long
2026-01-01T00:00:01.0000000Z ##[error]Process completed with exit code 1.
";

#[test]
fn ci_that_fails_by_accident_runs_again_before_anything_is_changed() {
    let plan = |second: Option<&str>| {
        let mut plan = CiPlan::red(TOOK_TOO_LONG);
        plan.runs[0].when_rerun = second.map(str::to_owned);
        plan
    };
    let reruns = |world: &World| {
        let is_rerun = |exchange: &&Exchange| exchange.path.ends_with("/rerun-failed-jobs");
        world.github.exchanges().iter().filter(is_rerun).count()
    };
    let Some(world) = World::with_ci(move |_| plan(Some("success"))) else { return };
    let (ended, results) = world.healed(&[]);
    assert_eq!((ended.code, reruns(&world)), (Some(0), 1), "{}", ended.told());
    let warnings = results["warnings"].to_string();
    assert!(warnings.contains("flaky in CI") && warnings.contains("took too long"), "{warnings}");
    assert_eq!(world.subjects().lines().count(), 1, "nothing but the fix for the file that does not parse");
    world.github.check_against_description();
    let Some(world) = World::with_ci(move |_| plan(None)) else { return };
    let (ended, _) = world.healed(&[]);
    assert_eq!((ended.code, reruns(&world)), (Some(1), 1), "{}", ended.told());
    let Some(world) = World::with_ci(move |_| plan(Some("success"))) else { return };
    let (ended, _) = world.healed(&["--no-ci-rerun"]);
    assert_eq!((ended.code, reruns(&world)), (Some(1), 0), "{}", ended.told());
}

#[test]
fn ci_that_has_no_verdict_in_time_is_told_with_what_is_known() {
    let mut plan = CiPlan::green();
    plan.appears_after = 0;
    plan.runs[0].takes = u32::MAX;
    let Some(world) = World::with_ci(move |_| plan.clone()) else { return };
    let (ended, results) = world.healed(&["--ci-timeout", "0"]);
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    assert_eq!((&results["stop_reason"], &results["error"]["code"]), (&json!("CI_TIMEOUT"), &json!("CI_TIMEOUT")));
    let check = &results["hosted_ci"]["looks"][0]["checks"][0];
    assert_eq!((&check["name"], &check["state"]), (&json!("ci"), &json!("pending")));
}

#[test]
fn a_server_that_stumbles_is_asked_again() {
    let Some(world) = World::with_ci(|_| CiPlan::green()) else { return };
    world.github.fail_next([Fault::new("GET", "/actions/runs", 502)]);
    let (ended, results) = world.healed(&[]);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    assert_eq!(results["stop_reason"], "GREEN");
}

#[test]
fn where_nothing_may_be_pushed_the_patch_is_a_comment() {
    let behaviour = || Behaviour { may_push: false, ..Behaviour::new(TOKEN, ci) };
    let Some(world) = World::new(behaviour()) else { return };
    let heal = || world.healed(&["--branch", "feature", "--pull-request"]);
    repository::git(&world.github.repository(), &["branch", "feature", "main"]);
    let (ended, results) = heal();
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert_eq!(results["error"]["code"], "REPO_ACCESS_DENIED");
    assert!(results["error"]["message"].as_str().unwrap().contains("no pull request is open"), "{results}");

    let (head, base) = ("feature".to_owned(), "main".to_owned());
    let pull = Pull {
        number: 7,
        head,
        base,
        title: "Add a cart".to_owned(),
        body: String::new(),
        is_open: true,
        merged: None,
    };
    world.github.put_pull(pull);
    for _ in 0..2 {
        let (ended, results) = heal();
        assert_eq!(ended.code, Some(2), "{}", ended.told());
        assert!(results["error"]["message"].as_str().unwrap().contains("/pull/7#issuecomment-"), "{results}");
    }
    let comments = world.github.comments();
    assert_eq!(comments.len(), 1, "what was said is replaced");
    assert!(comments[0].body.contains("+def total(prices):") && comments[0].body.contains("git apply"), "{comments:?}");
    assert_eq!((world.github.branch(BRANCH), world.github.statuses().len()), (None, 0));
    assert_eq!(world.github.pulls().len(), 1);
    world.github.check_against_description();
}

#[test]
fn a_log_that_cannot_be_read_ends_nothing() {
    let Some(world) = World::with_ci(ci) else { return };
    world.github.fail_next([Fault::new("GET", "/jobs", 403).saying("not for you")]);
    let (ended, results) = world.healed(&["--no-ci-rerun"]);
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    assert_eq!(results["hosted_ci"]["verdict"], "RED");
    assert_ne!(results["stop_reason"], "INFRA");
    assert!(results["warnings"].to_string().contains("CI job ci says could not be read"), "{results}");
    assert_eq!(world.github.statuses().last().unwrap().state, "failure");
}

#[test]
fn no_status_stays_pending() {
    let Some(world) = World::with_ci(ci) else { return };
    world.github.fail_next([Fault::new("GET", "/actions/runs", 403).saying("not for you")]);
    let (ended, results) = world.healed(&[]);
    assert_eq!(results["stop_reason"], "INFRA", "{}", ended.told());
    let states: Vec<_> = world.github.statuses().into_iter().map(|status| status.state).collect();
    assert_eq!(states, ["pending", "failure"]);
    let Some(world) = World::with_ci(ci) else { return };
    let (ended, results) = world.healed(&["--ci", "none"]);
    assert_eq!(results["stop_reason"], "PARTLY_CHECKED", "{}", ended.told());
    assert!(world.github.statuses().is_empty(), "nobody would say more");
}

#[test]
fn a_run_that_is_cancelled_while_it_waits_leaves_no_status_pending() {
    let mut plan = CiPlan::green();
    plan.runs[0].takes = u32::MAX;
    let Some(world) = World::with_ci(move |_| plan.clone()) else { return };
    let mut heal = Running::start(world.heal(&[]).env("AUTOHEAL_LEASE_SECONDS", "9"));
    // Told when its checkpoint is stored.
    heal.wait_for("✓ commit_push");
    assert_eq!(world.home.run(&["tasks", "cancel", "1"]).code, Some(0));
    assert_eq!(heal.exit_code(), Some(130));
    let states: Vec<_> = world.github.statuses().into_iter().map(|status| status.state).collect();
    assert_eq!(states, ["pending", "failure"]);
}

#[test]
fn a_status_of_a_bystander_is_no_verdict() {
    let plan = CiPlan { statuses: vec![("license/cla".to_owned(), "success".to_owned())], ..CiPlan::none() };
    let Some(world) = World::with_ci(move |_| plan.clone()) else { return };
    let ended = Ended::of(world.heal(&[]).env("AUTOHEAL_CI_GRACE_SECONDS", "0"));
    let results: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((ended.code, &results["stop_reason"]), (Some(1), &json!("NO_CI_RUN")), "{}", ended.told());
    assert!(results["warnings"].to_string().contains("license/cla success"), "{results}");
}

#[test]
fn our_own_work_is_not_healed_again() {
    let Some(world) = World::with_ci(ci) else { return };
    let checkout = tempfile::tempdir().unwrap();
    let bare = world.github.repository();
    repository::git(checkout.path(), &["clone", "--quiet", bare.to_str().unwrap(), "."]);
    let (name, mail) = ("user.name=AutoHeal", "user.email=autoheal@users.noreply.github.com");
    std::fs::write(checkout.path().join("shop/more.py"), "x = 1\n").unwrap();
    repository::git(checkout.path(), &["add", "--all"]);
    let author = "--author=AutoHeal <autoheal@users.noreply.github.com>";
    let message = "[AI-AGENT] Fix SYNTAX error in more.py line 1";
    repository::git(checkout.path(), &["-c", name, "-c", mail, "commit", "--quiet", author, "-m", message]);
    repository::git(checkout.path(), &["push", "--quiet", "origin", "main"]);
    let (ended, results) = world.healed(&["--pull-request"]);
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    assert_eq!(results["stop_reason"], "OWN_COMMIT");
    assert!(results.get("error").is_none(), "{results}");
    assert_eq!((world.github.branch(BRANCH), world.github.pulls().len()), (None, 0));
}

#[test]
#[cfg_attr(not(feature = "fail-points"), ignore = "needs the feature fail-points")]
fn killed_around_any_checkpoint_it_heals_the_same_at_github() {
    if sandbox().is_none() {
        return;
    }
    kill_after_each_node(&Scenario {
        fresh: &|| World::with_ci(ci).unwrap(),
        begin: &|world: &World| world.heal(&["--pull-request"]),
        resume: &|world: &World| {
            let run = Runtime::new().unwrap().block_on(async {
                world.home.store().await.runs(&autoheal_store::RunFilter::newest(1)).await.unwrap()[0].run
            });
            let (run, api) = (run.to_string(), world.github.api());
            let arguments = ["heal", "--resume", &run, "--github-api", &api, "--sandbox", world.sandbox, "--json"];
            let mut command = world.home.command(&arguments);
            command.env("GITHUB_TOKEN", TOKEN).env("AUTOHEAL_CI_POLL_MILLIS", "1000");
            command
        },
        checkpoints: &|world: &World| Runtime::new().unwrap().block_on(world.home.checkpoints()),
        end_state: &|world: &World| {
            let trees = repository::git(&world.github.repository(), &["log", "--format=%T %s", BRANCH]);
            let pulls: Vec<_> = world.github.pulls().into_iter().map(|pull| (pull.number, pull.title)).collect();
            let last = world.github.statuses().pop().map(|status| (status.state, status.description));
            json!({ "trees": trees, "pulls": pulls, "status": last, "token": file_with_token(world.home.path()) })
        },
    });
}
