//! What is to be posted to web addresses: written with the change that it tells of, posted later by any worker, at least once.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::source::AlertKind;
use serde_json::{Value, json};
use sqlx::any::AnyRow;

use crate::database::{Dialect, Statement};
use crate::row::storable;
use crate::{Store, StoreError, row};

/// What is not delivered by then is forgotten.
const LONGEST_LIFE: Duration = Duration::from_hours(7 * 24);

/// Only an alert that was kept is posted.
const OF_ALERT: &str = "
    INSERT INTO notice (target, body_json, created_at, due_at)
    SELECT $1, $2, CAST($3 AS BIGINT), CAST($3 AS BIGINT) WHERE EXISTS (
        SELECT 1 FROM alert WHERE target = $1 AND kind = $4 AND message = $5 AND created_at = $3)";

const OF_SOURCE: &str = "
    INSERT INTO notice (target, address, body_json, created_at, due_at) VALUES ($1, $2, $3, $4, $4)";

/// A claim is a new time at which it is due: who does not come back has not delivered it.
const CLAIM: &str = "
    UPDATE notice SET due_at = $2, tries = tries + 1 WHERE notice_id = (
        SELECT notice_id FROM notice WHERE due_at <= $1 AND ($3 = 1 OR address IS NOT NULL)
        ORDER BY CASE WHEN address IS NULL THEN 0 ELSE 1 END, due_at, notice_id LIMIT 1 {skip_locked})
    RETURNING notice_id, target, address, body_json, created_at, tries, last_error";

/// Something to post.
#[derive(Debug, Clone, PartialEq)]
pub struct NoticeRow {
    /// Its number, the same each time it is tried.
    pub notice: i64,
    /// What it is about.
    pub target: String,
    /// Where it goes; `None`: where alerts go.
    pub address: Option<String>,
    /// What is posted.
    pub body: Value,
    /// When it was written.
    pub created_at: Timestamp,
    /// How often it was tried, this time included.
    pub tries: u32,
    /// What went wrong last.
    pub last_error: Option<String>,
}

pub(crate) fn of_alert(dialect: Dialect, target: &str, kind: AlertKind, message: &str, at: Timestamp) -> Statement {
    let body = json!({
        "type": "alert", "target": target, "kind": kind.name(), "message": message, "at": at.to_rfc3339(),
    });
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
    Ok(NoticeRow {
        notice: row::integer(row, "notice_id")?,
        target: row::text(row, "target")?,
        address: row::optional_text(row, "address")?,
        body: row::document(row, "body_json")?,
        created_at: row::time(row, "created_at")?,
        tries: row::number(row, "tries")?,
        last_error: row::optional_text(row, "last_error")?,
    })
}

impl Store {
    /// Something that is due, if anything is; nobody else gets it before `until`. Alerts only for who knows where they go.
    ///
    /// # Errors
    ///
    /// What the database reports.
    pub async fn claim_notice(
        &self,
        now: Timestamp,
        until: Timestamp,
        alerts_too: bool,
    ) -> Result<Option<NoticeRow>, StoreError> {
        let statement = sqlx::query(self.database.dialect.sql(CLAIM))
            .bind(now.as_millis())
            .bind(until.as_millis())
            .bind(i64::from(alerts_too));
        let row = self.database.execute(statement).await?;
        row.as_ref().map(notice).transpose()
    }

    /// It was delivered.
    ///
    /// # Errors
    ///
    /// What the database reports.
    pub async fn delivered(&self, notice: i64) -> Result<(), StoreError> {
        self.database.execute(sqlx::query("DELETE FROM notice WHERE notice_id = $1").bind(notice)).await?;
        Ok(())
    }

    /// It was not delivered, and is due again then, or never.
    ///
    /// # Errors
    ///
    /// What the database reports.
    pub async fn not_delivered(&self, notice: i64, due: Option<Timestamp>, error: &str) -> Result<(), StoreError> {
        let sql = "UPDATE notice SET due_at = $2, last_error = $3 WHERE notice_id = $1";
        let statement = sqlx::query(sql).bind(notice).bind(due.map(Timestamp::as_millis)).bind(storable(error));
        self.database.execute(statement).await?;
        Ok(())
    }

    /// What was tried and not delivered, the newest first; of one target when it is named.
    ///
    /// # Errors
    ///
    /// What the database reports.
    pub async fn undelivered(&self, target: Option<&str>, limit: u32) -> Result<Vec<NoticeRow>, StoreError> {
        let sql = "SELECT * FROM notice WHERE last_error IS NOT NULL AND ($1 IS NULL OR target = $1)
                   ORDER BY notice_id DESC LIMIT $2";
        let query = sqlx::query(sql).bind(target.map(storable)).bind(i64::from(limit));
        query.fetch_all(&self.database.pool).await?.iter().map(notice).collect()
    }

    /// Forgets what nobody could deliver for a week, or wanted to.
    ///
    /// # Errors
    ///
    /// What the database reports.
    pub async fn forget_old_notices(&self, now: Timestamp) -> Result<(), StoreError> {
        let sql = "DELETE FROM notice WHERE created_at < $1";
        self.database.execute(sqlx::query(sql).bind(now.minus(LONGEST_LIFE).as_millis())).await?;
        Ok(())
    }
}
