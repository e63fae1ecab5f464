//! Lists for users: runs by their subject, and an overview.

use std::collections::BTreeMap;

use autoheal_engine::source::{HealthState, SnapshotRole};
use autoheal_engine::task::{TaskKind, TaskState};
use autoheal_engine::{Outcome, RunId, TaskId, Timestamp};
use sqlx::any::AnyRow;

use crate::filter::{Filter, literal_pattern};
use crate::row::{inflate, storable};
use crate::run::run_row;
use crate::source::{SOURCES, recipe_row, source_row};
use crate::{RecipeRow, RunRow, Slice, SourceRow, Store, StoreError, row};

/// State of a run, as a filter of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunState {
    /// The run is unfinished.
    Running,
    /// It ended with this outcome.
    Ended(Outcome),
}

/// Filter of a list of runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFilter {
    /// Only runs of tasks of this kind.
    pub kind: Option<TaskKind>,
    /// Only runs about this target.
    pub target: Option<String>,
    /// Only runs about a target that contains this text, in upper or lower case.
    pub search: Option<String>,
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
        Self { kind: None, target: None, search: None, state: None, task: None, before: None, limit }
    }
}

/// Filter of a page of sources.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceFilter {
    /// Only sources whose name, address or definition contains this text, in upper or lower case.
    pub search: Option<String>,
    /// Only sources with this health.
    pub state: Option<HealthState>,
    /// True for only those with a fix that waits for a review.
    pub waits: bool,
    /// Order of the sources.
    pub order: SourceOrder,
    /// Number of sources to leave out at the beginning.
    pub offset: u32,
    /// Maximum number of sources.
    pub limit: u32,
}

/// Order of a list of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceOrder {
    /// The dead ones first, then those in quarantine, then those that fail.
    #[default]
    Health,
    /// By name.
    Name,
    /// Those first whose last success is the longest ago.
    LastSuccess,
    /// Those first that failed last.
    LastFailure,
    /// Those first that failed most often.
    Failures,
}

const COUNT: &str = "
    SELECT COUNT(*) AS sources
    FROM source JOIN source_health health ON health.source_name = source.source_name WHERE 1 = 1";

const RECENT: &str = "
    SELECT run_id, target, finished_at, outcome FROM (
        SELECT run_id, target, finished_at, outcome, ROW_NUMBER() OVER (PARTITION BY target ORDER BY run_id DESC) AS place
        FROM run WHERE workflow = 'REFRESH_SOURCE'";

/// Closed tasks have no `ready_priority`, so that its index leads to the open ones.
const GLANCE: &str = "
    SELECT (SELECT COUNT(*) FROM task_queue WHERE ready_priority >= -2147483648 AND state = 'PENDING') AS pending,
           (SELECT COUNT(*) FROM task_queue WHERE ready_priority >= -2147483648 AND state = 'IN_PROGRESS') AS running,
           (SELECT COUNT(*) FROM alert WHERE created_at >= $1) AS alerts";

/// Each half has its own index.
const TASKS: &str = "
    SELECT type, state, COUNT(*) AS tasks FROM task_queue WHERE ready_priority >= -2147483648 GROUP BY type, state
    UNION ALL
    SELECT type, state, COUNT(*) AS tasks FROM task_queue WHERE state = 'QUARANTINED' GROUP BY type, state
    ORDER BY type, state";

/// Unfinished runs have no outcome. The index by start holds the outcomes, too; that of outcomes would lead to each row.
const OUTCOMES: &str = "
    SELECT NULLIF(COALESCE(outcome, ''), '') AS outcome, COUNT(*) AS runs
    FROM run WHERE started_at >= $1 GROUP BY COALESCE(outcome, '')";

/// The targets of all runs: each is one step in their index, however many runs it has.
const TARGETS: &str = "
    WITH RECURSIVE target_of_run (name) AS (
        SELECT MIN(target) FROM run
        UNION ALL
        SELECT (SELECT MIN(run.target) FROM run WHERE run.target > target_of_run.name)
        FROM target_of_run WHERE target_of_run.name IS NOT NULL
    )
    SELECT name FROM target_of_run WHERE name IS NOT NULL";

/// A search that so few targets match is a search for these targets; a scan of the newest runs finds the others soon enough.
const FEW_TARGETS: u32 = 20;

/// A run of a source, as a sparkline shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentRun {
    /// Identifier of the run.
    pub run: RunId,
    /// Time at which it ended.
    pub finished_at: Option<Timestamp>,
    /// Outcome of the run; `None` while it is unfinished.
    pub outcome: Option<Outcome>,
}

