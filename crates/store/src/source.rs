//! Sources: their definitions, health, recipes, pages and values. Changes arrive as [`SourceRecord`]s, from a step of a run
//! behind its fence or from a user ([`Store::change_sources`]), and both use the same statements.

use autoheal_engine::Timestamp;
use autoheal_engine::breaker::NameCheck;
use autoheal_engine::source::{Health, Snapshot, SnapshotRole, SourceRecord, Stage};
use autoheal_engine::task::TaskState;
use serde_json::Value;
use sqlx::any::AnyRow;

use crate::closing::close_runs;
use crate::database::{Dialect, Statement};
use crate::filter::Filter;
use crate::row::{deflate, inflate, storable};
use crate::write::{OnIdle, Write};
use crate::{Store, StoreError, decision, diagnostic, notice, queue, row};

/// A source as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceRow {
    /// Name of the source.
    pub source: String,
    /// Definition of the source (address, blueprint, policy), as JSON.
    pub definition: Value,
    /// Health of the source.
    pub health: Health,
    /// Time at which it was added.
    pub created_at: Timestamp,
}

/// A version of a recipe as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct RecipeRow {
    /// Number of the version, from 1.
    pub version: u32,
    /// Stage of the version.
    pub stage: Stage,
    /// The recipe, as a JSON document.
    pub recipe: Value,
    /// The source's definition that belongs to it.
    pub definition: Value,
    /// Set when it is validated and waits for approval by a user.
    pub waits: bool,
    /// User or component that requested it.
    pub asked_by: String,
    /// Time at which it was proposed.
    pub created_at: Timestamp,
    /// Time at which it last became the active version.
    pub promoted_at: Option<Timestamp>,
    /// User or component that last made it the active version.
    pub promoted_by: Option<String>,
    /// Version that it replaced when it last became active.
    pub replaces: Option<u32>,
    /// Number of real runs since then.
    pub runs: u32,
    /// Number of these runs that failed.
    pub failed_runs: u32,
}

impl RecipeRow {
    /// Returns the active version among those of a source.
    pub fn active(versions: &[Self]) -> Option<&Self> {
        versions.iter().find(|version| version.stage == Stage::Production)
    }
}

/// An accepted set of values as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ValueRow {
    /// Number of the set; a later set has a higher one.
    pub id: i64,
    /// Time at which they were accepted.
    pub at: Timestamp,
    /// Address of the page that held them.
    pub url: String,
    /// Version of the recipe that extracted them.
    pub version: u32,
    /// The values by field, or a list of such records.
    pub values: Value,
}

const DEFINITION: &str = "
    INSERT INTO source (source_name, definition_json, created_at, updated_at) VALUES ($1, $2, $3, $3)
    ON CONFLICT (source_name) DO UPDATE SET definition_json = excluded.definition_json, updated_at = excluded.updated_at";

const REDEFINITION: &str = "
    UPDATE source SET definition_json = $3, updated_at = $4 WHERE source_name = $1 AND definition_json = $2";

/// Leaves the counters as they are: a run may count at the same moment.
const RELEASE: &str = "
    UPDATE source_health SET state = $2, quarantine_until = $3, fix_attempts_today = $4, released_at = $5, updated_at = $6,
        look_at = 0, changes = changes + 1
    WHERE source_name = $1";

const HEALTH: &str = "
    INSERT INTO source_health (source_name, state, last_success_at, last_failure_at, success_count, failure_count,
                               fix_attempts_today, quarantine_until, released_at, created_at, updated_at, unreached)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $11)
    ON CONFLICT (source_name) DO UPDATE SET
        unreached = excluded.unreached, look_at = 0, changes = source_health.changes + 1,
        last_success_at = excluded.last_success_at, last_failure_at = excluded.last_failure_at,
        success_count = excluded.success_count, failure_count = excluded.failure_count, updated_at = excluded.updated_at,
        -- Health that was read before the user released the source does not undo the release.
        state = CASE WHEN COALESCE(source_health.released_at, 0) > COALESCE(excluded.released_at, 0)
                     THEN source_health.state ELSE excluded.state END,
        fix_attempts_today = CASE WHEN COALESCE(source_health.released_at, 0) > COALESCE(excluded.released_at, 0)
                                  THEN source_health.fix_attempts_today ELSE excluded.fix_attempts_today END,
        quarantine_until = CASE WHEN COALESCE(source_health.released_at, 0) > COALESCE(excluded.released_at, 0)
                                THEN source_health.quarantine_until ELSE excluded.quarantine_until END,
        released_at = CASE WHEN COALESCE(source_health.released_at, 0) > COALESCE(excluded.released_at, 0)
                           THEN source_health.released_at ELSE excluded.released_at END";

