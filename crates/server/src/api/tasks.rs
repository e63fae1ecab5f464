//! The task queue.

use autoheal_engine::TaskId;
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_orchestrator::ask_for;
use autoheal_store::{RunFilter, TaskFilter};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error::{ApiCode, ApiError, ErrorResponse};
use super::request::{Path, Query, named, not_found};
use super::runs::RunSummary;
use super::schema::{self, Limit, Time};
use super::{Shared, tag};

/// A task in the queue.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Number of the task.
    pub task_id: i64,
    /// Kind of the task.
    #[schema(schema_with = schema::task_kind)]
    pub kind: TaskKind,
    /// Target of the task: a source, or a repository.
    pub target: String,
    /// State of the task.
    #[schema(schema_with = schema::task_state)]
    pub state: TaskState,
    /// Priority of the task: tasks with a smaller number are run first.
    pub priority: i32,
    /// Time of the request.
    pub created_at: Time,
    /// Earliest time at which the task may be started.
    pub run_at: Time,
    /// Time at which a worker first claimed the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Time>,
    /// Time at which the task ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Time>,
    /// Message of the last error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// Number of failed attempts.
    pub retry_count: u32,
    /// Maximum number of retries.
    pub max_retries: u32,
    /// Number of workers that died while running the task since its last step; after three, no other worker gets it.
    pub deaths: u32,
    /// Worker that is running the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worker: Option<String>,
    /// True if a user has requested cancellation.
    pub cancel_requested: bool,
}

impl Task {
    /// Converts a stored task.
    pub(super) fn of(task: autoheal_engine::task::Task) -> Self {
        Self {
            task_id: task.id.0,
            kind: task.kind,
            target: task.target,
            state: task.state,
            priority: task.priority,
            created_at: Time(task.created_at),
            run_at: Time(task.run_at),
            started_at: task.started_at.map(Time),
            completed_at: task.completed_at.map(Time),
            error_message: task.error_message,
            retry_count: task.retry_count,
            max_retries: task.max_retries,
            deaths: task.deaths,
            worker: task.lease_owner,
            cancel_requested: task.cancel_requested,
        }
    }
}

/// Tasks, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskList {
    /// Tasks that match the filter.
    pub tasks: Vec<Task>,
    /// Cursor of the next page, for `before`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// A task with its runs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskWithRuns {
    /// The task and its state.
    pub task: Task,
    /// Runs of the task, the newest first.
    pub runs: Vec<RunSummary>,
}

/// Filter for listing tasks.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct TaskQuery {
    /// Only tasks in this state.
    #[param(schema_with = schema::task_state, required = false)]
    state: Option<TaskState>,
    /// Only tasks of this kind.
    #[param(schema_with = schema::task_kind, required = false)]
    kind: Option<TaskKind>,
    /// Only tasks of this source or repository.
    target: Option<String>,
    /// Only tasks of a source or repository whose name contains this text.
    search: Option<String>,
    /// Only tasks that were created before this one.
    before: Option<i64>,
    /// Maximum number of tasks.
    #[serde(default)]
    #[param(schema_with = schema::limit, required = false)]
    limit: Limit,
}

/// List tasks, the newest first
#[utoipa::path(get, path = "/api/tasks", operation_id = "listTasks", tag = tag::TASKS, params(TaskQuery), responses(
    (status = 200, description = "The tasks", body = TaskList)))]
pub(super) async fn list(
    State(shared): State<Shared>,
    Query(query): Query<TaskQuery>,
) -> Result<Json<TaskList>, ApiError> {
    let filter = TaskFilter {
        state: query.state,
        kind: query.kind,
        target: query.target,
        search: query.search,
        before: query.before.map(TaskId),
        limit: query.limit.asked(),
    };
    let mut tasks = shared.services.store.tasks(&filter).await?;
    let next = query.limit.page(&mut tasks, |task| task.id.0);
    Ok(Json(TaskList { tasks: tasks.into_iter().map(Task::of).collect(), next }))
}

