//! Requests to and responses of the runner, which tries changes without starting an interpreter for each; each
//! is a line of JSON. The runner is a program in the language that it serves, and runs in the sandbox.
//!
//! The runner loads the tests, sends [`Answer::Ready`], and then responds to each request. Responses to tries
//! are sent as the tries finish, in any order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::edit::Candidate;

/// Request to the runner.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request<'a> {
    /// Run all tests.
    All {
        /// Time limit, in seconds.
        seconds: f64,
    },
    /// Run these tests and watch which lines of the project they run.
    Coverage {
        /// Ids of the tests to run.
        tests: &'a [String],
        /// Time limit, in seconds, as in [`Request::All`].
        seconds: f64,
    },
    /// Set the plan for all following tries; it has no response.
    Plan {
        /// Tests that fail, and have to pass.
        first: &'a [String],
        /// Tests to run once those pass.
        rest: &'a [String],
        /// Tests of `rest` that pass before the change, and have to keep passing.
        passing: &'a [String],
        /// CPU time limit of a process for `first`, in seconds; its wall-clock limit is five times as long.
        seconds: f64,
        /// Time limit for `rest`, in seconds.
        rest_seconds: f64,
    },
    /// Try one change.
    Try(Try<'a>),
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Try<'a> {
    /// Number of the try, which the response repeats.
    pub number: usize,
    /// Relative to the project.
    pub file: &'a str,
    /// Edits: first byte, one past the last byte, and the text that replaces these bytes.
    pub edits: Vec<(usize, usize, &'a str)>,
    /// Set to reload the project for the try: requested after the same change was [`TryEnd::Unfit`] without a reload.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
}

impl<'a> Try<'a> {
    /// The candidate, which changes one file; `None`: it changes several.
    pub fn of(number: usize, candidate: &'a Candidate) -> Option<Self> {
        let [file] = candidate.files.as_slice() else { return None };
        let edits = file.edits.iter().map(|edit| (edit.start, edit.end, edit.replacement.as_str()));
        Some(Self { number, file: &file.file, edits: edits.collect(), fresh: false })
    }
}

/// Response of the runner.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Answer {
    /// The tests are loaded.
    Ready {
        /// Number of tests that were loaded.
        tests: usize,
    },
    /// The tests cannot be loaded; no other response follows.
    Broken {
        /// Reason the tests cannot be loaded.
        why: String,
    },
    /// Response to [`Request::All`].
    All {
        /// Result of each test that was run.
        tests: Vec<TestRun>,
        /// True if all tests were run within the time limit.
        complete: bool,
    },
    /// Response to [`Request::Coverage`].
    Coverage {
        /// Lines that each test ran, for the tests that were run.
        tests: Vec<TestLines>,
    },
    /// Response to [`Request::Try`].
    Tried(Tried),
}

/// Result of one test.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TestRun {
    /// Id of the test, in the test runner's own notation.
    pub test: String,
    /// Outcome of the test.
    pub outcome: TestEnd,
    /// Duration of the test, in seconds.
    pub seconds: f64,
}

/// Outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestEnd {
    /// The test passed.
    Passed,
    /// The test failed, or something around it did.
    Failed,
    /// The test was skipped on purpose.
    Skipped,
}

/// Lines that one test ran.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TestLines {
    /// Id of the test.
    pub test: String,
    /// Lines from 1, by file relative to the project.
    pub lines: BTreeMap<String, Vec<u32>>,
}

/// Result of a try.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Tried {
    /// Number of the try.
    pub number: usize,
    /// Outcome of the try.
    pub outcome: TryEnd,
    /// Way in which the change was loaded.
    pub way: Way,
    /// For a try that passed: tests that failed before the change and still fail.
    #[serde(default)]
    pub still: Vec<String>,
}

/// Outcome of a try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TryEnd {
    /// A test that has to pass fails still.
    Failed,
    /// All tests that have to pass now pass, and all that passed before still pass.
    Passed,
    /// Something that passed before does not now.
    Broke,
    /// The try exceeded its time limit.
    Timeout,
    /// Its process ended, or computed too long.
    Died,
    /// No test was run: the change affects code that ran while the project was loaded, so the project has to be
    /// reloaded.
    Unfit,
}

/// Way in which a change was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// In a process that had loaded the tests: functions received the changed code. Or in one that had loaded
    /// everything except the project's own modules, if that is equally fast.
    Patched,
    /// The project was reloaded.
    Fresh,
}
