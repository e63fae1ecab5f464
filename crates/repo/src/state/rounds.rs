//! Rounds of a run.

use autoheal_engine::Timestamp;
use serde::{Deserialize, Serialize};

/// Rounds of the run. Changed by `monitor`, and by the agent that ends the run or the workflow when it ends there.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Rounds {
    /// Number of rounds begun after the first; changed by `monitor`.
    pub retry_count: u32,
    /// One entry per round that has ended.
    pub history: Vec<IterationStatus>,
}

impl Rounds {
    /// The number of the round that is under way, from 1.
    pub fn current(&self) -> u32 {
        self.retry_count.saturating_add(1)
    }

    /// Ends the round with its verdict; a round has one entry.
    pub fn close(&mut self, passed: bool, failure_count: usize, at: Timestamp) {
        let iteration = self.current();
        if self.history.last().is_some_and(|last| last.iteration == iteration) {
            return;
        }
        self.history.push(IterationStatus {
            iteration,
            status: if passed { CiStatus::Passed } else { CiStatus::Failed },
            timestamp: at.to_rfc3339(),
            failure_count: u32::try_from(failure_count).unwrap_or(u32::MAX),
        });
    }
}

/// One round (spec `IterationStatus`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationStatus {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Outcome of the round.
    pub status: CiStatus,
    /// Time of the outcome, RFC 3339.
    pub timestamp: String,
    /// Number of distinct failures left.
    pub failure_count: u32,
}

/// Verdict of a run or a round, as in the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CiStatus {
    /// Success: the tree is green.
    Passed,
    /// Any outcome other than success.
    Failed,
}
