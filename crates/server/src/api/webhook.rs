//! The webhook through which GitHub reports failing CI, so that the repository is healed.
//!
//! GitHub has no token and is not a page in a browser: its events are authenticated by a signature, made with a secret that only GitHub
//! and this server know. Their content is untrusted nevertheless: it comes from anyone who can push to the repository.

use std::fmt;
use std::time::Duration;

use autoheal_engine::{JobId, Timestamp};
use autoheal_orchestrator::ask_for;
use autoheal_repo::HealRequest;
use autoheal_repo::commit_message::PREFIX;
use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode};
use ring::hmac;
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Builder;

use super::error::{ApiCode, ApiError, ErrorResponse};
use super::{Shared, tag};
use crate::tools::new_task;

/// Outcome of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum WebhookStatus {
    /// The healing of the repository is queued.
    Queued,
    /// The event triggers nothing.
    Ignored,
    /// GitHub can reach the server, and both know the same secret.
    Ready,
}

/// Response to an event.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WebhookResponse {
    /// Outcome of the event.
    pub status: WebhookStatus,
    /// Reason the event is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The job that heals the repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Uuid)]
    pub job_id: Option<JobId>,
}

/// Fields of an event that are used.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct WebhookEvent {
    /// Activity that triggered the event, such as `completed`.
    pub action: Option<String>,
    /// Repository of the event.
    pub repository: Option<EventRepository>,
    /// Run of a workflow of GitHub Actions.
    pub workflow_run: Option<EventCheck>,
    /// Check suite: the results of one app for a commit.
    pub check_suite: Option<EventCheck>,
}

/// A repository on GitHub.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct EventRepository {
    /// Number of the repository on GitHub.
    pub id: u64,
    /// Address of the repository's page.
    pub html_url: Option<String>,
}

/// A workflow run or a check suite.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct EventCheck {
    /// Conclusion of the run or suite.
    pub conclusion: Option<String>,
    /// Time of the last change.
    pub updated_at: Option<String>,
    /// The branch that was checked; missing in check suites of forks.
    pub head_branch: Option<String>,
    /// The commit that was checked.
    pub head_commit: Option<EventCommit>,
    /// Repository of the commit.
    pub head_repository: Option<EventRepository>,
    /// The pull requests of the branch.
    #[serde(default)]
    pub pull_requests: Vec<Option<EventPullRequest>>,
}

/// The commit that was checked.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct EventCommit {
    /// Commit message.
    pub message: Option<String>,
}

/// A pull request of the branch.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct EventPullRequest {
    /// Head of the pull request: the branch it comes from.
    pub head: Option<EventEnd>,
}

/// Head or base of a pull request.
#[derive(Debug, Clone, Deserialize, ToSchema)]
pub struct EventEnd {
    /// Repository of the branch, unless it was deleted.
    pub repo: Option<EventRepository>,
}

/// Reason an event is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ignored {
    Event,
    Unfinished,
    NotFailed,
    Fork,
    Own,
    Old,
    Disabled,
}

impl fmt::Display for Ignored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Event => "only workflow_run and check_suite tell of CI that fails",
            Self::Unfinished => "it is not completed",
            Self::NotFailed => "it did not fail",
            Self::Fork => "it comes from another repository, such as a fork: nothing could be pushed there",
            Self::Own => "the branch or the commit is autoheal's own",
            Self::Old => "it is older than a week; a recorded event could be sent again",
            Self::Disabled => "repositories are healed when the setting server.github_webhook.enabled is true",
        })
    }
}

/// Maximum age of an event. Jobs are kept for longer, so that an event is processed once; GitHub redelivers events up to three days old.
const FRESH: Duration = Duration::from_hours(7 * 24);

/// Returns the branch to heal after an event.
fn red_branch(
    check: EventCheck,
    action: Option<&str>,
    repository: &EventRepository,
    now: Timestamp,
) -> Result<String, Ignored> {
    if action != Some("completed") {
        return Err(Ignored::Unfinished);
    }
    if check.conclusion.as_deref() != Some("failure") {
        return Err(Ignored::NotFailed);
    }
    let is_elsewhere = |other: Option<&EventRepository>| other.is_none_or(|other| other.id != repository.id);
    let head_is_elsewhere = check.head_repository.as_ref().is_some_and(|head| is_elsewhere(Some(head)));
    let mut pulls = check.pull_requests.iter().flatten().filter_map(|pull| pull.head.as_ref());
    let Some(branch) = check.head_branch else { return Err(Ignored::Fork) };
    if head_is_elsewhere || pulls.any(|head| is_elsewhere(head.repo.as_ref())) {
        return Err(Ignored::Fork);
    }
    let message = check.head_commit.and_then(|commit| commit.message).unwrap_or_default();
    if branch.ends_with("_AI_Fix") || message.starts_with(PREFIX) {
        return Err(Ignored::Own);
    }
    let changed_at = check.updated_at.as_deref().and_then(Timestamp::from_rfc3339);
    if changed_at.is_none_or(|at| now.since(at) > FRESH) {
        return Err(Ignored::Old);
    }
    Ok(branch)
}

