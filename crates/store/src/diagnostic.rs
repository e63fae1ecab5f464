//! The diagnostics of sources: the faults that their runs found, counted over all runs.

use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::{DiagnosticsEntry, DiagnosticsLog, Fault as _};
use autoheal_engine::source::PageFault;

use crate::row::{diagnostic_key, json, storable};
use crate::write::{OnIdle, Write};
use crate::{Slice, Store, StoreError, row};

const ENTRY: &str = "
    INSERT INTO source_diagnostic (source_name, diagnostic_key, last_seen_at, resolved_at, entry_json)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (source_name, diagnostic_key) DO UPDATE SET
        last_seen_at = excluded.last_seen_at, resolved_at = excluded.resolved_at, entry_json = excluded.entry_json";

/// The open ones stay, and of the others those seen last.
const CROWD: &str = "
    DELETE FROM source_diagnostic WHERE source_name = $1 AND diagnostic_key NOT IN (
        SELECT diagnostic_key FROM source_diagnostic WHERE source_name = $1
        ORDER BY CASE WHEN resolved_at IS NULL THEN 0 ELSE 1 END, last_seen_at DESC, diagnostic_key LIMIT $2)";

/// The writes that store the current state of some entries.
pub(crate) fn writes(source: &str, entries: &[DiagnosticsEntry<PageFault>]) -> Result<Vec<Write>, StoreError> {
    let mut writes = Vec::new();
    for entry in entries {
        let statement = sqlx::query(ENTRY)
            .bind(storable(source))
            .bind(diagnostic_key(&entry.finding.key())?)
            .bind(entry.last_seen_at.as_millis())
            .bind(entry.resolved_at.map(Timestamp::as_millis))
            .bind(json("a diagnostic", entry)?);
        writes.push(Write { statement, on_idle: OnIdle::Superseded });
    }
    if !entries.is_empty() {
        let most = i64::try_from(DiagnosticsLog::<PageFault>::DEFAULT_CAPACITY).unwrap_or(i64::MAX);
        let statement = sqlx::query(CROWD).bind(storable(source)).bind(most);
        writes.push(Write { statement, on_idle: OnIdle::Fine });
    }
    Ok(writes)
}

impl Store {
    /// Returns the diagnostics of a source: the open ones first, each part by the time at which they were last seen, the newest first.
    pub async fn source_diagnostics(
        &self,
        source: &str,
        slice: Slice,
    ) -> Result<Vec<DiagnosticsEntry<PageFault>>, StoreError> {
        let sql = "SELECT entry_json FROM source_diagnostic WHERE source_name = $1
            ORDER BY CASE WHEN resolved_at IS NULL THEN 0 ELSE 1 END, last_seen_at DESC, diagnostic_key LIMIT $2 OFFSET $3";
        let rows = sqlx::query(sql)
            .bind(storable(source))
            .bind(slice.limit)
            .bind(slice.offset)
            .fetch_all(&self.database.pool)
            .await?;
        rows.iter().map(|row| row::document(row, "entry_json")).collect()
    }
}