/// Sooner than any time.
const CHANGED: &str = "UPDATE source_health SET look_at = 0, changes = changes + 1 WHERE source_name = $1";

const SNAPSHOT: &str = "
    INSERT INTO snapshot (source_name, role, url, taken_at, content_deflate, values_json) VALUES ($1, $2, $3, $4, $5, $6)";

const OLD_SNAPSHOTS: &str = "
    DELETE FROM snapshot WHERE source_name = $1 AND role = $2 AND url = $3 AND snapshot_id NOT IN (
        SELECT snapshot_id FROM snapshot WHERE source_name = $1 AND role = $2 AND url = $3
        ORDER BY snapshot_id DESC LIMIT $4)";

/// Limits the stored pages of a source and role, regardless of their addresses.
const PRUNED: &str = "
    DELETE FROM snapshot WHERE source_name = $1 AND role = $2 AND snapshot_id NOT IN (
        SELECT snapshot_id FROM snapshot WHERE source_name = $1 AND role = $2 ORDER BY snapshot_id DESC LIMIT $3)";

/// Number of failing pages that are kept: the site determines how many there are.
const MOST_FAILING: u32 = 30;

const VALUES: &str = "
    INSERT INTO source_value (source_name, url, at, version, values_json) VALUES ($1, $2, $3, $4, $5)";

const STAGED: &str = "
    INSERT INTO recipe_version (source_name, version, stage, recipe_json, definition_json, asked_by, created_at)
    VALUES ($1, $2, 'STAGING', $3, $4, $5, $6)";

/// The newest fix waits instead of an earlier one.
const WAITING: &str = "
    UPDATE recipe_version SET waits = CASE WHEN version = $2 THEN 1 ELSE 0 END
    WHERE source_name = $1 AND stage = 'STAGING' AND (version = $2 OR waits = 1)";

const FAILED: &str = "
    UPDATE recipe_version SET stage = 'FAILED' WHERE source_name = $1 AND version = $2 AND stage = 'STAGING'";

/// Stores the definition that belongs to the version that has just become active.
const PROMOTED_DEFINITION: &str = "UPDATE source SET definition_json = $2, updated_at = $3 WHERE source_name = $1";

const ARCHIVED: &str = "
    UPDATE recipe_version SET stage = 'ARCHIVED' WHERE source_name = $1 AND version = $2 AND stage = 'PRODUCTION'";

const PROMOTED: &str = "
    UPDATE recipe_version SET stage = 'PRODUCTION', waits = 0, promoted_at = $3, promoted_by = $4, replaces = $5, runs = 0, failed_runs = 0
    WHERE source_name = $1 AND version = $2 AND stage IN ('STAGING', 'ARCHIVED')
      AND NOT EXISTS (SELECT 1 FROM recipe_version other WHERE other.source_name = $1 AND other.stage = 'PRODUCTION')";

const REJECTED: &str = "
    UPDATE recipe_version SET stage = 'REJECTED', waits = 0
    WHERE source_name = $1 AND version = $2 AND stage IN ('STAGING', 'FAILED', 'ARCHIVED')";

/// At most one version waits.
const RECONSIDERED: &str = "
    UPDATE recipe_version SET stage = 'STAGING', waits = 1
    WHERE source_name = $1 AND version = $2 AND stage = 'REJECTED'
      AND NOT EXISTS (SELECT 1 FROM recipe_version other WHERE other.source_name = $1 AND other.waits = 1)";

const WATCHED: &str = "
    UPDATE recipe_version SET runs = runs + 1, failed_runs = failed_runs + $3 WHERE source_name = $1 AND version = $2";

