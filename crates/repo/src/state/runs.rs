//! Numbers of test runs.

use serde::{Deserialize, Serialize};

/// Number and duration of the trials of candidates, each with a test runner of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trials {
    /// Number of candidates that were tried.
    pub count: u64,
    /// Total duration of the test runners, in milliseconds.
    pub millis: u64,
}

/// Number of times that the tests were run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TestRuns {
    /// Runs of all tests, also those that were ended at the first failure.
    pub whole: u32,
    /// Runs of chosen tests.
    pub part: u32,
}

impl TestRuns {
    /// Counts those of `other`, too.
    pub(crate) fn add(&mut self, other: Self) {
        self.whole += other.whole;
        self.part += other.part;
    }
}
