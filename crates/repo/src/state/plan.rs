//! Work of one round.

use autoheal_code::Candidate;
use autoheal_engine::diagnostics::Finding;
use serde::{Deserialize, Serialize};

/// Work of one round. Set anew by each `plan`; `fix` adds the proposals, `patch` removes them and sets the verdict.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// Failures to fix in this round.
    pub targets: Vec<Finding>,
    /// True if this round searches for candidates, when rules have nothing left.
    pub is_searching: bool,
    /// True if the targets are to be repaired by lines of commits before the last one.
    pub is_looking_back: bool,
    /// Repairs requested from a model in this round, when nothing else has candidates left.
    pub model_steps: Vec<ModelStep>,
    /// Candidates per target.
    pub proposals: Vec<Proposal>,
    /// Verdict of this round's `patch`: whether it accepted a fix.
    pub patch_verdict: PatchVerdict,
}

/// A failure that a model has to repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStep {
    /// Failure that the model has to repair.
    pub target: Finding,
    /// Further failures of the same file, for which the same question is sent.
    #[serde(default)]
    pub with: Vec<Finding>,
    /// Files that the prompt contains in addition to those that the failure points at.
    pub files: Vec<String>,
    /// Approach that the plan describes for the model that writes the code.
    pub approach: String,
}

impl ModelStep {
    /// A step without a plan.
    pub(crate) fn new(target: Finding) -> Self {
        Self { target, with: Vec::new(), files: Vec::new(), approach: String::new() }
    }
}

/// Candidates for one target, likeliest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Failure that the candidates would repair.
    pub target: Finding,
    /// In ascending order of cost.
    pub candidates: Vec<Candidate>,
}

/// Verdict of a `patch` step: whether it accepted a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchVerdict {
    /// At least one fix was accepted.
    Accepted,
    /// No fix was accepted.
    #[default]
    NothingAccepted,
}
