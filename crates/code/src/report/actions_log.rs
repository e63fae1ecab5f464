//! The log of a job of GitHub Actions: what the steps printed, without what the runner adds, and the failures in it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Category, Finding, Source};
use regex::Regex;

use super::findings::{findings_in_text, is_of_repository};
use super::{Look, category, cut_middle, flake8};

/// Maximum number of findings per log: with more failures than that, something else has to be fixed first.
const MOST: usize = 50;

/// Maximum length of a line that is read, in bytes.
const LONGEST_LINE: usize = 4096;

const MAX_STACK: usize = 16 * 1024;

/// Folders below which runners check out repositories, before the repository's name.
const WORK_FOLDERS: [&str; 2] = ["/home/runner/work", "/__w"];

/// The folders that a repository of this name lies in on a runner.
pub fn prefixes(name: &str) -> Vec<String> {
    let below = WORK_FOLDERS.iter().map(|folder| format!("{folder}/{name}/{name}"));
    below.chain(["/github/workspace".to_owned()]).collect()
}

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])").expect("a constant pattern")
});

#[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
static TIME: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{1,9}Z ?").expect("a constant pattern"));

/// Output of the steps, and the errors that the runner or a step marked as such.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobLog {
    /// The lines without times, colours and markers.
    pub text: String,
    /// Texts of the lines marked `##[error]`.
    pub errors: Vec<String>,
}

/// Reads a job's log.
pub fn read(log: &str) -> JobLog {
    let mut read = JobLog::default();
    for line in log.trim_start_matches('\u{feff}').lines() {
        let line = cut_middle(line, LONGEST_LINE);
        let line = TIME.replace(line.trim_start_matches('\u{feff}'), "");
        let line = ESCAPES.replace_all(&line, "");
        // What a progress bar wrote over.
        let line = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
        let marked = line.strip_prefix("##[").and_then(|rest| rest.split_once(']'));
        let text = match marked {
            Some(("error", text)) => {
                read.errors.push(text.to_owned());
                text
            }
            Some((_, text)) => text,
            None => line,
        };
        read.text.push_str(text);
        read.text.push('\n');
    }
    read
}

/// The failures in the log of a job that is red: tracebacks through the repository, lines of linters; else what the runner marked as an
/// error. At least one.
pub fn findings(job: &str, log: &str, look: &Look<'_>) -> Vec<Finding> {
    let read = read(log);
    let mut found = findings_in_text(&read.text, look);
    let linted = flake8::findings(&read.text, look.prefixes);
    found.extend(linted.into_iter().filter(|finding| is_of_repository(finding, look)).map(|finding| Finding {
        // Not ours to run again: what is known of it is that CI said so.
        source: Source::Runtime,
        ..finding
    }));
    let mut seen = BTreeSet::new();
    found.retain(|finding| seen.insert(finding.key()));
    found.truncate(MOST);
    if found.is_empty() {
        found.push(unplaced(job, &read));
    }
    found
}

/// Finding for a failed job whose log does not point at any place in the repository.
fn unplaced(job: &str, read: &JobLog) -> Finding {
    // The last one says that the process ended with a status; one before it says more.
    let telling = read.errors.iter().find(|error| !error.starts_with("Process completed with exit code"));
    let last = || read.text.lines().rev().map(str::trim).find(|line| !line.is_empty());
    let said = telling.map(String::as_str).or_else(last).unwrap_or("no output");
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
        stack: Some(cut_middle(&read.text, MAX_STACK)),
    }
}

#[cfg(test)]
mod tests {
    use autoheal_engine::diagnostics::Location;
    use proptest::prelude::*;

    use super::*;
    use crate::Sources;
    use crate::python::environment::PythonEnvironment;

    const LOG: &str = "\u{feff}2026-01-01T00:00:00.1234567Z ##[group]Run python -m unittest\n\
        2026-01-01T00:00:00.1234567Z \u{1b}[36;1mpython -m unittest\u{1b}[0m\n\
        2026-01-01T00:00:00.1234567Z ##[endgroup]\n\
        2026-01-01T00:00:01.1234567Z Traceback (most recent call last):\n\
        2026-01-01T00:00:01.1234567Z   File \"/home/runner/work/shop/shop/tests/test_a.py\", line 7, in test_b\n\
        2026-01-01T00:00:01.1234567Z     a.total([1])\n\
        2026-01-01T00:00:01.1234567Z   File \"/home/runner/work/shop/shop/a.py\", line 3, in total\n\
        2026-01-01T00:00:01.1234567Z     return summ(values)\n\
        2026-01-01T00:00:01.1234567Z NameError: name 'summ' is not defined\n\
        2026-01-01T00:00:02.1234567Z ##[error]Process completed with exit code 1.\n";

    fn found(log: &str) -> Vec<Finding> {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", "\n\n\n", false);
        sources.insert("tests/test_a.py", "", true);
        let look = Look { prefixes: &prefixes("shop"), sources: &sources, environment: &PythonEnvironment::default() };
        findings("test", log, &look)
    }

    #[test]
    fn what_the_runner_adds_is_taken_away() {
        let read = read(LOG);
        assert!(
            read.text.starts_with("Run python -m unittest\npython -m unittest\n\nTraceback (most"),
            "{}",
            read.text
        );
        assert_eq!(read.errors, ["Process completed with exit code 1."]);
        assert_eq!(super::read("2026-01-01T00:00:00.1Z 10 %\r50 %\rdone\r\n").text, "done\n");
    }

    #[test]
    fn a_traceback_is_a_finding_at_its_place_in_the_repository() {
        let found = found(LOG);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].file.as_deref(), Some("a.py"));
        assert_eq!(found[0].location, Some(Location { line: 3, column: None }));
        assert_eq!(found[0].message, "NameError: name 'summ' is not defined");
        assert_eq!(found[0].source, Source::Runtime);
    }

    #[test]
    fn lines_of_linters_are_findings() {
        let found =
            found("2026-01-01T00:00:00.1Z a.py:3:1: F821 undefined name 'x'\nother.py:3:1: F821 undefined name 'y'\n");
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].headline(), "LINTING error in a.py line 3");
    }

    #[test]
    fn a_log_that_points_at_nothing_is_told_in_its_own_words() {
        let found = found("x\n##[error]No space left on device\n##[error]Process completed with exit code 1.\n");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].message, "the CI job test failed: No space left on device");
        assert_eq!(found[0].file, None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn any_log_gives_findings(log in "(?s)(.{0,40}|##\\[error\\]|\u{1b}\\[|\r|File \"a.py\", line [0-9]{1,12}\n){0,12}") {
            let found = found(&log);
            prop_assert!(!found.is_empty() && found.len() <= MOST);
        }
    }
}
