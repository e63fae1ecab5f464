//! Each error code of the specification, by something that really goes wrong.

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use autoheal_testkit::git_http::{Behaviour as GitBehaviour, GitHttp};
use autoheal_testkit::github::CiPlan;
use autoheal_testkit::model_server::{ModelServer, Scripted};
use autoheal_testkit::repository::TestRepository;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::binary::{Ended, Home};
use crate::github::{FILES, TOKEN, World, ci, docker_works};
use crate::healing::sandbox;

/// Heals a folder of its own and gives what came of it.
fn healed_folder(files: &[(&str, &str)], more: &[&str]) -> Option<(Ended, Value)> {
    let sandbox = sandbox()?;
    let repository = TestRepository::with_files(files);
    let path = repository.path().display().to_string();
    let home = Home::new();
    let ended = home.run(&[&["heal", &path, "--sandbox", sandbox, "--json"], more].concat());
    let results = serde_json::from_str(&ended.stdout).unwrap_or_default();
    Some((ended, results))
}

fn assert_code(ended: &Ended, results: &Value, code: &str) {
    assert_eq!(results["error"]["code"], code, "{}", ended.told());
    assert_eq!(results["ci_status"], "FAILED");
    for field in ["message", "details", "timestamp"] {
        assert!(!results["error"][field].is_null(), "{field}: {results}");
    }
    assert!(ended.stderr.contains(&format!("autoheal explain {code}")), "{}", ended.told());
}

#[test]
fn a_server_that_fails_is_repo_clone_failed() {
    let Some(sandbox) = sandbox() else { return };
    let folder = tempfile::tempdir().unwrap();
    let server = GitHttp::serve(folder.path(), GitBehaviour::Status(500));
    let ended = Home::new().run(&["heal", &server.url("shop"), "--sandbox", sandbox, "--json"]);
    assert_code(&ended, &serde_json::from_str(&ended.stdout).unwrap(), "REPO_CLONE_FAILED");
}

#[test]
fn a_repository_that_is_not_there_is_repo_not_found() {
    let Some(world) = World::with_ci(ci) else { return };
    let (url, api) = (world.github.url().replace("shop", "nothing"), world.github.api());
    let arguments = ["heal", &url, "--github-api", &api, "--sandbox", world.sandbox, "--json"];
    let mut command = world.home.command(&arguments);
    let ended = Ended::of(command.env("GITHUB_TOKEN", TOKEN));
    assert_code(&ended, &serde_json::from_str(&ended.stdout).unwrap(), "REPO_NOT_FOUND");
    assert_eq!(ended.code, Some(2));
}

#[test]
fn a_token_that_is_not_known_is_repo_access_denied() {
    let Some(world) = World::with_ci(ci) else { return };
    let ended = Ended::of(world.heal(&[]).env("GITHUB_TOKEN", "ghp_ofsomebodyelse0123456789"));
    assert_code(&ended, &serde_json::from_str(&ended.stdout).unwrap(), "REPO_ACCESS_DENIED");
    assert!(!ended.told().contains("ghp_ofsomebodyelse"), "{}", ended.told());
}

#[test]
fn a_repository_without_tests_is_test_discovery_failed() {
    let Some((ended, results)) = healed_folder(&[("shop.py", "x = 1\n"), ("requirements.txt", "")], &[]) else {
        return;
    };
    assert_code(&ended, &results, "TEST_DISCOVERY_FAILED");
}

#[test]
fn a_language_whose_tests_cannot_be_run_is_test_execution_failed() {
    let java = [("pom.xml", "<project/>\n"), ("src/A.java", "class A {}\n"), ("src/ATest.java", "class ATest {}\n")];
    let Some((ended, results)) = healed_folder(&java, &[]) else { return };
    assert_code(&ended, &results, "TEST_EXECUTION_FAILED");
}

#[test]
fn an_image_that_is_not_there_is_docker_build_failed() {
    if !docker_works("DOCKER_BUILD_FAILED") {
        return;
    }
    let repository = TestRepository::with_files(&FILES);
    let path = repository.path().display().to_string();
    let home = Home::new();
    let mut command = home.command(&["heal", &path, "--sandbox", "docker", "--json"]);
    let ended = Ended::of(command.env("AUTOHEAL_PYTHON_IMAGE", "autoheal-image-of-nobody:none"));
    assert_eq!(ended.code, Some(3), "{}", ended.told());
    assert!(ended.told().contains("DOCKER_BUILD_FAILED"), "{}", ended.told());
}

#[test]
fn an_engine_that_does_not_answer_is_docker_run_failed() {
    let repository = TestRepository::with_files(&FILES);
    let path = repository.path().display().to_string();
    let home = Home::new();
    let mut command = home.command(&["heal", &path, "--sandbox", "docker", "--json"]);
    let ended = Ended::of(command.env("DOCKER_HOST", "unix:///nonexistent/docker.sock"));
    assert_eq!(ended.code, Some(3), "{}", ended.told());
    assert!(ended.stderr.contains("DOCKER_RUN_FAILED"), "{}", ended.told());
}

/// Files with a fault that no rule and no search can repair, because the right text appears nowhere.
const BEYOND_RULES: [(&str, &str); 2] = [
    ("motto.py", "def motto():\n    return 'saying so is fine'\n"),
    (
        "test_motto.py",
        "import hashlib\nimport unittest\n\nfrom motto import motto\n\n\nclass MottoTest(unittest.TestCase):\n    \
         def test_motto(self):\n        digest = hashlib.sha256(motto().encode()).hexdigest()\n        \
         self.assertTrue(digest.startswith('0000000000'))\n",
    ),
];

