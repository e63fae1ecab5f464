//! The main job: a broken repository goes in, a branch that passes its tests comes out, whatever happens on the way.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use autoheal_engine::event::EventBody;
use autoheal_store::Store;
use autoheal_testkit::kill::{Scenario, kill_after_each_node, mask};
use autoheal_testkit::repository::TestRepository;
use regex::Regex;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::binary::{Ended, Home};

const BROKEN: [(&str, &str); 4] = [
    ("shop/__init__.py", ""),
    (
        "shop/cart.py",
        "def total(prices)\n    result = 0\n    for price in prices:\n        result += price\n    return result\n",
    ),
    ("tests/__init__.py", ""),
    (
        "tests/test_cart.py",
        "import unittest\n\nfrom shop.cart import total\n\n\nclass CartTest(unittest.TestCase):\n    \
         def test_total(self):\n        self.assertEqual(total([1, 2]), 3)\n",
    ),
];

const BRANCH: &str = "AUTOHEAL_BOT_AI_Fix";

/// A home and a broken repository.
pub(crate) struct World {
    pub(crate) home: Home,
    repository: TestRepository,
    pub(crate) sandbox: &'static str,
}

/// The sandbox that is used here; `None`, said loudly, where none works.
fn sandbox() -> Option<&'static str> {
    static FOUND: LazyLock<Option<&str>> = LazyLock::new(|| {
        let parts: Vec<Value> = serde_json::from_str(&Home::new().run(&["check", "--json"]).stdout).unwrap();
        let usable = |name: &&str| parts.iter().any(|part| part["name"] == **name && part["usable"] == true);
        ["bubblewrap", "docker"].into_iter().find(usable)
    });
    if FOUND.is_none() {
        autoheal_testkit::skip("healing a repository by the binary", "neither bubblewrap nor Docker works here");
    }
    *FOUND
}

impl World {
    pub(crate) fn new() -> Option<Self> {
        let sandbox = sandbox()?;
        Some(Self { home: Home::new(), repository: TestRepository::with_files(&BROKEN), sandbox })
    }

    pub(crate) fn heal(&self) -> Command {
        let path = self.repository.path().display().to_string();
        self.home.command(&["heal", &path, "--sandbox", self.sandbox, "--json"])
    }

    fn resume(&self) -> Command {
        let run = Runtime::new().unwrap().block_on(async { self.store().await.runs(1).await.unwrap()[0].run });
        self.home.command(&["heal", "--resume", &run.to_string(), "--sandbox", self.sandbox, "--json"])
    }

    async fn store(&self) -> Store {
        Store::open_file(&self.home.path().join(".local/share/autoheal/autoheal.db")).await.unwrap()
    }

    async fn checkpoints(&self) -> i64 {
        let store = self.store().await;
        let run = store.runs(1).await.unwrap()[0].run;
        store.last_checkpoint(run).await.unwrap().unwrap().seq
    }

    /// Branches with the trees and messages of their commits. Not the commits' names: they hold the time.
    fn git(&self) -> Value {
        let branches = self.repository.git(&["for-each-ref", "--format=%(refname)", "refs"]);
        let history = |branch: &str| self.repository.git(&["log", "--format=%T %an %B", branch]);
        let branches: Vec<(&str, String)> = branches.lines().map(|branch| (branch, history(branch))).collect();
        json!({ "branches": branches, "working tree": self.repository.git(&["status", "--porcelain"]) })
    }

    async fn rows(&self) -> Value {
        let store = self.store().await;
        let mut runs = Vec::new();
        for run in store.runs(10).await.unwrap() {
            let checkpoints: Vec<Value> = store
                .checkpoints(run.run)
                .await
                .unwrap()
                .into_iter()
                .map(|point| json!([point.seq, point.node, point.next_node, point.state]))
                .collect();
            let events = store.events(run.run, 0).await.unwrap().into_iter().map(|event| event.body);
            let events: Vec<_> = events.filter(|body| !matches!(body, EventBody::RunResumed { .. })).collect();
            let outputs = store.outputs(run.run).await.unwrap();
            let fixes = store.fixes_of_run(run.run).await.unwrap().into_iter().map(|(_, fix)| fix);
            runs.push(json!({
                "task": run.task,
                "workflow": run.workflow,
                "target": run.target,
                "finished": run.finished_at.is_some(),
                "healed": run.healed,
                "stop_reason": run.stop_reason,
                "results": run.results,
                "report": run.report,
                "checkpoints": checkpoints,
                "events": events,
                "fixes": fixes.collect::<Vec<_>>(),
                "diagnostics": store.diagnostics(run.run).await.unwrap(),
                "outputs": outputs,
            }));
        }
        let tasks = store.tasks(&autoheal_store::TaskFilter::default()).await.unwrap();
        json!({ "tasks": tasks, "runs": runs })
    }

