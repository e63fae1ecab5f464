//! State of the host.

use std::collections::{BTreeMap, VecDeque};

use super::plan::CiPlan;
use crate::github::{Exchange, Fault};

/// A merge request, as the fake GitLab stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeRequest {
    /// Number of the merge request in its project.
    pub iid: u64,
    /// The branch that it comes from.
    pub source: String,
    /// The branch that it is for.
    pub target: String,
    /// Title of the merge request.
    pub title: String,
    /// Description, in Markdown.
    pub description: String,
    /// `opened`, `closed` or `merged`.
    pub state: String,
    /// True if it comes from a fork.
    pub is_of_fork: bool,
}

/// A note on a merge request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Id of the note.
    pub id: u64,
    /// Number of the merge request.
    pub merge_request: u64,
    /// Text of the note, in Markdown.
    pub body: String,
}

/// A status of a commit that was set through the API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Id of the status.
    pub id: u64,
    /// Hash of the commit.
    pub commit: String,
    /// Pipeline that holds it.
    pub pipeline: u64,
    /// Name of the status.
    pub name: String,
    /// `pending`, `running`, `success`, `failed` or `canceled`.
    pub state: String,
    /// Short description of the state.
    pub description: String,
}

/// Progress of CI for a commit.
#[derive(Debug)]
pub(super) struct Progress {
    pub(super) plan: CiPlan,
    pub(super) first_pipeline: u64,
    pub(super) polls: u32,
    pub(super) is_started: bool,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) exchanges: Vec<Exchange>,
    pub(super) faults: VecDeque<Fault>,
    pub(super) merge_requests: Vec<MergeRequest>,
    pub(super) notes: Vec<Note>,
    pub(super) statuses: Vec<Status>,
    pub(super) starts: Vec<String>,
    /// Progress of CI, by commit hash.
    pub(super) ci: BTreeMap<String, Progress>,
    pub(super) last_number: u64,
}

impl State {
    pub(super) fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }
}
