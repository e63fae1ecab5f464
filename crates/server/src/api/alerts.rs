//! Alerts: the messages that autoheal raised for its operators.

use autoheal_engine::breaker::Reason;
use autoheal_store::{AlertFilter, AlertRow};
use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::error::ApiError;
use super::request::Query;
use super::schema::{self, Limit, Time};
use super::{Shared, tag};

/// An alert that was raised for the operators.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    /// Number of the alert.
    pub alert_id: i64,
    /// Subject of the alert: a source, a host, or a repository.
    pub target: String,
    /// Reason for the alert.
    #[schema(schema_with = schema::alert_kind)]
    pub kind: String,
    /// Reason for which the circuit breaker of the source has opened; absent for alerts about anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = schema::breaker_reason, required = false)]
    pub breaker_reason: Option<Reason>,
    /// Message that describes the event and the action to take.
    pub message: String,
    /// Time at which the alert was raised.
    pub created_at: Time,
    /// Time at which the alert was posted to a web address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posted_at: Option<Time>,
    /// Time at which the alert was mailed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mailed_at: Option<Time>,
}

impl From<AlertRow> for Alert {
    fn from(row: AlertRow) -> Self {
        let breaker_reason = row.breaker_reason();
        let AlertRow { alert, target, kind, message, created_at, posted_at, mailed_at } = row;
        Self {
            alert_id: alert,
            target,
            kind,
            breaker_reason,
            message,
            created_at: Time(created_at),
            posted_at: posted_at.map(Time),
            mailed_at: mailed_at.map(Time),
        }
    }
}

/// Alerts, the newest first.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertList {
    /// Alerts that match the filter.
    pub alerts: Vec<Alert>,
    /// Cursor of the next page, for `before`; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<i64>,
}

/// Filter for listing alerts.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct AlertQuery {
    /// Only alerts about this source, host or repository.
    target: Option<String>,
    /// Only alerts about a source, host or repository whose name contains this text.
    search: Option<String>,
    /// Only alerts older than the one with this number.
    before: Option<i64>,
    /// Maximum number of alerts.
    #[serde(default)]
    #[param(schema_with = schema::limit, required = false)]
    limit: Limit,
}

/// List alerts, the newest first
#[utoipa::path(get, path = "/api/alerts", operation_id = "listAlerts", tag = tag::ALERTS, params(AlertQuery), responses(
    (status = 200, description = "The alerts", body = AlertList)))]
pub(super) async fn list(
    State(shared): State<Shared>,
    Query(query): Query<AlertQuery>,
) -> Result<Json<AlertList>, ApiError> {
    let (target, search) = (query.target, query.search);
    let filter = AlertFilter { target, search, before: query.before, limit: query.limit.asked() };
    let mut rows = shared.services.store.alerts(&filter).await?;
    let next = query.limit.page(&mut rows, |row| row.alert);
    Ok(Json(AlertList { alerts: rows.into_iter().map(Into::into).collect(), next }))
}
