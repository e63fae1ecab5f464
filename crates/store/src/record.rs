//! Records of the steps of a run: current diagnostics, attempts at fixes, the output of commands.

use autoheal_engine::diagnostics::DiagnosticsEntry;
use autoheal_engine::output;
use autoheal_engine::workflow::{FixRecord, OutputRecord, Record};
use autoheal_engine::{RunId, Timestamp};
use sqlx::AssertSqlSafe;

use crate::database::{Dialect, Statement};
use crate::row::{deflate, diagnostic_key, inflate, json, storable};
use crate::write::{OnIdle, Write};
use crate::{Slice, Store, StoreError, alert, row, source};

/// Number of attempts at fixes with the same outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FixOutcome {
    /// The kind of error.
    pub error_type: String,
    /// Destination of the fixes.
    pub deployed_to: String,
    /// True if their validation passed.
    pub passed: bool,
    /// Number of attempts.
    pub attempts: u64,
    /// Number of those whose failed run is known.
    pub dated: u64,
    /// Time from the failed runs to these attempts, in milliseconds, summed up.
    pub millis: u64,
}

const DIAGNOSTIC: &str = "
    INSERT INTO diagnostic (run_id, diagnostic_key, first_seen_at, entry_json) VALUES ($1, $2, $3, $4)
    ON CONFLICT (run_id, diagnostic_key)
    DO UPDATE SET first_seen_at = excluded.first_seen_at, entry_json = excluded.entry_json";

const FIX: &str = "
    INSERT INTO fix_history (source_name, error_type, diagnosis_context, patch_generated, validation_result, deployed_to,
                             created_at, run_id)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";

const OUTPUT: &str = "
    INSERT INTO run_output (run_id, sequence, node, command, ended, millis, output_deflate)
    SELECT $1, COALESCE(MAX(sequence), 0) + 1, $2, $3, $4, $5, $6 FROM run_output WHERE run_id = $1";

/// Returns the writes that store a record; slow work (compressing) is done here, before the transaction.
pub(crate) fn writes(dialect: Dialect, run: RunId, at: Timestamp, record: &Record) -> Result<Vec<Write>, StoreError> {
    let statement = match record {
        Record::Diagnostic(entry) => diagnostic(run, entry)?,
        Record::Fix(fix) => fix_attempt(run, at, fix),
        Record::Output(output) => command_output(run, output)?,
        Record::Source(record) => return source::writes(dialect, at, record),
        Record::Alert(alert) => return Ok(alert::writes(dialect, at, alert).into()),
    };
    Ok(vec![Write { statement, on_idle: OnIdle::NoSuchRun }])
}

fn diagnostic(run: RunId, entry: &DiagnosticsEntry) -> Result<Statement, StoreError> {
    Ok(sqlx::query(DIAGNOSTIC)
        .bind(run.to_string())
        .bind(diagnostic_key(&entry.finding.key())?)
        .bind(entry.first_seen_at.as_millis())
        .bind(json("a diagnostic", entry)?))
}

fn fix_attempt(run: RunId, at: Timestamp, fix: &FixRecord) -> Statement {
    sqlx::query(FIX)
        .bind(storable(&fix.target))
        .bind(storable(&fix.error_type))
        .bind(fix.diagnosis.to_string())
        .bind(storable(&fix.patch))
        .bind(fix.validation.to_string())
        .bind(storable(&fix.deployed_to))
        .bind(at.as_millis())
        .bind(run.to_string())
}

fn command_output(run: RunId, record: &OutputRecord) -> Result<Statement, StoreError> {
    Ok(sqlx::query(OUTPUT)
        .bind(run.to_string())
        .bind(storable(&record.node))
        .bind(storable(&record.command))
        .bind(storable(&record.ended))
        .bind(i64::try_from(record.millis).unwrap_or(i64::MAX))
        .bind(deflate(output::cut(&record.output, output::MOST).as_bytes())?))
}

impl Store {
    /// Returns the current diagnostics of the run, in the order in which they were first seen.
    pub async fn diagnostics(&self, run: RunId, slice: Slice) -> Result<Vec<DiagnosticsEntry>, StoreError> {
        let sql =
            "SELECT * FROM diagnostic WHERE run_id = $1 ORDER BY first_seen_at, diagnostic_key LIMIT $2 OFFSET $3";
        let rows = sqlx::query(sql)
            .bind(run.to_string())
            .bind(slice.limit)
            .bind(slice.offset)
            .fetch_all(&self.database.pool)
            .await?;
        rows.iter().map(|row| row::document(row, "entry_json")).collect()
    }

