//! The main job: a broken repository goes in, a branch that passes its tests comes out, whatever happens on the way.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use autoheal_testkit::kill::{Scenario, kill_after_each_node};
use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::repository::TestRepository;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::binary::{Ended, Home};
use crate::rows::{of_runs, without_what_varies};

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
pub(crate) fn sandbox() -> Option<&'static str> {
    static FOUND: LazyLock<Option<&str>> = LazyLock::new(|| {
        let parts: Vec<Value> = serde_json::from_str(&Home::new().run(&["check", "--quick", "--json"]).stdout).unwrap();
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
        let run = Runtime::new().unwrap().block_on(async {
            self.home.store().await.runs(&autoheal_store::RunFilter::newest(1)).await.unwrap()[0].run
        });
        self.home.command(&["heal", "--resume", &run.to_string(), "--sandbox", self.sandbox, "--json"])
    }

    /// Branches with the trees and messages of their commits. Not the commits' names: they hold the time.
    fn git(&self) -> Value {
        let branches = self.repository.git(&["for-each-ref", "--format=%(refname)", "refs"]);
        let history = |branch: &str| self.repository.git(&["log", "--format=%T %an %B", branch]);
        let branches: Vec<(&str, String)> = branches.lines().map(|branch| (branch, history(branch))).collect();
        json!({ "branches": branches, "working tree": self.repository.git(&["status", "--porcelain"]) })
    }

    /// Returns the state that must be the same whether the run was killed or not: the repository, and all rows except for varying values.
    fn end_state(&self) -> Value {
        let rows = Runtime::new().unwrap().block_on(async { of_runs(&self.home.store().await).await });
        let repository = self.repository.path().display().to_string();
        let home = self.home.path().display().to_string();
        // Killed between the push and its checkpoint, the run finds its branch there, and says so.
        let pushed = ("pushed to|was already at", "is at");
        json!({ "git": self.git(), "rows": without_what_varies(rows, &[(&repository, "REPOSITORY"), (&home, "HOME"), pushed]) })
    }

    /// Returns the text of a file on the branch, read by git itself.
    fn branch_file(&self, path: &str) -> String {
        self.repository.git(&["show", &format!("{BRANCH}:{path}")])
    }
}

/// A hardened machine allows no core dumps, and no user more than it says.
#[test]
#[expect(clippy::disallowed_methods, reason = "starts the binary under test with the limits of such a machine")]
fn a_repository_is_healed_under_limits_of_the_machine_that_are_lower_than_ours() {
    let Some(world) = World::new() else { return };
    let heal = world.heal();
    let mut limited = Command::new("prlimit");
    limited.args(["--core=0:0", "--fsize=1000000000:1000000000"]).arg(heal.get_program()).args(heal.get_args());
    limited.env_clear().envs(heal.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ended = Ended::of(&mut limited);
    assert_eq!(ended.code, Some(0), "{}", ended.told());
    let results: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(results["stop_reason"], "GREEN", "{}", ended.told());
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
    kill_after_each_node(&kills(&World::resume));
}

#[test]
#[cfg_attr(not(feature = "fail-points"), ignore = "needs the feature fail-points")]
fn killed_around_any_checkpoint_and_resumed_on_another_disk_it_heals_the_same() {
    if World::new().is_none() {
        return;
    }
    kill_after_each_node(&kills(&|world: &World| {
        // As another machine finds it: the database alone.
        let runs = world.home.path().join(".local/share/autoheal/runs");
        if runs.exists() {
            std::fs::remove_dir_all(runs).unwrap();
        }
        world.resume()
    }));
}

fn kills(resume: &(dyn Fn(&World) -> Command + Sync)) -> Scenario<'_, World> {
    Scenario {
        fresh: &|| World::new().unwrap(),
        begin: &World::heal,
        resume,
        checkpoints: &|world: &World| Runtime::new().unwrap().block_on(world.home.checkpoints()),
        end_state: &World::end_state,
    }
}

