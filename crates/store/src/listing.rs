//! Lists for users: runs by their subject, and an overview.

use std::collections::BTreeMap;

use autoheal_engine::source::{HealthState, SnapshotRole};
use autoheal_engine::task::{TaskKind, TaskState};
use autoheal_engine::{RunId, TaskId, Timestamp};
use sqlx::any::AnyRow;

use crate::filter::{Filter, literal_pattern};
use crate::row::{inflate, storable};
use crate::run::run_row;
use crate::source::{recipe_row, value_row};
use crate::{RecipeRow, RunRow, Store, StoreError, ValueRow, row};

/// State of a run, as a filter of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// The run is unfinished.
    Running,
    /// It ended, and its target was healthy.
    Healed,
    /// It ended, and its target was not healthy.
    NotHealed,
}

/// Filter of a list of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs of tasks of this kind.
    pub kind: Option<TaskKind>,
    /// Only runs about this target.
    pub target: Option<String>,
    /// Only runs about a target that contains this text, in upper or lower case.
    pub target_contains: Option<String>,
    /// Only runs in this state.
    pub state: Option<RunState>,
    /// Only runs of this task.
    pub task: Option<TaskId>,
    /// Only runs that began before this one.
    pub before: Option<RunId>,
    /// Maximum number of runs, the newest first.
    pub limit: u32,
}

impl RunFilter {
    /// Returns a filter for the newest `limit` runs.
    pub const fn newest(limit: u32) -> Self {
        Self { kind: None, target: None, target_contains: None, state: None, task: None, before: None, limit }
    }
}

const RECENT: &str = "
    SELECT run_id, target, finished_at, healed FROM (
        SELECT run_id, target, finished_at, healed, ROW_NUMBER() OVER (PARTITION BY target ORDER BY run_id DESC) AS place
        FROM run WHERE workflow = 'REFRESH_SOURCE') AS numbered
    WHERE place <= $1 ORDER BY target, run_id DESC";

const LATEST: &str = "
    SELECT source_value.* FROM source JOIN source_value ON source_value.value_id = (
        SELECT MAX(value_id) FROM source_value newest WHERE newest.source_name = source.source_name)
    WHERE $1 IS NULL OR source.source_name = $1";

const GLANCE: &str = "
    SELECT (SELECT COUNT(*) FROM task_queue WHERE state = 'PENDING') AS pending,
           (SELECT COUNT(*) FROM task_queue WHERE state = 'IN_PROGRESS') AS running,
           (SELECT COUNT(*) FROM run WHERE started_at >= $1) AS runs,
           (SELECT COUNT(*) FROM run WHERE started_at >= $1 AND healed = 1) AS healed,
           (SELECT COUNT(*) FROM alert WHERE created_at >= $1) AS alerts";

/// A run of a source, as a sparkline shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentRun {
    /// Identifier of the run.
    pub run: RunId,
    /// Time at which it ended.
    pub finished_at: Option<Timestamp>,
    /// True if the target was healthy at the end.
    pub healed: Option<bool>,
}

/// Counts for an overview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Glance {
    /// Number of tasks that wait for a worker.
    pub pending: u64,
    /// Number of tasks that a worker is running.
    pub running: u64,
    /// Number of runs that began since the given time.
    pub runs: u64,
    /// Number of these runs after which the target was healthy.
    pub healed: u64,
    /// Number of alerts written since the given time.
    pub alerts: u64,
}

/// A stored page without its content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRow {
    /// Number of the stored page.
    pub snapshot: i64,
    /// Role of the page.
    pub role: SnapshotRole,
    /// URL that was requested.
    pub url: String,
    /// Time at which the page was stored.
    pub taken_at: Timestamp,
}

fn snapshot_row(row: &AnyRow) -> Result<SnapshotRow, StoreError> {
    let role = row::text(row, "role")?;
    Ok(SnapshotRow {
        snapshot: row::integer(row, "snapshot_id")?,
        role: SnapshotRole::from_name(&role).ok_or(StoreError::Corrupt { column: "role", found: role })?,
        url: row::text(row, "url")?,
        taken_at: row::time(row, "taken_at")?,
    })
}

impl Store {
    /// Runs, the newest first.
    pub async fn runs(&self, filter: &RunFilter) -> Result<Vec<RunRow>, StoreError> {
        let state = filter.state.map(|state| match state {
            RunState::Running => "unfinished_task IS NOT NULL",
            RunState::Healed => "healed = 1",
            RunState::NotHealed => "healed = 0",
        });
        // Their names sort by time.
        let statement = Filter::of("run")
            .and("workflow =", filter.kind.map(TaskKind::name))
            .and("target =", filter.target.as_deref())
            .and_contains("target", filter.target_contains.as_deref())
            .and("run_id <", filter.before.map(|run| run.to_string()).as_deref())
            .and("task_id =", filter.task.map(|task| task.0))
            .and_that(state)
            .newest("run_id", filter.limit);
        statement.fetch_all(&self.database.pool).await?.iter().map(run_row).collect()
    }