/// Receive an event of GitHub
///
/// For a webhook of GitHub with the content type `application/json`. Signed with the secret that both know; a repository whose
/// `workflow_run` or `check_suite` has failed is healed, where the settings allow it. An event that comes twice is one job.
#[utoipa::path(post, path = "/api/webhooks/github", operation_id = "receiveGitHubEvent", tag = tag::HEAL,
    security(()), request_body = WebhookEvent,
    params(
        ("X-GitHub-Event" = String, Header, description = "The kind of event"),
        ("X-Hub-Signature-256" = String, Header, description = "`sha256=` and the HMAC-SHA256 of the body, in hexadecimal")
    ), responses(
    (status = 200, description = "A `ping`", body = WebhookResponse),
    (status = 202, description = "The effect of the event", body = WebhookResponse),
    (status = 401, description = "The signature is missing or wrong", body = ErrorResponse),
    (status = 404, description = "There is no webhook: the server has no secret for it", body = ErrorResponse)))]
pub(super) async fn receive(
    State(shared): State<Shared>,
    headers: HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Result<(StatusCode, Json<WebhookResponse>), ApiError> {
    let webhook = &shared.services.webhook;
    let Some(secret) = &webhook.secret else {
        let message = "there is no webhook: set AUTOHEAL_GITHUB_WEBHOOK_SECRET";
        return Err(ApiError::new(ApiCode::NotFound, message));
    };
    let body = body.map_err(|rejection| ApiError::invalid(rejection.body_text()).at(rejection.status()))?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose_secret().as_bytes());
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let given = text("x-hub-signature-256").strip_prefix("sha256=").and_then(from_hexadecimal).unwrap_or_default();
    // In constant time.
    if hmac::verify(&key, &body, &given).is_err() {
        let message =
            "X-Hub-Signature-256 is missing or wrong: give GitHub the secret that is in AUTOHEAL_GITHUB_WEBHOOK_SECRET";
        return Err(ApiError::new(ApiCode::Unauthorized, message));
    }
    let ignored = |reason: String| {
        let response = WebhookResponse { status: WebhookStatus::Ignored, reason: Some(reason), job_id: None };
        Ok((StatusCode::ACCEPTED, Json(response)))
    };
    let event = text("x-github-event");
    let is_of_ci = match event {
        "ping" => {
            let response = WebhookResponse { status: WebhookStatus::Ready, reason: None, job_id: None };
            return Ok((StatusCode::OK, Json(response)));
        }
        "workflow_run" | "check_suite" => true,
        _ => false,
    };
    if !is_of_ci {
        return ignored(Ignored::Event.to_string());
    }
    let told: WebhookEvent = serde_json::from_slice(&body)
        .map_err(|error| ApiError::invalid(format!("the body is not an event as application/json: {error}")))?;
    let check = if event == "workflow_run" { told.workflow_run } else { told.check_suite };
    let (Some(check), Some(repository)) = (check, told.repository) else {
        return Err(ApiError::invalid(format!("the event lacks `{event}` or `repository`")));
    };
    let branch = match red_branch(check, told.action.as_deref(), &repository, shared.services.store.now()) {
        Ok(_) if !webhook.is_enabled => return ignored(Ignored::Disabled.to_string()),
        Ok(branch) => branch,
        Err(reason) => return ignored(reason.to_string()),
    };
    let healing = &shared.services.healing;
    let address = match healing.address_of(repository.html_url.as_deref().unwrap_or_default()) {
        Ok(address) => address,
        Err(refusal) => return ignored(refusal.to_string()),
    };
    // Not the commit: the branch is healed in its state when the task starts, so several pushes to it are one task.
    let task = new_task(
        &shared.services.worker,
        &address,
        HealRequest { branch: Some(branch), ..healing.for_person(&address) },
    )?;
    // The same event has the same name, however often and by whomever it is sent; to know it is not to know the signature.
    let job = job_of(&hmac::sign(&key, &[b"job ".as_slice(), hmac::sign(&key, &body).as_ref()].concat()));
    let store = &shared.services.store;
    if store.job(job).await?.is_none() {
        // While another branch of the repository is healed this is a conflict: GitHub marks the event as not delivered, and shows it to
        // the repository's owner, who can deliver it again.
        let enqueued = ask_for(store, &task).await?;
        if let Err(error) = store.add_job(job, enqueued.id, &format!("github:{event}"), store.now()).await
            && store.job(job).await?.is_none()
        {
            return Err(error.into());
        }
    }
    let response = WebhookResponse { status: WebhookStatus::Queued, reason: None, job_id: Some(job) };
    Ok((StatusCode::ACCEPTED, Json(response)))
}

fn job_of(tag: &hmac::Tag) -> JobId {
    let mut bytes = [0; 16];
    for (byte, given) in bytes.iter_mut().zip(tag.as_ref()) {
        *byte = *given;
    }
    JobId(Builder::from_custom_bytes(bytes).into_uuid())
}

fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|place| u8::from_str_radix(text.get(place..place + 2)?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_is_read_exactly() {
        assert_eq!(from_hexadecimal("00ff7F"), Some(vec![0, 255, 127]));
        for text in ["0", "0g", "é0", "+1", " 1"] {
            assert_eq!(from_hexadecimal(text), None, "{text}");
        }
    }
}
