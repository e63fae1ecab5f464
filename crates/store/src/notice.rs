//! Notices for web addresses and mail: written with the change that they report, delivered later by any
//! worker, at least once.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::alert::Alert;
use serde_json::{Value, json};
use sqlx::any::AnyRow;

use crate::database::{Dialect, Statement};
use crate::row::storable;
use crate::{Store, StoreError, row};

/// Maximum age of a notice: one that is not delivered by then is deleted.
const LONGEST_LIFE: Duration = Duration::from_hours(7 * 24);

/// Adds one notice per channel, but only if the alert was stored and no other target's represents it.
const OF_ALERT: &str = "
    INSERT INTO notice (target, channel, alert_id, body_json, created_at, due_at)
    SELECT alert.target, way.channel, alert.alert_id, $2, alert.created_at, alert.created_at
    FROM alert CROSS JOIN (SELECT 'POST' AS channel UNION ALL SELECT 'MAIL' AS channel) way
    WHERE alert.is_quiet = 0 AND alert.alert_id = (SELECT MAX(kept.alert_id) FROM alert kept
        WHERE kept.target = $1 AND kept.kind = $4 AND kept.message = $5 AND kept.created_at = $3)";

const OF_SOURCE: &str = "
    INSERT INTO notice (target, address, body_json, created_at, due_at) VALUES ($1, $2, $3, $4, $4)";

/// A claim sets a new due time: a notice that was not delivered by then is due again.
const CLAIM: &str = "
    UPDATE notice SET due_at = $2, tries = tries + 1 WHERE notice_id = (
        SELECT notice_id FROM notice WHERE due_at <= $1 AND (address IS NOT NULL OR (channel = 'POST' AND $3 = 1) OR (channel = 'MAIL' AND $4 = 1))
        ORDER BY CASE WHEN address IS NULL THEN 0 ELSE 1 END, due_at, notice_id LIMIT 1 {skip_locked})
    RETURNING *";

const ARRIVED: [&str; 2] = [
    "UPDATE alert SET posted_at = CASE $3 WHEN 'POST' THEN $2 ELSE posted_at END,
         mailed_at = CASE $3 WHEN 'MAIL' THEN $2 ELSE mailed_at END
     WHERE alert_id = (SELECT alert_id FROM notice WHERE notice_id = $1)",
    "DELETE FROM notice WHERE notice_id = $1",
];

/// Channel by which a notice is delivered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Channel {
    /// Posted to a web address.
    Post,
    /// Sent by mail.
    Mail,
}

impl Channel {
    /// Returns the name that the column stores.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Post => "POST",
            Self::Mail => "MAIL",
        }
    }

    fn from_name(name: &str) -> Option<Self> {
        [Self::Post, Self::Mail].into_iter().find(|channel| channel.name() == name)
    }
}

/// Channels by which the caller can deliver alerts, because their destination is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reach {
    /// Set if alerts can be posted to a web address.
    pub post: bool,
    /// Set if alerts can be sent by mail.
    pub mail: bool,
}

/// A notice that is waiting to be delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct NoticeRow {
    /// Number of the notice, the same at each attempt.
    pub notice: i64,
    /// Subject of the notice, such as a source's name.
    pub target: String,
    /// Channel by which it is delivered.
    pub channel: Channel,
    /// Number of the alert that it reports, if it reports one.
    pub alert: Option<i64>,
    /// Destination; `None`: the destination of alerts.
    pub address: Option<String>,
    /// Body of the request.
    pub body: Value,
    /// Time at which it was written.
    pub created_at: Timestamp,
    /// Number of attempts to deliver it, the current one included.
    pub tries: u32,
    /// Error of the last attempt.
    pub last_error: Option<String>,
}