    /// Returns the identifiers of at most `limit` runs that begin with `prefix`, the newest first. The case of letters is ignored.
    pub async fn runs_that_begin_with(&self, prefix: &str, limit: u32) -> Result<Vec<RunId>, StoreError> {
        let rows = sqlx::query("SELECT run_id FROM run WHERE run_id LIKE $1 ESCAPE '\\' ORDER BY run_id DESC LIMIT $2")
            .bind(format!("{}%", literal_pattern(&prefix.to_ascii_lowercase())))
            .bind(i64::from(limit))
            .fetch_all(&self.database.pool)
            .await?;
        rows.iter().map(row::run_id).collect()
    }

    /// The last runs of each source, or of one, the oldest first.
    pub async fn recent_runs(
        &self,
        source: Option<&str>,
        each: u32,
    ) -> Result<BTreeMap<String, Vec<RecentRun>>, StoreError> {
        let query = match source {
            None => sqlx::query(RECENT).bind(i64::from(each)),
            one => {
                let refreshes = Filter::of("run").and("workflow =", Some(TaskKind::RefreshSource.name()));
                refreshes.and("target =", one).newest("run_id", each)
            }
        };
        let mut recent: BTreeMap<String, Vec<RecentRun>> = BTreeMap::new();
        for row in query.fetch_all(&self.database.pool).await?.into_iter().rev() {
            recent.entry(row::text(&row, "target")?).or_default().push(RecentRun {
                run: row::run_id(&row)?,
                finished_at: row::optional_time(&row, "finished_at")?,
                healed: row::optional_integer(&row, "healed")?.map(|flag| flag != 0),
            });
        }
        Ok(recent)
    }

    /// The values that each source, or one, gave last.
    pub async fn latest_values(&self, source: Option<&str>) -> Result<BTreeMap<String, ValueRow>, StoreError> {
        let rows = sqlx::query(LATEST).bind(source.map(storable)).fetch_all(&self.database.pool).await?;
        rows.iter().map(|row| Ok((row::text(row, "source_name")?, value_row(row)?))).collect()
    }

    /// Returns the recipes of every source that are active or wait for a review.
    pub async fn standing_recipes(&self) -> Result<BTreeMap<String, Vec<RecipeRow>>, StoreError> {
        let sql = "SELECT * FROM recipe_version WHERE in_force IS NOT NULL OR waits = 1 ORDER BY source_name, version";
        let mut recipes: BTreeMap<String, Vec<RecipeRow>> = BTreeMap::new();
        for row in sqlx::query(sql).fetch_all(&self.database.pool).await? {
            recipes.entry(row::text(&row, "source_name")?).or_default().push(recipe_row(&row)?);
        }
        Ok(recipes)
    }

    /// Returns the stored pages of a source, the newest first.
    pub async fn kept_pages(&self, source: &str) -> Result<Vec<SnapshotRow>, StoreError> {
        let sql =
            "SELECT snapshot_id, role, url, taken_at FROM snapshot WHERE source_name = $1 ORDER BY snapshot_id DESC";
        let rows = sqlx::query(sql).bind(storable(source)).fetch_all(&self.database.pool).await?;
        rows.iter().map(snapshot_row).collect()
    }

    /// One of them, with its content.
    pub async fn kept_page(&self, source: &str, snapshot: i64) -> Result<Option<(SnapshotRow, Vec<u8>)>, StoreError> {
        let sql = "SELECT * FROM snapshot WHERE source_name = $1 AND snapshot_id = $2";
        let found = sqlx::query(sql).bind(storable(source)).bind(snapshot).fetch_optional(&self.database.pool).await?;
        found.map(|row| Ok((snapshot_row(&row)?, inflate(&row, "content_deflate")?))).transpose()
    }

    /// Counts the tasks that are open now, and the runs and alerts since a time.
    pub async fn glance(&self, since: Timestamp) -> Result<Glance, StoreError> {
        let row = sqlx::query(GLANCE).bind(since.as_millis()).fetch_one(&self.database.pool).await?;
        Ok(Glance {
            pending: row::number(&row, "pending")?,
            running: row::number(&row, "running")?,
            runs: row::number(&row, "runs")?,
            healed: row::number(&row, "healed")?,
            alerts: row::number(&row, "alerts")?,
        })
    }

    /// Counts the sources in each state of health.
    pub async fn source_counts(&self) -> Result<BTreeMap<HealthState, u64>, StoreError> {
        let sql = "SELECT source_health.state, COUNT(*) AS sources
                   FROM source JOIN source_health ON source_health.source_name = source.source_name GROUP BY source_health.state";
        let rows = sqlx::query(sql).fetch_all(&self.database.pool).await?;
        rows.iter().map(|row| Ok((row::health_state(row)?, row::number(row, "sources")?))).collect()
    }

    /// Counts the tasks of each kind in each state.
    pub async fn task_counts(&self) -> Result<Vec<(TaskKind, TaskState, u64)>, StoreError> {
        let sql = "SELECT type, state, COUNT(*) AS tasks FROM task_queue GROUP BY type, state ORDER BY type, state";
        let rows = sqlx::query(sql).fetch_all(&self.database.pool).await?;
        rows.iter().map(|row| Ok((row::task_kind(row)?, row::task_state(row)?, row::number(row, "tasks")?))).collect()
    }

    /// Checks that the database responds.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").fetch_one(&self.database.pool).await?;
        Ok(())
    }
}
