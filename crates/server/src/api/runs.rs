//! Runs: the records of the work on sources and repositories.

use autoheal_engine::task::{TaskKind, TaskState};
use autoheal_engine::{Outcome, RunId, StopReason};
use autoheal_store::{RunFilter, RunRow};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::error::{ApiCode, ApiError, ErrorResponse};
use super::request::{Path, Query, named, not_found};
use super::results::{HealingResults, Verdict};
use super::run_standing::RunStanding;
use super::schema::{self, Limit, Time};
use super::usage::ModelUsage;
use super::{Shared, tag};

/// A run in a list.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    /// Identifier of the run.
    #[schema(value_type = String, format = Uuid)]
    pub run_id: RunId,
    /// Number of the task that the run belongs to.
    pub task_id: i64,
    /// Kind of the task.
    #[schema(schema_with = schema::task_kind)]
    pub kind: String,
    /// Source or repository that the run is about.
    pub target: String,
    /// Time at which the run started.
    pub started_at: Time,
    /// Time at which the run ended; absent while it is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<Time>,
    /// State of the run: `running`, or its outcome.
    #[schema(schema_with = schema::run_state)]
    pub state: RunStanding,
    /// True if the run left its target well; absent while it is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_well: Option<bool>,
    /// Reason the run ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Explanation of the reason: a clause.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<&'static str>,
    /// The one thing to do next; absent if there is nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'static str>,
    /// Duration of the run, in milliseconds; absent while it is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
    /// Verdict; only for a run of a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ci_status: Option<Verdict>,
    /// Number of accepted edits; only for a run of a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixes_applied: Option<u64>,
    /// Number of distinct failures that were found; only for a run of a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_failures: Option<u64>,
}

impl RunSummary {
    /// The summary of a stored run.
    pub(super) fn of(row: &RunRow) -> Self {
        let reason = row.stop_reason.as_deref().and_then(StopReason::from_name);
        let results = row.results.as_ref().filter(|_| row.workflow == TaskKind::HealRepo.name());
        let number = |field: &str| results.and_then(|results| results[field].as_u64());
        let millis = row.finished_at.map(|end| end.since(row.started_at).as_millis());
        Self {
            run_id: row.run,
            task_id: row.task.0,
            kind: row.workflow.clone(),
            target: row.target.clone(),
            started_at: Time(row.started_at),
            finished_at: row.finished_at.map(Time),
            state: RunStanding(row.outcome),
            is_well: row.outcome.map(Outcome::is_well),
            stop_reason: row.stop_reason.clone(),
            explanation: reason.map(StopReason::explanation),
            next: reason.map(StopReason::next).filter(|next| !next.is_empty()),
            millis: millis.and_then(|millis| u64::try_from(millis).ok()),
            ci_status: results.and_then(|results| match results["ci_status"].as_str()? {
                "PASSED" => Some(Verdict::Passed),
                _ => Some(Verdict::Failed),
            }),
            fixes_applied: number("fixes_applied"),
            total_failures: number("total_failures"),
        }
    }
}

/// Runs, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunList {
    /// Runs that match the filter.
    pub runs: Vec<RunSummary>,
    /// Cursor of the next page, for `before`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Uuid)]
    pub next: Option<RunId>,
}

/// A task whose cancellation was requested.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Cancelled {
    /// Number of the task.
    pub task_id: i64,
    /// State after the request: a task that is running ends with the results it has so far.
    #[schema(schema_with = schema::task_state)]
    pub state: TaskState,
}

/// Filter for listing runs.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct RunQuery {
    /// Only runs of tasks of this kind.
    #[param(schema_with = schema::task_kind, required = false)]
    kind: Option<TaskKind>,
    /// Only runs of this source or repository.
    target: Option<String>,
    /// Only runs of a source or repository whose name contains this text.
    search: Option<String>,
    /// Only runs in this state.
    #[param(schema_with = schema::run_state, required = false)]
    state: Option<RunStanding>,
    /// Only runs that started before this one.
    #[param(value_type = Option<String>, format = Uuid)]
    before: Option<RunId>,
    /// Maximum number of runs.
    #[serde(default)]
    #[param(schema_with = schema::limit, required = false)]
    limit: Limit,
}

