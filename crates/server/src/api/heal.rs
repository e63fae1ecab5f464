//! The spec's two endpoints: starting the healing of a repository, and reporting its status.

use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::{JobId, TaskId};
use autoheal_forge::{BranchName, ForgeError};
use autoheal_orchestrator::{PerformError, ask_for};
use autoheal_repo::HealRequest;
use autoheal_repo::branch_name::create_branch_name;
use autoheal_repo::request::Delivery;
use autoheal_store::JobRow;
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::Shared;
use super::error::{ApiCode, ApiError, ErrorResponse};
use super::request::{Asker, Body, Path, named, not_found};
use super::results::HealingResults;
use super::runs::{self, RunSummary};
use super::schema::{self, Time};
use super::tasks::Task;
use super::{progress, tag};
use crate::tools::{Services, new_task};

/// Maximum length of the name of a team or its leader, in characters.
const LONGEST_NAME: usize = 100;

/// Maximum number of rounds after the first that a client may ask for.
const MOST_ROUNDS: u32 = 50;

/// Maximum duration of a run that a client may ask for, in minutes: a day.
const MOST_MINUTES: u32 = 1440;

/// A request to heal a repository. Missing fields are empty, so that the error can name them.
#[derive(Debug, Clone, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(example = json!({
    "repositoryUrl": "https://github.com/owner/repo", "teamName": "RIFT Organisers", "leaderName": "Saiyam Kumar"
}))]
pub struct JobRequest {
    /// URL of the repository: `https://github.com/OWNER/REPOSITORY`, or one that the setting `server.repositories` names.
    #[serde(default)]
    #[schema(max_length = 2000, required = true)]
    pub repository_url: String,
    /// Name of the team: the first half of the branch's name.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 100, required = true)]
    pub team_name: String,
    /// Name of the team's leader: the second half of the branch's name.
    #[serde(default)]
    #[schema(min_length = 1, max_length = 100, required = true)]
    pub leader_name: String,
    /// The branch to heal; the one that the repository names as its default if absent.
    #[serde(default)]
    #[schema(max_length = 244)]
    pub branch: Option<String>,
    /// True: nothing is pushed; the run ends in a patch and a report.
    #[serde(default)]
    pub dry_run: bool,
    /// Maximum number of rounds after the first; the setting of the server if absent.
    #[serde(default)]
    #[schema(maximum = 50)]
    pub retry_limit: Option<u32>,
    /// Time limit of the run, in minutes; the setting of the server if absent.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1440)]
    pub minutes: Option<u32>,
}

/// Status of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum JobStatus {
    /// The job waits for a worker.
    Queued,
    /// A worker is running the job.
    Running,
    /// The job has ended with results, whether the checks pass or not.
    Completed,
    /// The job has ended without results, or the repository could not be cloned.
    Failed,
}

/// A job that was accepted.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JobResponse {
    /// Identifier of the job.
    #[schema(value_type = String, format = Uuid)]
    pub job_id: JobId,
    /// Status of the job.
    pub status: JobStatus,
}

/// Status of a job, and its results.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusResponse {
    /// Identifier of the job.
    #[schema(value_type = String, format = Uuid)]
    pub job_id: JobId,
    /// Status of the job.
    pub status: JobStatus,
    /// Current step, one of seven; only while the job is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = schema::step)]
    pub current_step: Option<&'static str>,
    /// Progress in percent; only while the job is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 100)]
    pub progress: Option<u32>,
    /// Results; only when the job is completed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub results: Option<HealingResults>,
    /// Error message; only when the job failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A job with its task and its run.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Job {
    /// Identifier of the job.
    #[schema(value_type = String, format = Uuid)]
    pub job_id: JobId,
    /// Name of the user or client that requested the job.
    pub asked_by: String,
    /// Time of the request.
    pub created_at: Time,
    /// Task of the job, which other jobs may share.
    pub task: Task,
    /// The latest run of the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunSummary>,
}

/// Start a healing job
///
/// Queues the repository and responds at once. While it is being healed for the same team, another request for it creates a job
/// that shares the same task; a request of another team fails with CONFLICT and names the active job.
#[utoipa::path(post, path = "/api/heal", operation_id = "startHealing", tag = tag::HEAL, request_body = JobRequest, responses(
    (status = 200, description = "The job is queued", body = JobResponse),
    (status = 409, description = "The repository is being healed with other settings", body = ErrorResponse)))]
