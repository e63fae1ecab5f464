//! A language model's part: the real workflow in a real sandbox, and a server that speaks a provider's form.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use autoheal_engine::StopReason;
use autoheal_engine::budget::Limits;
use autoheal_llm::recording::Replay;
use autoheal_llm::{ChatModel, Connection, Models, Settings};
use autoheal_repo::HealRequest;
use autoheal_repo::request::CommandLimits;
use autoheal_testkit::ledger::Accounts;
use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::repository::TestRepository;
use serde_json::{Value, json};

use crate::driver::{Healed, heal_with};

pub(crate) const WRONG: &str = "def area(width, height):\n    # Of a rectangle.\n    return width + height\n";
const RIGHT: &str = "def area(width, height):\n    # Of a rectangle.\n    return width * height\n";
pub(crate) const TEST: &str = "from shapes import area\n\n\ndef test_area():\n    assert area(3, 5) == 15\n\n\n\
                    def test_nothing():\n    assert area(0, 0) == 0\n";

/// A fault that no rule knows.
fn repository() -> TestRepository {
    TestRepository::with_files(&[("shapes.py", WRONG), ("test_shapes.py", TEST)])
}

/// The same with more files than one question can show: where the fault is, has to be planned.
fn wide() -> TestRepository {
    let repository = repository();
    for name in ["circles", "colours", "lines"] {
        repository.write(&format!("{name}.py"), format!("def {name}(count):\n    return [count]\n"));
    }
    repository.write("requirements.txt", "");
    repository.commit("more");
    repository
}

/// Starts a server that gives these responses, one per call.
async fn server(answers: impl IntoIterator<Item = Value>) -> ModelServer {
    let scripted = |answer: Value| {
        let scripted = Scripted::openai(&answer.to_string());
        if answer.get("steps").is_some() { scripted.of_form("plan") } else { scripted }
    };
    ModelServer::start(answers.into_iter().map(scripted)).await
}

pub(crate) fn models(model: Arc<dyn ChatModel>, calls: u64) -> Models {
    let settings = Settings {
        waits: [1, 1, 1].map(Duration::from_millis).to_vec(),
        per_run: Limits { calls: Some(calls), ..Limits::default() },
        ..Settings::default()
    };
    Models::new(vec![model], Arc::new(Accounts::default()), settings, str::to_owned)
}

async fn heal(repository: &TestRepository, server: &ModelServer, calls: u64) -> Option<Healed> {
    heal_as(request(repository), server, calls).await
}

async fn heal_as(request: HealRequest, server: &ModelServer, calls: u64) -> Option<Healed> {
    let key = Some("sk-a-secret-key".into());
    let connection = Connection::new("openai/gpt-4o-mini".parse().unwrap(), Some(server.url()), key).unwrap();
    heal_with(request, Some(models(Arc::new(connection), calls))).await
}

pub(crate) fn request(repository: &TestRepository) -> HealRequest {
    // Without the search, which knows this fault.
    let limits = CommandLimits { search_seconds: 0, ..CommandLimits::default() };
    HealRequest { limits, ..HealRequest::new(repository.path().display().to_string()) }
}

fn plan() -> Value {
    json!({ "steps": [{ "failure": 1, "files": ["shapes.py"], "approach": "Look at the operator." }] })
}

fn edits(edits: &[(&str, &str, &str)]) -> Value {
    let edit =
        |(file, search, replace): &(&str, &str, &str)| json!({ "file": file, "search": search, "replace": replace });
    json!({ "edits": edits.iter().map(edit).collect::<Vec<_>>() })
}

fn edit(replace: &str) -> Value {
    edits(&[("shapes.py", "    return width + height\n", replace)])
}

