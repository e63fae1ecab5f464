//! Test reports become findings, whatever the framework and whatever the report holds.

use std::fmt::Write as _;

use autoheal_code::Sources;
use autoheal_code::python::report::findings::{findings_from, findings_from_output};
use autoheal_code::python::report::{compile, traceback as tracebacks};
use autoheal_code::report::{self, Look, TestOutcome, junit};
use autoheal_engine::diagnostics::{Category, Source};
use proptest::prelude::*;

const PREFIX: &str = "/sandbox/repository";

fn sources() -> Sources {
    let mut sources = Sources::new(vec![String::new()]);
    sources.insert("pkg/__init__.py", "from .core import run\n", false);
    sources.insert("pkg/core.py", "import os\n\n\ndef run(value):\n    return value.size\n", false);
    sources.insert("tests/test_core.py", "from pkg import run\n\n\ndef test_run():\n    run(1)\n", true);
    sources
}

fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    text.replace('\n', "&#10;")
}

/// Returns the report that pytest writes for a failing test.
fn pytest_report(error: &str, traceback: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?><testsuites><testsuite name=\"pytest\" tests=\"1\">\
         <testcase classname=\"tests.test_core\" name=\"test_run\" time=\"0.01\"><failure message=\"{}\">{}</failure></testcase>\
         </testsuite></testsuites>",
        escaped(error),
        escaped(traceback)
    )
}

/// Returns the report that the unittest runner writes for a failing test.
fn unittest_report(error: &str, traceback: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<testsuites><testsuite name=\"unittest\" tests=\"1\">\n\
         <testcase classname=\"tests.test_core.Core\" name=\"test_run\" time=\"0.01\" file=\"tests/test_core.py\">\
         <error message=\"{}\">{}</error></testcase>\n</testsuite></testsuites>\n",
        escaped(error),
        escaped(traceback)
    )
}

fn traceback(line: u32, error: &str) -> String {
    format!(
        "Traceback (most recent call last):\n  File \"{PREFIX}/tests/test_core.py\", line 5, in test_run\n    run(1)\n  \
         File \"{PREFIX}/pkg/core.py\", line {line}, in run\n    return value.size\n           ^^^^^^^^^^\n  \
         File \"/usr/lib/python3.11/copy.py\", line 8, in copy\n    x\n{error}\n"
    )
}

fn findings(xml: &str) -> Vec<autoheal_engine::diagnostics::Finding> {
    let sources = sources();
    let prefixes = [PREFIX.to_owned()];
    let look = Look { prefixes: &prefixes, directory: "", sources: &sources };
    findings_from(&junit::parse(xml).expect("a report"), &look)
}

fn error_type() -> impl Strategy<Value = (&'static str, Category)> {
    prop::sample::select(vec![
        ("SyntaxError", Category::Syntax),
        ("IndentationError", Category::Indentation),
        ("TabError", Category::Indentation),
        ("ImportError", Category::Import),
        ("ModuleNotFoundError", Category::Import),
        ("TypeError", Category::TypeError),
        ("AttributeError", Category::TypeError),
        ("UnboundLocalError", Category::TypeError),
        ("AssertionError", Category::Logic),
        ("KeyError", Category::Logic),
        ("pkg.errors.Broken", Category::Logic),
        ("ZeroDivisionError", Category::Logic),
    ])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    // Feature: autoheal-ci-agent, Property 5: Bug Type Categorization Uniqueness
    #[test]
    fn every_failure_has_exactly_one_of_six_categories(
        name in "[A-Za-z_.]{0,20}(Error|Exception)?",
        message in ".{0,120}",
        ruff in any::<bool>(),
    ) {
        let category = report::category::of_exception(&name, &message);
        prop_assert_eq!(Category::ALL.iter().filter(|one| **one == category).count(), 1);
        prop_assert_eq!(category, report::category::of_exception(&name, &message));
        let by_words = report::category::of_words(&message);
        prop_assert!(Category::ALL.contains(&by_words));
        if ruff {
            let entry = serde_json::json!([{"code": "F401", "filename": "pkg/core.py", "location": {"row": 1, "column": 8},
                "message": message}]);
            let found = report::ruff::findings(&entry.to_string(), &[]).expect("ruff's JSON");
            prop_assert_eq!(found[0].category, Category::Linting);
        }
    }

    // Feature: autoheal-ci-agent, Property 6: Failure Extraction Completeness
    #[test]
    fn a_failure_gives_file_line_message_and_stack(
        (name, category) in error_type(),
        words in "[a-z][a-z ]{0,30}[a-z]",
        line in 1..6_u32,
    ) {
        let error = format!("{name}: {words}");
        let found = findings(&pytest_report(&error, &traceback(line, &error)));
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(found[0].category, category);
        prop_assert_eq!(found[0].file.as_deref(), Some("pkg/core.py"));
        prop_assert_eq!(found[0].location.map(|location| location.line), Some(line));
        prop_assert!(found[0].message.ends_with(&words));
        prop_assert!(found[0].stack.as_deref().is_some_and(|stack| stack.contains("Traceback")));
    }

    // Feature: autoheal-ci-agent, Property 40: Test Output Parsing Framework-Specific
    #[test]
    fn both_frameworks_reports_give_the_same_finding((name, category) in error_type(), words in "[a-z]{1,20}", line in 1..6_u32) {
        let error = format!("{name}: {words}");
        let pytest = findings(&pytest_report(&error, &traceback(line, &error)));
        let unittest = findings(&unittest_report(&error, &traceback(line, &error)));
        prop_assert_eq!(&pytest, &unittest);
        prop_assert_eq!(pytest[0].category, category);
        prop_assert_eq!(pytest[0].source, Source::Test);
    }

    #[test]
    fn many_tests_with_one_cause_are_one_key(count in 1..60_usize) {
        let mut xml = String::from("<testsuites><testsuite>");
        for number in 0..count {
            let text = escaped(&traceback(5, "AttributeError: 'int' object has no attribute 'size'"));
            let _ = write!(xml, "<testcase classname=\"tests.test_core\" name=\"t{number}\"><failure>{text}</failure></testcase>");
        }
        xml.push_str("</testsuite></testsuites>");
        let keys: std::collections::BTreeSet<_> = findings(&xml).iter().map(autoheal_engine::diagnostics::Finding::key).collect();
        prop_assert_eq!(keys.len(), 1);
    }

    #[test]
    fn hostile_output_gives_a_finding_and_no_panic(stdout in ".{0,400}", stderr in "(?s).{0,400}", xml in "<[a-z<>/\"= ]{0,200}") {
        let sources = sources();
        let look = Look { prefixes: &[], directory: "", sources: &sources };
        prop_assert!(!findings_from_output(&stdout, &stderr, "exit 3", &look).is_empty());
        let _ = junit::parse(&xml);
        let _ = tracebacks::parse(&stderr);
        let _ = compile::findings(&stdout);
        let _ = report::ruff::findings(&stdout, &[]);
    }
}

