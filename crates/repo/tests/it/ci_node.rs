//! The commands of JavaScript projects that decide what green is.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use autoheal_repo::ci_commands::{GreenCommands, green_commands};
use autoheal_repo::project::survey;
use autoheal_repo::test_runner::TestRunner;
use autoheal_repo::toolchain::node::packages::{PackageManager, Packages};
use autoheal_repo::toolchain::node::{JEST, MOCHA, NODE_TEST, VITEST};
use proptest::prelude::*;
use rstest::rstest;
use serde_json::json;

use crate::discovery::write;

fn green(files: &[(&str, &str)]) -> GreenCommands {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files {
        write(folder.path(), file, text);
    }
    let project = survey(folder.path());
    green_commands(folder.path(), &project.directory, project.runner.as_ref())
}

fn with_scripts(scripts: &serde_json::Value) -> GreenCommands {
    let package = json!({ "scripts": scripts }).to_string();
    green(&[("package.json", &package), ("test/a.test.js", "")])
}

#[rstest]
#[case("jest", JEST, "")]
#[case("jest --ci --coverage --coverageReporters text -i src", JEST, "-i src")]
#[case("cross-env NODE_ENV=test jest --config jest.config.js --watchAll", JEST, "--config jest.config.js")]
#[case("node --experimental-vm-modules node_modules/jest/bin/jest.js", JEST, "")]
#[case("npx --no-install jest -u", JEST, "")]
#[case("mocha", MOCHA, "")]
#[case(
    "nyc --reporter=lcov --reporter text mocha -R dot --require ts-node/register 'test/**/*.ts'",
    MOCHA,
    "--require ts-node/register test/**/*.ts"
)]
#[case("c8 mocha test/*.js --exit", MOCHA, "test/*.js --exit")]
#[case("./node_modules/.bin/mocha --reporter spec", MOCHA, "")]
#[case("vitest", VITEST, "")]
#[case("vitest run --coverage --reporter verbose --config v.ts", VITEST, "--config v.ts")]
#[case("node --test", NODE_TEST, "")]
#[case("node --import tsx --test --test-reporter spec test/*.ts", NODE_TEST, "--import tsx test/*.ts")]
#[case("tsx --test", NODE_TEST, "--import tsx")]
#[case("npm run unit", JEST, "unit")]
#[case("yarn unit --ci && echo done", JEST, "unit")]
#[case("npm run unit -- -i", JEST, "unit -i")]
#[case("run-s lint unit", JEST, "unit")]
#[case("tap test/*.js", TestRunner::OPAQUE, "npm run test")]
#[case("node test.js", TestRunner::OPAQUE, "npm run test")]
#[case("mocha | tee log", TestRunner::OPAQUE, "npm run test")]
fn a_test_script_is_read(#[case] script: &str, #[case] runner: TestRunner, #[case] arguments: &str) {
    let found = with_scripts(&json!({ "test": script, "unit": "jest unit", "lint": "eslint ." }));
    let test = found.test.unwrap();
    assert_eq!((test.command.runner, test.command.arguments.join(" ").as_str()), (runner, arguments));
}

#[test]
fn options_of_node_and_variables_go_along() {
    let found = with_scripts(&json!({ "test": "TZ=UTC node --experimental-vm-modules node_modules/.bin/jest" }));
    let environment = found.test.unwrap().environment;
    assert_eq!(environment["TZ"], "UTC");
    assert_eq!(environment["NODE_OPTIONS"], "--experimental-vm-modules");
}

#[test]
fn what_tests_need_is_built_first() {
    let scripts = json!({ "pretest": "rimraf lib && npm run build", "build": "tsc -p . && node copy.js", "test": "mocha lib/test", "docs": "typedoc" });
    let words = |found: &GreenCommands| found.builds.iter().map(|build| build.words.join(" ")).collect::<Vec<_>>();
    assert_eq!(words(&with_scripts(&scripts)), ["rimraf lib", "tsc -p .", "node copy.js"]);
    assert_eq!(words(&with_scripts(&json!({ "test": "tsc --noEmit && vitest run" }))), ["tsc --noEmit"]);
}

#[test]
fn without_a_test_there_is_none() {
    let found = with_scripts(&json!({ "test": "echo \"Error: no test specified\" && exit 1" }));
    assert_eq!(found.test, None);
    assert_eq!(with_scripts(&json!({})).test, None);
}

