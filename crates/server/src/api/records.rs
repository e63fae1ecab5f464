//! Records that the steps of a run leave: diagnostics, attempts at fixes, the output of commands.

use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::{Category, DiagnosticsEntry};
use autoheal_engine::workflow::{FixRecord, OutputRecord};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::error::{ApiError, ErrorResponse};
use super::request::{Path, Query};
use super::runs::find;
use super::schema::{self, Part, Time};
use super::{Shared, tag};

/// A normalised error, counted instead of repeated (spec `diagnostics-log.md`).
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Origin of the diagnostic: `test`, `build`, `lint`, `lsp` or `runtime`.
    pub source: &'static str,
    /// The kind of fault.
    #[schema(schema_with = schema::category)]
    pub category: Category,
    /// The file, relative to the repository's root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Line in the file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in the line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Message of the diagnostic.
    pub message: String,
    /// Stack trace, as far as one is available.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stack: Option<String>,
    /// Time at which it was first seen.
    pub first_seen_at: Time,
    /// Time at which it was last seen.
    pub last_seen_at: Time,
    /// Number of checks that reported the diagnostic.
    pub occurrence_count: u32,
    /// Time of the first check in which it no longer appeared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Time>,
}

impl From<DiagnosticsEntry> for Diagnostic {
    fn from(entry: DiagnosticsEntry) -> Self {
        let finding = entry.finding;
        Self {
            source: finding.source.name(),
            category: finding.category,
            file: finding.file,
            line: finding.location.map(|location| location.line),
            column: finding.location.and_then(|location| location.column),
            message: finding.message,
            stack: finding.stack,
            first_seen_at: Time(entry.first_seen_at),
            last_seen_at: Time(entry.last_seen_at),
            occurrence_count: entry.occurrence_count,
            resolved_at: entry.resolved_at.map(Time),
        }
    }
}

/// The diagnostics of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct DiagnosticList {
    /// In the order in which they were first seen.
    pub diagnostics: Vec<Diagnostic>,
    /// Offset of the next part of the list; absent in the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// An attempt at a fix.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FixAttempt {
    /// Time of the attempt.
    pub at: Time,
    /// Target of the fix: a source, or a repository.
    pub target: String,
    /// The kind of error.
    pub error_type: String,
    /// Destination of the fix: `STAGING`, `PRODUCTION` (for a repository: the fix was accepted) or `FAILED`.
    pub deployed_to: String,
    /// The patch: a unified diff.
    pub patch: String,
    /// Diagnosis that the fix is based on.
    pub diagnosis: Value,
    /// Result of the validation.
    pub validation: Value,
}

/// Attempts at fixes, with their diagnosis and validation.
#[derive(Debug, Serialize, ToSchema)]
pub struct FixList {
    /// Attempts: of a run the oldest first, of a source the newest first.
    pub fixes: Vec<FixAttempt>,
    /// Offset of the next part of the list; absent in the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

impl FixList {
    /// Creates the list from the stored attempts.
    pub(super) fn of(fixes: Vec<(Timestamp, FixRecord)>, next: Option<u32>) -> Self {
        let attempt = |(at, fix): (Timestamp, FixRecord)| FixAttempt {
            at: Time(at),
            target: fix.target,
            error_type: fix.error_type,
            deployed_to: fix.deployed_to,
            patch: fix.patch,
            diagnosis: fix.diagnosis,
            validation: fix.validation,
        };
        Self { fixes: fixes.into_iter().map(attempt).collect(), next }
    }
}

/// The output of a command that a run started.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CommandOutput {
    /// The node that started it.
    pub node: String,
    /// Command line.
    pub command: String,
    /// Outcome of the command.
    pub ended: String,
    /// Running time, in milliseconds.
    pub millis: u64,
    /// Standard output and error.
    pub output: String,
}

impl From<OutputRecord> for CommandOutput {
    fn from(record: OutputRecord) -> Self {
        let OutputRecord { node, command, ended, output, millis } = record;
        Self { node, command, ended, millis, output }
    }
}

/// The outputs of the commands of a run.
#[derive(Debug, Serialize, ToSchema)]
pub struct OutputList {
    /// Outputs, the oldest first.
    pub outputs: Vec<CommandOutput>,
    /// Offset of the next part of the list; absent in the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// List the diagnostics of a run
#[utoipa::path(get, path = "/api/runs/{run_id}/diagnostics", operation_id = "listDiagnostics", tag = tag::RUNS,
    params(("run_id" = String, Path, format = Uuid, description = "The run's name"), Part), responses(
    (status = 200, description = "The diagnostics", body = DiagnosticList),
    (status = 404, description = "There is no such run", body = ErrorResponse)))]
pub(super) async fn diagnostics(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<DiagnosticList>, ApiError> {
    let run = find(&shared, &run).await?.run;
    let mut entries = shared.services.store.diagnostics(run, part.asked()).await?;
    let next = part.page(&mut entries);
    Ok(Json(DiagnosticList { diagnostics: entries.into_iter().map(Into::into).collect(), next }))
}

/// List the fixes that a run tried
#[utoipa::path(get, path = "/api/runs/{run_id}/fixes", operation_id = "listFixes", tag = tag::RUNS,
    params(("run_id" = String, Path, format = Uuid, description = "The run's name"), Part), responses(
    (status = 200, description = "The attempts", body = FixList),
    (status = 404, description = "There is no such run", body = ErrorResponse)))]
pub(super) async fn fixes(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<FixList>, ApiError> {
    let run = find(&shared, &run).await?.run;
    let mut fixes = shared.services.store.fixes_of_run(run, part.asked()).await?;
    let next = part.page(&mut fixes);
    Ok(Json(FixList::of(fixes, next)))
}

/// List the outputs of the commands that a run started
#[utoipa::path(get, path = "/api/runs/{run_id}/outputs", operation_id = "listOutputs", tag = tag::RUNS,
    params(("run_id" = String, Path, format = Uuid, description = "The run's name"), Part), responses(
    (status = 200, description = "The outputs", body = OutputList),
    (status = 404, description = "There is no such run", body = ErrorResponse)))]
pub(super) async fn outputs(
    State(shared): State<Shared>,
    Path(run): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<OutputList>, ApiError> {
    let run = find(&shared, &run).await?.run;
    let mut outputs = shared.services.store.outputs(run, part.asked()).await?;
    let next = part.page(&mut outputs);
    Ok(Json(OutputList { outputs: outputs.into_iter().map(Into::into).collect(), next }))
}