/// Heals defects beyond the rules, with a model whose time limit is `seconds`.
fn asked_model(answers: Vec<Scripted>, seconds: &str) -> Option<(Ended, Value)> {
    let sandbox = sandbox()?;
    let server = Runtime::new().unwrap().block_on(ModelServer::start(answers));
    let repository = TestRepository::with_files(&BEYOND_RULES);
    let path = repository.path().display().to_string();
    let home = Home::new();
    let arguments = ["heal", &path, "--sandbox", sandbox, "--json", "--model", "openai/gpt-4o-mini"];
    let mut command = home.command(&arguments);
    command.env("AUTOHEAL_OPENAI_URL", server.url().as_str()).env("OPENAI_API_KEY", "sk-a-secret-key-of-mine");
    command.env("AUTOHEAL_MODEL_TIMEOUT_SECONDS", seconds);
    let ended = Ended::of(&mut command);
    let results = serde_json::from_str(&ended.stdout).unwrap_or_default();
    Some((ended, results))
}

#[test]
fn a_model_that_refuses_the_key_is_llm_api_error_and_rules_go_on() {
    let refused = Scripted::new(401, &json!({ "error": { "message": "Incorrect API key provided" } }));
    let Some((ended, results)) = asked_model(vec![refused], "60") else { return };
    assert_code(&ended, &results, "LLM_API_ERROR");
}

#[test]
fn a_model_that_does_not_answer_is_llm_timeout_and_rules_go_on() {
    let late = || Scripted::openai("{}").after(Duration::from_mins(1));
    let Some((ended, results)) = asked_model((0..4).map(|_| late()).collect(), "1") else { return };
    assert_code(&ended, &results, "LLM_TIMEOUT");
    assert!(ended.stderr.contains("LLM_TIMEOUT"), "{}", ended.told());
}

#[test]
fn an_edit_that_would_not_parse_is_syntax_validation_failed() {
    let plan = json!({ "steps": [{ "failure": 1, "files": ["motto.py"], "approach": "Find the text." }] });
    let edit =
        json!({ "file": "motto.py", "search": "return 'saying so is fine'", "replace": "return 'saying so is fine" });
    let plan = Scripted::openai(&plan.to_string()).of_form("plan");
    let answers = vec![plan, Scripted::openai(&json!({ "edits": [edit] }).to_string())];
    let Some((ended, results)) = asked_model(answers, "60") else { return };
    assert_code(&ended, &results, "SYNTAX_VALIDATION_FAILED");
}

#[test]
fn what_nobody_can_heal_is_a_verdict_and_no_error() {
    let Some((ended, results)) = healed_folder(&BEYOND_RULES, &[]) else { return };
    assert_eq!((&results["stop_reason"], &results["error"]), (&json!("NO_PROGRESS"), &Value::Null), "{}", ended.told());
    assert_eq!(ended.code, Some(1), "{}", ended.told());
    assert_eq!(results["stop_reason"], "NO_PROGRESS");
}

#[test]
fn a_rule_of_the_remote_is_git_push_failed() {
    let Some(world) = World::with_ci(ci) else { return };
    let hooks = world.github.repository().join("hooks");
    std::fs::create_dir_all(&hooks).unwrap();
    let hook = hooks.join("pre-receive");
    std::fs::write(&hook, "#!/bin/sh\necho 'branches need a ticket' >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (ended, results) = world.healed(&["--pull-request"]);
    assert_code(&ended, &results, "GIT_PUSH_FAILED");
    assert!(ended.stderr.contains("branches need a ticket"), "{}", ended.told());
    assert_eq!(world.github.pulls().len(), 0);
}

#[test]
fn a_ci_that_does_not_end_is_ci_timeout() {
    let mut plan = CiPlan::green();
    plan.runs[0].takes = u32::MAX;
    let Some(world) = World::with_ci(move |_| plan.clone()) else { return };
    let (ended, results) = world.healed(&["--ci-timeout", "1"]);
    assert_code(&ended, &results, "CI_TIMEOUT");
}

#[test]
fn rounds_that_are_used_up_are_retry_limit_reached() {
    let Some(world) = World::with_ci(ci) else { return };
    let (ended, results) = world.healed(&["--retry-limit", "0"]);
    assert_code(&ended, &results, "RETRY_LIMIT_REACHED");
    assert_eq!(results["stop_reason"], "ATTEMPTS");
    assert_eq!(results["iterations"], 1);
}

#[test]
fn a_folder_that_is_to_be_judged_by_a_host_is_invalid_input() {
    // The second is the first's former name.
    for ci in ["host", "github"] {
        let Some((ended, results)) = healed_folder(&FILES, &["--ci", ci]) else { return };
        assert_code(&ended, &results, "INVALID_INPUT");
        assert_eq!(ended.code, Some(2));
    }
    let Some((pull, _)) = healed_folder(&FILES, &["--pull-request"]) else { return };
    assert_eq!(pull.code, Some(2), "{}", pull.told());
    assert!(pull.stderr.contains("needs a repository at https://github.com/"), "{}", pull.told());
    let elsewhere = Home::new().run(&["heal", "https://bitbucket.org/owner/name"]);
    assert_eq!(elsewhere.code, Some(2), "{}", elsewhere.told());
    assert!(
        elsewhere.stderr.contains("https://github.com/OWNER/NAME or https://gitlab.com/GROUP/NAME"),
        "{}",
        elsewhere.told()
    );
}