/// Queues a task that a client waits for; if the same work is queued already, it becomes due at once.
pub(super) async fn enqueue(shared: &Shared, task: &NewTask) -> Result<Task, ApiError> {
    let store = &shared.services.store;
    let enqueued = ask_for(store, task).await?;
    if !enqueued.created {
        store.hasten(enqueued.id).await?;
    }
    Ok(Task::of(find(shared, &enqueued.id.to_string()).await?))
}

async fn find(shared: &Shared, task: &str) -> Result<autoheal_engine::task::Task, ApiError> {
    let number = named(task, ApiCode::TaskNotFound, "task").map(TaskId)?;
    shared.services.store.task(number).await?.ok_or_else(|| not_found(ApiCode::TaskNotFound, "task", task))
}

/// Get a task with its runs
#[utoipa::path(get, path = "/api/tasks/{task_id}", operation_id = "getTask", tag = tag::TASKS,
    params(("task_id" = i64, Path, description = "The task's number")), responses(
    (status = 200, description = "The task", body = TaskWithRuns),
    (status = 404, description = "There is no such task", body = ErrorResponse)))]
pub(super) async fn show(
    State(shared): State<Shared>,
    Path(task): Path<String>,
) -> Result<Json<TaskWithRuns>, ApiError> {
    let task = find(&shared, &task).await?;
    let runs = shared.services.store.runs(&RunFilter { task: Some(task.id), ..RunFilter::newest(100) }).await?;
    Ok(Json(TaskWithRuns { task: Task::of(task), runs: runs.iter().map(RunSummary::of).collect() }))
}

/// Cancel a task
///
/// A waiting task ends at once; a running one ends with the results it has so far.
#[utoipa::path(post, path = "/api/tasks/{task_id}/cancel", operation_id = "cancelTask", tag = tag::TASKS,
    params(("task_id" = i64, Path, description = "The task's number")), responses(
    (status = 200, description = "The run was requested to stop", body = Task),
    (status = 404, description = "There is no such task", body = ErrorResponse),
    (status = 409, description = "It has ended", body = ErrorResponse)))]
pub(super) async fn cancel(State(shared): State<Shared>, Path(name): Path<String>) -> Result<Json<Task>, ApiError> {
    let task = find(&shared, &name).await?;
    if !shared.services.store.request_cancel(task.id).await? {
        return Err(ApiError::new(ApiCode::Conflict, format!("task {} has ended: {}", task.id, task.state.name())));
    }
    Ok(Json(Task::of(find(&shared, &name).await?)))
}

/// Try a task again
///
/// Only a task that failed, was cancelled or is in quarantine; its unfinished run resumes where it was.
#[utoipa::path(post, path = "/api/tasks/{task_id}/retry", operation_id = "retryTask", tag = tag::TASKS,
    params(("task_id" = i64, Path, description = "The task's number")), responses(
    (status = 200, description = "It waits for a worker", body = Task),
    (status = 404, description = "There is no such task", body = ErrorResponse),
    (status = 409, description = "It is open, or has ended well", body = ErrorResponse)))]
pub(super) async fn retry(State(shared): State<Shared>, Path(name): Path<String>) -> Result<Json<Task>, ApiError> {
    let task = find(&shared, &name).await?;
    if !shared.services.store.reopen(task.id).await? {
        let reason = match task.state {
            TaskState::Pending | TaskState::InProgress => "it is open",
            TaskState::Completed => "it has ended well: ask for the work anew",
            TaskState::Failed | TaskState::Quarantined | TaskState::Cancelled => "other work for the same is open",
        };
        return Err(ApiError::new(ApiCode::Conflict, format!("task {} cannot be tried again: {reason}", task.id)));
    }
    Ok(Json(Task::of(find(&shared, &name).await?)))
}
