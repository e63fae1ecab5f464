//! From red to green in small JavaScript repositories, end to end: real git, real sandbox, real runners. What has to be installed comes
//! from npm's registry once, and from a cache after that; without a network those tests are skipped, loudly.
#![expect(clippy::unwrap_used, reason = "what prepares a test fails as the test does")]

use std::path::PathBuf;

use autoheal_engine::StopReason;
use autoheal_engine::diagnostics::Source;
use autoheal_llm::Models;
use autoheal_repo::HealRequest;
use autoheal_testkit::repository::TestRepository;

use crate::driver::{Healed, heal_in, kept};

const CALC: &str = "function add(a, b) {\n  return a + b;\n}\n\nfunction greet(name) {\n  return 'hello ' + name.toUpperCase();\n}\n\n\
                    module.exports = { add, greet };\n";

/// Returns the folder in which packages of these tests stay installed.
fn data() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("node-data")
}

/// Heals with Node of this machine; `None`, loudly, if Node is missing or the registry is unreachable.
async fn heal(files: &[(&str, &str)]) -> Option<(Healed, TestRepository)> {
    let repository = kept(files);
    let request = HealRequest::new(repository.path().display().to_string());
    Some((heal_as_asked(request).await?, repository))
}

/// The same, as asked.
pub(crate) async fn heal_as_asked(request: HealRequest) -> Option<Healed> {
    heal_with(request, None).await
}

/// The same, with models.
pub(crate) async fn heal_with(request: HealRequest, models: Option<Models>) -> Option<Healed> {
    let data = data();
    std::fs::create_dir_all(&data).unwrap();
    let healed = heal_in(&data, request, models).await?;
    let error = healed.state.error.as_ref().map(ToString::to_string).unwrap_or_default();
    if error.contains("no Node was found") || error.contains("installing packages failed") {
        autoheal_testkit::skip("healing JavaScript", &error);
        return None;
    }
    Some(healed)
}

/// A file that lacks a bracket goes from red to green.
async fn heals_syntax(package: &str, test_file: &str, test: &str) {
    let broken = CALC.replace("add(a, b) {", "add(a, b {");
    let Some((healed, repository)) =
        heal(&[("package.json", package), ("src/calc.js", &broken), (test_file, test)]).await
    else {
        return;
    };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/calc.js"]), CALC.trim_end());
    assert_eq!(repository.git(&["diff", "--name-only", "main", "AUTOHEAL_BOT_AI_Fix"]), "src/calc.js");
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
}

const NODE_TEST: &str = "const test = require('node:test');\nconst assert = require('node:assert');\n\
    const { add, greet } = require('../src/calc');\ntest('adds', () => assert.equal(add(1, 2), 3));\n\
    test('greets', () => assert.equal(greet('x'), 'hello X'));\n";

