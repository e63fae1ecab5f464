//! Metrics, in the text format of Prometheus (`OpenMetrics` 1.0).

use std::sync::Arc;
use std::time::{Duration, Instant};

use autoheal_engine::Outcome;
use autoheal_engine::source::HealthState;
use autoheal_store::UsageBy;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use super::ServerState;
use crate::api::error::ApiError;

const KIND: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Asked {
    method: String,
    route: String,
    status: u16,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Tasks {
    kind: &'static str,
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Health {
    state: &'static str,
}

/// Metrics of this process.
#[derive(Clone)]
pub(crate) struct Metrics {
    requests: Family<Asked, Counter>,
    seconds: Histogram,
    registry: Arc<Registry>,
}

impl Metrics {
    pub(super) fn new() -> Self {
        let (requests, seconds) = (Family::default(), Histogram::new(exponential_buckets(0.0005, 2.0, 16)));
        let mut registry = Registry::with_prefix("autoheal");
        registry.register("http_requests", "Requests that were answered", requests.clone());
        registry.register("http_request_seconds", "How long an answer took to begin", seconds.clone());
        Self { requests, seconds, registry: Arc::new(registry) }
    }
}

/// Counts a request and measures its latency.
pub(super) async fn count(State(metrics): State<Metrics>, request: Request, next: Next) -> Response {
    // Clients may invent methods: each would be a series.
    let known = [Method::GET, Method::POST, Method::PATCH, Method::DELETE, Method::HEAD, Method::OPTIONS, Method::PUT];
    let method = known.iter().find(|known| *known == request.method()).map_or("other", Method::as_str).to_owned();
    // The route, not the path: names of runs would be a series each.
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
    let begun = Instant::now();
    let response = next.run(request).await;
    metrics.seconds.observe(begun.elapsed().as_secs_f64());
    metrics.requests.get_or_create(&Asked { method, route, status: response.status().as_u16() }).inc();
    response
}

/// Returns the metrics of this process, and those computed from the database.
pub(super) async fn serve(State(state): State<ServerState>) -> Result<impl IntoResponse, ApiError> {
    let store = &state.api.services.store;
    let mut stored = Registry::with_prefix("autoheal");
    let tasks = Family::<Tasks, Gauge>::default();
    for (kind, state, count) in store.task_counts().await? {
        tasks.get_or_create(&Tasks { kind: kind.name(), state: state.name() }).set(count.cast_signed());
    }
    let sources = Family::<Health, Gauge>::default();
    let counts = store.source_counts().await?;
    for state in HealthState::ALL {
        let count = counts.get(&state).copied().unwrap_or(0);
        sources.get_or_create(&Health { state: state.name() }).set(count.cast_signed());
    }
    // An index leads to the last day; the database may hold a hundred times as much.
    let last_day = store.now().minus(Duration::from_hours(24));
    let glance = store.glance(last_day).await?;
    let (runs, alerts) = (Gauge::<i64>::default(), Gauge::<i64>::default());
    runs.set(glance.runs.cast_signed());
    let ended = Family::<Ended, Gauge>::default();
    for &outcome in Outcome::ALL {
        let count = glance.outcomes.get(&outcome).copied().unwrap_or(0);
        ended.get_or_create(&Ended { outcome: outcome.name() }).set(count.cast_signed());
    }
    alerts.set(glance.alerts.cast_signed());
    let (tokens, micro_dollars) = (Gauge::<i64>::default(), Gauge::<i64>::default());
    for row in store.usage(last_day, UsageBy::Day).await? {
        tokens.inc_by(row.usage.tokens().cast_signed());
        micro_dollars.inc_by(row.usage.micro_dollars.cast_signed());
    }
    stored.register("tasks", "Tasks that are open or in quarantine, by kind and state", tasks);
    stored.register("sources", "Sources by their health", sources);
    stored.register("runs_last_day", "Runs that began within the last 24 hours", runs);
    stored.register("runs_ended_last_day", "Those of them that have ended, by their outcome", ended);
    stored.register("alerts_last_day", "Alerts of the last 24 hours", alerts);
    stored.register("llm_tokens_last_day", "Tokens of language models within the last 24 hours", tokens);
    stored.register(
        "llm_micro_dollars_last_day",
        "Their cost in millionths of a US dollar, where it is known",
        micro_dollars,
    );
    let mut text = String::new();
    let fault = |error: std::fmt::Error| ApiError::internal(&error);
    encode(&mut text, &state.metrics.registry).map_err(fault)?;
    // One document: the end is marked once.
    let own = text.trim_end().trim_end_matches("# EOF").to_owned();
    let mut rest = String::new();
    encode(&mut rest, &stored).map_err(fault)?;
    Ok(([(header::CONTENT_TYPE, KIND)], own + &rest))
}