const NAME_CHECK: &str =
    "INSERT INTO name_check (source_name, at, target_known, control_known) VALUES ($1, $2, $3, $4)";

const REMOVED: [&str; 5] = [
    "DELETE FROM notice WHERE target = $1 AND address IS NOT NULL",
    "DELETE FROM source WHERE source_name = $1",
    "DELETE FROM source_health WHERE source_name = $1",
    "UPDATE task_queue SET state = 'CANCELLED', completed_at = {now} WHERE target = $1 AND state = 'PENDING' AND type <> 'HEAL_REPO'",
    "UPDATE task_queue SET cancel_requested = 1 WHERE target = $1 AND state = 'IN_PROGRESS' AND type <> 'HEAL_REPO'",
];

/// The writes that make one change, in order.
pub(crate) fn writes(dialect: Dialect, at: Timestamp, record: &SourceRecord) -> Result<Vec<Write>, StoreError> {
    let sure = |statement: Statement| Write { statement, on_idle: OnIdle::Superseded };
    let maybe = |statement: Statement| Write { statement, on_idle: OnIdle::Fine };
    Ok(match record {
        SourceRecord::Definition { source, definition } => {
            let define =
                sqlx::query(DEFINITION).bind(storable(source)).bind(definition.to_string()).bind(at.as_millis());
            vec![sure(define), changed(source)]
        }
        SourceRecord::Redefined { source, was, definition } => {
            vec![sure(redefinition(source, was, definition, at)), changed(source)]
        }
        SourceRecord::Moved { source, was, definition } => {
            vec![maybe(redefinition(source, was, definition, at)), changed(source)]
        }
        SourceRecord::Released { source, health } => vec![sure(
            sqlx::query(RELEASE)
                .bind(storable(source))
                .bind(health.state.name())
                .bind(health.quarantine_until.map(Timestamp::as_millis))
                .bind(i64::from(health.fix_attempts_today))
                .bind(health.released_at.map(Timestamp::as_millis))
                .bind(at.as_millis()),
        )],
        SourceRecord::Health { source, health } => vec![sure(health_row(source, health, at))],
        SourceRecord::Snapshot { source, snapshot } => {
            let key =
                |sql| sqlx::query(sql).bind(storable(source)).bind(snapshot.role.name()).bind(storable(&snapshot.url));
            let insert = key(SNAPSHOT)
                .bind(snapshot.taken_at.as_millis())
                .bind(deflate(&snapshot.content)?)
                .bind(snapshot.values.as_ref().map(ToString::to_string));
            let old = key(OLD_SNAPSHOTS).bind(i64::from(snapshot.role.kept()));
            let failing =
                (snapshot.role == SnapshotRole::Failing).then(|| maybe(pruned(source, snapshot.role, MOST_FAILING)));
            [sure(insert), maybe(old)].into_iter().chain(failing).collect()
        }
        SourceRecord::Pruned { source, role, kept } => vec![maybe(pruned(source, *role, *kept))],
        SourceRecord::Values { source, url, version, values } => vec![sure(
            sqlx::query(VALUES)
                .bind(storable(source))
                .bind(storable(url))
                .bind(at.as_millis())
                .bind(i64::from(*version))
                .bind(values.to_string()),
        )],
        SourceRecord::Waiting { source, version } => vec![sure(version_of(WAITING, source, *version))],
        SourceRecord::Failed { source, version } => vec![sure(version_of(FAILED, source, *version))],
        SourceRecord::Staged { source, version, recipe, definition, asked_by } => vec![sure(
            sqlx::query(STAGED)
                .bind(storable(source))
                .bind(i64::from(*version))
                .bind(recipe.to_string())
                .bind(definition.to_string())
                .bind(storable(asked_by))
                .bind(at.as_millis()),
        )],
        SourceRecord::Promoted { source, version, definition, replaces, asked_by } => {
            let archive = replaces.map(|old| sure(sqlx::query(ARCHIVED).bind(storable(source)).bind(i64::from(old))));
            let promote = sqlx::query(PROMOTED)
                .bind(storable(source))
                .bind(i64::from(*version))
                .bind(at.as_millis())
                .bind(storable(asked_by))
                .bind(replaces.map(i64::from));
            let define = sqlx::query(PROMOTED_DEFINITION)
                .bind(storable(source))
                .bind(definition.to_string())
                .bind(at.as_millis());
            archive.into_iter().chain([sure(promote), sure(define), changed(source)]).collect()
        }
        SourceRecord::Rejected { source, version } => {
            vec![sure(version_of(REJECTED, source, *version))]
        }
        SourceRecord::Reconsidered { source, version } => {
            vec![sure(version_of(RECONSIDERED, source, *version))]
        }
        SourceRecord::Watched { source, version, good } => {
            let failed = i64::from(!good);
            vec![maybe(sqlx::query(WATCHED).bind(storable(source)).bind(i64::from(*version)).bind(failed))]
        }
        SourceRecord::Notice { source, address, body } => {
            vec![maybe(notice::of_source(source, address, body, at))]
        }
        SourceRecord::Diagnostics { source, entries } => diagnostic::writes(source, entries)?,
        SourceRecord::NameCheck { source, check } => vec![sure(
            sqlx::query(NAME_CHECK)
                .bind(storable(source))
                .bind(check.at.as_millis())
                .bind(i64::from(check.target_known))
                .bind(i64::from(check.control_known)),
        )],
        SourceRecord::Decided { source, decision, version, asked_by, note } => {
            vec![sure(decision::made(source, *decision, *version, asked_by, note.as_deref(), at))]
        }
        SourceRecord::Task(task) => vec![maybe(queue::enqueue_statement(dialect, task))],
        SourceRecord::Removed { source } => {
            let removed = REMOVED.iter().map(|sql| maybe(sqlx::query(dialect.sql(sql)).bind(storable(source))));
            removed.chain(close_runs(dialect, source, TaskState::Cancelled)?).collect()
        }
    })
}