/// List runs, the newest first
#[utoipa::path(get, path = "/api/runs", operation_id = "listRuns", tag = tag::RUNS, params(RunQuery), responses(
    (status = 200, description = "The runs", body = RunList)))]
pub(super) async fn list(
    State(shared): State<Shared>,
    Query(query): Query<RunQuery>,
) -> Result<Json<RunList>, ApiError> {
    let filter = RunFilter {
        kind: query.kind,
        target: query.target,
        search: query.search,
        state: query.state.map(Into::into),
        before: query.before,
        ..RunFilter::newest(query.limit.asked())
    };
    let mut rows = shared.services.store.runs(&filter).await?;
    let next = query.limit.page(&mut rows, |row| row.run);
    Ok(Json(RunList { runs: rows.iter().map(RunSummary::of).collect(), next }))
}

/// A run with its results.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Run {
    /// Summary of the run.
    pub run: RunSummary,
    /// Next node, after the last finished one; only while the run is in progress.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_node: Option<String>,
    /// Results of the run; only for a run of a repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<HealingResults>,
    /// Result document, as stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub document: Option<Value>,
    /// Report for the user, as Markdown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub report: Option<String>,
    /// Usage of language models by the run so far; absent if they had no requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_model: Option<ModelUsage>,
}

pub(super) async fn find(shared: &Shared, run: &str) -> Result<RunRow, ApiError> {
    let name = named(run, ApiCode::RunNotFound, "run")?;
    shared.services.store.run(name).await?.ok_or_else(|| not_found(ApiCode::RunNotFound, "run", run))
}

/// Get a run with its results
#[utoipa::path(get, path = "/api/runs/{run_id}", operation_id = "getRun", tag = tag::RUNS,
    params(("run_id" = String, Path, format = Uuid, description = "The run's name")), responses(
    (status = 200, description = "The run", body = Run),
    (status = 404, description = "There is no such run", body = ErrorResponse)))]
pub(super) async fn show(State(shared): State<Shared>, Path(run): Path<String>) -> Result<Json<Run>, ApiError> {
    let row = find(&shared, &run).await?;
    let current_node = match row.finished_at {
        Some(_) => None,
        None => shared.services.store.last_checkpoint(row.run).await?.and_then(|checkpoint| checkpoint.next_node),
    };
    let usage = shared.services.store.model_usage(row.run).await?;
    let is_repository = row.workflow == TaskKind::HealRepo.name();
    Ok(Json(Run {
        run: RunSummary::of(&row),
        current_node,
        results: row.results.as_ref().filter(|_| is_repository).and_then(HealingResults::of),
        document: row.results.filter(|_| !is_repository),
        report: row.report,
        language_model: (usage.calls > 0).then(|| usage.into()),
    }))
}

/// Cancel a run
///
/// The run ends with the results it has so far.
#[utoipa::path(post, path = "/api/runs/{run_id}/cancel", operation_id = "cancelRun", tag = tag::RUNS,
    params(("run_id" = String, Path, format = Uuid, description = "The run's name")), responses(
    (status = 200, description = "The run was requested to stop", body = Cancelled),
    (status = 404, description = "There is no such run", body = ErrorResponse),
    (status = 409, description = "It has ended", body = ErrorResponse)))]
pub(super) async fn cancel(State(shared): State<Shared>, Path(run): Path<String>) -> Result<Json<Cancelled>, ApiError> {
    let row = find(&shared, &run).await?;
    let ended = || ApiError::new(ApiCode::Conflict, format!("run {} has ended", row.run));
    if row.finished_at.is_some() || !shared.services.store.request_cancel(row.task).await? {
        return Err(ended());
    }
    let task = shared.services.store.task(row.task).await?;
    let state = task.map_or(TaskState::Cancelled, |task| task.state);
    Ok(Json(Cancelled { task_id: row.task.0, state }))
}
