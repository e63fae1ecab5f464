//! Findings from the reports of JavaScript's test runners.

use autoheal_code::javascript::report::{build, entries, eslint, findings, jest, stack, tsc};
use autoheal_code::{
    Sources,
    report::{Look, TestOutcome},
};
use autoheal_engine::diagnostics::{Category, Finding, Source};
use proptest::prelude::*;
use serde_json::json;

const PREFIX: &str = "/sandbox/repository";

fn sources() -> Sources {
    let mut sources = Sources::new(Vec::new());
    sources.insert("src/core.js", "one\n".repeat(9), false);
    sources.insert("test/core.test.js", "require('../src/core');\n", true);
    sources
}

fn with_look<T>(read: impl FnOnce(&Look<'_>) -> T) -> T {
    let (sources, prefixes) = (sources(), [PREFIX.to_owned()]);
    read(&Look { prefixes: &prefixes, directory: "", sources: &sources })
}

/// An error as V8 prints it, thrown in `src/core.js`.
fn stack_of(error: &str, line: u32) -> String {
    format!(
        "{error}\n    at inner ({PREFIX}/node_modules/lib/index.js:3:4)\n    at area ({PREFIX}/src/core.js:{line}:7)\n    \
         at Object.<anonymous> ({PREFIX}/test/core.test.js:2:3)\n    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)"
    )
}

fn jest_report(error: &str, line: u32) -> String {
    json!({"testResults": [{"name": format!("{PREFIX}/test/core.test.js"), "status": "failed", "assertionResults": [
        {"ancestorTitles": ["area"], "title": "works", "status": "failed", "failureMessages": [stack_of(error, line)]}]}]})
    .to_string()
}

/// The same test as mocha, vitest and node:test report it to our reporters.
fn entry(error: &str, line: u32) -> String {
    json!({"file": format!("{PREFIX}/test/core.test.js"), "path": ["area", "works"], "outcome": "failed", "millis": 1.5,
        "error": stack_of(error, line)})
    .to_string()
        + "\n{\"end\":true}\n"
}

fn of_jest(error: &str, line: u32) -> Vec<Finding> {
    with_look(|look| {
        findings::findings_from(&jest::parse(&jest_report(error, line), look.prefixes).expect("a report"), look)
    })
}

fn of_entries(error: &str, line: u32) -> Vec<Finding> {
    with_look(|look| {
        findings::findings_from(&entries::parse(&entry(error, line), look.prefixes).expect("a report"), look)
    })
}

fn error_type() -> impl Strategy<Value = (&'static str, Category)> {
    prop::sample::select(vec![
        ("SyntaxError", Category::Syntax),
        ("TypeError", Category::TypeError),
        ("ReferenceError", Category::TypeError),
        ("RangeError", Category::Logic),
        ("AssertionError", Category::Logic),
        ("Error", Category::Logic),
        ("HttpError", Category::Logic),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    // Feature: autoheal-ci-agent, Property 6: Failure Extraction Completeness
    #[test]
    fn a_failure_gives_file_line_message_and_stack(
        (name, category) in error_type(),
        words in "[a-z]{2,8} [xyz]{3,9}",
        line in 1..9_u32,
    ) {
        let found = of_jest(&format!("{name}: {words}"), line);
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(found[0].category, category);
        prop_assert_eq!(found[0].file.as_deref(), Some("src/core.js"));
        prop_assert_eq!(found[0].location.map(|location| location.line), Some(line));
        prop_assert_eq!(&found[0].message, &format!("{name}: {words}"));
        prop_assert!(found[0].stack.as_deref().is_some_and(|stack| stack.contains("at area")));
    }

    // Feature: autoheal-ci-agent, Property 40: Test Output Parsing Framework-Specific
    #[test]
    fn every_runners_report_gives_the_same_finding(
        (name, category) in error_type(),
        words in "[a-z]{2,8} [xyz]{3,9}",
        line in 1..9_u32,
        colour in any::<bool>(),
    ) {
        let error = format!("{name}: {words}");
        let shown = if colour { format!("\u{1b}[31m{error}\u{1b}[39m") } else { error.clone() };
        let jest = of_jest(&shown, line);
        prop_assert_eq!(&jest, &of_entries(&shown, line));
        prop_assert_eq!((jest[0].category, jest[0].source), (category, Source::Test));
        // Without any report the same is in the output.
        let output = with_look(|look| findings::findings_from_output("", &stack_of(&error, line), "exit 1", look));
        prop_assert_eq!(&output[0].message, &jest[0].message);
        prop_assert_eq!((&output[0].file, output[0].location), (&jest[0].file, jest[0].location));
    }

    #[test]
    fn hostile_output_gives_a_finding_and_no_panic(stdout in "(?s).{0,400}", stderr in "[ -~\n\u{1b}]{0,400}", title in ".{0,40}") {
        with_look(|look| {
            prop_assert!(!findings::findings_from_output(&stdout, &stderr, "exit 3", look).is_empty());
            prop_assert!(!build::findings_in(&stdout, &stderr, "exit 3", "tsc", look).is_empty());
            let _ = (stack::parse(&stderr), tsc::findings(&stderr, look), eslint::findings(&stdout, look));
            let _ = (jest::parse(&stdout, &[]), entries::parse(&stdout, &[]));
            // Two tests of one name are two tests, whatever the name is.
            let line = json!({"file": null, "path": [title], "outcome": "passed"}).to_string();
            let report = entries::parse(&format!("{line}\n{line}\n{{\"end\":true}}"), &[]).expect("two tests");
            prop_assert_ne!(&report.cases[0].id, &report.cases[1].id);
            prop_assert!(report.cases.iter().all(|case| case.outcome == TestOutcome::Passed && !case.id.contains('[')));
            Ok(())
        })?;
    }
}
