//! Alerts: stored with the change that they report, together with the notices that deliver them.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::breaker::Reason;
use sqlx::any::AnyRow;

use crate::database::Dialect;
use crate::filter::Filter;
use crate::row::storable;
use crate::write::{OnIdle, Write};
use crate::{Store, StoreError, notice, row};

/// Time within which an alert is not repeated for the same target or shared cause.
const ALERT_REST: Duration = Duration::from_hours(24);

/// Filter of a list of alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertFilter {
    /// Only alerts about this target.
    pub target: Option<String>,
    /// Only alerts about a target that contains this text, in upper or lower case.
    pub search: Option<String>,
    /// Only alerts older than the one with this number.
    pub before: Option<i64>,
    /// Maximum number of alerts, the newest first.
    pub limit: u32,
}

impl AlertFilter {
    /// Returns a filter for the newest `limit` alerts.
    pub const fn newest(limit: u32) -> Self {
        Self { target: None, search: None, before: None, limit }
    }

    /// Returns a filter for the newest `limit` alerts about a target.
    pub fn about(target: impl Into<String>, limit: u32) -> Self {
        Self { target: Some(target.into()), ..Self::newest(limit) }
    }
}

/// An alert as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertRow {
    /// Number of the alert.
    pub alert: i64,
    /// Subject of the alert, such as a source's name.
    pub target: String,
    /// Reason for the alert, such as `QUARANTINE`.
    pub kind: String,
    /// Description of the event and of what to do.
    pub message: String,
    /// Time of the alert.
    pub created_at: Timestamp,
    /// Time at which it was posted.
    pub posted_at: Option<Timestamp>,
    /// Time at which it was sent by mail.
    pub mailed_at: Option<Timestamp>,
}

impl AlertRow {
    /// Returns the reason for which the breaker has opened, if the alert reports that.
    pub fn breaker_reason(&self) -> Option<Reason> {
        AlertKind::from_name(&self.kind).and_then(AlertKind::breaker_reason)
    }
}

const ALERT: &str = "
    INSERT INTO alert (target, kind, message, created_at, host, cause, is_quiet)
    SELECT $1, $2, $3, CAST($4 AS BIGINT), $5, $6, CASE WHEN EXISTS (
        SELECT 1 FROM alert other
        WHERE other.kind = $2 AND other.host = $5 AND other.cause = $6 AND other.created_at > $7 AND other.target <> $1
          AND other.is_quiet = 0) THEN 1 ELSE 0 END
    WHERE $8 = 0 OR NOT EXISTS (
        SELECT 1 FROM alert same WHERE same.target = $1 AND same.kind = $2 AND same.created_at > $7)";

/// Returns the writes that store an alert and its notices, unless the same alert is recent. Of the alerts that several targets have for
/// one shared cause, only the first of a day is delivered.
pub(crate) fn writes(dialect: Dialect, at: Timestamp, alert: &Alert) -> [Write; 2] {
    let Alert { target, kind, message, shared } = alert;
    let statement = sqlx::query(ALERT)
        .bind(storable(target))
        .bind(kind.name())
        .bind(storable(message))
        .bind(at.as_millis())
        .bind(shared.as_ref().map(|shared| storable(&shared.host)))
        .bind(shared.as_ref().map(|shared| storable(&shared.cause)))
        .bind(at.minus(ALERT_REST).as_millis())
        .bind(i64::from(kind.is_rate_limited()));
    [statement, notice::of_alert(dialect, alert, at)].map(|statement| Write { statement, on_idle: OnIdle::Fine })
}

impl Store {
    /// Raises alerts outside of a run: either all of them or none.
    pub async fn raise(&self, at: Timestamp, alerts: &[Alert]) -> Result<(), StoreError> {
        let dialect = self.database.dialect;
        self.write_all(alerts.iter().flat_map(|alert| writes(dialect, at, alert)).collect()).await
    }

    /// The alerts, the newest first; of one target when it is named, and only those before one when that is named.
    pub async fn alerts(&self, filter: &AlertFilter) -> Result<Vec<AlertRow>, StoreError> {
        let statement = Filter::of("alert")
            .and("target =", filter.target.as_deref())
            .and_contains("target", filter.search.as_deref())
            .and("alert_id <", filter.before)
            .newest("alert_id", filter.limit);
        let rows = statement.fetch_all(&self.database.pool).await?;
        let alert = |row: &AnyRow| {
            Ok(AlertRow {
                alert: row::integer(row, "alert_id")?,
                target: row::text(row, "target")?,
                kind: row::text(row, "kind")?,
                message: row::text(row, "message")?,
                created_at: row::time(row, "created_at")?,
                posted_at: row::optional_time(row, "posted_at")?,
                mailed_at: row::optional_time(row, "mailed_at")?,
            })
        };
        rows.iter().map(alert).collect()
    }
}