#[test]
fn ci_says_which_scripts_count() {
    let workflow = "on: [push]\njobs:\n  test:\n    steps:\n      - run: npm ci\n      - run: npm run lint\n      - run: npm run build --if-present\n      \
                    - run: npm run test:unit -- --ci\n      - run: npx prettier --check .\n";
    let package = json!({ "scripts": { "test": "jest all", "test:unit": "jest unit", "lint": "eslint --max-warnings 0 src", "build": "vite build" } });
    let found =
        green(&[(".github/workflows/ci.yml", workflow), ("package.json", &package.to_string()), ("src/a.test.js", "")]);
    let test = found.test.unwrap();
    assert_eq!(test.command.words.join(" "), "jest unit");
    assert!(test.found.starts_with(".github/workflows/ci.yml"));
    assert_eq!((found.lint[0].linter.name(), found.lint[0].arguments.join(" ").as_str()), ("eslint", "src"));
    assert!(found.lint[0].is_required);
    assert_eq!(found.builds[0].words, ["vite", "build"]);
    assert_eq!(
        (found.lint[1].linter.name(), found.lint[1].words.join(" ").as_str()),
        ("prettier", "prettier --check .")
    );
}

#[test]
fn of_workspaces_the_package_with_most_tests_is_taken_and_the_whole_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in [
        ("package.json", r#"{"workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}"#),
        ("package-lock.json", "{}"),
        ("packages/a/package.json", r#"{"scripts": {"test": "mocha"}}"#),
        ("packages/a/test/a.js", ""),
        ("packages/b/package.json", r#"{"scripts": {"test": "jest"}}"#),
        ("packages/b/a.test.js", ""),
        ("packages/b/b.test.js", ""),
    ] {
        write(folder.path(), file, text);
    }
    let project = survey(folder.path());
    assert_eq!(project.directory, "packages/b");
    let node = Packages::of(folder.path(), &project.directory).unwrap();
    assert_eq!(node.folders, ["", "packages/a", "packages/b"]);
    assert_eq!((node.root.as_str(), node.lock.as_deref()), ("", Some("package-lock.json")));
    let test = green_commands(folder.path(), &project.directory, project.runner.as_ref()).test.unwrap();
    assert_eq!((test.command.runner, test.directory.as_str()), (JEST, "packages/b"));
}

#[rstest]
#[case(&[("package-lock.json", "{}")], "{}", PackageManager::Npm, None)]
#[case(&[("pnpm-lock.yaml", "lockfileVersion: '6.0'\n")], "{}", PackageManager::Pnpm, Some("8"))]
#[case(&[("yarn.lock", "# yarn lockfile v1\n")], "{}", PackageManager::YarnClassic, None)]
#[case(&[("yarn.lock", "__metadata:\n  version: 8\n")], "{}", PackageManager::Yarn, None)]
#[case(&[], r#"{"packageManager": "pnpm@9.1.0+sha256.ab"}"#, PackageManager::Pnpm, Some("9.1.0"))]
#[case(&[], r#"{"packageManager": "pnpm@9;evil"}"#, PackageManager::Pnpm, None)]
#[case(&[], "{}", PackageManager::Npm, None)]
fn the_package_manager_is_found(
    #[case] files: &[(&str, &str)],
    #[case] package: &str,
    #[case] manager: PackageManager,
    #[case] version: Option<&str>,
) {
    let folder = tempfile::tempdir().unwrap();
    for (file, text) in files.iter().chain(&[("package.json", package)]) {
        write(folder.path(), file, text);
    }
    let node = Packages::of(folder.path(), "").unwrap();
    assert_eq!((node.manager, node.manager_version.as_deref()), (manager, version));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn any_manifest_is_read_without_harm(script in "[ -~]{0,100}", other in "[ -~]{0,60}", text in "[ -~]{0,80}") {
        // Scripts that run each other do not go on for ever.
        let found = with_scripts(&json!({ "test": script, "other": other, "pretest": "npm run test", "loop": "npm run loop" }));
        let expressions = found.builds.iter().flat_map(|build| &build.words).any(|word| word.contains('\u{fffc}'));
        prop_assert!(!expressions);
        let _ = green(&[("package.json", &text), ("a.test.js", "")]);
    }
}
