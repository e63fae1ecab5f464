//! Record of what was tried, so that nothing is tried twice on one tree.

use std::collections::BTreeSet;

use autoheal_code::Candidate;
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::Key;
use serde::{Deserialize, Serialize};

use super::{Fixes, Search, Trials};

/// Record of what was tried. Changed by `fix` and `patch`; `monitor` adds failures that only CI can judge.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tried {
    /// Failures for which every candidate was tried, on the tree where that was; changed by `patch` and `monitor`.
    pub exhausted: Vec<Exhausted>,
    /// Failures for which lines of older commits were restored, on the tree where that was; changed by `fix`.
    pub looked_back: Vec<Exhausted>,
    /// Searches so far; changed by `fix`.
    pub searches: Vec<Search>,
    /// Files that turned out to judge a failure, and so are not what is at fault; changed by `patch`.
    pub judges: Vec<JudgeOf>,
    /// Number and duration of the trials of candidates, each with a test runner of its own; changed by `patch`.
    pub trials: Trials,
    /// Every patch operation; changed by `patch`.
    pub patch_log: Vec<PatchLogEntry>,
    /// Content hashes of what the files held before and after each accepted fix; changed by `patch` and `monitor`.
    pub visited: BTreeSet<String>,
    /// True if a candidate would have restored contents in `visited`: fixes that undo each other; set by `patch`.
    pub repeated: bool,
}

impl Tried {
    /// Returns whether a candidate changes a file that judges this failure.
    pub(crate) fn changes_judge(&self, key: &Key, candidate: &Candidate) -> bool {
        let is_judge = |file: &str| self.judges.iter().any(|judge| judge.key == *key && judge.file == file);
        candidate.files.iter().any(|edit| is_judge(&edit.file))
    }

    /// Records that a file judges this failure. The search for it on the tree with these fixes may run again, without that file.
    pub(crate) fn add_judge(&mut self, key: &Key, file: &str, fixes: &Fixes) {
        let judge = JudgeOf { key: key.clone(), file: file.to_owned() };
        if self.judges.contains(&judge) {
            return;
        }
        self.judges.push(judge);
        let accepted = fixes.of_program();
        for search in self.searches.iter_mut().filter(|search| search.key == *key && search.accepted == accepted) {
            search.is_misled = true;
        }
    }
}

/// A failure for which every candidate was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhausted {
    /// Key of the failure.
    pub key: Key,
    /// Number of accepted fixes in the tree: after a further one the failure is worth another try.
    pub accepted: usize,
}

/// A file that decides whether a test fails, as was seen when it was to be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeOf {
    /// Key of the test's failure.
    pub key: Key,
    /// Path of the file.
    pub file: String,
}

/// One patch operation (Property 35).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchLogEntry {
    /// The failure that it was to repair, and how many accepted fixes the tree had.
    #[serde(default)]
    pub target: Option<(Key, usize)>,
    /// The file of its first edit.
    pub file: String,
    /// The line of its first edit.
    pub line: u32,
    /// The fixer it came from.
    pub fixer: String,
    /// Description of the change.
    pub description: String,
    /// Outcome of the operation.
    pub status: PatchStatus,
    /// Reason the change was not kept; empty if it was.
    pub reason: String,
    /// Time of the operation.
    pub at: Timestamp,
}

impl PatchLogEntry {
    /// Prefix of the reason for a change that would not parse.
    pub(crate) const SYNTAX: &'static str = "syntax validation failed";

    /// Returns whether the change was reverted because the file would not have parsed.
    pub fn is_syntax_error(&self) -> bool {
        self.status == PatchStatus::Failed && self.reason.starts_with(Self::SYNTAX)
    }
}

/// Outcome of a patch operation (the spec's `Fix.status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatchStatus {
    /// The patch was kept.
    Applied,
    /// The patch was reverted.
    Failed,
}
