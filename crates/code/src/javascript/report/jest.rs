//! The JSON that jest writes with `--json --outputFile`.

use std::time::Duration;

use serde::Deserialize;

use super::{id, named, number, stack};
use crate::report::{TestCase, TestOutcome, TestReport, cut_middle};

const MAX_TEXT: usize = 64 * 1024;
const MAX_ID: usize = 2 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Run {
    test_results: Vec<Suite>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Suite {
    name: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    assertion_results: Vec<Assertion>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Assertion {
    #[serde(default)]
    ancestor_titles: Vec<String>,
    title: String,
    status: String,
    #[serde(default)]
    duration: Option<f64>,
    #[serde(default)]
    failure_messages: Option<Vec<String>>,
}

/// Reason a report cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("jest's report is not the JSON it was asked for: {reason}; the run was probably interrupted")]
pub struct JestError {
    /// Message of the JSON parser.
    reason: String,
}

/// Reads a report. `prefixes`: the absolute folders that the repository lay in, taken off the files' names. A file that could not
/// be loaded is a case of its own.
///
/// # Errors
///
/// [`JestError`] when the text is not a report.
pub fn parse(json: &str, prefixes: &[String]) -> Result<TestReport, JestError> {
    let run: Run = serde_json::from_str(json).map_err(|error| JestError { reason: error.to_string() })?;
    let mut cases = Vec::new();
    for suite in run.test_results {
        let file = named(&suite.name, prefixes);
        let any_failed = suite.assertion_results.iter().any(|one| one.status == "failed");
        if suite.status == "failed" && !any_failed {
            let text = stack::without_ansi(suite.message.as_deref().unwrap_or_default());
            cases.push(TestCase {
                id: id(file.as_deref(), &[]),
                outcome: TestOutcome::CollectionError,
                duration: Duration::ZERO,
                message: text.lines().map(str::trim).find(|line| is_said(line)).unwrap_or_default().to_owned(),
                text: cut_middle(&text, MAX_TEXT),
                file: file.clone(),
            });
        }
        cases.extend(suite.assertion_results.into_iter().map(|one| case(one, file.as_deref())));
    }
    number(&mut cases);
    Ok(TestReport { cases })
}

fn is_said(line: &str) -> bool {
    !line.is_empty() && !line.starts_with('●')
}

fn case(assertion: Assertion, file: Option<&str>) -> TestCase {
    let path: Vec<String> = assertion.ancestor_titles.into_iter().chain([assertion.title]).collect();
    let text = stack::without_ansi(&assertion.failure_messages.unwrap_or_default().join("\n"));
    TestCase {
        id: cut_middle(&id(file, &path), MAX_ID),
        outcome: match assertion.status.as_str() {
            "passed" => TestOutcome::Passed,
            "failed" => TestOutcome::Failed,
            // pending, skipped, todo, disabled, focused
            _ => TestOutcome::Skipped,
        },
        duration: Duration::try_from_secs_f64(assertion.duration.unwrap_or_default() / 1000.0).unwrap_or_default(),
        message: text.lines().next().unwrap_or_default().to_owned(),
        text: cut_middle(&text, MAX_TEXT),
        file: file.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_and_files_that_do_not_load() {
        let json = r#"{"success": false, "testResults": [
            {"name": "/w/test/a.test.js", "status": "failed", "message": "x", "assertionResults": [
                {"ancestorTitles": ["calc"], "title": "adds", "status": "failed", "duration": 5,
                 "failureMessages": ["Error: \u001b[2mexpect(\u001b[22mreceived)\n    at Object.toBe (/w/test/a.test.js:3:61)"]},
                {"ancestorTitles": ["calc"], "title": "adds", "status": "passed", "duration": null, "failureMessages": []},
                {"ancestorTitles": [], "title": "later", "status": "todo"}]},
            {"name": "/w/test/b.test.js", "status": "failed", "assertionResults": [],
             "message": "  ● Test suite failed to run\n\n    Cannot find module '../src/b' from 'test/b.test.js'"}]}"#;
        let report = parse(json, &["/w".to_owned()]).unwrap();
        let seen: Vec<_> = report.cases.iter().map(|case| (case.id.as_str(), case.outcome)).collect();
        assert_eq!(
            seen,
            [
                ("test/a.test.js::calc > adds", TestOutcome::Failed),
                ("test/a.test.js::calc > adds #2", TestOutcome::Passed),
                ("test/a.test.js::later", TestOutcome::Skipped),
                ("test/b.test.js::", TestOutcome::CollectionError),
            ]
        );
        assert!(report.cases[0].text.starts_with("Error: expect(received)"));
        assert_eq!(report.cases[3].message, "Cannot find module '../src/b' from 'test/b.test.js'");
        assert!(parse("{}", &[]).is_err() && parse("<", &[]).is_err());
    }
}
