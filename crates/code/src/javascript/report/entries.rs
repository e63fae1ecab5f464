//! Output of our own reporters: a line of JSON for each test, as soon as it ended, and one when the
//! run did. Our own reporters are the same for every version of a runner, preserve what was known
//! before a crash, and keep out what tests print.

use std::time::Duration;

use serde::Deserialize;

use super::{id, named, number};
use crate::report::{TestCase, TestOutcome, TestReport, cut_middle};

/// Environment variable with the path that the reporters write to; node:test has an option for it.
pub const REPORT_VARIABLE: &str = "AUTOHEAL_REPORT";

/// Id of the case that represents the tests that a run did not reach.
const CUT_SHORT: &str = "(the rest of the test run)";
const MAX_TEXT: usize = 64 * 1024;
const MAX_ID: usize = 2 * 1024;
const MAX_CASES: usize = 500_000;

#[derive(Deserialize)]
struct Entry {
    file: Option<String>,
    path: Vec<String>,
    outcome: State,
    #[serde(default)]
    millis: f64,
    #[serde(default)]
    error: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Passed,
    Failed,
    Skipped,
    /// A file, or a hook before tests, that failed: tests behind it did not run.
    NotLoaded,
}

/// Parses the tests that were reported. `prefixes`: absolute folders that the repository was in, removed from
/// the files' names. Lines that are not reports are skipped. An unfinished run is a failure whatever its tests
/// did: an additional case reports it. Returns `None` if no line reports a test and the run did not finish.
pub fn parse(text: &str, prefixes: &[String]) -> Option<TestReport> {
    let mut has_ended = false;
    let mut cases = Vec::new();
    for line in text.lines().take(MAX_CASES) {
        match serde_json::from_str::<Entry>(line) {
            Ok(entry) => cases.push(case(&entry, prefixes)),
            Err(_) => has_ended |= line.trim() == r#"{"end":true}"#,
        }
    }
    number(&mut cases);
    if let Some(last) = cases.last().filter(|_| !has_ended) {
        cases.push(cut_short(&last.id));
    }
    (has_ended || !cases.is_empty()).then_some(TestReport { cases })
}

/// Returns a case that represents the tests that a run did not reach.
fn cut_short(last: &str) -> TestCase {
    let message = cut_middle(
        &format!(
            "the test run was cut short after '{last}': the runner ended before it had told of every test; look for a call of \
             process.exit or a crash in what the tests run"
        ),
        MAX_ID,
    );
    TestCase {
        id: CUT_SHORT.to_owned(),
        outcome: TestOutcome::CollectionError,
        duration: Duration::ZERO,
        text: message.clone(),
        message,
        file: None,
    }
}

fn case(entry: &Entry, prefixes: &[String]) -> TestCase {
    let file = entry.file.as_deref().and_then(|file| named(file, prefixes));
    let text = super::stack::without_ansi(&entry.error);
    TestCase {
        id: cut_middle(&id(file.as_deref(), &entry.path), MAX_ID),
        outcome: match entry.outcome {
            State::Passed => TestOutcome::Passed,
            State::Failed => TestOutcome::Failed,
            State::Skipped => TestOutcome::Skipped,
            State::NotLoaded => TestOutcome::CollectionError,
        },
        duration: Duration::try_from_secs_f64(entry.millis / 1000.0).unwrap_or_default(),
        message: text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_owned(),
        text: cut_middle(&text, MAX_TEXT),
        file,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read_up_to_where_the_run_ended() {
        let text = concat!(
            r#"{"file":"/w/test/a.js","path":["calc","adds [1]"],"outcome":"passed","millis":2,"error":""}"#,
            "\n",
            r#"{"file":"/w/test/a.js","path":["calc","adds [1]"],"outcome":"failed","millis":0.5,"error":"\u001b[31mTypeError: x\u001b[39m\n    at f (src/a.js:1:2)"}"#,
            "\nnoise\n",
            r#"{"file":"/w/test/b.js","path":[],"outcome":"not_loaded","error":"SyntaxError: no"}"#,
            "\n{\"file\":\"/w/te"
        );
        let report = parse(text, &["/w".to_owned()]).unwrap();
        let seen: Vec<_> = report.cases.iter().map(|case| (case.id.as_str(), case.outcome)).collect();
        assert_eq!(
            seen,
            [
                ("test/a.js::calc > adds (1)", TestOutcome::Passed),
                ("test/a.js::calc > adds (1) #2", TestOutcome::Failed),
                ("test/b.js::", TestOutcome::CollectionError),
                (CUT_SHORT, TestOutcome::CollectionError),
            ]
        );
        assert!(report.cases[3].message.contains("cut short after 'test/b.js::'"), "{}", report.cases[3].message);
        assert_eq!(report.cases[1].message, "TypeError: x");
        let whole = parse(&format!("{text}\n{{\"end\":true}}\n"), &["/w".to_owned()]).unwrap();
        assert_eq!(whole.cases.len(), 3);
        assert_eq!(parse("", &[]), None);
        assert!(parse("{\"end\":true}\n", &[]).unwrap().cases.is_empty());
    }
}
