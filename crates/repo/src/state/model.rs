//! Repairs by a language model, as the state keeps them.

use autoheal_engine::ErrorCode;
use autoheal_engine::diagnostics::{Finding, Key};
use serde::{Deserialize, Serialize};

/// A failure that a model has to repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStep {
    /// Failure that the model has to repair.
    pub target: Finding,
    /// Files that the prompt contains in addition to those that the failure points at.
    pub files: Vec<String>,
    /// Approach that the plan describes for the model that writes the code.
    pub approach: String,
}

/// Attempt of a model at a repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelAttempt {
    /// Key of the failure that the model tried to repair.
    pub key: Key,
    /// Number of accepted fixes in the tree: after a further one the model may try again.
    pub accepted: usize,
    /// The change as a unified diff; empty when the answer was none that could be applied.
    pub change: String,
    /// Outcome of the attempt.
    pub outcome: String,
    /// Set when the model reported that there is nothing to repair.
    pub gave_up: bool,
}

/// Reason models are no longer used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelEnd {
    /// The budget of the models is used up.
    Budget,
    /// Requests to the models failed.
    Unavailable,
}

/// Error of a failed request to a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelError {
    /// Error code of the spec.
    pub code: ErrorCode,
    /// Description of the error, for the user.
    pub message: String,
}