pub(super) async fn start(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Body(request): Body<JobRequest>,
) -> Result<Json<JobResponse>, ApiError> {
    let task = task_of(&shared.services, &request)?;
    let job_id = enqueue(&shared.services, &task, &asker).await?;
    Ok(Json(JobResponse { job_id, status: JobStatus::Queued }))
}

/// Heal the repository of a run again
///
/// With the branch, the names and the limits of that run; other settings are those of the server. A dry run stays one.
#[utoipa::path(post, path = "/api/runs/{run_id}/again", operation_id = "healAgain", tag = tag::HEAL,
    params(("run_id" = String, Path, format = Uuid, description = "The run's name")), responses(
    (status = 200, description = "The job is queued", body = JobResponse),
    (status = 404, description = "There is no such run", body = ErrorResponse),
    (status = 409, description = "The run is not of a repository, or the repository is being healed with other settings", body = ErrorResponse)))]
pub(super) async fn again(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(run): Path<String>,
) -> Result<Json<JobResponse>, ApiError> {
    let services = &shared.services;
    let row = runs::find(&shared, &run).await?;
    let task = services.store.task(row.task).await?.filter(|task| task.kind == TaskKind::HealRepo);
    let task = task.ok_or_else(|| ApiError::new(ApiCode::Conflict, "the run is not one of a repository"))?;
    let address = services.healing.address_of(&task.target).map_err(|error| ApiError::invalid(error.to_string()))?;
    let earlier = HealRequest::deserialize(task.context)?;
    // A client may choose these; the rest is what the user of the server allows today.
    let mut wanted = services.healing.for_person(&address);
    wanted.limits.run_seconds = earlier.limits.run_seconds;
    let wanted = HealRequest {
        team_name: earlier.team_name,
        leader_name: earlier.leader_name,
        branch: earlier.branch,
        retry_limit: earlier.retry_limit,
        delivery: earlier.delivery.max(wanted.delivery),
        ..wanted
    };
    let task = new_task(&services.worker, &address, wanted)?;
    let job_id = enqueue(services, &task, &asker).await?;
    Ok(Json(JobResponse { job_id, status: JobStatus::Queued }))
}

/// Puts a repository's healing into the queue under a new name.
pub(crate) async fn enqueue(services: &Services, task: &NewTask, asker: &str) -> Result<JobId, ApiError> {
    let enqueued = match ask_for(&services.store, task).await {
        Ok(enqueued) => {
            if !enqueued.created {
                // A client waits for it.
                services.store.hasten(enqueued.id).await?;
            }
            enqueued
        }
        Err(PerformError::AskedOtherwise { task: open, .. }) => return Err(conflict(services, open).await?),
        Err(error) => return Err(error.into()),
    };
    let job = JobId(Uuid::new_v4());
    services.store.add_job(job, enqueued.id, asker, services.store.now()).await?;
    Ok(job)
}

async fn conflict(services: &Services, open: TaskId) -> Result<ApiError, ApiError> {
    let message = "the repository is being healed with other settings: wait for that job, or cancel its task";
    let error = ApiError::new(ApiCode::Conflict, message).with("taskId", open.0);
    let job = services.store.job_of_task(open).await?;
    Ok(match job {
        Some(job) => error.with("jobId", job.to_string()),
        None => error,
    })
}

/// Returns the task for a request. All text from the user is validated before it is used (spec Property 31).
pub(crate) fn task_of(services: &Services, request: &JobRequest) -> Result<NewTask, ApiError> {
    let field = |field: &str, message: String| ApiError::invalid(message).with("field", field);
    let address = services
        .healing
        .address_of(&request.repository_url)
        .map_err(|error| field("repositoryUrl", error.to_string()))?;
    let team = name(&request.team_name).map_err(|reason| field("teamName", format!("the team's name {reason}")))?;
    let leader =
        name(&request.leader_name).map_err(|reason| field("leaderName", format!("the leader's name {reason}")))?;
    create_branch_name(&team, &leader).map_err(|error| field("teamName", error.to_string()))?;
    let mut wanted = services.healing.for_person(&address);
    if let Some(branch) = &request.branch {
        match BranchName::parse(branch) {
            // The fixes for a protected branch go to a separate one.
            Ok(_) | Err(ForgeError::ProtectedBranch { .. }) => wanted.branch = Some(branch.clone()),
            Err(error) => return Err(field("branch", error.to_string())),
        }
    }
    if request.dry_run {
        wanted.delivery = Delivery::DryRun;
    }
    if let Some(rounds) = request.retry_limit {
        if rounds > MOST_ROUNDS {
            return Err(field("retryLimit", format!("{rounds} is more than {MOST_ROUNDS} rounds")));
        }
        wanted.retry_limit = rounds;
    }
    if let Some(minutes) = request.minutes {
        if !(1..=MOST_MINUTES).contains(&minutes) {
            return Err(field("minutes", format!("{minutes} is not a number of minutes from 1 to {MOST_MINUTES}")));
        }
        wanted.limits.run_seconds = u64::from(minutes) * 60;
    }
    Ok(new_task(&services.worker, &address, HealRequest { team_name: team, leader_name: leader, ..wanted })?)
}