/// Makes the schedule check the source. A source that is being added has no health yet, and is checked once it has.
fn changed(source: &str) -> Write {
    Write { statement: sqlx::query(CHANGED).bind(storable(source)), on_idle: OnIdle::Fine }
}

fn redefinition(source: &str, was: &Value, definition: &Value, at: Timestamp) -> Statement {
    let statement = sqlx::query(REDEFINITION).bind(storable(source)).bind(was.to_string()).bind(definition.to_string());
    statement.bind(at.as_millis())
}

fn pruned(source: &str, role: SnapshotRole, kept: u32) -> Statement {
    sqlx::query(PRUNED).bind(storable(source)).bind(role.name()).bind(i64::from(kept))
}

/// A statement about one version of a source's recipe.
fn version_of(sql: &'static str, source: &str, version: u32) -> Statement {
    sqlx::query(sql).bind(storable(source)).bind(i64::from(version))
}

fn health_row(source: &str, health: &Health, at: Timestamp) -> Statement {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    sqlx::query(HEALTH)
        .bind(storable(source))
        .bind(health.state.name())
        .bind(health.last_success_at.map(Timestamp::as_millis))
        .bind(health.last_failure_at.map(Timestamp::as_millis))
        .bind(count(health.success_count))
        .bind(count(health.failure_count))
        .bind(i64::from(health.fix_attempts_today))
        .bind(health.quarantine_until.map(Timestamp::as_millis))
        .bind(health.released_at.map(Timestamp::as_millis))
        .bind(at.as_millis())
        .bind(i64::from(health.unreached))
}

pub(crate) const SOURCES: &str = "
    SELECT source.source_name, source.definition_json, source.created_at AS added_at, health.state, health.last_success_at,
           health.last_failure_at, health.success_count, health.failure_count, health.fix_attempts_today,
           health.quarantine_until, health.released_at, health.unreached, health.changes
    FROM source JOIN source_health health ON health.source_name = source.source_name WHERE 1 = 1";

impl Store {
    /// Applies changes that a user makes outside of a run, either all of them or none.
    ///
    /// # Errors
    ///
    /// [`StoreError::Superseded`] when the stored state is not what a change expects, such as a different active version.
    pub async fn change_sources(&self, at: Timestamp, records: &[SourceRecord]) -> Result<(), StoreError> {
        let mut all = Vec::new();
        for record in records {
            all.extend(writes(self.database.dialect, at, record)?);
        }
        self.write_all(all).await
    }

