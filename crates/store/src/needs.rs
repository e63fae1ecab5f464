//! Matters that need a decision of the user: read from the state itself, so that an entry is gone as soon as its cause is.

use autoheal_engine::{Outcome, RunId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::filter::Filter;
use crate::{Store, StoreError, row};

/// Kind of a decision that the user is to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NeedKind {
    /// A fix of a source waits for approval.
    Review,
    /// A source is in quarantine: no fixes are attempted until the user releases it, or until a time.
    Quarantine,
    /// The host of a source no longer exists.
    Dead,
    /// A task failed until its retries were used up.
    DeadLetter,
    /// Fixes of a repository are on a branch and wait to be merged.
    Merge,
    /// The last run of a repository did not fix what is wrong.
    NotFixed,
}

impl NeedKind {
    /// All kinds.
    pub const ALL: [Self; 6] =
        [Self::Review, Self::Quarantine, Self::Dead, Self::DeadLetter, Self::Merge, Self::NotFixed];

    /// The name of the kind.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Review => "REVIEW",
            Self::Quarantine => "QUARANTINE",
            Self::Dead => "DEAD",
            Self::DeadLetter => "DEAD_LETTER",
            Self::Merge => "MERGE",
            Self::NotFixed => "NOT_FIXED",
        }
    }
}

/// Something that needs a decision of the user.
#[derive(Debug, Clone, PartialEq)]
pub struct Need {
    /// Kind of the decision.
    pub kind: NeedKind,
    /// The source, or the repository.
    pub target: String,
    /// Time since which it is so.
    pub since: Timestamp,
    /// Version of the recipe that waits.
    pub version: Option<u32>,
    /// Task that failed, or that the run belongs to.
    pub task: Option<TaskId>,
    /// Run that ended so.
    pub run: Option<RunId>,
    /// Message of the error, or name of the stop reason or of the branch.
    pub detail: Option<String>,
}

impl Need {
    const fn new(kind: NeedKind, target: String, since: Timestamp) -> Self {
        Self { kind, target, since, version: None, task: None, run: None, detail: None }
    }
}

const REVIEWS: &str = "SELECT source_name, version, created_at FROM recipe_version WHERE waits = 1";

const SICK: &str = "
    SELECT source_name, state, updated_at FROM source_health WHERE state IN ('QUARANTINED', 'DEAD')";

/// The newest run of each repository, if it began in the given time and needs a decision; without its report, which is long. The index of
/// repositories leads from one to the next, however many runs it has.
const RUNS: &str = "
    WITH RECURSIVE repository (name) AS (
        SELECT MIN(target) FROM run WHERE workflow = 'HEAL_REPO'
        UNION ALL
        SELECT (SELECT MIN(next.target) FROM run next WHERE next.workflow = 'HEAL_REPO' AND next.target > repository.name)
        FROM repository WHERE repository.name IS NOT NULL
    ), newest (run_id) AS MATERIALIZED (
        SELECT (SELECT MAX(run.run_id) FROM run WHERE run.workflow = 'HEAL_REPO' AND run.target = repository.name)
        FROM repository WHERE repository.name IS NOT NULL
    )
    SELECT run.run_id, task_id, target, started_at, finished_at, outcome, stop_reason, results_json
    FROM newest JOIN run ON run.run_id = newest.run_id
    WHERE stop_reason <> 'DEAD_LETTER' AND outcome IN ('fixed', 'partly_fixed', 'unverified', 'needs_review', 'could_not_fix', 'failed')";

impl Store {
    /// Returns the matters that need a decision, the newest first within each kind, at most `limit` of each kind. Of repositories, only runs that
    /// began since the given time.
    pub async fn needs(&self, since: Timestamp, limit: u32) -> Result<Vec<Need>, StoreError> {
        let pool = &self.database.pool;
        let mut needs = Vec::new();
        for row in Filter::of_statement(REVIEWS).newest("created_at", limit).fetch_all(pool).await? {
            let need = Need::new(NeedKind::Review, row::text(&row, "source_name")?, row::time(&row, "created_at")?);
            needs.push(Need { version: Some(row::number(&row, "version")?), ..need });
        }
        for row in Filter::of_statement(SICK).newest("updated_at", limit).fetch_all(pool).await? {
            let kind = if row::text(&row, "state")? == "DEAD" { NeedKind::Dead } else { NeedKind::Quarantine };
            needs.push(Need::new(kind, row::text(&row, "source_name")?, row::time(&row, "updated_at")?));
        }
        // Their index is of this state alone, which an engine sees only in the statement itself.
        let dead = Filter::of("task_queue").and_that(Some("state = 'QUARANTINED'"));
        for row in dead.newest("task_id", limit).fetch_all(pool).await? {
            let task = row::task(&row)?;
            let at = task.completed_at.unwrap_or(task.created_at);
            let need = Need::new(NeedKind::DeadLetter, task.target, at);
            needs.push(Need { task: Some(task.id), detail: task.error_message, ..need });
        }
        let runs = Filter::of_statement(RUNS).and("started_at >=", Some(since.as_millis()));
        // An expression of no index, so that the few rows are sorted: for the order of an index, PostgreSQL would read all runs.
        for row in runs.newest("COALESCE(newest.run_id, '')", limit).fetch_all(pool).await? {
            let results: Value = row::optional_document(&row, "results_json")?.unwrap_or_default();
            let outcome = row::outcome(&row)?;
            let has_branch = results["commit_count"].as_u64().is_some_and(|commits| commits > 0);
            let (kind, detail) = if has_branch || outcome == Some(Outcome::NeedsReview) {
                (NeedKind::Merge, results["branch_name"].as_str().map(str::to_owned))
            } else if matches!(outcome, Some(Outcome::CouldNotFix | Outcome::PartlyFixed | Outcome::Failed)) {
                (NeedKind::NotFixed, row::optional_text(&row, "stop_reason")?)
            } else {
                // A dry run, or one that had nothing to change.
                continue;
            };
            let since = row::optional_time(&row, "finished_at")?.map_or_else(|| row::time(&row, "started_at"), Ok)?;
            let (task, run) = (TaskId(row::integer(&row, "task_id")?), row::run_id(&row)?);
            let need = Need::new(kind, row::text(&row, "target")?, since);
            needs.push(Need { task: Some(task), run: Some(run), detail, ..need });
        }
        Ok(needs)
    }
}
