//! Figures of each day: how runs, fixes and alerts developed, and the slowest and noisiest targets.

use std::collections::BTreeMap;

use autoheal_engine::Timestamp;
use autoheal_engine::outcome::Outcome;
use sqlx::AssertSqlSafe;
use sqlx::any::AnyRow;

use crate::database::Dialect;
use crate::{Store, StoreError, row};

/// Number of newest runs and alerts to consider for the slowest and noisiest targets. It bounds the work in a large database.
const NEWEST: i64 = 2000;

/// Figures of one day, in UTC.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DayFigures {
    /// Number of runs that were started, by their outcome; `None`: unfinished.
    pub runs: BTreeMap<Option<Outcome>, u64>,
    /// Number of attempts at a fix.
    pub fixes_tried: u64,
    /// Number of attempts that passed their validation.
    pub fixes_passed: u64,
    /// Number of fixes that were rolled back because their first real runs failed.
    pub fixes_taken_back: u64,
    /// Number of fixes that became active and whose failed run is known.
    pub recoveries: u64,
    /// Time from the failed run to the active fix, in milliseconds, summed over the recoveries.
    pub recovery_millis: u64,
    /// Number of alerts.
    pub alerts: u64,
    /// Cost of the requests to models whose price is known, in millionths of a US dollar.
    pub micro_dollars: u64,
}

/// A target with the duration of its runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlowTarget {
    /// Name of the workflow.
    pub workflow: String,
    /// The source or the repository.
    pub target: String,
    /// Number of runs.
    pub runs: u64,
    /// Average duration of a run, in milliseconds.
    pub average_millis: u64,
}

/// A target with the number of its alerts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoisyTarget {
    /// The source, the repository or the host.
    pub target: String,
    /// Number of alerts.
    pub alerts: u64,
}

const RUNS: &str =
    "SELECT started_at / 86400000 AS day, outcome, COUNT(*) AS runs FROM run WHERE started_at >= $1 GROUP BY 1, 2";

const FIXES: &str = "
    SELECT created_at / 86400000 AS day, COUNT(*) AS tried, COUNT(CASE WHEN deployed_to <> 'FAILED' THEN 1 END) AS passed
    FROM fix_history WHERE created_at >= $1 AND error_type <> 'RATE_LIMIT' GROUP BY 1";

const RECOVERIES: &str = "
    SELECT ended_at / 86400000 AS day, COUNT(*) AS recoveries, CAST(SUM(ended_at - failed_at) AS BIGINT) AS millis
    FROM (SELECT created_at AS ended_at, {failed_at} AS failed_at
          FROM fix_history WHERE created_at >= $1 AND deployed_to = 'PRODUCTION' AND error_type <> 'RATE_LIMIT') AS active
    WHERE failed_at <= ended_at GROUP BY 1";

const ALERTS: &str = "
    SELECT created_at / 86400000 AS day, COUNT(*) AS alerts, COUNT(CASE WHEN kind = 'ROLLBACK' THEN 1 END) AS taken_back
    FROM alert WHERE created_at >= $1 GROUP BY 1";

const COSTS: &str = "
    SELECT at / 86400000 AS day, CAST(COALESCE(SUM(micro_dollars), 0) AS BIGINT) AS micro_dollars
    FROM llm_call WHERE at >= $1 GROUP BY 1";

const SLOWEST: &str = "
    SELECT workflow, target, COUNT(*) AS runs, CAST(SUM(finished_at - started_at) / COUNT(*) AS BIGINT) AS millis
    FROM (SELECT workflow, target, started_at, finished_at FROM run WHERE started_at >= $1 ORDER BY started_at DESC LIMIT $2) AS newest
    WHERE finished_at IS NOT NULL GROUP BY workflow, target ORDER BY millis DESC, target LIMIT $3";