    /// A source.
    pub async fn source(&self, source: &str) -> Result<Option<SourceRow>, StoreError> {
        let statement = Filter::of_statement(SOURCES).and("source.source_name =", Some(source)).statement();
        statement.fetch_optional(&self.database.pool).await?.as_ref().map(source_row).transpose()
    }

    /// Every source, by name.
    pub async fn sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        let statement = Filter::of_statement(SOURCES).and_then(" ORDER BY source.source_name").statement();
        statement.fetch_all(&self.database.pool).await?.iter().map(source_row).collect()
    }

    /// The sources of a host (with its port, where the address names one), at most `limit`, by name.
    pub async fn sources_of_host(&self, host: &str, limit: u32) -> Result<Vec<SourceRow>, StoreError> {
        let statement =
            Filter::of_statement(SOURCES).and("source.host =", Some(host)).page("source.source_name", 0, limit);
        statement.fetch_all(&self.database.pool).await?.iter().map(source_row).collect()
    }

    /// The sources whose health changed since then, as it does with each run: the last `limit` of them, the last one first.
    pub async fn sources_changed_since(&self, since: Timestamp, limit: u32) -> Result<Vec<SourceRow>, StoreError> {
        let changed = Filter::of_statement(SOURCES).and("health.updated_at >=", Some(since.as_millis()));
        let statement = changed.newest("health.updated_at", limit);
        statement.fetch_all(&self.database.pool).await?.iter().map(source_row).collect()
    }

    /// Counts the versions that a component requested and that became active, by their stage now.
    pub async fn activated_versions(&self, asked_by: &str) -> Result<Vec<(Stage, u64)>, StoreError> {
        let sql = "SELECT stage, COUNT(*) AS versions FROM recipe_version
                   WHERE asked_by = $1 AND promoted_at IS NOT NULL GROUP BY stage";
        let rows = sqlx::query(sql).bind(storable(asked_by)).fetch_all(&self.database.pool).await?;
        rows.iter().map(|row| Ok((stage(row)?, row::number(row, "versions")?))).collect()
    }

    /// Every version of a source's recipe, the oldest first.
    pub async fn recipes(&self, source: &str) -> Result<Vec<RecipeRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM recipe_version WHERE source_name = $1 ORDER BY version")
            .bind(storable(source))
            .fetch_all(&self.database.pool)
            .await?;
        rows.iter().map(recipe_row).collect()
    }

    /// Returns at most `limit` stored pages of a source with this role, the newest first; only those of one address if it is
    /// given.
    pub async fn snapshots(
        &self,
        source: &str,
        role: SnapshotRole,
        url: Option<&str>,
        limit: u32,
    ) -> Result<Vec<Snapshot>, StoreError> {
        // Two statements, each with its own index: pages are long, and must not be read only to be skipped.
        let of_source =
            "SELECT * FROM snapshot WHERE source_name = $1 AND role = $2 ORDER BY snapshot_id DESC LIMIT $3";
        let of_page = "SELECT * FROM snapshot WHERE source_name = $1 AND role = $2 AND url = $4
                       ORDER BY snapshot_id DESC LIMIT $3";
        let query = sqlx::query(if url.is_some() { of_page } else { of_source });
        let mut query = query.bind(storable(source)).bind(role.name()).bind(i64::from(limit));
        if let Some(url) = url {
            query = query.bind(storable(url));
        }
        let rows = query.fetch_all(&self.database.pool).await?;
        rows.iter()
            .map(|row| {
                Ok(Snapshot {
                    role,
                    url: row::text(row, "url")?,
                    taken_at: row::time(row, "taken_at")?,
                    content: inflate(row, "content_deflate")?,
                    values: row::optional_document(row, "values_json")?,
                })
            })
            .collect()
    }

    /// The accepted values of a source since a time, the oldest first; of more than `limit` the newest.
    pub async fn values(&self, source: &str, since: Timestamp, limit: u32) -> Result<Vec<ValueRow>, StoreError> {
        let sql =
            "SELECT * FROM source_value WHERE source_name = $1 AND at >= $2 ORDER BY at DESC, value_id DESC LIMIT $3";
        let rows = sqlx::query(sql)
            .bind(storable(source))
            .bind(since.as_millis())
            .bind(i64::from(limit))
            .fetch_all(&self.database.pool)
            .await?;
        rows.iter().rev().map(value_row).collect()
    }

    /// Returns at most `limit` sets of values of a source, the newest first; only those older than the set `before` if it is given.
    pub async fn values_before(
        &self,
        source: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<ValueRow>, StoreError> {
        let older = Filter::of("source_value").and("source_name =", Some(source)).and("value_id <", before);
        let rows = older.newest("value_id", limit).fetch_all(&self.database.pool).await?;
        rows.iter().map(value_row).collect()
    }

    /// The values that were accepted last from the page at an address.
    pub async fn last_values(&self, source: &str, url: &str) -> Result<Option<ValueRow>, StoreError> {
        let sql = "SELECT * FROM source_value WHERE source_name = $1 AND url = $2 ORDER BY value_id DESC LIMIT 1";
        let query = sqlx::query(sql).bind(storable(source)).bind(storable(url));
        let row = query.fetch_optional(&self.database.pool).await?;
        row.as_ref().map(value_row).transpose()
    }

    /// Returns the checks of the source's host name since a time, in order.
    pub async fn name_checks(&self, source: &str, since: Timestamp) -> Result<Vec<NameCheck>, StoreError> {
        let rows = sqlx::query("SELECT * FROM name_check WHERE source_name = $1 AND at >= $2 ORDER BY at")
            .bind(storable(source))
            .bind(since.as_millis())
            .fetch_all(&self.database.pool)
            .await?;
        let check = |row: &AnyRow| {
            Ok(NameCheck {
                at: row::time(row, "at")?,
                target_known: row::integer(row, "target_known")? != 0,
                control_known: row::integer(row, "control_known")? != 0,
            })
        };
        rows.iter().map(check).collect()
    }
}

