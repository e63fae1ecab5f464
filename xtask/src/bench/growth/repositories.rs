//! Repositories: files, lines, tests, failures, candidates.

#![expect(clippy::unnecessary_wraps, reason = "every subject is prepared by a function of the same form")]

use std::fmt::Write as _;

use autoheal_code::python::report::findings::findings_from_output;
use autoheal_code::report::{Look, junit};
use autoheal_code::search::evidence::Evidence;
use autoheal_code::{Environment, FixContext, Sources, languages, logic};
use autoheal_engine::diagnostics::{Category, Finding, Location, Source};

use super::{Subject, Work};

pub(super) const SUBJECTS: &[Subject] = &[
    Subject { what: "files of a repository, candidates of rules", from: 50, prepare: files },
    Subject { what: "lines of a file, candidates of rules", from: 500, prepare: lines },
    Subject { what: "lines of a function, searched", from: 25, prepare: searched },
    Subject { what: "tests of a suite, in a report", from: 1_000, prepare: tests },
    Subject { what: "failures in an output", from: 1_000, prepare: failures },
];

/// Number of changes that search proposes, whatever the size: each is parsed with its file.
const SEARCHED: usize = 100;

/// A module of functions; the last one calls a name that does not exist.
fn module(number: usize, functions: usize) -> String {
    let mut text = String::new();
    for function in 0..functions {
        // Writing to a string does not fail.
        let _ = write!(
            text,
            "def measure_{number}_{function}(width, height):\n    area = width * height\n    return area\n\n\n"
        );
    }
    text + "def last(width):\n    return mesure_0_0(width, 2)\n"
}

/// The finding of the misspelled name in the module.
fn finding(text: &str) -> Finding {
    let line = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
    Finding {
        source: Source::Test,
        category: Category::TypeError,
        file: Some("package/module_0.py".to_owned()),
        location: Some(Location { line, column: None }),
        message: "NameError: name 'mesure_0_0' is not defined. Did you mean: 'measure_0_0'?".to_owned(),
        stack: None,
    }
}

/// Asks every fixer; each has to read everything that may hold the name.
fn candidates(modules: Vec<String>, size: usize) -> Work {
    let finding = finding(&modules[0]);
    Box::new(move || {
        let mut sources = Sources::new(vec![String::new()]);
        for (number, text) in modules.iter().enumerate() {
            sources.insert(format!("package/module_{number}.py"), text.as_str(), false);
        }
        let environment = Environment::default();
        let all_findings = std::slice::from_ref(&finding);
        let context = FixContext { finding: &finding, all_findings, sources: &sources, environment: &environment };
        let found = languages::fixers(&finding).iter().map(|fixer| fixer.candidates(&context).len()).sum::<usize>();
        Ok(if found > 0 { size } else { 0 })
    })
}

fn files(size: usize) -> anyhow::Result<Work> {
    Ok(candidates((0..size).map(|number| module(number, 10)).collect(), size))
}

fn lines(size: usize) -> anyhow::Result<Work> {
    Ok(candidates(vec![module(0, size / 5 + 1)], size))
}

fn searched(size: usize) -> anyhow::Result<Work> {
    let mut text = "def total(prices, limit):\n    total = 0\n".to_owned();
    for line in 0..size {
        // Writing to a string does not fail.
        let _ = writeln!(text, "    if total + prices[{line}] > limit:\n        total += prices[{line}] * 2");
    }
    text.push_str("    return total\n");
    let test = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2], 3) == 4\n";
    let finding = Finding {
        source: Source::Test,
        category: Category::Logic,
        file: Some("shop.py".to_owned()),
        location: Some(Location { line: 3, column: None }),
        message: "AssertionError: assert 5 == 4".to_owned(),
        stack: None,
    };
    Ok(Box::new(move || {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("shop.py", text.as_str(), false);
        sources.insert("test_shop.py", test, true);
        Ok(if logic::candidates(&finding, &sources, &Evidence::default(), SEARCHED).len() == SEARCHED {
            size
        } else {
            0
        })
    }))
}

fn tests(size: usize) -> anyhow::Result<Work> {
    let cases = (0..size)
        .map(|number| {
            let failure = if number.is_multiple_of(10) {
                "<failure message=\"assert 1 == 2\">E assert 1 == 2</failure>"
            } else {
                ""
            };
            format!("<testcase classname=\"tests.test_shop\" name=\"test_{number}\" time=\"0.01\">{failure}</testcase>")
        })
        .collect::<Vec<_>>()
        .concat();
    let report = format!("<testsuites><testsuite name=\"pytest\" tests=\"{size}\">{cases}</testsuite></testsuites>");
    Ok(Box::new(move || Ok(junit::parse(&report)?.cases.len())))
}

fn failures(size: usize) -> anyhow::Result<Work> {
    let output = (0..size)
        .map(|number| {
            format!(
                "Traceback (most recent call last):\n  File \"shop_{number}.py\", line 3, in total\n    \
                 return price * rate\nTypeError: unsupported operand in {number}\n\n"
            )
        })
        .collect::<Vec<_>>()
        .concat();
    let sources = Sources::new(Vec::new());
    Ok(Box::new(move || {
        let look = Look { prefixes: &[], directory: "", sources: &sources };
        let found = findings_from_output(&output, "", "ended", &look);
        Ok(if found.is_empty() { 0 } else { size })
    }))
}
