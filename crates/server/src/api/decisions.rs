//! Requests about a source (such as running it now), and the user's decisions about its fixes.

use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_source::decide;
use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;

use super::error::{ApiCode, ApiError, ErrorResponse};
use super::request::{Asker, Body, Path};
use super::sources::{Source, current, find, parsed};
use super::tasks::{Task, enqueue};
use super::{Shared, tag};
use crate::pages::AcceptedPages;

/// Maximum length of a reason, in characters.
const LONGEST_REASON: usize = 500;

/// Queues work on a source, to be done now; if the same work is queued already, it becomes due at once.
async fn enqueue_now(shared: &Shared, name: &str, kind: TaskKind) -> Result<Json<Task>, ApiError> {
    let row = find(shared, name).await?;
    Ok(Json(enqueue(shared, &NewTask::new(kind, row.source, shared.services.store.now())).await?))
}

/// Run a source now
#[utoipa::path(post, path = "/api/sources/{name}/run", operation_id = "runSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), responses(
    (status = 200, description = "The work", body = Task),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn run(State(shared): State<Shared>, Path(name): Path<String>) -> Result<Json<Task>, ApiError> {
    enqueue_now(&shared, &name, TaskKind::RefreshSource).await
}

/// Run the Doctor on a source now
///
/// Within the limits of the circuit breaker.
#[utoipa::path(post, path = "/api/sources/{name}/heal", operation_id = "healSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), responses(
    (status = 200, description = "The work", body = Task),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn heal(State(shared): State<Shared>, Path(name): Path<String>) -> Result<Json<Task>, ApiError> {
    enqueue_now(&shared, &name, TaskKind::FixSource).await
}

/// End a source's quarantine
#[utoipa::path(post, path = "/api/sources/{name}/release", operation_id = "releaseSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), responses(
    (status = 200, description = "The source as it is now", body = Source),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn release(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(name): Path<String>,
) -> Result<Json<Source>, ApiError> {
    decide::release(&shared.services.store, &parsed(&name)?, &asker, shared.services.store.now()).await?;
    current(&shared, &name).await
}

/// Approve the waiting fix
#[utoipa::path(post, path = "/api/sources/{name}/approve", operation_id = "approveFix", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), responses(
    (status = 200, description = "The source as it is now", body = Source),
    (status = 404, description = "There is no such source", body = ErrorResponse),
    (status = 409, description = "No fix waits", body = ErrorResponse)))]
pub(super) async fn approve(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(name): Path<String>,
) -> Result<Json<Source>, ApiError> {
    decide::approve(&shared.services.store, &parsed(&name)?, &asker, shared.services.store.now()).await?;
    current(&shared, &name).await
}

/// Rejection of a fix.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RejectRequest {
    /// Reason, which is kept with the decision.
    #[schema(max_length = 500)]
    pub reason: Option<String>,
}

/// Reject the waiting fix
#[utoipa::path(post, path = "/api/sources/{name}/reject", operation_id = "rejectFix", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), request_body = Option<RejectRequest>, responses(
    (status = 200, description = "The source as it is now", body = Source),
    (status = 404, description = "There is no such source", body = ErrorResponse),
    (status = 409, description = "No fix waits", body = ErrorResponse)))]
pub(super) async fn reject(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(name): Path<String>,
    request: Option<Body<RejectRequest>>,
) -> Result<Json<Source>, ApiError> {
    let request = request.map(|Body(request)| request).unwrap_or_default();
    let reason = request.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    if reason.is_some_and(|reason| reason.chars().count() > LONGEST_REASON) {
        return Err(
            ApiError::invalid(format!("the reason is longer than {LONGEST_REASON} characters")).with("field", "reason")
        );
    }
    decide::reject(&shared.services.store, &parsed(&name)?, reason, &asker, shared.services.store.now()).await?;
    current(&shared, &name).await
}

/// Rejection to undo.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReconsiderRequest {
    /// The rejected version; the newest one by default.
    #[schema(minimum = 1)]
    pub version: Option<u32>,
}

/// Undo the rejection of a fix
///
/// The fix waits for a review again.
#[utoipa::path(post, path = "/api/sources/{name}/reconsider", operation_id = "reconsiderFix", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), request_body = Option<ReconsiderRequest>, responses(
    (status = 200, description = "The source as it is now", body = Source),
    (status = 404, description = "There is no such source", body = ErrorResponse),
    (status = 409, description = "The version is not rejected, or another one waits", body = ErrorResponse)))]
pub(super) async fn reconsider(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(name): Path<String>,
    request: Option<Body<ReconsiderRequest>>,
) -> Result<Json<Source>, ApiError> {
    let version = request.and_then(|Body(request)| request.version);
    let store = &shared.services.store;
    decide::reconsider(store, &parsed(&name)?, version, &asker, store.now()).await?;
    current(&shared, &name).await
}

/// Accept the values of the newest failed run
///
/// The values that the recipe gives on the failed pages are right, although they look unlike those before: they are stored, later
/// pages are compared with them, too, and a quarantine ends.
#[utoipa::path(post, path = "/api/sources/{name}/accept", operation_id = "acceptValues", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), responses(
    (status = 200, description = "The source as it is now", body = Source),
    (status = 404, description = "There is no such source", body = ErrorResponse),
    (status = 409, description = "No failed page is kept, or the recipe does not give its values", body = ErrorResponse)))]
pub(super) async fn accept(
    State(shared): State<Shared>,
    Asker(asked_by): Asker,
    Path(name): Path<String>,
) -> Result<Json<Source>, ApiError> {
    let source = find(&shared, &name).await?.source;
    let accepted = shared.of_pages(AcceptedPages { source, asked_by }).await?;
    accepted.map_err(|reason| ApiError::new(ApiCode::Conflict, reason))?;
    current(&shared, &name).await
}

/// Version to roll back to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackRequest {
    /// Version of the recipe; the previous one by default.
    #[schema(minimum = 1)]
    pub to: Option<u32>,
}

/// Reactivate an earlier version of a recipe
#[utoipa::path(post, path = "/api/sources/{name}/rollback", operation_id = "rollBackSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name")), request_body = RollbackRequest, responses(
    (status = 200, description = "The source as it is now", body = Source),
    (status = 404, description = "There is no such source", body = ErrorResponse),
    (status = 409, description = "There is no such earlier version", body = ErrorResponse)))]
pub(super) async fn rollback(
    State(shared): State<Shared>,
    Asker(asker): Asker,
    Path(name): Path<String>,
    Body(request): Body<RollbackRequest>,
) -> Result<Json<Source>, ApiError> {
    decide::rollback(&shared.services.store, &parsed(&name)?, request.to, &asker, shared.services.store.now()).await?;
    current(&shared, &name).await
}
