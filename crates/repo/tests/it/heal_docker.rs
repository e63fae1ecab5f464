//! From red to green in containers of a real engine: packages installed, tests run, nothing left behind.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use std::path::PathBuf;

use autoheal_engine::{ErrorCode, StopReason};
use autoheal_repo::HealRequest;
use autoheal_testkit::repository::TestRepository;

use crate::driver::{Healed, heal_in_docker, kept};

const CALC: &str = "function add(a, b) {\n  return a + b;\n}\n\nmodule.exports = { add };\n";
const JEST: &str = "const { add } = require('../src/calc');\ntest('adds', () => expect(add(1, 2)).toBe(3));\n";
const MOCHA: &str = "const assert = require('assert');\nconst { add } = require('../src/calc');\n\
                     describe('calc', () => it('adds', () => assert.equal(add(1, 2), 3)));\n";

/// Returns the folder in which packages of these tests stay installed.
fn data() -> PathBuf {
    let data = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("docker-data");
    std::fs::create_dir_all(&data).unwrap();
    data
}

/// Heals in Docker; `None`, loudly, where there is no engine, no image, or no way to a registry.
async fn heal(repository: &TestRepository) -> Option<Healed> {
    let healed = heal_in_docker(&data(), HealRequest::new(repository.path().display().to_string())).await?;
    let error = healed.state.error.as_ref().map(ToString::to_string).unwrap_or_default();
    let unreachable = ["is missing; fetch it", "ENOTFOUND", "EAI_AGAIN", "Has No Public Address", "ECONNREFUSED"];
    if unreachable.iter().any(|reason| error.contains(reason)) {
        autoheal_testkit::skip("healing in Docker", &error);
        return None;
    }
    Some(healed)
}

async fn heals(package: &str, test_file: &str, test: &str) {
    let broken = CALC.replace("add(a, b) {", "add(a, b {");
    let repository = kept(&[("package.json", package), ("src/calc.js", &broken), (test_file, test)]);
    let Some(healed) = heal(&repository).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/calc.js"]), CALC.trim_end());
}

#[tokio::test]
async fn a_suite_of_jest_goes_from_red_to_green_in_a_container() {
    heals(r#"{"scripts": {"test": "jest"}, "devDependencies": {"jest": "29.7.0"}}"#, "test/calc.test.js", JEST).await;
}

#[tokio::test]
async fn a_suite_of_mocha_goes_from_red_to_green_in_a_container() {
    heals(r#"{"scripts": {"test": "mocha"}, "devDependencies": {"mocha": "10.8.2"}}"#, "test/calc.js", MOCHA).await;
}

#[tokio::test]
async fn packages_that_cannot_be_installed_are_a_layer_that_cannot_be_built() {
    // The lock file is not of this manifest, which npm sees without asking anybody.
    let repository = kept(&[
        ("package.json", r#"{"scripts": {"test": "jest"}, "devDependencies": {"jest": "29.7.0"}}"#),
        ("package-lock.json", r#"{"lockfileVersion": 3, "packages": {"": {"devDependencies": {}}}}"#),
        ("src/calc.js", CALC),
        ("test/calc.test.js", JEST),
    ]);
    let Some(healed) = heal(&repository).await else { return };
    let error = healed.state.error.unwrap();
    assert_eq!(error.code, ErrorCode::DockerBuildFailed, "{error}");
    assert_eq!(healed.results.stop_reason, StopReason::Infra);
    assert!(error.to_string().contains("npm ci") && error.to_string().contains("--install-command"), "{error}");
}