const NOISIEST: &str = "
    SELECT target, COUNT(*) AS alerts
    FROM (SELECT target FROM alert WHERE created_at >= $1 ORDER BY created_at DESC LIMIT $2) AS newest
    GROUP BY target ORDER BY alerts DESC, target LIMIT $3";

impl Store {
    /// Returns the figures of each day since a time, by the day's number since 1970; a day without any is left out.
    pub async fn day_figures(&self, since: Timestamp) -> Result<BTreeMap<i64, DayFigures>, StoreError> {
        let failed_at = match self.database.dialect {
            Dialect::Sqlite => "json_extract(diagnosis_context, '$.failed_at')",
            Dialect::Postgres => "(diagnosis_context::json ->> 'failed_at')::bigint",
        };
        let recoveries = RECOVERIES.replace("{failed_at}", failed_at);
        let rows = async |sql: &str| {
            // Made of constants alone.
            let statement = sqlx::query(AssertSqlSafe(sql.to_owned())).bind(since.as_millis());
            statement.fetch_all(&self.database.pool).await
        };
        let (runs, fixes, recoveries, alerts, costs) =
            tokio::try_join!(rows(RUNS), rows(FIXES), rows(&recoveries), rows(ALERTS), rows(COSTS))?;
        let mut days: BTreeMap<i64, DayFigures> = BTreeMap::new();
        for row in &runs {
            of_day(&mut days, row)?.runs.insert(row::outcome(row)?, row::number(row, "runs")?);
        }
        for row in &fixes {
            let day = of_day(&mut days, row)?;
            (day.fixes_tried, day.fixes_passed) = (row::number(row, "tried")?, row::number(row, "passed")?);
        }
        for row in &recoveries {
            let day = of_day(&mut days, row)?;
            (day.recoveries, day.recovery_millis) = (row::number(row, "recoveries")?, row::number(row, "millis")?);
        }
        for row in &alerts {
            let day = of_day(&mut days, row)?;
            (day.alerts, day.fixes_taken_back) = (row::number(row, "alerts")?, row::number(row, "taken_back")?);
        }
        for row in &costs {
            of_day(&mut days, row)?.micro_dollars = row::number(row, "micro_dollars")?;
        }
        Ok(days)
    }

    /// Returns the targets whose runs since a time took longest on average, the slowest first, among the newest 2,000 runs.
    pub async fn slowest_targets(&self, since: Timestamp, limit: u32) -> Result<Vec<SlowTarget>, StoreError> {
        let rows = self.extremes(SLOWEST, since, limit).await?;
        let slow = |row: &AnyRow| {
            let (runs, average_millis) = (row::number(row, "runs")?, row::number(row, "millis")?);
            Ok(SlowTarget {
                workflow: row::text(row, "workflow")?,
                target: row::text(row, "target")?,
                runs,
                average_millis,
            })
        };
        rows.iter().map(slow).collect()
    }

    /// Returns the targets with most alerts since a time, among the newest 2,000 alerts.
    pub async fn noisiest_targets(&self, since: Timestamp, limit: u32) -> Result<Vec<NoisyTarget>, StoreError> {
        let rows = self.extremes(NOISIEST, since, limit).await?;
        let noisy =
            |row: &AnyRow| Ok(NoisyTarget { target: row::text(row, "target")?, alerts: row::number(row, "alerts")? });
        rows.iter().map(noisy).collect()
    }

    async fn extremes(&self, sql: &'static str, since: Timestamp, limit: u32) -> Result<Vec<AnyRow>, StoreError> {
        let statement = sqlx::query(sql).bind(since.as_millis()).bind(NEWEST).bind(i64::from(limit));
        Ok(statement.fetch_all(&self.database.pool).await?)
    }
}

/// The figures of the day that a row is about.
fn of_day<'days>(
    days: &'days mut BTreeMap<i64, DayFigures>,
    row: &AnyRow,
) -> Result<&'days mut DayFigures, StoreError> {
    Ok(days.entry(row::integer(row, "day")?).or_default())
}