    /// What must be the same whether the run was killed or not: the repository, and all rows but times, durations, names
    /// of runs and commits, and leases.
    fn end_state(&self) -> Value {
        let mut rows = Runtime::new().unwrap().block_on(self.rows());
        mask(&mut rows, &["created_at", "started_at", "completed_at", "run_at", "first_seen_at", "last_seen_at"]);
        mask(&mut rows, &["resolved_at", "at", "millis", "agent_millis", "total_time", "timestamp"]);
        mask(&mut rows, &["lease_owner", "lease_until", "lease_epoch"]);
        let text = rows.to_string();
        let text = text.replace(&self.repository.path().display().to_string(), "REPOSITORY");
        let text = text.replace(&self.home.path().display().to_string(), "HOME");
        let varying = [
            // Killed between the push and its checkpoint, the run finds its branch there, and says so.
            ("pushed to|was already at", "is at"),
            (r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", "RUN"),
            (r"\b[0-9a-f]{40}\b", "COMMIT"),
            (r"\b[0-9a-f]{12}\b", "COMMIT"),
            (r"\b\d+m \d+s\b", "TIME"),
            (r"\b\d+\.\d+\b", "SECONDS"),
        ];
        let text = varying
            .iter()
            .fold(text, |text, (pattern, name)| Regex::new(pattern).unwrap().replace_all(&text, *name).into_owned());
        json!({ "git": self.git(), "rows": serde_json::from_str::<Value>(&text).unwrap() })
    }

    /// Whether the branch, cloned fresh by git alone, holds the mended file.
    fn branch_file(&self, path: &str) -> String {
        self.repository.git(&["show", &format!("{BRANCH}:{path}")])
    }
}

#[test]
fn a_broken_repository_is_healed_on_a_branch_and_left_alone_otherwise() {
    let Some(world) = World::new() else { return };
    let main = world.repository.git(&["rev-parse", "main"]);
    let ended = Ended::of(&mut world.heal());
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    let results: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(results["ci_status"], "PASSED");
    assert_eq!(results["stop_reason"], "GREEN");
    assert_eq!(results["branch_name"], BRANCH);
    assert!(world.branch_file("shop/cart.py").starts_with("def total(prices):\n"));
    assert_eq!(world.repository.git(&["rev-parse", "main"]), main);
    assert_eq!(world.repository.git(&["status", "--porcelain"]), "");
    assert!(Path::new(&world.repository.path()).join("shop/cart.py").exists());

    let report = world.home.run(&["report", "last"]);
    assert_eq!(report.code, Some(0));
    assert!(report.stdout.contains("**GREEN**"), "{}", report.stdout);
    let diff = world.home.run(&["report", "last", "--diff"]);
    assert!(diff.stdout.contains("+def total(prices):"), "{}", diff.stdout);
    let commands = world.home.run(&["report", "last", "--commands"]);
    assert!(commands.stdout.contains("unittest"), "{}", commands.stdout);
    let json = world.home.run(&["report", "last", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&json.stdout).unwrap(), results);

    let again = Ended::of(&mut world.resume());
    assert_eq!(again.code, Some(0), "an ended run is told again: {}", again.told());
    assert_eq!(again.stdout, ended.stdout);
}

#[test]
fn a_folder_that_is_no_repository_is_bad_input() {
    let home = Home::new();
    let ended = home.run(&["heal", ".", "--sandbox", "none"]);
    assert_eq!(ended.code, Some(2), "{}", ended.told());
    assert!(ended.stderr.contains("git"), "{}", ended.stderr);
}

#[test]
#[cfg_attr(not(feature = "fail-points"), ignore = "needs the feature fail-points")]
fn killed_around_any_checkpoint_it_heals_the_same() {
    if World::new().is_none() {
        return;
    }
    kill_after_each_node(&Scenario {
        fresh: &|| World::new().unwrap(),
        begin: &World::heal,
        resume: &World::resume,
        checkpoints: &|world: &World| Runtime::new().unwrap().block_on(world.checkpoints()),
        end_state: &World::end_state,
    });
}