pub(crate) fn source_row(row: &AnyRow) -> Result<SourceRow, StoreError> {
    let health = Health {
        state: row::health_state(row)?,
        last_success_at: row::optional_time(row, "last_success_at")?,
        last_failure_at: row::optional_time(row, "last_failure_at")?,
        success_count: row::number(row, "success_count")?,
        failure_count: row::number(row, "failure_count")?,
        fix_attempts_today: row::number(row, "fix_attempts_today")?,
        quarantine_until: row::optional_time(row, "quarantine_until")?,
        released_at: row::optional_time(row, "released_at")?,
        unreached: row::integer(row, "unreached")? != 0,
    };
    Ok(SourceRow {
        source: row::text(row, "source_name")?,
        definition: row::document(row, "definition_json")?,
        health,
        created_at: row::time(row, "added_at")?,
    })
}

fn stage(row: &AnyRow) -> Result<Stage, StoreError> {
    let stage = row::text(row, "stage")?;
    Stage::from_name(&stage).ok_or(StoreError::Corrupt { column: "stage", found: stage })
}

pub(crate) fn recipe_row(row: &AnyRow) -> Result<RecipeRow, StoreError> {
    let replaces = row::optional_integer(row, "replaces")?.map(u32::try_from).transpose();
    Ok(RecipeRow {
        version: row::number(row, "version")?,
        stage: stage(row)?,
        recipe: row::document(row, "recipe_json")?,
        definition: row::document(row, "definition_json")?,
        waits: row::integer(row, "waits")? != 0,
        asked_by: row::text(row, "asked_by")?,
        created_at: row::time(row, "created_at")?,
        promoted_at: row::optional_time(row, "promoted_at")?,
        promoted_by: row::optional_text(row, "promoted_by")?,
        replaces: replaces.map_err(|error| StoreError::Corrupt { column: "replaces", found: error.to_string() })?,
        runs: row::number(row, "runs")?,
        failed_runs: row::number(row, "failed_runs")?,
    })
}

pub(crate) fn value_row(row: &AnyRow) -> Result<ValueRow, StoreError> {
    Ok(ValueRow {
        id: row::integer(row, "value_id")?,
        at: row::time(row, "at")?,
        url: row::text(row, "url")?,
        version: row::number(row, "version")?,
        values: row::document(row, "values_json")?,
    })
}
