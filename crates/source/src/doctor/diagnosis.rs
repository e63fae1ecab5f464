//! The context of a diagnosis: everything that is known before a fix is proposed (spec `doctor-agent.md`, `DiagnosisContext`).

use autoheal_engine::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::definition::Blueprint;
use crate::failure::ErrorType;

/// Evidence about a failure, with the spec's fields; pages are referenced by their times, since the pages themselves are in the store.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DiagnosisContext {
    /// Name of the source.
    pub source_name: String,
    /// Data that it should yield.
    pub blueprint: Blueprint,
    /// The recipe that failed: the spec's `current_code`.
    pub current_code: Value,
    /// One of the five types.
    pub error_type: ErrorType,
    /// Description of the failure.
    pub error_message: String,
    /// Every error of the validation, one a line: the spec's `error_traceback`.
    pub error_traceback: String,
    /// Total number of failed runs of the source.
    pub failure_count: u64,
    /// Time of the last success.
    pub last_success_at: Option<Timestamp>,
    /// Time of the failed run that led to this diagnosis.
    pub failed_at: Option<Timestamp>,
    /// Time at which the stored page was taken that the current one is compared with.
    pub original_html: Option<Timestamp>,
    /// Time at which the current page was taken.
    pub current_html: Option<Timestamp>,
    /// Changes in the structure, as a unified diff.
    pub html_diff: String,
    /// Changes in the structure by region, readable for the user.
    pub summary: String,
    /// The types of the fields.
    pub expected_schema: Value,
    /// Data that the recipe yields now, if it yields any.
    pub actual_output: Option<Value>,
    /// Attempts that count, before this one.
    pub fix_attempts_today: u32,
    /// True if the source is in quarantine.
    pub is_quarantined: bool,
}
