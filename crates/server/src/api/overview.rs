//! What there is at a glance, and whether the server can do its work.

use std::time::Duration;

use autoheal_engine::source::HealthState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::{ApiError, ErrorResponse};
use super::tag;
use crate::http::Shared;

/// What there is at a glance.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// The version of autoheal.
    pub version: &'static str,
    /// The queue now.
    pub queue: QueueGlance,
    /// Runs that began within the last 24 hours.
    pub runs: RunGlance,
    /// Sources by their health.
    pub sources: SourceGlance,
    /// Alerts of the last 24 hours.
    pub alerts_today: u64,
    /// Whether folders of the server's machine may be healed as well: `server.repositories` names some.
    pub local_repositories: bool,
}

/// The queue now.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueueGlance {
    /// Tasks that wait.
    pub pending: u64,
    /// Tasks that a worker is at.
    pub running: u64,
}

/// Runs that began within the last 24 hours.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunGlance {
    /// All of them.
    pub today: u64,
    /// Those after which the target was well.
    pub healed: u64,
}

/// Sources by their health.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct SourceGlance {
    /// The last run was good.
    pub active: u64,
    /// The last run failed.
    pub degraded: u64,
    /// No automatic attempts.
    pub quarantined: u64,
    /// The host's name is gone.
    pub dead: u64,
}

/// Get what there is at a glance
#[utoipa::path(get, path = "/api/overview", operation_id = "getOverview", tag = tag::SERVER, responses(
    (status = 200, description = "At a glance", body = Overview),
    (status = "default", description = "An error", body = ErrorResponse)))]
pub(super) async fn overview(State(shared): State<Shared>) -> Result<Json<Overview>, ApiError> {
    let services = &shared.services;
    let glance = services.store.glance(services.store.now().minus(Duration::from_hours(24))).await?;
    let counts = services.store.source_counts().await?;
    let count = |state| counts.get(&state).copied().unwrap_or(0);
    Ok(Json(Overview {
        version: env!("CARGO_PKG_VERSION"),
        queue: QueueGlance { pending: glance.pending, running: glance.running },
        runs: RunGlance { today: glance.runs, healed: glance.healed },
        sources: SourceGlance {
            active: count(HealthState::Active),
            degraded: count(HealthState::Degraded),
            quarantined: count(HealthState::Quarantined),
            dead: count(HealthState::Dead),
        },
        alerts_today: glance.alerts,
        local_repositories: services.healing.has_folders(),
    }))
}

/// Whether the server is there.
#[derive(Debug, Serialize, ToSchema)]
pub struct Liveness {
    /// `ok`.
    pub status: &'static str,
}

/// Whether the server can do its work.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    /// `ready`, or `unavailable`.
    pub status: &'static str,
    /// Whether the database answers.
    pub database: bool,
    /// Whether there is disk space to begin anything: `worker.min_free_mib` says how much is wanted.
    pub room: bool,
}

/// Check whether the server is there
#[utoipa::path(get, path = "/healthz", operation_id = "isAlive", tag = tag::SERVER, security(()), responses(
    (status = 200, description = "It is", body = Liveness)))]
pub(super) async fn alive() -> Json<Liveness> {
    Json(Liveness { status: "ok" })
}

/// Check whether the server can do its work
#[utoipa::path(get, path = "/readyz", operation_id = "isReady", tag = tag::SERVER, security(()), responses(
    (status = 200, description = "It can", body = Readiness),
    (status = 503, description = "It cannot now", body = Readiness)))]
pub(super) async fn ready(State(shared): State<Shared>) -> (StatusCode, Json<Readiness>) {
    const PATIENCE: Duration = Duration::from_secs(5);
    let database = matches!(tokio::time::timeout(PATIENCE, shared.services.store.ping()).await, Ok(Ok(())));
    let room = shared.services.worker.missing_room().is_none();
    if database && room && !shared.stop.is_cancelled() {
        (StatusCode::OK, Json(Readiness { status: "ready", database, room }))
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, Json(Readiness { status: "unavailable", database, room }))
    }
}