/// Returns the prompt of the request at `index`, counted from 0.
pub(crate) fn prompt(server: &ModelServer, index: usize) -> String {
    let messages = &server.documents()[index]["messages"];
    messages.as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn what_no_rule_knows_a_model_may_repair() {
    let repository = repository();
    let server = server([plan(), edit("    return width * height\n")]).await;
    let Some(healed) = heal(&repository, &server, 10).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:shapes.py"]), RIGHT.trim_end());
    assert_eq!(
        repository.git(&["log", "--format=%s", "main..AUTOHEAL_BOT_AI_Fix"]),
        "[AI-AGENT] Fix LOGIC error in shapes.py line 3"
    );
    assert_eq!(healed.state.fixes.accepted[0].fixer, "language_model");
    assert!(
        healed.report.contains("fixer `language_model`")
            && healed.report.contains("| Language model | 1 request, 15 tokens (")
    );
    assert!(healed.results.warnings.iter().any(|warning| warning.contains("language model")), "{:?}", healed.results);
    assert!(
        healed.report.contains("write 'return width * height' instead of 'return width + height'"),
        "{}",
        healed.report
    );
    assert_eq!((server.requests().len(), healed.state.models.usage.calls), (1, 1), "one file needs no plan");
}

/// Spec `diagnostics-log.md`: the planner and the coder see the summary, and the coder also sees the order.
#[tokio::test]
async fn planner_and_coder_are_told_the_diagnostics_and_the_coder_the_order() {
    let repository = wide();
    let server = server([plan(), edit("    return width * height\n")]).await;
    if heal(&repository, &server, 10).await.is_none() {
        return;
    }
    let (plan, code) = (prompt(&server, 0), prompt(&server, 1));
    let summary = "1. LOGIC error in test_shapes.py line 5: ";
    for (prompt, parts) in [
        (
            &plan,
            &[
                "primary failure",
                "shapes.py\n  def area(width, height)\n",
                "tests: test_shapes.py::test_area",
                "SYNTAX, INDENTATION",
            ][..],
        ),
        (
            &code,
            &[
                "fixed in priority order: SYNTAX, INDENTATION, IMPORT, TYPE_ERROR, LOGIC, LINTING",
                "Look at the operator.",
            ],
        ),
        (
            &code,
            &[
                "Error type: LOGIC",
                "File: test_shapes.py",
                "Line: 5",
                "assert",
                "return width + height",
                "may be changed",
            ],
        ),
    ] {
        assert!(prompt.contains(summary), "{prompt}");
        for part in parts {
            assert!(prompt.contains(part), "{part} is missing in {prompt}");
        }
    }
    assert!(!plan.contains("requirements.txt") && !code.contains("_pytest/"), "{plan}\n{code}");
    assert_eq!(code.matches("assert 8 == 15").count(), 1, "the message stands once: {code}");
    let schema = &server.documents()[1]["response_format"]["json_schema"];
    assert_eq!((&schema["name"], &schema["strict"]), (&json!("fix_code"), &json!(true)));
}

#[tokio::test]
async fn what_does_not_help_is_taken_back_and_told_to_the_next_try() {
    let repository = repository();
    let wrong = edit("    return width - height\n");
    let server = server([plan(), wrong, plan(), edit("    return width * height\n")]).await;
    let Some(healed) = heal(&repository, &server, 10).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    let again = prompt(&server, 1);
    for part in [
        "-    return width + height\n+    return width - height",
        "taken back: nothing moved forward",
        "assert -2 == 15",
    ] {
        assert!(again.contains(part), "{part} is missing in {again}");
    }
}

#[tokio::test]
async fn what_may_not_be_changed_is_refused_whatever_a_model_says() {
    let tests = edits(&[("test_shapes.py", "== 15", "== 8")]);
    let explained = edit("    return width * height  # area is a product\n");
    let nowhere = edits(&[("shapes.py", "return width+height", "return width * height")]);
    let configured =
        edits(&[("pyproject.toml", "[tool.pytest.ini_options]", "[tool.pytest.ini_options]\naddopts = '-k nothing'")]);
    for (answer, told) in [
        (tests, "`test_shapes.py` may not be changed"),
        (explained, "a comment or a text that explains"),
        (nowhere, "does not stand in `shapes.py`"),
        (configured, "`pyproject.toml` may not be changed"),
    ] {
        let repository = repository();
        repository.write("pyproject.toml", "[tool.pytest.ini_options]\n");
        repository.commit("configure");
        let give_up = edits(&[]);
        let server = server([plan(), answer, give_up]).await;
        let Some(healed) = heal(&repository, &server, 10).await else { return };
        assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
        assert_eq!(repository.git(&["branch", "--list"]), "* main");
        assert!(prompt(&server, 1).contains(told), "{}", prompt(&server, 1));
    }
}

/// A model must not decide what green means, whatever the names of the files that define it.
#[tokio::test]
async fn tests_of_any_name_are_never_edited_and_never_skipped() {
    let tests = "import unittest\n\nfrom shapes import area\n\n\nclass Area(unittest.TestCase):\n    \
                 def test_area(self):\n        self.assertEqual(area(3, 5), 15)\n\n\n\
                 if __name__ == '__main__':\n    unittest.main()\n";
    let other = ("test_other.py", "def test_other():\n    pass\n");
    let named = |name: &str| TestRepository::with_files(&[("shapes.py", WRONG), (name, tests), other]);
    let configured = named("check_shapes.py");
    configured.write("pytest.ini", "[pytest]\npython_files = check_*.py test_*.py\n");
    configured.commit("configure");
    let script = named("run_checks.py");
    let command = Some(["python3", "run_checks.py"].map(str::to_owned).to_vec());
    for (repository, file, test_command) in
        [(&configured, "check_shapes.py", None), (&script, "run_checks.py", command)]
    {
        let weaker = edits(&[(file, "15)", "8)")]);
        let server = server([plan(), weaker, edits(&[])]).await;
        let request = HealRequest { test_command, ..request(repository) };
        let Some(healed) = heal_as(request, &server, 10).await else { return };
        assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
        assert!(prompt(&server, 1).contains(&format!("`{file}` may not be changed")), "{}", prompt(&server, 1));
    }
    let repository = repository();
    let skipping = edit("    import unittest\n    if width:\n        raise unittest.SkipTest('later')\n    return 0\n");
    let server = server([plan(), skipping, edits(&[])]).await;
    let Some(healed) = heal(&repository, &server, 10).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    assert!(prompt(&server, 1).contains("by which tests are ended, skipped or recognised"), "{}", prompt(&server, 1));
}

#[tokio::test]
async fn a_model_that_is_always_wrong_costs_at_most_the_budget() {
    let repository = repository();
    let server = server([json!({ "edits": "none of that form" })]).await;
    let Some(healed) = heal(&repository, &server, 4).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Budget, "{}", healed.report);
    assert_eq!(server.requests().len(), 4, "the budget of the run");
    assert!(healed.results.warnings.iter().any(|warning| warning.contains("budget of model calls")));
    assert_eq!(repository.git(&["branch", "--list"]), "* main");
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

#[tokio::test]
async fn a_failure_that_a_model_cannot_repair_is_left_after_three_tries() {
    let repository = repository();
    let tries = ["-", "/", "//"].map(|operator| edit(&format!("    return width {operator} height\n")));
    let server = server(tries.into_iter().flat_map(|edit| [plan(), edit])).await;
    let Some(healed) = heal(&repository, &server, 40).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn without_an_answer_rules_are_all_there_is() {
    let down = Scripted::new(503, &json!({ "error": { "message": "busy" } }));
    for (answers, calls, warning) in [
        (vec![down], 4, Some("LLM_API_ERROR")),
        (vec![Scripted::openai(&json!({ "steps": [] }).to_string())], 1, None),
        // A plan that is none is no reason not to ask for a repair.
        (["no plan", "none at all", r#"{"edits": []}"#].map(Scripted::openai).to_vec(), 3, None),
    ] {
        let repository = wide();
        let server = ModelServer::start(answers).await;
        let Some(healed) = heal(&repository, &server, 10).await else { return };
        assert_eq!(healed.results.stop_reason, StopReason::NoProgress, "{}", healed.report);
        assert_eq!(server.requests().len(), calls);
        let told = |warning: &str| healed.results.warnings.iter().any(|told| told.contains(warning));
        assert_eq!(told("LLM_"), warning.is_some_and(told));
    }
}

/// The files are remade with a key by `autoheal heal REPOSITORY --model PROVIDER/NAME --record FILE`; these were written by hand.
#[tokio::test]
async fn a_scripted_plan_and_repair_are_replayed() {
    let repository = wide();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/replays/plan_and_fix_code.jsonl");
    let replay = models(Arc::new(Replay::open(&file).unwrap()), 10);
    let Some(healed) = heal_with(request(&repository), Some(replay)).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:shapes.py"]), RIGHT.trim_end());
}

#[tokio::test]
async fn failures_of_one_file_are_one_question() {
    let repository = repository();
    repository.write("shapes.py", "def area(width, height):\n    return width + height\n\n\ndef around(width, height):\n    return width + height\n");
    repository.write("test_shapes.py", "from shapes import area, around\n\n\ndef test_area():\n    assert area(3, 5) == 15\n\n\ndef test_around():\n    assert around(3, 5) == 16, 'not around'\n");
    repository.commit("two faults");
    let both = edits(&[
        (
            "shapes.py",
            "def area(width, height):\n    return width + height\n",
            "def area(width, height):\n    return width * height\n",
        ),
        (
            "shapes.py",
            "def around(width, height):\n    return width + height\n",
            "def around(width, height):\n    return 2 * (width + height)\n",
        ),
    ]);
    let server = server([both]).await;
    let Some(healed) = heal(&repository, &server, 10).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!(server.requests().len(), 1);
    let asked = prompt(&server, 0);
    assert!(asked.contains("Further failures in the same file") && asked.matches("not around").count() >= 2, "{asked}");
}

/// Two faults in different files.
fn two_faults() -> TestRepository {
    let repository = wide();
    repository.write("sums.py", "def total(values):\n    return max(values)\n");
    repository
        .write("test_sums.py", "from sums import total\n\n\ndef test_total():\n    assert total([3, 5, 7]) == 15\n");
    repository.commit("two faults");
    repository
}

#[tokio::test]
async fn faults_in_different_files_are_asked_about_at_once() {
    let steps = [1, 2].map(|failure| json!({ "failure": failure, "files": [], "approach": "" }));
    let answers = || {
        let slow =
            |answer: Value, about| Scripted::openai(&answer.to_string()).about(about).after(Duration::from_millis(300));
        [
            Scripted::openai(&json!({ "steps": steps }).to_string()).of_form("plan"),
            slow(edit("    return width * height\n"), "File: test_shapes.py"),
            slow(edits(&[("sums.py", "    return max(values)\n", "    return sum(values)\n")]), "File: test_sums.py"),
        ]
    };
    let repository = two_faults();
    let server = ModelServer::start(answers()).await;
    let Some(healed) = heal(&repository, &server, 10).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}", healed.report);
    assert_eq!((server.requests().len(), server.most_at_once()), (3, 2));
    assert_eq!((healed.state.models.usage.calls, healed.state.models.usage.tokens()), (3, 45));
    let fixed = |file: &str| repository.git(&["show", &format!("AUTOHEAL_BOT_AI_Fix:{file}")]);
    assert!(fixed("shapes.py").contains("width * height") && fixed("sums.py").contains("sum(values)"));
    let order: Vec<&str> = healed.state.fixes.accepted.iter().map(|fix| fix.file.as_str()).collect();
    assert_eq!(order, ["shapes.py", "sums.py"], "in the order of the plan");
}

#[tokio::test]
async fn shortened_values_are_shown_whole() {
    let repository = TestRepository::with_files(&[
        ("numbers_of.py", "def squares(count):\n    return [number * number for number in range(count)]\n"),
        (
            "test_numbers.py",
            "from numbers_of import squares\n\n\ndef test_squares():\n    assert squares(40) == [number * (number + 1) for number in range(40)]\n",
        ),
    ]);
    let server = server([json!({ "edits": [] })]).await;
    if heal(&repository, &server, 10).await.is_none() {
        return;
    }
    let asked = prompt(&server, 0);
    // The last values of both lists, which pytest shows with `-vv` alone.
    let whole = [39 * 39, 39 * 40].iter().all(|value| asked.contains(&value.to_string()));
    assert!(whole && asked.contains("Full diff") && !asked.contains("Use -v to get more diff"), "{asked}");
}
