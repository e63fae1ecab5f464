//! The runner that tries changes without starting an interpreter for each: what it is asked and what it answers, a line of JSON
//! each. The runner is a program of the language that it serves ([`PYTHON`], [`NODE`]), and runs in the sandbox.
//!
//! It loads the tests, says [`Answer::Ready`], and then answers each request; tries are answered as they end, in any order.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::edit::Candidate;

/// The runner for Python: its files, of which [`PYTHON_MAIN`] is run with `pytest|unittest JOBS ROOT [arguments of the test runner]`.
pub const PYTHON: &[(&str, &str)] = &[
    ("autoheal_warm/__init__.py", include_str!("python/autoheal_warm/__init__.py")),
    (PYTHON_MAIN, include_str!("python/autoheal_warm/__main__.py")),
    ("autoheal_warm/jobs.py", include_str!("python/autoheal_warm/jobs.py")),
    ("autoheal_warm/loaded.py", include_str!("python/autoheal_warm/loaded.py")),
    ("autoheal_warm/processes.py", include_str!("python/autoheal_warm/processes.py")),
    ("autoheal_warm/project.py", include_str!("python/autoheal_warm/project.py")),
    ("autoheal_warm/server.py", include_str!("python/autoheal_warm/server.py")),
    ("autoheal_warm/suites.py", include_str!("python/autoheal_warm/suites.py")),
];

/// The file of [`PYTHON`] that is run.
pub const PYTHON_MAIN: &str = "autoheal_warm/__main__.py";

/// The runner for JavaScript: its files, of which [`NODE_MAIN`] is run with `RUNNER JOBS ROOT [arguments of the test runner]`.
pub const NODE: &[(&str, &str)] = &[
    (NODE_MAIN, include_str!("javascript/autoheal_warm/main.cjs")),
    ("autoheal_warm_node/changed_text.cjs", include_str!("javascript/autoheal_warm/changed_text.cjs")),
    ("autoheal_warm_node/coverage.cjs", include_str!("javascript/autoheal_warm/coverage.cjs")),
    ("autoheal_warm_node/identity.cjs", include_str!("javascript/autoheal_warm/identity.cjs")),
    ("autoheal_warm_node/jest.cjs", include_str!("javascript/autoheal_warm/jest.cjs")),
    ("autoheal_warm_node/jest_runner.cjs", include_str!("javascript/autoheal_warm/jest_runner.cjs")),
    ("autoheal_warm_node/jobs.cjs", include_str!("javascript/autoheal_warm/jobs.cjs")),
    ("autoheal_warm_node/mocha.cjs", include_str!("javascript/autoheal_warm/mocha.cjs")),
    ("autoheal_warm_node/module_hooks.cjs", include_str!("javascript/autoheal_warm/module_hooks.cjs")),
    ("autoheal_warm_node/outliving.cjs", include_str!("javascript/autoheal_warm/outliving.cjs")),
    ("autoheal_warm_node/process.cjs", include_str!("javascript/autoheal_warm/process.cjs")),
    ("autoheal_warm_node/project.cjs", include_str!("javascript/autoheal_warm/project.cjs")),
    ("autoheal_warm_node/registry.cjs", include_str!("javascript/autoheal_warm/registry.cjs")),
    ("autoheal_warm_node/server.cjs", include_str!("javascript/autoheal_warm/server.cjs")),
    ("autoheal_warm_node/vitest.cjs", include_str!("javascript/autoheal_warm/vitest.cjs")),
    ("autoheal_warm_node/vitest_watch.mjs", include_str!("javascript/autoheal_warm/vitest_watch.mjs")),
    ("autoheal_warm_node/worker.cjs", include_str!("javascript/autoheal_warm/worker.cjs")),
];

/// The file of [`NODE`] that is run.
pub const NODE_MAIN: &str = "autoheal_warm_node/main.cjs";

/// What the runner is asked.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Request<'a> {
    /// Run every test.
    All {
        /// How long that may take.
        seconds: f64,
    },
    /// Run these tests and watch which lines of the project they run.
    Coverage {
        /// Their ids.
        tests: &'a [String],
        /// As in [`Request::All`].
        seconds: f64,
    },
    /// What every try from now on does; it has no answer.
    Plan {
        /// Tests that fail, and have to pass.
        first: &'a [String],
        /// Run when those pass.
        rest: &'a [String],
        /// Those of them that pass, and have to go on passing.
        passing: &'a [String],
        /// How long a process may compute for `first`; it may take five times as long.
        seconds: f64,
        /// Time for `rest`.
        rest_seconds: f64,
    },
    /// Try a change.
    Try(Try<'a>),
}

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Try<'a> {
    /// The answer has the same.
    pub number: usize,
    /// Relative to the project.
    pub file: &'a str,
    /// First byte, byte after the last, and what stands there instead.
    pub edits: Vec<(usize, usize, &'a str)>,
    /// Load the project anew for it: asked for when it was [`TryEnd::Unfit`] without.
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

/// What the runner says.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Answer {
    /// The tests are loaded.
    Ready {
        /// How many there are.
        tests: usize,
    },
    /// They cannot be, and nothing else will be said.
    Broken {
        /// Why.
        why: String,
    },
    /// To [`Request::All`].
    All {
        /// What each test did, as far as it came.
        tests: Vec<TestRun>,
        /// Whether all were run in the time that there was.
        complete: bool,
    },
    /// To [`Request::Coverage`].
    Coverage {
        /// What each test ran, as far as it came.
        tests: Vec<TestLines>,
    },
    /// To [`Request::Try`].
    Tried(Tried),
}

/// What a test did.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TestRun {
    /// Its id in the test runner's own notation.
    pub test: String,
    /// How it ended.
    pub outcome: TestEnd,
    /// How long it took.
    pub seconds: f64,
}

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestEnd {
    /// It passed.
    Passed,
    /// It failed, or something around it did.
    Failed,
    /// It did not run, on purpose.
    Skipped,
}

/// What a test ran.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct TestLines {
    /// Its id.
    pub test: String,
    /// Lines from 1, by file relative to the project.
    pub lines: BTreeMap<String, Vec<u32>>,
}

/// What became of a try.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Tried {
    /// Of the try.
    pub number: usize,
    /// What became of it.
    pub outcome: TryEnd,
    /// How it was put in force.
    pub way: Way,
    /// Of one that passed: tests that did not pass before, and do not now.
    #[serde(default)]
    pub still: Vec<String>,
}

/// How a try ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TryEnd {
    /// A test that has to pass fails still.
    Failed,
    /// All that have to pass pass, and what passed before passes.
    Passed,
    /// Something that passed before does not now.
    Broke,
    /// It took too long.
    Timeout,
    /// Its process ended, or computed too long.
    Died,
    /// Nothing was run: it changes what ran while the project was loaded, so that has to be done anew.
    Unfit,
}

/// How a change was put in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// In a process that had loaded the tests: functions got the changed code. Or in one that had loaded everything but the project's own
    /// modules, where that is as quick.
    Patched,
    /// The project was loaded anew.
    Fresh,
}
