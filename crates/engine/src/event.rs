//! What happened in a run, in one order: the terminal, the server and the report read the same feed.

use serde::{Deserialize, Serialize};

use crate::{RunId, Timestamp};

/// One thing that happened. `sequence` counts from 1 within its run and has no gaps among the stored events;
/// [`EventBody::Progress`] is shown live and not stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// The run it belongs to.
    pub run: RunId,
    /// Its place in the run's stored feed; 0 for an event that is only shown live.
    pub sequence: i64,
    /// When.
    pub at: Timestamp,
    /// What.
    #[serde(flatten)]
    pub body: EventBody,
}

/// What can happen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventBody {
    /// The run's first step is about to begin.
    RunStarted {
        /// What the run is about.
        target: String,
    },
    /// A worker took over a run that another had begun.
    RunResumed {
        /// The node it goes on with.
        node: String,
    },
    /// A node begins.
    NodeStarted {
        /// Its name.
        node: String,
        /// Which try, from 1.
        attempt: u32,
    },
    /// A try at a node failed; another follows when `retry` is set.
    NodeFailed {
        /// Its name.
        node: String,
        /// Which try, from 1.
        attempt: u32,
        /// Why.
        error: String,
        /// Whether it is tried again.
        retry: bool,
    },
    /// A node ended and its checkpoint is stored.
    NodeFinished {
        /// Its name.
        node: String,
        /// How long it took, in milliseconds.
        millis: u64,
    },
    /// Something a person watching wants to know, kept with the run: a finding, a patch tried, a verdict.
    Note {
        /// The node that says it.
        node: String,
        /// What kind of thing, for filtering: `finding`, `patch`, `commit`, `warning`, ...
        topic: String,
        /// One line.
        message: String,
    },
    /// How far a long step is. Shown live, never stored.
    Progress {
        /// The node that says it.
        node: String,
        /// One line.
        message: String,
    },
    /// The run ended.
    RunFinished {
        /// Why: a stop reason of the workflow, such as `GREEN`.
        stop_reason: String,
    },
}

impl EventBody {
    /// Whether the feed keeps it.
    pub fn is_stored(&self) -> bool {
        !matches!(self, Self::Progress { .. })
    }
}
