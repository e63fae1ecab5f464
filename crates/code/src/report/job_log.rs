//! Failures in the log of a CI job, which its host has read: the output of its steps, without what a runner adds.

use std::collections::BTreeSet;

use autoheal_engine::diagnostics::{Category, Finding, Source};

use super::{Look, category, cut_middle};
use crate::languages;

/// Maximum number of findings per log: with more failures than that, something else has to be fixed first.
const MOST: usize = 50;

const MAX_STACK: usize = 16 * 1024;

/// The failures in the log of a job that failed: errors in files of the repository, in any language; else the first of `errors`, which
/// the runner marked as such. At least one.
pub fn findings(job: &str, text: &str, errors: &[String], look: &Look<'_>) -> Vec<Finding> {
    let mut seen = BTreeSet::new();
    let mut found: Vec<Finding> = languages::findings_in_text(text, look)
        // Not ours to run again: what is known of it is that CI said so.
        .map(|finding| Finding { source: Source::Runtime, ..finding })
        .filter(|finding| seen.insert(finding.key()))
        .take(MOST)
        .collect();
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
        sources.insert("src/lib.rs", "pub fn total() {\n    summ()\n}\n", false);
        sources.insert("Cargo.toml", "", false);
        sources.insert("a.test.js", "", true);
        sources.insert("a.js", "\n\n\n", false);
        let look = Look { prefixes: &["/home/runner/work/shop/shop".to_owned()], directory: "", sources: &sources };
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
    fn errors_of_the_compiler_and_panics_are_findings() {
        let log = "error[E0425]: cannot find function `summ` in this scope\n --> src/lib.rs:2:5\n  |\n2 |     summ()\n\n\
                   error: unneeded `return` statement\n   --> src/lib.rs:1:3\n    |\n    = note: `-D clippy::needless-return` implied\n\n\
                   error[E0308]: mismatched types\n --> /home/runner/.cargo/registry/src/a/lib.rs:1:1\n\n\
                   ---- tests::adds stdout ----\n\n\
                   thread 'tests::adds' (7) panicked at src/lib.rs:1:9:\nassertion `left == right` failed\n  left: 1\n right: 2\n\
                   note: run with `RUST_BACKTRACE=1`\nProcess completed with exit code 101.\n";
        let told = |finding: &Finding| (finding.headline(), finding.message.lines().next().unwrap_or("").to_owned());
        let expected = [
            ("TYPE_ERROR error in src/lib.rs line 2", "E0425: cannot find function `summ` in this scope"),
            ("LINTING error in src/lib.rs line 1", "unneeded `return` statement"),
            ("LOGIC error in src/lib.rs line 1", "assertion `left == right` failed"),
        ];
        for log in [log.to_owned(), log.replace('\n', "\n    ")] {
            let found = found(&log, &[]);
            assert!(found.iter().all(|finding| finding.source == Source::Runtime));
            let found: Vec<(String, String)> = found.iter().map(told).collect();
            assert_eq!(found, expected.map(|(headline, message)| (headline.to_owned(), message.to_owned())));
        }
    }

    #[test]
    fn each_error_with_a_stack_through_the_repository_is_a_finding() {
        let log = "a.js(3,5): error TS2551: Property 'lenght' does not exist.\n\
                   TypeError: x.f is not a function\n    at total (/home/runner/work/shop/shop/a.js:2:3)\n\
                   \u{20}   at Object.<anonymous> (/home/runner/work/shop/shop/a.test.js:1:1)\n\
                   RangeError: elsewhere\n    at f (/opt/node/lib/a.js:2:3)\n";
        let found = found(log, &[]);
        let places: Vec<_> = found.iter().map(|one| (one.file.as_deref(), one.location.map(|at| at.line))).collect();
        assert_eq!(places, [(Some("a.js"), Some(3)), (Some("a.js"), Some(2))], "{found:?}");
        assert_eq!(found[1].message, "TypeError: x.f is not a function");
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