/// Counts for an overview.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Glance {
    /// Number of tasks that wait for a worker.
    pub pending: u64,
    /// Number of tasks that a worker is running.
    pub running: u64,
    /// Number of runs that began since the given time.
    pub runs: u64,
    /// Number of these runs by their outcome; the unfinished ones are left out.
    pub outcomes: BTreeMap<Outcome, u64>,
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
        let (running, outcome) = match filter.state {
            None => (None, None),
            Some(RunState::Running) => (Some("unfinished_task IS NOT NULL"), None),
            Some(RunState::Ended(outcome)) => (None, Some(outcome.name())),
        };
        // Their names sort by time.
        let mut runs = Filter::of("run");
        if let Some(search) = filter.search.as_deref() {
            let found =
                Filter::of_statement(TARGETS).and_contains("name", Some(search)).page("name", 0, FEW_TARGETS + 1);
            let found = found.fetch_all(&self.database.pool).await?;
            if found.is_empty() {
                return Ok(Vec::new());
            }
            runs = if found.len() > FEW_TARGETS as usize {
                runs.and_contains("target", Some(search))
            } else {
                let targets: Vec<String> = found.iter().map(|row| row::text(row, "name")).collect::<Result<_, _>>()?;
                runs.and_any("target", &targets)
            };
        }
        let statement = runs
            .and("workflow =", filter.kind.map(TaskKind::name))
            .and("target =", filter.target.as_deref())
            .and("run_id <", filter.before.map(|run| run.to_string()).as_deref())
            .and("task_id =", filter.task.map(|task| task.0))
            .and("outcome =", outcome)
            .and_that(running)
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

    /// Returns the last runs of these sources, at most `each` of each, the oldest first.
    pub async fn recent_runs(
        &self,
        sources: &[String],
        each: u32,
    ) -> Result<BTreeMap<String, Vec<RecentRun>>, StoreError> {
        let mut recent: BTreeMap<String, Vec<RecentRun>> = BTreeMap::new();
        if sources.is_empty() {
            return Ok(recent);
        }
        let numbered = Filter::of_statement(RECENT).and_any("target", sources).and_then(") AS numbered WHERE 1 = 1");
        let statement =
            numbered.and("place <=", Some(i64::from(each))).and_then(" ORDER BY target, run_id").statement();
        for row in statement.fetch_all(&self.database.pool).await? {
            recent.entry(row::text(&row, "target")?).or_default().push(RecentRun {
                run: row::run_id(&row)?,
                finished_at: row::optional_time(&row, "finished_at")?,
                outcome: row::outcome(&row)?,
            });
        }
        Ok(recent)
    }

    /// Returns the recipes of these sources that are active or wait for a review.
    pub async fn standing_recipes(&self, sources: &[String]) -> Result<BTreeMap<String, Vec<RecipeRow>>, StoreError> {
        let mut recipes: BTreeMap<String, Vec<RecipeRow>> = BTreeMap::new();
        if sources.is_empty() {
            return Ok(recipes);
        }
        let standing = Filter::of("recipe_version").and_any("source_name", sources);
        let standing = standing.and_then(" AND (in_force IS NOT NULL OR waits = 1) ORDER BY source_name, version");
        for row in standing.statement().fetch_all(&self.database.pool).await? {
            recipes.entry(row::text(&row, "source_name")?).or_default().push(recipe_row(&row)?);
        }
        Ok(recipes)
    }

    /// Returns one page of the sources that match, and the number of all that match.
    pub async fn source_page(&self, filter: &SourceFilter) -> Result<(Vec<SourceRow>, u64), StoreError> {
        let select = |statement| {
            let searched = "(source.source_name || ' ' || source.definition_json)";
            Filter::of_statement(statement)
                .and("health.state =", filter.state.map(HealthState::name))
                .and_that(filter.waits.then_some(
                    "EXISTS (SELECT 1 FROM recipe_version WHERE recipe_version.source_name = source.source_name AND waits = 1)",
                ))
                .and_contains(searched, filter.search.as_deref())
        };
        let counted = select(COUNT).statement().fetch_one(&self.database.pool).await?;
        let order = match filter.order {
            SourceOrder::Health => {
                "CASE health.state WHEN 'DEAD' THEN 0 WHEN 'QUARANTINED' THEN 1 WHEN 'DEGRADED' THEN 2 ELSE 3 END, health.source_name"
            }
            SourceOrder::Name => "source.source_name",
            SourceOrder::LastSuccess => "health.last_success_at, source.source_name",
            SourceOrder::LastFailure => "COALESCE(health.last_failure_at, 0) DESC, source.source_name",
            SourceOrder::Failures => "health.failure_count DESC, source.source_name",
        };
        let statement = select(SOURCES).page(order, filter.offset, filter.limit);
        let rows = statement.fetch_all(&self.database.pool).await?;
        Ok((rows.iter().map(source_row).collect::<Result<_, _>>()?, row::number(&counted, "sources")?))
    }

    /// Returns the stored pages of a source, the newest first.
    pub async fn kept_pages(&self, source: &str, slice: Slice) -> Result<Vec<SnapshotRow>, StoreError> {
        let sql = "SELECT snapshot_id, role, url, taken_at FROM snapshot WHERE source_name = $1
            ORDER BY snapshot_id DESC LIMIT $2 OFFSET $3";
        let rows = sqlx::query(sql)
            .bind(storable(source))
            .bind(slice.limit)
            .bind(slice.offset)
            .fetch_all(&self.database.pool)
            .await?;
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
        let counted = sqlx::query(OUTCOMES).bind(since.as_millis()).fetch_all(&self.database.pool).await?;
        let (mut outcomes, mut runs) = (BTreeMap::new(), 0);
        for row in &counted {
            runs += row::number::<u64>(row, "runs")?;
            if let Some(outcome) = row::outcome(row)? {
                outcomes.insert(outcome, row::number(row, "runs")?);
            }
        }
        let row = sqlx::query(GLANCE).bind(since.as_millis()).fetch_one(&self.database.pool).await?;
        Ok(Glance {
            pending: row::number(&row, "pending")?,
            running: row::number(&row, "running")?,
            runs,
            outcomes,
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

    /// Counts the tasks of each kind that are open or in quarantine, by their state. Of closed tasks there may be a hundred million.
    pub async fn task_counts(&self) -> Result<Vec<(TaskKind, TaskState, u64)>, StoreError> {
        let rows = sqlx::query(TASKS).fetch_all(&self.database.pool).await?;
        rows.iter().map(|row| Ok((row::task_kind(row)?, row::task_state(row)?, row::number(row, "tasks")?))).collect()
    }

    /// Checks that the database responds.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").fetch_one(&self.database.pool).await?;
        Ok(())
    }
}