pub(crate) fn of_alert(dialect: Dialect, alert: &Alert, at: Timestamp) -> Statement {
    let Alert { target, kind, message, .. } = alert;
    let mut body = json!({
        "type": "alert", "target": target, "kind": kind.name(), "message": message, "at": at.to_rfc3339(),
    });
    if let Some(reason) = kind.breaker_reason() {
        body["breaker_reason"] = json!(reason);
    }
    sqlx::query(dialect.sql(OF_ALERT))
        .bind(storable(target))
        .bind(body.to_string())
        .bind(at.as_millis())
        .bind(kind.name())
        .bind(storable(message))
}

pub(crate) fn of_source(source: &str, address: &str, body: &Value, at: Timestamp) -> Statement {
    sqlx::query(OF_SOURCE).bind(storable(source)).bind(storable(address)).bind(body.to_string()).bind(at.as_millis())
}

fn notice(row: &AnyRow) -> Result<NoticeRow, StoreError> {
    let channel = row::text(row, "channel")?;
    Ok(NoticeRow {
        notice: row::integer(row, "notice_id")?,
        target: row::text(row, "target")?,
        channel: Channel::from_name(&channel).ok_or(StoreError::Corrupt { column: "channel", found: channel })?,
        alert: row::optional_integer(row, "alert_id")?,
        address: row::optional_text(row, "address")?,
        body: row::document(row, "body_json")?,
        created_at: row::time(row, "created_at")?,
        tries: row::number(row, "tries")?,
        last_error: row::optional_text(row, "last_error")?,
    })
}

impl Store {
    /// Claims a notice that is due, if there is one; no other caller gets it before `until`. Notices of alerts are only claimed
    /// for the channels in `alerts`.
    pub async fn claim_notice(
        &self,
        now: Timestamp,
        until: Timestamp,
        alerts: Reach,
    ) -> Result<Option<NoticeRow>, StoreError> {
        let statement = sqlx::query(self.database.dialect.sql(CLAIM))
            .bind(now.as_millis())
            .bind(until.as_millis())
            .bind(i64::from(alerts.post))
            .bind(i64::from(alerts.mail));
        let row = self.database.execute(statement).await?;
        row.as_ref().map(notice).transpose()
    }

    /// It was delivered, which its alert remembers.
    pub async fn delivered(&self, notice: &NoticeRow, at: Timestamp) -> Result<(), StoreError> {
        let [remember, forget] = ARRIVED;
        let remember = sqlx::query(remember).bind(notice.notice).bind(at.as_millis()).bind(notice.channel.name());
        let forget = sqlx::query(forget).bind(notice.notice);
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    remember.execute(&mut *connection).await?;
                    forget.execute(&mut *connection).await?;
                    Ok(())
                })
            })
            .await
    }

    /// It was not delivered, and is due again then, or never.
    pub async fn not_delivered(&self, notice: i64, due: Option<Timestamp>, error: &str) -> Result<(), StoreError> {
        let sql = "UPDATE notice SET due_at = $2, last_error = $3 WHERE notice_id = $1";
        let statement = sqlx::query(sql).bind(notice).bind(due.map(Timestamp::as_millis)).bind(storable(error));
        self.database.execute(statement).await?;
        Ok(())
    }

    /// Returns notices whose delivery was tried without success, the newest first; only those of `target` if it is given.
    pub async fn undelivered(&self, target: Option<&str>, limit: u32) -> Result<Vec<NoticeRow>, StoreError> {
        let sql = "SELECT * FROM notice WHERE last_error IS NOT NULL AND ($1 IS NULL OR target = $1)
                   ORDER BY notice_id DESC LIMIT $2";
        let query = sqlx::query(sql).bind(target.map(storable)).bind(i64::from(limit));
        query.fetch_all(&self.database.pool).await?.iter().map(notice).collect()
    }

    /// Deletes notices that were not delivered within a week.
    pub async fn forget_old_notices(&self, now: Timestamp) -> Result<(), StoreError> {
        let sql = "DELETE FROM notice WHERE created_at < $1";
        self.database.execute(sqlx::query(sql).bind(now.minus(LONGEST_LIFE).as_millis())).await?;
        Ok(())
    }
}
