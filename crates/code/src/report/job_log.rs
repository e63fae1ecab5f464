//! Failures in the log of a CI job, which its host has read: the output of its steps, without what a runner adds.

use std::collections::BTreeSet;

use autoheal_engine::diagnostics::{Category, Finding, Source};

use super::findings::{findings_in_text, is_of_repository};
use super::{Look, category, cut_middle, flake8};

/// Maximum number of findings per log: with more failures than that, something else has to be fixed first.
const MOST: usize = 50;

const MAX_STACK: usize = 16 * 1024;

/// The failures in the log of a job that is red: tracebacks through the repository, lines of linters; else the first of `errors`, which the
/// runner marked as such. At least one.
pub fn findings(job: &str, text: &str, errors: &[String], look: &Look<'_>) -> Vec<Finding> {
    let mut found = findings_in_text(text, look);
    let linted = flake8::findings(text, look.prefixes);
    found.extend(linted.into_iter().filter(|finding| is_of_repository(finding, look)).map(|finding| Finding {
        // Not ours to run again: what is known of it is that CI said so.
        source: Source::Runtime,
        ..finding
    }));
    let mut seen = BTreeSet::new();
    found.retain(|finding| seen.insert(finding.key()));
    found.truncate(MOST);
    if found.is_empty() {
        found.push(unplaced(job, text, errors));
    }
    found
}

/// Finding for a failed job whose log does not point at any place in the repository.
fn unplaced(job: &str, text: &str, errors: &[String]) -> Finding {
    let last = || text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let said = errors.first().map(String::as_str).or_else(last).unwrap_or("no output");
    Finding {
        source: Source::Runtime,
        category: match category::of_words(said) {
            // A word is no place: what cannot be found is not edited.
            Category::Syntax | Category::Indentation => Category::Logic,
            other => other,
        },
        file: None,
        location: None,
        message: format!("the CI job {job} failed: {}", cut_middle(said, 500)),
        stack: Some(cut_middle(text, MAX_STACK)),
    }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::Location;
    use proptest::prelude::*;

    use super::*;
    use crate::Sources;
    use crate::python::environment::PythonEnvironment;

    const LOG: &str = "Run python -m unittest\n\
        Traceback (most recent call last):\n\
        \u{20} File \"/home/runner/work/shop/shop/tests/test_a.py\", line 7, in test_b\n\
        \u{20}   a.total([1])\n\
        \u{20} File \"/home/runner/work/shop/shop/a.py\", line 3, in total\n\
        \u{20}   return summ(values)\n\
        NameError: name 'summ' is not defined\n\
        Process completed with exit code 1.\n";

    fn found(log: &str, errors: &[&str]) -> Vec<Finding> {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", "\n\n\n", false);
        sources.insert("tests/test_a.py", "", true);
        let look = Look {
            prefixes: &["/home/runner/work/shop/shop".to_owned()],
            sources: &sources,
            environment: &PythonEnvironment::default(),
        };
        let errors: Vec<String> = errors.iter().map(|error| (*error).to_owned()).collect();
        findings("test", log, &errors, &look)
    }

    #[test]
    fn a_traceback_is_a_finding_at_its_place_in_the_repository() {
        let found = found(LOG, &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].file.as_deref(), Some("a.py"));
        assert_eq!(found[0].location, Some(Location { line: 3, column: None }));
        assert_eq!(found[0].message, "NameError: name 'summ' is not defined");
        assert_eq!(found[0].source, Source::Runtime);
    }

    #[test]
    fn lines_of_linters_are_findings() {
        let found = found("a.py:3:1: F821 undefined name 'x'\nother.py:3:1: F821 undefined name 'y'\n", &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].headline(), "LINTING error in a.py line 3");
    }

    #[test]
    fn a_log_that_points_at_nothing_is_told_in_its_own_words() {
        let log = "x\nNo space left on device\nProcess completed with exit code 1.\n";
        let marked = found(log, &["No space left on device"]);
        assert_eq!(marked.len(), 1);
        assert_eq!(marked[0].message, "the CI job test failed: No space left on device");
        assert_eq!(marked[0].file, None);
        assert_eq!(found(log, &[])[0].message, "the CI job test failed: Process completed with exit code 1.");
        assert_eq!(found("", &[])[0].message, "the CI job test failed: no output");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_log_gives_findings(log in "(?s)(.{0,40}|\r|File \"a.py\", line [0-9]{1,12}\n){0,12}", error in "(?s).{0,20}") {
            let found = found(&log, &[&error]);
            prop_assert!(!found.is_empty() && found.len() <= MOST);
        }
    }
}
