//! Test reports and tool output as data, and the findings in them.
//!
//! # Layout
//!
//! - [`junit`]: the XML that pytest writes, and that our unittest runner ([`unittest`]) writes too
//! - [`category`]: which of the six kinds of fault an error is
//! - `look`: the context in which a tool's output is read
//! - [`ruff`], [`flake8`]: output of linters as findings
//! - [`formatters`], [`checkers`], [`biome`]: output of formatters and type checkers as findings
//! - [`lsp`]: diagnostics of language servers
//! - [`job_log`]: the log of a CI job

use std::time::Duration;

pub mod biome;
pub mod category;
pub mod checkers;
pub mod flake8;
pub mod formatters;
pub mod job_log;
pub mod junit;
mod look;
pub mod lsp;
pub mod ruff;

pub use look::Look;
pub(crate) use look::relative;

/// Results of a test run.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct TestReport {
    /// The tests, in the order of the report.
    pub cases: Vec<TestCase>,
}

/// Outcome of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// The test passed, or failed as expected.
    Passed,
    /// Its own check failed.
    Failed,
    /// Something else went wrong in or around it.
    Errored,
    /// The test was skipped on purpose.
    Skipped,
    /// Its file could not be loaded: none of the file's tests is known.
    CollectionError,
}

impl TestOutcome {
    /// Returns whether the test failed, or could not be run or collected.
    pub const fn is_red(self) -> bool {
        match self {
            Self::Failed | Self::Errored | Self::CollectionError => true,
            Self::Passed | Self::Skipped => false,
        }
    }
}

/// One test of a report.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TestCase {
    /// `classname::name`, the same for the same test in every run.
    pub id: String,
    /// Outcome of the test.
    pub outcome: TestOutcome,
    /// Duration of the test.
    pub duration: Duration,
    /// The error in one line, as the report gives it; empty when nothing is wrong.
    pub message: String,
    /// The whole error text, cut in its middle when it is long.
    pub text: String,
    /// The test's file as the report names it.
    pub file: Option<String>,
}

/// `text` with its middle taken out when it is longer than `limit` bytes: an error stands at the end, its origin at the
/// beginning.
pub fn cut_middle(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let mut head = limit / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - limit / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!("{}\n[...]\n{}", text.get(..head).unwrap_or_default(), text.get(tail..).unwrap_or_default())
}