#[tokio::test]
async fn a_suite_of_node_goes_from_red_to_green() {
    heals_syntax(r#"{"scripts": {"test": "node --test test/*.js"}}"#, "test/calc.js", NODE_TEST).await;
}

/// Files without any test are tests themselves, and a test may be called like a file.
#[tokio::test]
async fn files_of_plain_assertions_go_from_red_to_green() {
    heals_syntax(
        r#"{"scripts": {"test": "node --test test/*.js"}}"#,
        "test/plain.js",
        "require('node:assert').equal(require('../src/calc').add(1, 2), 3);\n",
    )
    .await;
    let named = NODE_TEST.replace("'adds'", "'reads calc.js'").replace("test('greets'", "test.skip('greets'");
    heals_syntax(r#"{"scripts": {"test": "node --test test/*.js"}}"#, "test/calc.js", &named).await;
}

#[tokio::test]
async fn a_suite_of_jest_goes_from_red_to_green() {
    heals_syntax(
        r#"{"scripts": {"test": "jest --coverage"}, "devDependencies": {"jest": "29.7.0"}}"#,
        "test/calc.test.js",
        "const { add, greet } = require('../src/calc');\ntest('adds [1]', () => expect(add(1, 2)).toBe(3));\n\
         describe('all', () => test('greets', () => expect(greet('x')).toBe('hello X')));\n",
    )
    .await;
}

#[tokio::test]
async fn a_suite_of_mocha_goes_from_red_to_green() {
    heals_syntax(
        r#"{"scripts": {"test": "mocha --reporter dot"}, "devDependencies": {"mocha": "10.8.2"}}"#,
        "test/calc.js",
        "const assert = require('assert');\nconst { add, greet } = require('../src/calc');\n\
         describe('calc', () => {\n  it('adds', () => { console.log('noise'); assert.equal(add(1, 2), 3); });\n  \
         it('greets', () => assert.equal(greet('x'), 'hello X'));\n});\n",
    )
    .await;
}

#[tokio::test]
async fn a_suite_of_vitest_goes_from_red_to_green() {
    heals_syntax(
        r#"{"scripts": {"test": "vitest"}, "devDependencies": {"vitest": "2.1.9"}}"#,
        "test/calc.test.js",
        "import { expect, test } from 'vitest';\nimport calc from '../src/calc.js';\n\
         test('adds', () => expect(calc.add(1, 2)).toBe(3));\ntest('greets', () => expect(calc.greet('x')).toBe('hello X'));\n",
    )
    .await;
}

#[tokio::test]
async fn what_is_compiled_first_is_red_where_its_source_is() {
    let files = [
        (
            "package.json",
            r#"{"scripts": {"pretest": "tsc", "test": "node --test lib/test.js"}, "devDependencies": {"typescript": "5.6.3"}}"#,
        ),
        (
            "tsconfig.json",
            r#"{"compilerOptions": {"outDir": "lib", "module": "commonjs", "strict": true, "types": []}, "include": ["src"]}"#,
        ),
        (".gitignore", "lib/\n"),
        ("src/calc.ts", "export function total(list: number[]): number {\n  return list.lenght;\n}\n"),
        (
            "src/test.ts",
            "import { total } from './calc';\ndeclare const require: any;\nconst test = require('node:test');\n\
            const assert = require('node:assert');\ntest('total', () => assert.equal(total([1, 2]), 2));\n",
        ),
    ];
    let Some((healed, _repository)) = heal(&files).await else { return };
    let result = healed.state.diagnosis.baseline.unwrap();
    let finding = result.findings.iter().find(|finding| finding.source == Source::Build).unwrap();
    assert_eq!(finding.file.as_deref(), Some("src/calc.ts"), "{finding:?}");
    assert!(finding.message.starts_with("TS2551: Property 'lenght'"), "{finding:?}");
}

#[tokio::test]
async fn a_failure_in_what_was_compiled_is_told_of_its_source() {
    let files = [
        (
            "package.json",
            r#"{"scripts": {"pretest": "tsc", "test": "node --test lib/test.js"}, "devDependencies": {"typescript": "5.6.3"}}"#,
        ),
        (
            "tsconfig.json",
            r#"{"compilerOptions": {"outDir": "lib", "module": "commonjs", "sourceMap": true, "types": []}, "include": ["src"]}"#,
        ),
        (".gitignore", "lib/\n"),
        (
            "src/calc.ts",
            "// A comment that is not in the output.\ninterface Shop { name: any }\n\nexport function title(shop: Shop) {\n  \
            return shop.name.toUperCase();\n}\n",
        ),
        (
            "src/test.ts",
            "import { title } from './calc';\ndeclare const require: any;\nconst test = require('node:test');\n\
            test('title', () => { title({ name: 'x' }); });\n",
        ),
    ];
    let Some((healed, _repository)) = heal(&files).await else { return };
    let result = healed.state.diagnosis.baseline.unwrap();
    let found: Vec<_> =
        result.findings.iter().map(|one| (one.file.as_deref(), one.location.map(|at| at.line))).collect();
    assert_eq!(found, [(Some("src/calc.ts"), Some(5))], "{result:?}");
}

#[tokio::test]
async fn findings_of_the_projects_own_eslint_are_red_when_its_tests_ask_it() {
    let files = [
        (
            "package.json",
            r#"{"scripts": {"test": "eslint src && node --test test/*.js"}, "devDependencies": {"eslint": "9.17.0"}}"#,
        ),
        (
            "eslint.config.js",
            "module.exports = [{ rules: { 'no-unused-vars': 'error' }, languageOptions: { sourceType: 'commonjs' } }];\n",
        ),
        ("src/calc.js", &CALC.replace("  return a + b;", "  const unused = 1;\n  return a + b;")),
        ("test/calc.js", NODE_TEST),
    ];
    let Some((healed, _repository)) = heal(&files).await else { return };
    let result = healed.state.diagnosis.baseline.unwrap();
    let found: Vec<_> = result.findings.iter().map(|one| (one.category.name(), one.file.as_deref())).collect();
    assert_eq!(found, [("LINTING", Some("src/calc.js"))], "{result:?}");
    assert!(result.findings[0].message.starts_with("no-unused-vars"));
}

#[tokio::test]
async fn a_suite_without_a_test_is_not_green() {
    let files =
        [("package.json", r#"{"scripts": {"test": "node --test test/*.js"}}"#), ("test/calc.js", "// nothing\n")];
    let Some((healed, _repository)) = heal(&files).await else { return };
    assert_ne!(healed.results.stop_reason, StopReason::NothingToDo, "{}", healed.report);
    assert_ne!(healed.results.stop_reason, StopReason::Green);
}

#[tokio::test]
async fn java_is_said_to_be_missing() {
    let Some((healed, _repository)) = heal(&[("src/Main.java", "class Main {}\n")]).await else { return };
    let error = healed.state.error.unwrap().to_string();
    assert!(error.contains("Java is recognised and not supported yet"), "{error}");
}

const TOTAL: &str = "<script setup>\nimport { computed } from 'vue'\n\nconst props = defineProps({ values: Array })\n\
                     const total = computed(() => props.values.reduce((a, b) => a + b, 0))\nconst label = 'sum'\n</script>\n\n<template>\n  \
                     <p class=\"total\" :title=\"label\">{{ total }}</p>\n</template>\n";

/// A Vue component is healed in its script.
#[rstest::rstest]
#[case::name("= computed(", "= compued(")]
#[case::bracket("a + b, 0))", "a + b, 0)")]
#[tokio::test]
async fn the_script_of_a_component_is_healed(#[case] from: &str, #[case] to: &str) {
    let package = r#"{"name": "shop", "version": "1.0.0", "type": "module", "scripts": {"test": "vitest run"}, "devDependencies": {
        "vitest": "2.1.9", "@vitejs/plugin-vue": "5.2.1", "vue": "3.5.13", "@vue/test-utils": "2.4.6", "happy-dom": "15.11.7"}}"#;
    let settings = "import vue from '@vitejs/plugin-vue'\nexport default { plugins: [vue()], test: { environment: 'happy-dom' } }\n";
    let test = "import { expect, test } from 'vitest'\nimport { mount } from '@vue/test-utils'\nimport Total from './Total.vue'\n\
                test('total', () => { expect(mount(Total, { props: { values: [1, 2] } }).text()).toBe('3') })\n";
    let broken = TOTAL.replacen(from, to, 1);
    let files = [
        ("package.json", package),
        ("vitest.config.js", settings),
        ("src/Total.vue", broken.as_str()),
        ("src/total.test.js", test),
    ];
    let Some((healed, repository)) = heal(&files).await else { return };
    assert_eq!(healed.results.stop_reason, StopReason::Green, "{}\n{:?}", healed.report, healed.events);
    assert_eq!(repository.git(&["show", "AUTOHEAL_BOT_AI_Fix:src/Total.vue"]), TOTAL.trim_end());
}
