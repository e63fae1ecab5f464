//! CI of a commit, as every host says it.

use serde::{Deserialize, Serialize};

use super::error::HostError;

/// The name of the statuses that this program sets.
pub const CONTEXT: &str = "autoheal";

/// State of a check, run or job of CI: pending, or its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    /// It has not ended yet.
    Pending,
    /// It ended with success.
    Success,
    /// It failed, timed out, or could not start.
    Failure,
    /// It ended without a verdict by design: skipped or neutral.
    Neutral,
    /// It ended without a usable verdict: cancelled, stale, or with an unknown conclusion.
    Inconclusive,
}

/// One thing that CI does for a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Name of the check, run or status.
    pub name: String,
    /// State of the check.
    pub state: CheckState,
    /// URL of its page, if it has one.
    pub url: Option<String>,
    /// The run of the host's own CI that it is, which has jobs and logs; `None`: another CI.
    pub run: Option<u64>,
}

/// Everything that CI does for a commit, as far as the token may see it.
#[derive(Debug, Default)]
pub struct CommitChecks {
    /// Checks, sorted by name.
    pub checks: Vec<Check>,
    /// Error from reading the results of other CI, if they could not be read.
    pub unread: Option<HostError>,
}

impl CommitChecks {
    /// The checks in their order.
    pub(crate) fn sorted(mut checks: Vec<Check>, unread: Option<HostError>) -> Self {
        checks.sort_by(|one, other| (&one.name, one.run).cmp(&(&other.name, other.run)));
        Self { checks, unread }
    }
}

/// A job of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Id of the job.
    pub id: u64,
    /// Name of the job.
    pub name: String,
    /// State of the job.
    pub state: CheckState,
}

/// CI that can be started by hand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartableCi {
    /// Id at the host.
    pub id: u64,
    /// Name for messages, such as the path of a workflow.
    pub name: String,
}

/// State of a commit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusState {
    /// CI has not finished yet.
    Pending,
    /// All checks pass.
    Success,
    /// Some checks fail, or the run failed.
    Failure,
}

/// Returns of each group of runs that are the same the one with the greatest weight, in the order in which groups first occur.
pub(crate) fn newest<R, W: PartialOrd>(
    runs: Vec<R>,
    is_same: impl Fn(&R, &R) -> bool,
    weight: impl Fn(&R) -> W,
) -> Vec<R> {
    let mut newest: Vec<R> = Vec::new();
    for run in runs {
        match newest.iter_mut().find(|other| is_same(other, &run)) {
            Some(other) if weight(other) < weight(&run) => *other = run,
            Some(_) => {}
            None => newest.push(run),
        }
    }
    newest
}
