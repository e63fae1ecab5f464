//! Repairs by a language model, as the state keeps them.

use autoheal_engine::ErrorCode;
use autoheal_engine::diagnostics::Key;
use autoheal_engine::ledger::ModelUsage;
use autoheal_llm::ChatError;
use serde::{Deserialize, Serialize};

/// Use of language models. Changed by `plan` and `fix`; `patch` adds the outcome of an attempt, and `analyze` ends the use when the
/// repository's settings forbid it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelUse {
    /// Changes that a model has tried; added by `fix`, their outcomes by `patch`.
    pub attempts: Vec<ModelAttempt>,
    /// Usage of models in the run.
    pub usage: ModelUsage,
    /// Reason models are no longer used.
    pub end: Option<ModelEnd>,
    /// The error that kept a model from being asked.
    pub error: Option<ModelError>,
}

impl ModelUse {
    /// Stops the use of language models in this run. Returns the warning for the user.
    pub(super) fn give_up(&mut self, error: &ChatError) -> String {
        let (end, code) = match error {
            ChatError::Exhausted(_) => (ModelEnd::Budget, None),
            ChatError::TimedOut { .. } => (ModelEnd::Unavailable, Some(ErrorCode::LlmTimeout)),
            ChatError::Unavailable { .. }
            | ChatError::RateLimited { .. }
            | ChatError::BrokenOff { .. }
            | ChatError::Cancelled { .. }
            | ChatError::Down { .. }
            | ChatError::Unauthorized { .. }
            | ChatError::Rejected { .. }
            | ChatError::Malformed { .. }
            | ChatError::NotRecorded { .. } => (ModelEnd::Unavailable, Some(ErrorCode::LlmApiError)),
            ChatError::Ledger(_) => (ModelEnd::Unavailable, Some(ErrorCode::StoreUnavailable)),
        };
        self.error = code.map(|code| ModelError { code, message: error.to_string() });
        self.end = Some(end);
        let code = code.map(|code| format!("{code}: ")).unwrap_or_default();
        format!("{code}no language model is asked any more: {error}")
    }
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

impl ModelAttempt {
    /// Outcome of a change until it is tried, and of one that is kept.
    pub(crate) const PENDING: &'static str = "which was not tried";
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
