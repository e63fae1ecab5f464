//! Diagnostics of a source, and its timeline.

use autoheal_engine::diagnostics::DiagnosticsEntry;
use autoheal_engine::source::PageFault;
use autoheal_engine::{RunId, StopReason};
use autoheal_source::timeline::{self, Event, EventKind};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::error::{ApiError, ErrorResponse};
use super::request::{Path, Query};
use super::schema::{self, Part, Time};
use super::source_records::HowMany;
use super::sources::find;
use super::{Shared, tag};

/// A fault of a source's runs, counted over all runs.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SourceDiagnostic {
    /// Kind of the failure: a reason for which a run of a source ends.
    #[schema(schema_with = schema::stop_reason)]
    pub category: StopReason,
    /// Name of the field; absent if the whole page is at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Status of the response, if it was an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Address of the page that showed the fault last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Message of the last occurrence.
    pub message: String,
    /// Time at which it was first seen.
    pub first_seen_at: Time,
    /// Time at which it was last seen.
    pub last_seen_at: Time,
    /// Number of runs that reported the fault.
    pub occurrence_count: u32,
    /// Time of the first run in which it no longer appeared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Time>,
}

impl From<DiagnosticsEntry<PageFault>> for SourceDiagnostic {
    fn from(entry: DiagnosticsEntry<PageFault>) -> Self {
        let PageFault { category, field, status, page, message } = entry.finding;
        Self {
            category,
            field,
            status,
            page,
            message,
            first_seen_at: Time(entry.first_seen_at),
            last_seen_at: Time(entry.last_seen_at),
            occurrence_count: entry.occurrence_count,
            resolved_at: entry.resolved_at.map(Time),
        }
    }
}

/// The diagnostics of a source.
#[derive(Debug, Serialize, ToSchema)]
pub struct SourceDiagnosticList {
    /// The open ones first; of each part, those seen last first.
    pub diagnostics: Vec<SourceDiagnostic>,
    /// Offset of the next part of the list; absent in the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<u32>,
}

/// An event of a source.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimelineEvent {
    /// Time of the event; of several failed runs, of the last one.
    pub at: Time,
    /// Time of the first of several failed runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Time>,
    /// Kind of the event.
    #[schema(schema_with = schema::event_kind)]
    pub kind: EventKind,
    /// Reason as a code: that of a run's end, of a fix, of the circuit breaker, or the name of a decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// Number of failed runs that the event represents; otherwise 1.
    pub count: u32,
    /// Description of the event.
    pub message: String,
    /// The run that it is about, as long as it is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = Uuid)]
    pub run_id: Option<RunId>,
}

impl From<Event> for TimelineEvent {
    fn from(event: Event) -> Self {
        let Event { at, since, count, kind, code, message, run } = event;
        Self { at: Time(at), since: since.map(Time), kind, code, count, message, run_id: run }
    }
}

/// The timeline of a source.
#[derive(Debug, Serialize, ToSchema)]
pub struct Timeline {
    /// Failures, fixes, alerts and decisions, the newest first.
    pub events: Vec<TimelineEvent>,
}

/// List the diagnostics of a source
///
/// A diagnostic is a fault of a field or of a page, counted over all runs of the source. A good run resolves it.
#[utoipa::path(get, path = "/api/sources/{name}/diagnostics", operation_id = "listDiagnosticsOfSource", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name"), Part), responses(
    (status = 200, description = "The diagnostics", body = SourceDiagnosticList),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn diagnostics(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<SourceDiagnosticList>, ApiError> {
    let row = find(&shared, &name).await?;
    let mut rows = shared.services.store.source_diagnostics(&row.source, part.asked()).await?;
    let next = part.page(&mut rows);
    Ok(Json(SourceDiagnosticList { diagnostics: rows.into_iter().map(Into::into).collect(), next }))
}

/// Show the timeline of a source
///
/// Failed runs in a row that ended for the same reason are one event.
#[utoipa::path(get, path = "/api/sources/{name}/timeline", operation_id = "showTimeline", tag = tag::SOURCES,
    params(("name" = String, Path, description = "The source's name"), HowMany), responses(
    (status = 200, description = "The events", body = Timeline),
    (status = 404, description = "There is no such source", body = ErrorResponse)))]
pub(super) async fn timeline(
    State(shared): State<Shared>,
    Path(name): Path<String>,
    Query(query): Query<HowMany>,
) -> Result<Json<Timeline>, ApiError> {
    let row = find(&shared, &name).await?;
    let events = timeline::timeline(&shared.services.store, &row.source, query.limit.get()).await?;
    Ok(Json(Timeline { events: events.into_iter().map(Into::into).collect() }))
}
