//! Numbers of test runs, and times.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Totals of the run, for the report. Changed by the workflow after each step, the test runs by `monitor`, too.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Totals {
    /// Runs of the tests so far, those of a search not counted.
    pub test_runs: TestRuns,
    /// Time per agent in milliseconds.
    pub agent_millis: BTreeMap<String, u64>,
}

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
