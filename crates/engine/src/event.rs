//! Events of a run, in one order: the terminal, the server and the report read the same feed.

use serde::{Deserialize, Serialize};

use crate::{Outcome, RunId, Timestamp};

/// An event of a run. `sequence` counts from 1 within its run and has no gaps among the stored events;
/// [`EventBody::Progress`] is only shown live and not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The run it belongs to.
    pub run: RunId,
    /// Position in the run's stored feed; 0 for an event that is only shown live.
    pub sequence: i64,
    /// Time of the event.
    pub at: Timestamp,
    /// Type and content of the event.
    #[serde(flatten)]
    pub body: EventBody,
}

/// Types of events and their content.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventBody {
    /// The run's first step is about to begin.
    RunStarted {
        /// Target of the run.
        target: String,
    },
    /// A worker took over a run that another had begun.
    RunResumed {
        /// Node at which the run resumes.
        node: String,
    },
    /// An attempt at a node begins.
    NodeStarted {
        /// Name of the node.
        node: String,
        /// Number of the attempt, from 1.
        attempt: u32,
    },
    /// A try at a node failed; another follows when `retry` is set.
    NodeFailed {
        /// Name of the node.
        node: String,
        /// Number of the attempt, from 1.
        attempt: u32,
        /// Reason for the failure.
        error: String,
        /// True if the node is retried.
        retry: bool,
    },
    /// A node ended and its checkpoint is stored.
    NodeFinished {
        /// Name of the node.
        node: String,
        /// Duration of the node, in milliseconds.
        millis: u64,
    },
    /// Information for the user, stored with the run: a finding, a patch that was tried, a verdict.
    Note {
        /// Node that reports it.
        node: String,
        /// Kind of note, for filtering: `finding`, `patch`, `commit`, `warning`, ...
        topic: String,
        /// Text of the note, one line.
        message: String,
    },
    /// Progress of a long step. Shown live, never stored.
    Progress {
        /// Node that reports it.
        node: String,
        /// Text of the progress report, one line.
        message: String,
    },
    /// The run has ended.
    RunFinished {
        /// Outcome of the run; `None` in events of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<Outcome>,
        /// Name of the reason the run ended, such as `GREEN`; events of earlier versions have names that are no longer in use.
        stop_reason: String,
    },
}

impl EventBody {
    /// Returns whether the stored feed keeps the event.
    pub fn is_stored(&self) -> bool {
        !matches!(self, Self::Progress { .. })
    }
}
