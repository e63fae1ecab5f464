//! Overview of the server, and its liveness and readiness probes.

use std::collections::BTreeMap;
use std::time::Duration;

use autoheal_engine::source::HealthState;
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::ApiError;
use super::{Shared, tag};

/// Overview of the queue, runs, sources and alerts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Overview {
    /// The version of autoheal.
    pub version: &'static str,
    /// Number of tasks in the queue, by state.
    pub queue: QueueGlance,
    /// Runs that were started in the last 24 hours.
    pub runs: RunGlance,
    /// Sources by their health.
    pub sources: SourceGlance,
    /// Number of alerts raised in the last 24 hours.
    pub alerts_today: u64,
    /// Number of entries in the list of matters that need a decision of the user.
    pub needs_you: usize,
    /// True if folders of the server's machine may be healed, too: `server.repositories` names at least one.
    pub local_repositories: bool,
}

/// Number of tasks in the queue, by state.
#[derive(Debug, Serialize, ToSchema)]
pub struct QueueGlance {
    /// Number of tasks that wait for a worker.
    pub pending: u64,
    /// Number of tasks that a worker is running.
    pub running: u64,
}

/// Runs that were started in the last 24 hours.
#[derive(Debug, Serialize, ToSchema)]
pub struct RunGlance {
    /// Number of runs.
    pub today: u64,
    /// Number of the ended ones, by their outcome, such as `fixed`; an outcome that did not occur is left out.
    pub outcomes: BTreeMap<&'static str, u64>,
}

/// Number of sources, by health.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct SourceGlance {
    /// Sources whose last run succeeded.
    pub active: u64,
    /// Sources whose last run failed.
    pub degraded: u64,
    /// Sources in quarantine, for which no automatic attempt at a fix is made.
    pub quarantined: u64,
    /// Sources whose host name no longer exists.
    pub dead: u64,
}

/// Get an overview of the server
#[utoipa::path(get, path = "/api/overview", operation_id = "getOverview", tag = tag::SERVER, responses(
    (status = 200, description = "At a glance", body = Overview)))]
pub(super) async fn overview(State(shared): State<Shared>) -> Result<Json<Overview>, ApiError> {
    let services = &shared.services;
    let glance = services.store.glance(services.store.now().minus(Duration::from_hours(24))).await?;
    let counts = services.store.source_counts().await?;
    let count = |state| counts.get(&state).copied().unwrap_or(0);
    Ok(Json(Overview {
        version: env!("CARGO_PKG_VERSION"),
        queue: QueueGlance { pending: glance.pending, running: glance.running },
        runs: RunGlance {
            today: glance.runs,
            outcomes: glance.outcomes.iter().map(|(outcome, &runs)| (outcome.name(), runs)).collect(),
        },
        sources: SourceGlance {
            active: count(HealthState::Active),
            degraded: count(HealthState::Degraded),
            quarantined: count(HealthState::Quarantined),
            dead: count(HealthState::Dead),
        },
        alerts_today: glance.alerts,
        needs_you: super::needs::of(&services.store).await?.len(),
        local_repositories: services.healing.has_folders(),
    }))
}

/// Liveness of the server.
#[derive(Debug, Serialize, ToSchema)]
pub struct Liveness {
    /// Status of the server: always `ok`, since an unavailable server does not respond.
    pub status: &'static str,
}

/// Readiness of the server for work.
#[derive(Debug, Serialize, ToSchema)]
pub struct Readiness {
    /// Readiness: `ready` or `unavailable`.
    pub status: &'static str,
    /// True if the database responds.
    pub database: bool,
    /// True if there is enough free disk space to begin a task; `worker.min_free_mib` sets the minimum.
    pub room: bool,
}

/// Check whether the server is there
#[utoipa::path(get, path = "/healthz", operation_id = "isAlive", tag = tag::SERVER, security(()), responses(
    (status = 200, description = "It is", body = Liveness)))]
pub(super) async fn alive() -> Json<Liveness> {
    Json(Liveness { status: "ok" })
}

/// Check whether the server is ready for work
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
