//! The history of a source in few columns: ends of its runs, attempts at fixes.

use autoheal_engine::{RunId, StopReason, Timestamp};

use crate::row::storable;
use crate::{Store, StoreError, row};

/// End of a run of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunEnd {
    /// Identifier of the run.
    pub run: RunId,
    /// Time at which it ended.
    pub at: Timestamp,
    /// Reason it ended; `None` for one that this version does not know.
    pub stop_reason: Option<StopReason>,
}

/// An attempt at a fix, without its documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixAttempt {
    /// Time of the attempt.
    pub at: Timestamp,
    /// The run that made it, as long as it is stored.
    pub run: Option<RunId>,
    /// The kind of error.
    pub error_type: String,
    /// Destination of the fix: `STAGING`, `PRODUCTION` or `FAILED`.
    pub deployed_to: String,
    /// True if its validation passed.
    pub passed: bool,
    /// First error of the validation.
    pub error: Option<String>,
}

impl Store {
    /// Returns the ends of the newest `limit` ordinary runs of a source, the newest first.
    pub async fn run_ends(&self, source: &str, limit: u32) -> Result<Vec<RunEnd>, StoreError> {
        let sql = "SELECT run_id, finished_at, stop_reason FROM run
            WHERE target = $1 AND workflow = 'REFRESH_SOURCE' AND finished_at IS NOT NULL ORDER BY run_id DESC LIMIT $2";
        let query = sqlx::query(sql).bind(storable(source)).bind(i64::from(limit));
        let rows = query.fetch_all(&self.database.pool).await?;
        rows.iter()
            .map(|row| {
                let name = row::optional_text(row, "stop_reason")?;
                Ok(RunEnd {
                    run: row::run_id(row)?,
                    at: row::time(row, "finished_at")?,
                    stop_reason: name.as_deref().and_then(StopReason::from_name),
                })
            })
            .collect()
    }

    /// Returns the newest `limit` attempts at a fix of a target, the newest first.
    pub async fn fix_attempts(&self, target: &str, limit: u32) -> Result<Vec<FixAttempt>, StoreError> {
        let sql = "SELECT created_at, run_id, error_type, deployed_to, validation_result FROM fix_history
            WHERE source_name = $1 ORDER BY fix_id DESC LIMIT $2";
        let query = sqlx::query(sql).bind(storable(target)).bind(i64::from(limit));
        let rows = query.fetch_all(&self.database.pool).await?;
        rows.iter()
            .map(|row| {
                let validation: serde_json::Value = row::document(row, "validation_result")?;
                let run = row::optional_text(row, "run_id")?.map(|_| row::run_id(row)).transpose()?;
                Ok(FixAttempt {
                    at: row::time(row, "created_at")?,
                    run,
                    error_type: row::text(row, "error_type")?,
                    deployed_to: row::text(row, "deployed_to")?,
                    passed: validation["passed"].as_bool().unwrap_or(false),
                    error: validation["errors"][0].as_str().map(str::to_owned),
                })
            })
            .collect()
    }
}
