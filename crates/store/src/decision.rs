//! What people decided about sources, and who: written with the change itself.

use autoheal_engine::Timestamp;
use autoheal_engine::source::Decision;
use sqlx::any::AnyRow;

use crate::database::Statement;
use crate::row::storable;
use crate::{Store, StoreError, row};

/// A decision as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecisionRow {
    /// When.
    pub at: Timestamp,
    /// What.
    pub decision: Decision,
    /// The version of the recipe that it was about.
    pub version: Option<u32>,
    /// Who.
    pub asked_by: String,
}

const MADE: &str = "INSERT INTO decision (source_name, decision, version, asked_by, at) VALUES ($1, $2, $3, $4, $5)";

pub(crate) fn made(source: &str, decision: Decision, version: Option<u32>, asked_by: &str, at: Timestamp) -> Statement {
    sqlx::query(MADE)
        .bind(storable(source))
        .bind(decision.name())
        .bind(version.map(i64::from))
        .bind(storable(asked_by))
        .bind(at.as_millis())
}

impl Store {
    /// What was decided about a source, the newest first. It outlives the source: one that was removed and added again has its past.
    ///
    /// # Errors
    ///
    /// What the database reports.
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
    })
}
