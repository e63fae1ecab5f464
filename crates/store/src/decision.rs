//! Decisions of users about sources: written in the transaction of the change itself.

use autoheal_engine::Timestamp;
use autoheal_engine::source::Decision;
use sqlx::any::AnyRow;

use crate::database::Statement;
use crate::row::storable;
use crate::{Store, StoreError, row};

/// A decision as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRow {
    /// Time of the decision.
    pub at: Timestamp,
    /// The user's decision, such as `APPROVED`.
    pub decision: Decision,
    /// Version of the recipe that it was about, if any.
    pub version: Option<u32>,
    /// User who made the decision.
    pub asked_by: String,
    /// Reason that the user gave.
    pub note: Option<String>,
}

const MADE: &str =
    "INSERT INTO decision (source_name, decision, version, asked_by, note, at) VALUES ($1, $2, $3, $4, $5, $6)";

pub(crate) fn made(
    source: &str,
    decision: Decision,
    version: Option<u32>,
    asked_by: &str,
    note: Option<&str>,
    at: Timestamp,
) -> Statement {
    sqlx::query(MADE)
        .bind(storable(source))
        .bind(decision.name())
        .bind(version.map(i64::from))
        .bind(storable(asked_by))
        .bind(note.map(storable))
        .bind(at.as_millis())
}

impl Store {
    /// Returns the decisions about a source, the newest first. They outlive the source: one that was removed and added again keeps
    /// its history.
    pub async fn decisions(&self, source: &str, limit: u32) -> Result<Vec<DecisionRow>, StoreError> {
        let sql = "SELECT * FROM decision WHERE source_name = $1 ORDER BY decision_id DESC LIMIT $2";
        let query = sqlx::query(sql).bind(storable(source)).bind(i64::from(limit));
        query.fetch_all(&self.database.pool).await?.iter().map(decision).collect()
    }
}

fn decision(row: &AnyRow) -> Result<DecisionRow, StoreError> {
    let name = row::text(row, "decision")?;
    let version = row::optional_integer(row, "version")?.map(u32::try_from).transpose();
    Ok(DecisionRow {
        at: row::time(row, "at")?,
        decision: Decision::from_name(&name).ok_or(StoreError::Corrupt { column: "decision", found: name })?,
        version: version.map_err(|error| StoreError::Corrupt { column: "version", found: error.to_string() })?,
        asked_by: row::text(row, "asked_by")?,
        note: row::optional_text(row, "note")?,
    })
}