/// A fault that no rule knows, in one of more files than one question can show. The failing test prints whatever varies.
fn fault_of_logic() -> TestRepository {
    let other = "def size(items):\n    return len(items)\n";
    TestRepository::with_files(&[
        ("shapes.py", "def area(width, height):\n    return width + height\n"),
        ("lines.py", other),
        ("colours.py", other),
        ("circles.py", other),
        (
            "test_shapes.py",
            "import os\nimport tempfile\nimport unittest\n\nfrom shapes import area\n\n\nclass AreaTest(unittest.TestCase):\n    \
             def test_area(self):\n        varying = (object(), tempfile.mkdtemp(), os.getcwd(), os.path.abspath(__file__))\n        \
             self.assertEqual(area(3, 5), 15, varying)\n",
        ),
    ])
}

#[test]
fn a_model_repairs_what_no_rule_knows_and_its_answers_are_replayed_elsewhere() {
    let Some(sandbox) = sandbox() else { return };
    let runtime = Runtime::new().unwrap();
    let plan = json!({ "steps": [{ "failure": 1, "files": ["shapes.py"], "approach": "Look at the operator." }] });
    let edit =
        |replace: &str| json!({ "edits": [{ "file": "shapes.py", "search": "width + height", "replace": replace }] });
    let plan = Scripted::openai(&plan.to_string()).of_form("plan");
    let edits = ["width - height", "width * height"].map(|replace| Scripted::openai(&edit(replace).to_string()));
    let server = runtime.block_on(ModelServer::start([plan].into_iter().chain(edits)));
    let (home, other_home) = (Home::new(), Home::new());
    let (first, second) = (fault_of_logic(), fault_of_logic());
    let recording = home.path().join("answers.jsonl").display().to_string();
    let heal = |home: &Home, repository: &TestRepository, more: &[&str]| {
        let path = repository.path().display().to_string();
        // Without the search, which knows this fault.
        let heal = ["heal", &path, "--sandbox", sandbox, "--json", "--search-seconds", "0"];
        home.command(&[&heal, more].concat())
    };
    let mut asking = heal(&home, &first, &["--model", "openai/gpt-4o-mini", "--record", &recording]);
    asking.env("AUTOHEAL_OPENAI_URL", server.url().as_str()).env("OPENAI_API_KEY", "sk-a-secret-key-of-mine");
    let healed = Ended::of(&mut asking);
    assert_eq!(healed.code, Some(0), "{}", healed.told());
    assert!(healed.stderr.contains("was written by a language model"), "{}", healed.told());
    let usage: Value = serde_json::from_str(&home.run(&["usage", "--by", "purpose", "--json"]).stdout).unwrap();
    let calls: Vec<_> = usage.as_array().unwrap().iter().map(|row| (&row["name"], &row["calls"])).collect();
    assert_eq!(calls, [(&json!("fix_code"), &json!(2)), (&json!("plan"), &json!(2))]);
    let lines = std::fs::read_to_string(&recording).unwrap();
    assert!(lines.lines().count() == 4 && !lines.contains("sk-a-secret"), "{lines}");

    // The server is gone: whatever asks it fails.
    let address = server.url().to_string();
    drop(server);
    let mut replaying = heal(&other_home, &second, &["--replay", &recording]);
    replaying.env("AUTOHEAL_OPENAI_URL", address).env("OPENAI_API_KEY", "sk-a-secret-key-of-mine");
    let replayed = Ended::of(&mut replaying);
    assert_eq!(replayed.code, Some(0), "{}", replayed.told());
    let tree = |repository: &TestRepository| repository.git(&["rev-parse", &format!("{BRANCH}^{{tree}}")]);
    assert_eq!(tree(&second), tree(&first));
    let fixes = |ended: &Ended| serde_json::from_str::<Value>(&ended.stdout).unwrap()["fixes"].clone();
    assert!(fixes(&healed).as_array().is_some_and(|fixes| fixes.len() == 1), "{}", healed.told());
    assert_eq!(fixes(&replayed), fixes(&healed));
}