#[test]
fn a_collection_error_names_the_file_that_is_broken() {
    let text = "ImportError while importing test module '/sandbox/repository/tests/test_core.py'.\n\
        Traceback:\ntests/test_core.py:1: in <module>\n    from pkg import run\n\
        pkg/__init__.py:1: in <module>\n    from .core import run\n\
        E   ImportError: cannot import name 'run' from 'pkg.core' (/sandbox/repository/pkg/core.py)";
    let xml = format!(
        "<testsuites><testsuite><testcase classname=\"\" name=\"tests.test_core\"><error message=\"collection failure\">{}\
         </error></testcase></testsuite></testsuites>",
        escaped(text)
    );
    let report = junit::parse(&xml).expect("a report");
    assert_eq!(report.cases[0].outcome, TestOutcome::CollectionError);
    let found = findings(&xml);
    assert_eq!((found[0].category, found[0].file.as_deref()), (Category::Import, Some("pkg/__init__.py")));
}

#[test]
fn a_name_that_an_import_would_bring_is_an_import_error() {
    let of =
        |name: &str| findings(&pytest_report("", &traceback(5, &format!("NameError: name '{name}' is not defined"))));
    assert_eq!(of("os")[0].category, Category::Import);
    assert_eq!(of("valeu")[0].category, Category::TypeError);
}

#[test]
fn a_traceback_of_another_process_is_read_in_its_quotes() {
    let inner = traceback(5, "NameError: name 'valeu' is not defined").replace('\n', "\\n");
    let text = format!(
        "Traceback (most recent call last):\n  File \"{PREFIX}/tests/test_core.py\", line 5, in test_run\nAssertionError: b'{inner}'\n"
    );
    let found = findings(&pytest_report("", &text));
    assert_eq!((found[0].category, found[0].file.as_deref()), (Category::TypeError, Some("pkg/core.py")));
}

#[test]
fn a_run_without_a_report_says_why() {
    let sources = sources();
    let look = Look { prefixes: &[], directory: "", sources: &sources };
    let stderr = "ImportError while loading conftest '/x/conftest.py'.\npkg/core.py:3: in <module>\n    import nowhere\n\
        E   ModuleNotFoundError: No module named 'nowhere'\n";
    let found = findings_from_output("", stderr, "exit 4", &look);
    assert_eq!((found[0].category, found[0].file.as_deref()), (Category::Import, Some("pkg/core.py")));
    let crash = findings_from_output("", "Fatal Python error: Segmentation fault", "signal 11", &look);
    assert!(crash[0].message.contains("signal 11") && crash[0].message.contains("Segmentation fault"));
}

#[test]
fn a_suite_in_a_folder_of_its_own_names_files_relative_to_that() {
    let text = "Traceback:\ntests/test_vans.py:1: in <module>\n    from dispatch.orders import Order\n\
        dispatch/orders.py:3: in <module>\n    from geo.points import Point\n\
        E   ModuleNotFoundError: No module named 'geo.points'";
    let xml = format!(
        "<testsuites><testsuite><testcase classname=\"\" name=\"tests.test_vans\"><error message=\"collection failure\">{}\
         </error></testcase></testsuite></testsuites>",
        escaped(text)
    );
    let report = junit::parse(&xml).expect("a report");
    for (others, file) in [
        (&[] as &[&str], "services/dispatch/dispatch/orders.py"),
        (&["libs/geo/dispatch/orders.py"], "services/dispatch/tests/test_vans.py"),
    ] {
        let mut sources = Sources::new(vec!["libs/geo".to_owned(), "services/dispatch".to_owned(), String::new()]);
        let own = ["services/dispatch/dispatch/orders.py", "services/dispatch/tests/test_vans.py"];
        own.iter().chain(others).for_each(|file| sources.insert(*file, "x = 1\n", false));
        let found = findings_from(&report, &Look { prefixes: &[], directory: "", sources: &sources });
        assert_eq!(found[0].file.as_deref(), Some(file), "{others:?}");
    }
}