/// Returns the name trimmed, or the reason it is invalid: a name is on one line, without invisible characters.
fn name(text: &str) -> Result<String, &'static str> {
    let name = text.trim();
    if name.is_empty() {
        return Err("is missing");
    }
    if name.chars().count() > LONGEST_NAME {
        return Err("is longer than 100 characters");
    }
    if name.chars().any(is_unseen) {
        return Err("holds a line break or another character that cannot be seen");
    }
    Ok(name.to_owned())
}

/// Returns whether a character is invisible but changes how the text around it is read: controls, line separators, marks that
/// change the direction of writing (Unicode Technical Report 36), tags. Joiners are not included, because some scripts need them.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

async fn find(shared: &Shared, job: &str) -> Result<JobRow, ApiError> {
    let name = named(job, ApiCode::JobNotFound, "job")?;
    let found = shared.services.store.job(name).await?;
    found.ok_or_else(|| not_found(ApiCode::JobNotFound, "job", job))
}

/// Get the status of a job, and its results
#[utoipa::path(get, path = "/api/status/{job_id}", operation_id = "getStatus", tag = tag::HEAL,
    params(("job_id" = String, Path, format = Uuid, description = "The job's name")), responses(
    (status = 200, description = "State of the job", body = StatusResponse),
    (status = 404, description = "There is no such job", body = ErrorResponse)))]
pub(super) async fn status(
    State(shared): State<Shared>,
    Path(job): Path<String>,
) -> Result<Json<StatusResponse>, ApiError> {
    let row = find(&shared, &job).await?;
    let nothing = StatusResponse {
        job_id: row.job,
        status: JobStatus::Queued,
        current_step: None,
        progress: None,
        results: None,
        error: None,
    };
    Ok(Json(match row.task.state {
        TaskState::Pending => nothing,
        TaskState::InProgress => {
            let retry_limit = row.task.context["retry_limit"].as_u64().and_then(|limit| u32::try_from(limit).ok());
            let (step, percent) = progress::of(&row.steps, retry_limit.unwrap_or(HealRequest::DEFAULT_RETRY_LIMIT));
            StatusResponse { status: JobStatus::Running, current_step: Some(step), progress: Some(percent), ..nothing }
        }
        TaskState::Completed | TaskState::Failed | TaskState::Quarantined | TaskState::Cancelled => {
            ended(&row, nothing)
        }
    }))
}

/// Returns the status of a job that has ended: failed if it has no results, or the repository could not be cloned.
fn ended(row: &JobRow, nothing: StatusResponse) -> StatusResponse {
    if let Some(results) = row.run.as_ref().and_then(|run| run.results.as_ref()).and_then(HealingResults::of) {
        if let Some(error) = results.error_of_repository() {
            let error = Some(error.to_owned());
            return StatusResponse { status: JobStatus::Failed, results: Some(results), error, ..nothing };
        }
        return StatusResponse { status: JobStatus::Completed, results: Some(results), ..nothing };
    }
    let cancelled = || "it was cancelled before it came to a result".to_owned();
    let told = row.run.as_ref().and_then(|run| run.results.as_ref()?["error"]["message"].as_str().map(str::to_owned));
    let error = told.or_else(|| row.task.error_message.clone()).unwrap_or_else(cancelled);
    StatusResponse { status: JobStatus::Failed, error: Some(error), ..nothing }
}

/// Get a job with its task and its run
#[utoipa::path(get, path = "/api/jobs/{job_id}", operation_id = "getJob", tag = tag::HEAL,
    params(("job_id" = String, Path, format = Uuid, description = "The job's name")), responses(
    (status = 200, description = "The job", body = Job),
    (status = 404, description = "There is no such job", body = ErrorResponse)))]
pub(super) async fn job(State(shared): State<Shared>, Path(job): Path<String>) -> Result<Json<Job>, ApiError> {
    let row = find(&shared, &job).await?;
    Ok(Json(Job {
        job_id: row.job,
        asked_by: row.asked_by,
        created_at: Time(row.created_at),
        task: Task::of(row.task),
        run: row.run.as_ref().map(RunSummary::of),
    }))
}