    /// The attempts of one run, in order.
    pub async fn fixes_of_run(&self, run: RunId, slice: Slice) -> Result<Vec<(Timestamp, FixRecord)>, StoreError> {
        let statement = sqlx::query("SELECT * FROM fix_history WHERE run_id = $1 ORDER BY fix_id LIMIT $2 OFFSET $3")
            .bind(run.to_string())
            .bind(slice.limit)
            .bind(slice.offset);
        self.fixes(statement).await
    }

    /// Returns the attempts for one target since `since`, in order: the ones that the circuit breaker counts.
    pub async fn fixes_of_target(
        &self,
        target: &str,
        since: Timestamp,
    ) -> Result<Vec<(Timestamp, FixRecord)>, StoreError> {
        let statement =
            sqlx::query("SELECT * FROM fix_history WHERE source_name = $1 AND created_at >= $2 ORDER BY fix_id")
                .bind(storable(target))
                .bind(since.as_millis());
        self.fixes(statement).await
    }

    /// Counts the attempts at fixes of the sources that still exist, by their outcome.
    pub async fn source_fix_outcomes(&self) -> Result<Vec<FixOutcome>, StoreError> {
        let (passed, failed_at) = match self.database.dialect {
            Dialect::Sqlite => {
                ("json_extract(validation_result, '$.passed')", "json_extract(diagnosis_context, '$.failed_at')")
            }
            Dialect::Postgres => {
                ("(validation_result::json ->> 'passed')::boolean", "(diagnosis_context::json ->> 'failed_at')::bigint")
            }
        };
        // The documents are read where they are: there are many, and each is long.
        let sql = format!(
            "SELECT error_type, deployed_to, passed, COUNT(*) AS attempts, COUNT(failed_at) AS dated,
                    CAST(COALESCE(SUM(CASE WHEN ended_at > failed_at THEN ended_at - failed_at ELSE 0 END), 0) AS BIGINT) AS millis
             FROM (SELECT error_type, deployed_to, CASE WHEN {passed} THEN 1 ELSE 0 END AS passed, {failed_at} AS failed_at,
                          fix_history.created_at AS ended_at
                   FROM fix_history JOIN source ON source.source_name = fix_history.source_name) AS attempt
             GROUP BY error_type, deployed_to, passed"
        );
        // Made of constants alone.
        let rows = sqlx::query(AssertSqlSafe(sql)).fetch_all(&self.database.pool).await?;
        rows.iter()
            .map(|row| {
                Ok(FixOutcome {
                    error_type: row::text(row, "error_type")?,
                    deployed_to: row::text(row, "deployed_to")?,
                    passed: row::integer(row, "passed")? == 1,
                    attempts: row::number(row, "attempts")?,
                    dated: row::number(row, "dated")?,
                    millis: row::number(row, "millis")?,
                })
            })
            .collect()
    }

    async fn fixes(&self, statement: Statement) -> Result<Vec<(Timestamp, FixRecord)>, StoreError> {
        let rows = statement.fetch_all(&self.database.pool).await?;
        rows.iter()
            .map(|row| {
                let fix = FixRecord {
                    target: row::text(row, "source_name")?,
                    error_type: row::text(row, "error_type")?,
                    diagnosis: row::document(row, "diagnosis_context")?,
                    patch: row::text(row, "patch_generated")?,
                    validation: row::document(row, "validation_result")?,
                    deployed_to: row::text(row, "deployed_to")?,
                };
                Ok((row::time(row, "created_at")?, fix))
            })
            .collect()
    }

    /// The outputs of the commands that the run started, in order.
    pub async fn outputs(&self, run: RunId, slice: Slice) -> Result<Vec<OutputRecord>, StoreError> {
        let rows = sqlx::query("SELECT * FROM run_output WHERE run_id = $1 ORDER BY sequence LIMIT $2 OFFSET $3")
            .bind(run.to_string())
            .bind(slice.limit)
            .bind(slice.offset)
            .fetch_all(&self.database.pool)
            .await?;
        rows.iter()
            .map(|row| {
                Ok(OutputRecord {
                    node: row::text(row, "node")?,
                    command: row::text(row, "command")?,
                    ended: row::text(row, "ended")?,
                    output: String::from_utf8_lossy(&inflate(row, "output_deflate")?).into_owned(),
                    millis: row::number(row, "millis")?,
                })
            })
            .collect()
    }
}
