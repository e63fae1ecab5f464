//! Deletion of old data, so that no table grows without bound.

use std::time::Duration;

use autoheal_engine::Timestamp;

use crate::{Store, StoreError, row};

/// Retention periods, by kind of data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retention {
    /// Closed tasks with their runs, and the questions and answers of models.
    pub runs: Duration,
    /// The history: values, attempts at fixes, resolved diagnostics of sources, alerts, decisions, the accounts of models, versions of recipes.
    pub history: Duration,
    /// Maximum number of sets of values stored for one page; the newest are kept.
    pub values: u32,
}

impl Default for Retention {
    fn default() -> Self {
        const DAY: Duration = Duration::from_hours(24);
        Self { runs: 30 * DAY, history: 365 * DAY, values: 10_000 }
    }
}

/// Number of rows that were deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Number of closed tasks.
    pub tasks: u64,
    /// Number of their runs, each with its checkpoints, events, diagnostics and outputs.
    pub runs: u64,
    /// Number of rows of other tables.
    pub rows: u64,
}

/// Time after which a finished run keeps only its last checkpoint, which shows how it ended; nothing resumes from the others.
const CHECKPOINTS: Duration = Duration::from_hours(24);

/// At most 200 tasks are deleted in one transaction, so that a worker's checkpoint does not have to wait for all of them.
const RUNS: &str = "
    DELETE FROM run WHERE task_id IN (
        SELECT task_id FROM task_queue WHERE ready_priority IS NULL AND completed_at < $1 ORDER BY task_id LIMIT 200)";

const TASKS: &str = "
    DELETE FROM task_queue WHERE task_id IN (
        SELECT task_id FROM task_queue WHERE ready_priority IS NULL AND completed_at < $1 ORDER BY task_id LIMIT 200)";

const OLD_CHECKPOINTS: &str = "
    DELETE FROM run_checkpoint
    WHERE run_id IN (
        SELECT run.run_id FROM run WHERE run.finished_at < $1 AND (
            SELECT COUNT(*) FROM run_checkpoint of_run WHERE of_run.run_id = run.run_id) > 1
        ORDER BY run.run_id LIMIT 200)
      AND seq < (SELECT MAX(last.seq) FROM run_checkpoint last WHERE last.run_id = run_checkpoint.run_id)";

/// Builds a statement that deletes some of a table's rows that are older than a time, in the order of their key.
macro_rules! old {
    ($table:literal, $key:literal, $at:literal, $but:literal) => {
        concat!(
            "DELETE FROM ",
            $table,
            " WHERE ",
            $key,
            " IN (SELECT ",
            $key,
            " FROM ",
            $table,
            " old WHERE old.",
            $at,
            " < $1 ",
            $but,
            " ORDER BY ",
            $key,
            " LIMIT 1000)"
        )
    };
}

const HISTORY: [&str; 7] = [
    old!("alert", "alert_id", "created_at", ""),
    old!("decision", "decision_id", "at", ""),
    old!("llm_call", "call_id", "at", ""),
    old!("fix_history", "fix_id", "created_at", ""),
    // A source has few of them.
    "DELETE FROM source_diagnostic WHERE resolved_at < $1",
    // The newest values of a page are needed for comparison with the next ones.
    old!(
        "source_value",
        "value_id",
        "at",
        "AND EXISTS (SELECT 1 FROM source_value newer
             WHERE newer.source_name = old.source_name AND newer.url = old.url AND newer.value_id > old.value_id)"
    ),
    // The active version and the target of a rollback stay; so do versions that wait for the user and rejected ones.
    "DELETE FROM recipe_version WHERE created_at < $1 AND stage NOT IN ('PRODUCTION', 'REJECTED') AND waits = 0 AND NOT EXISTS (
         SELECT 1 FROM recipe_version active WHERE active.source_name = recipe_version.source_name
             AND active.in_force IS NOT NULL AND active.replaces = recipe_version.version)",
];

const PASSING: [&str; 2] = [
    // An idle host starts again without history.
    "DELETE FROM host_turn WHERE idle_at < $1",
    old!("name_check", "check_id", "at", ""),
];

const CROWDED_PAGES: &str = "
    SELECT source_name, url FROM source_value GROUP BY source_name, url HAVING COUNT(*) > $1 ORDER BY source_name, url";

const CROWD: &str = "
    DELETE FROM source_value WHERE source_name = $1 AND url = $2 AND value_id <= (
        SELECT value_id FROM source_value WHERE source_name = $1 AND url = $2 ORDER BY value_id DESC LIMIT 1 OFFSET $3)";

impl Store {
    /// Deletes data that is older than `retention` allows. Open tasks stay, and so does the data that a source's next run needs.
    ///
    /// # Errors
    ///
    /// Any error that the database reports; rows deleted before it stay deleted.
    pub async fn forget(&self, retention: &Retention) -> Result<Pruned, StoreError> {
        let now = self.now();
        self.forget_model_texts(now.minus(retention.runs)).await?;
        let mut pruned = self.prune(now.minus(retention.runs)).await?;
        pruned.rows += self.delete_all(OLD_CHECKPOINTS, now.minus(CHECKPOINTS)).await?;
        for statement in HISTORY {
            pruned.rows += self.delete_all(statement, now.minus(retention.history)).await?;
        }
        for statement in PASSING {
            pruned.rows += self.delete_all(statement, now.minus(retention.runs)).await?;
        }
        pruned.rows += self.thin_out_values(retention.values).await?;
        Ok(pruned)
    }

    /// Forgets the tasks that ended before `before`, with their runs and all that belongs to them. Open tasks stay.
    ///
    /// # Errors
    ///
    /// Any error that the database reports; rows deleted before it stay deleted.
    pub async fn prune(&self, before: Timestamp) -> Result<Pruned, StoreError> {
        let mut pruned = Pruned::default();
        loop {
            let step = self.prune_some(before).await?;
            if step.tasks == 0 {
                return Ok(pruned);
            }
            pruned.tasks += step.tasks;
            pruned.runs += step.runs;
        }
    }

    async fn prune_some(&self, before: Timestamp) -> Result<Pruned, StoreError> {
        let before = before.as_millis();
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    let runs = sqlx::query(RUNS).bind(before).execute(&mut *connection).await?.rows_affected();
                    let tasks = sqlx::query(TASKS).bind(before).execute(&mut *connection).await?.rows_affected();
                    Ok(Pruned { tasks, runs, rows: 0 })
                })
            })
            .await
    }

    /// Executes a statement that deletes some of the rows that are older than a time, until no such row is left.
    async fn delete_all(&self, statement: &'static str, before: Timestamp) -> Result<u64, StoreError> {
        let mut rows = 0;
        loop {
            let statement = sqlx::query(statement).bind(before.as_millis());
            let deleted = self.database.write(move |connection| {
                Box::pin(async move { Ok(statement.execute(connection).await?.rows_affected()) })
            });
            match deleted.await? {
                0 => return Ok(rows),
                deleted => rows += deleted,
            }
        }
    }

    async fn thin_out_values(&self, most: u32) -> Result<u64, StoreError> {
        let pages = sqlx::query(CROWDED_PAGES).bind(i64::from(most)).fetch_all(&self.database.pool).await?;
        let mut rows = 0;
        for page in &pages {
            let statement = sqlx::query(CROWD)
                .bind(row::text(page, "source_name")?)
                .bind(row::text(page, "url")?)
                .bind(i64::from(most));
            let deleted = self.database.write(move |connection| {
                Box::pin(async move { Ok(statement.execute(connection).await?.rows_affected()) })
            });
            rows += deleted.await?;
        }
        Ok(rows)
    }
}
