//! Accepted fixes.

use std::collections::BTreeSet;

use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::{Category, Finding};
use serde::{Deserialize, Serialize};

/// Accepted fixes. Added by `patch`; `monitor` reverts those that CI disproves.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Fixes {
    /// Fixes accepted so far, in order, with those that revert others.
    pub accepted: Vec<AcceptedFix>,
    /// Indices of accepted fixes that were reverted, and of the fixes that revert them; changed by `monitor`.
    pub reverted: BTreeSet<usize>,
}

impl Fixes {
    /// Returns the accepted fixes that were not reverted.
    pub fn retained(&self) -> impl Iterator<Item = &AcceptedFix> {
        self.accepted.iter().enumerate().filter(|(index, _)| !self.reverted.contains(index)).map(|(_, fix)| fix)
    }

    /// Number of accepted fixes that may change what tests do: all but those of what only a linter says.
    pub(crate) fn of_program(&self) -> usize {
        self.accepted.iter().filter(|fix| fix.category != Category::Linting).count()
    }
}

/// A file's whole text after a fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileText {
    /// Relative to the repository's root, with `/`.
    pub file: String,
    /// Content of the file after the fix.
    pub text: String,
}

/// A fix that met the acceptance rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedFix {
    /// Failure that the fix repaired.
    pub target: Finding,
    /// The bug type, for its commit.
    pub category: Category,
    /// The file of its first edit.
    pub file: String,
    /// The line of its first edit.
    pub line: u32,
    /// Description of the fix, as an imperative.
    pub description: String,
    /// The fixer it came from.
    pub fixer: String,
    /// The files after it.
    pub files: Vec<FileText>,
    /// The change as a unified diff.
    pub diff: String,
    /// Number of candidates tried before it.
    pub tried_before: usize,
    /// Others that met the rule too: what else the evidence allows.
    pub runners_up: Vec<String>,
    /// Time of acceptance: the date of its commit, so that committing again gives the same commit.
    pub at: Timestamp,
}
