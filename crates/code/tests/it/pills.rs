//! Texts that are made to overflow a parser's stack, each on a thread no larger than those of the server's workers.

use std::path::Path;

use autoheal_code::report::junit;
use autoheal_code::{Environment, FixContext, Sources, languages};
use autoheal_engine::diagnostics::{Category, Finding, Location, Source};
use autoheal_testkit::pills::{Pill, documents, javascript, python};

/// The stack of tokio's workers.
const STACK: usize = 2 << 20;

/// The longest file that is parsed at all in each of the languages.
const LONGEST: usize = 2 << 20;

/// Runs work for each pill on a small thread; an overflow would end the whole process.
fn on_small_threads(pills: &[Pill], work: impl Fn(&Pill) + Sync) {
    for pill in pills {
        std::thread::scope(|scope| {
            let small = std::thread::Builder::new().name(pill.name.to_owned()).stack_size(STACK);
            small.spawn_scoped(scope, || work(pill)).unwrap().join().unwrap();
        });
    }
}

fn check(pill: &Pill, text: &str) -> bool {
    languages::check(pill.file, text).is_ok()
}

/// Every pill as long as a file may be, and as long as most are.
fn assert_ends(pills: &[Pill]) {
    on_small_threads(pills, |pill| {
        check(pill, &pill.text(LONGEST - 1_000));
        check(pill, &pill.text(40_000));
    });
}

#[test]
fn every_python_pill_ends_on_a_small_stack() {
    assert_ends(python());
}

#[test]
fn javascript_pills_of_expressions_end_on_a_small_stack() {
    assert_ends(&javascript()[..42]);
}

#[test]
fn javascript_pills_of_templates_and_statements_end_on_a_small_stack() {
    assert_ends(&javascript()[42..84]);
}

#[test]
fn typescript_pills_end_on_a_small_stack() {
    assert_ends(&javascript()[84..]);
}

/// The index, and what stands in it: the passes over a tree that are not the parser's.
#[test]
fn every_pill_is_indexed_on_a_small_stack() {
    let index = |pill: &Pill| {
        for bytes in [40_000, 200_000] {
            let mut sources = Sources::new(Vec::new());
            sources.insert(pill.file, pill.text(bytes), false);
            let _ = (
                autoheal_code::python::index::Index::of(&sources).names().count(),
                autoheal_code::javascript::index::Index::of(&sources).files().count(),
            );
        }
    };
    on_small_threads(python(), index);
    on_small_threads(javascript(), index);
}

/// The parser of XML compares each attribute with all others.
#[test]
fn a_report_with_very_many_attributes_is_refused_before_it_is_parsed() {
    let refusal = |name: &str| {
        let pill = documents().iter().find(|pill| pill.name == name).unwrap();
        junit::parse(&pill.text(1_000_000)).err().map(|error| error.to_string()).unwrap_or_default()
    };
    for crowded in ["xml-attributes", "xml-namespaces"] {
        assert!(refusal(crowded).contains("more than 200 attributes"), "{crowded}: {}", refusal(crowded));
    }
    assert_eq!(refusal("xml-cases"), "");
    let text = "=".repeat(1000);
    let report = format!(
        "<?xml version='1.0'?><testsuite a='{text}'><!-- {text} --><testcase name='b'><failure message='>'>{text}<![CDATA[<{text}]]>\
         </failure></testcase></testsuite>"
    );
    assert_eq!(junit::parse(&report).unwrap().cases.len(), 1);
}

/// Text that is nested as deeply as allowed is parsed, on the same small stack.
#[test]
fn what_is_just_not_too_deep_is_parsed() {
    let parsed = |pills: &[Pill], name: &str, units: usize| {
        let pill = *pills.iter().find(|pill| pill.name == name).unwrap();
        on_small_threads(&[pill], |pill| {
            let text = pill.repeated(units);
            assert!(check(pill, &text), "{name}");
            assert!(!check(pill, &pill.repeated(units * 40)), "{name}");
        });
    };
    for (name, units) in [
        ("py-lambdas-with-parameters", 1_100),
        ("py-calls", 5_900),
        ("py-attributes", 2_900),
        ("py-not", 5_900),
        ("py-sums", 1_900),
        ("py-mixed-chain", 1_900),
        ("py-parentheses", 190),
        ("py-conditionals", 1_100),
    ] {
        parsed(python(), name, units);
    }
    for (name, units) in [
        ("js-arrows", 2_900),
        ("js-arrows-with-parameters", 2_900),
        ("js-calls", 5_900),
        ("js-not", 5_900),
        ("js-else-if", 1_400),
        ("js-conditionals", 1_400),
        ("js-parentheses", 190),
        ("ts-conditionals", 900),
    ] {
        parsed(javascript(), name, units);
    }
}

/// Returns findings as reported when a file could not be read, or failed: fixers look for repairs at each place.
fn findings(pill: &Pill, text: &str) -> Vec<Finding> {
    let lines = u32::try_from(text.lines().count()).unwrap();
    let of = |category: Category, message: &str, line: u32| {
        let stack = if Path::new(pill.file).extension().is_some_and(|extension| extension == "py") {
            format!(
                "Traceback (most recent call last):\n  File \"/s/{}\", line {line}, in f\n    x\n{message}\n",
                pill.file
            )
        } else {
            format!("{message}\n    at f (/s/{}:{line}:1)\n", pill.file)
        };
        Finding {
            source: Source::Test,
            category,
            file: Some(pill.file.to_owned()),
            location: Some(Location { line, column: Some(1) }),
            message: message.to_owned(),
            stack: Some(stack),
        }
    };
    let messages = [
        (Category::Syntax, "SyntaxError: invalid syntax"),
        (Category::TypeError, "NameError: name 'abc' is not defined"),
        (Category::Logic, "AssertionError: assert 1 == 2"),
    ];
    let lines = [1, lines / 2 + 1, lines];
    messages.iter().flat_map(|(category, message)| lines.map(|line| of(*category, message, line))).collect()
}

fn ask_fixers(pill: &Pill) {
    let text = pill.text(40_000);
    let mut sources = Sources::new(Vec::new());
    sources.insert(pill.file, text.clone(), false);
    let environment = Environment::default();
    for finding in findings(pill, &text) {
        let context = FixContext { finding: &finding, all_findings: &[], sources: &sources, environment: &environment };
        for fixer in languages::fixers(&finding) {
            let _ = fixer.candidates(&context);
        }
    }
}

/// Work that grows with the square of a file's length would not end before the limit of a test.
#[test]
fn every_fixer_is_done_with_every_python_pill() {
    on_small_threads(python(), ask_fixers);
}

#[test]
fn every_fixer_is_done_with_every_javascript_pill() {
    on_small_threads(javascript(), ask_fixers);
}
