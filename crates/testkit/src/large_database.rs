//! A large database, in the form in which the program itself leaves it after months: for the measurement of what its size costs.

use std::collections::BTreeMap;
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Row as _};

/// Size of a database.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Number of sources.
    pub sources: u32,
    /// Number of runs: of ten, nine are of sources and one is of a repository.
    pub runs: u32,
    /// Number of sets of values.
    pub values: u32,
    /// Interval of the sources, whose last runs are spread over one: it is as if they had run for a long time. `None`: they run every
    /// week, and ran just now.
    pub interval: Option<Duration>,
}

/// Number of attempts at fixes, and of calls of language models.
const RECORDS: u32 = 20_000;

/// Definition of the source number `i`.
const DEFINITION: &str =
    "'{\"url\":\"https://shop.example/' || i || '\",\"blueprint\":{\"base_url\":\"https://shop.example/' || i ||
     '\",\"kind\":\"single\",\"fields\":[]},\"interval_seconds\":{interval},\"heal_policy\":\"auto\"}'";

/// Statements that fill the database. `{hex}` writes the number `i` in twelve hexadecimal digits. Of a thousand sources, ten wait for
/// a review, two are in quarantine and thirty are degraded.
const FILL: &[&str] = &[
    "INSERT INTO source (source_name, definition_json, created_at, updated_at)
     SELECT 'source-' || i, {definition}, {now} - 1000000, {now} FROM n WHERE i < {sources}",
    "INSERT INTO source_health (source_name, state, last_success_at, success_count, failure_count, quarantine_until, created_at, updated_at)
     SELECT 'source-' || i, CASE WHEN i % 500 = 7 THEN 'QUARANTINED' ELSE CASE i % 100 WHEN 8 THEN 'DEGRADED' WHEN 9 THEN 'DEGRADED' WHEN 10 THEN 'DEGRADED'
     ELSE 'ACTIVE' END END, {now} - {spread}, 90, 10, CASE WHEN i % 500 = 7 THEN {now} + 80000000 END, {now} - 1000000, {now} FROM n WHERE i < {sources}",
    "INSERT INTO recipe_version (source_name, version, stage, recipe_json, definition_json, asked_by, created_at, promoted_at, promoted_by)
     SELECT 'source-' || i, 1, 'PRODUCTION', '{\"version\":1,\"fields\":{\"title\":{\"select\":\"h1\"},\"price\":{\"select\":\".price\"}}}', {definition}, 'add_source',
     {now}, {now}, 'validation' FROM n WHERE i < {sources}",
    "INSERT INTO recipe_version (source_name, version, stage, recipe_json, definition_json, asked_by, waits, created_at)
     SELECT 'source-' || i, 2, 'STAGING', '{\"version\":1,\"fields\":{\"title\":{\"select\":\"h2\"},\"price\":{\"select\":\".cost\"}}}', {definition}, 'doctor', 1, {now}
     FROM n WHERE i < {sources} AND i % 100 = 5",
    "INSERT INTO source_value (source_name, url, at, version, values_json)
     SELECT 'source-' || (i % {sources}), 'https://shop.example/' || (i % {sources}), {now} - 500000000 + i, 1,
     '{\"title\":{\"type\":\"text\",\"value\":\"An item\"},\"price\":{\"type\":\"text\",\"value\":\"' || i || ' EUR\"}}' FROM n WHERE i < {values}",
    "INSERT INTO task_queue (task_id, type, target, state, created_at, started_at, completed_at, context_json, run_at)
     SELECT i + 1, CASE WHEN i % 10 = 0 THEN 'HEAL_REPO' ELSE 'REFRESH_SOURCE' END,
     CASE WHEN i % 10 = 0 THEN 'https://github.com/owner/repository-' || (i % 200) ELSE 'source-' || (i % {sources}) END,
     'COMPLETED', {now} - 500000000 + i, {now} - 500000000 + i, {now} - 500000000 + i, '{}', {now} - 500000000 + i FROM n WHERE i < {runs}",
    "INSERT INTO run (run_id, task_id, workflow, target, started_at, finished_at, outcome, stop_reason, results_json, report)
     SELECT '01930000-0000-7000-8000-' || {hex}, i + 1, CASE WHEN i % 10 = 0 THEN 'HEAL_REPO' ELSE 'REFRESH_SOURCE' END,
     CASE WHEN i % 10 = 0 THEN 'https://github.com/owner/repository-' || (i % 200) ELSE 'source-' || (i % {sources}) END,
     {now} - 1000 * ({runs} - i), {now} - 1000 * ({runs} - i) + 900,
     CASE WHEN i % 10 = 0 THEN (CASE WHEN i % 30 = 0 THEN 'could_not_fix' ELSE 'fixed' END) WHEN i % 50 = 1 THEN 'broken' ELSE 'fetched' END,
     CASE WHEN i % 10 = 0 THEN (CASE WHEN i % 30 = 0 THEN 'NO_PROGRESS' ELSE 'GREEN' END) WHEN i % 50 = 1 THEN 'PARSE_ERROR' ELSE 'GOOD' END,
     '{}', {report} FROM n WHERE i < {runs}",
    "INSERT INTO alert (target, kind, message, created_at)
     SELECT 'source-' || (i % {sources}), 'QUARANTINE', 'the source has failed too often', {now} - 1000 * (5000 - i) FROM n WHERE i < 5000",
    "INSERT INTO fix_history (source_name, error_type, diagnosis_context, patch_generated, validation_result, deployed_to, created_at)
     SELECT 'source-' || (i % {sources}), 'PARSE_ERROR', '{}', '--- a\n+++ b\n', '{}', 'FAILED', {now} - 500000000 + i FROM n WHERE i < {records}",
    "INSERT INTO llm_call (at, target, purpose, model, prompt_hash, input_tokens, output_tokens, cached_tokens, micro_dollars, latency_millis, outcome)
     SELECT {now} - 100000 * ({records} - i), 'source-' || (i % {sources}), 'selectors', 'model-' || (i % 3), 'hash', 1000, 100, 0, 500, 900, 'ANSWERED'
     FROM n WHERE i < {records}",
];

/// Fills the migrated, empty database at a URL. `now` is the time of the newest records, in milliseconds.
///
/// # Errors
///
/// Returns the error of the database, for example if it is not empty or has another schema.
pub async fn fill(url: &str, size: &Size, now: i64) -> Result<(), sqlx::Error> {
    sqlx::any::install_default_drivers();
    let pool = AnyPoolOptions::new().max_connections(1).connect(url).await?;
    let is_postgres = url.starts_with("postgres");
    let most = [size.sources, size.runs, size.values, RECORDS].into_iter().max().unwrap_or(0);
    let (hex, zero) = if is_postgres { ("lpad(to_hex(i), 12, '0')", "0::bigint") } else { ("printf('%012x', i)", "0") };
    // Up to a tenth of the interval is added to each turn. The last runs reach back by the longest time that may lie between two of
    // them, so that as many sources become due in each second; some are overdue.
    let (interval, spread) = size.interval.map_or((604_800, "0".to_owned()), |interval| {
        let apart = interval.as_millis() * 11 / 10;
        (interval.as_secs(), format!("CAST(i AS BIGINT) * {apart} / {}", size.sources))
    });
    let numbers =
        format!("WITH RECURSIVE n(i) AS (SELECT {zero} UNION ALL SELECT i + 1 FROM n WHERE i < {most}) SELECT");
    for statement in FILL {
        let sql = statement
            .replacen("SELECT", &numbers, 1)
            .replace("{definition}", DEFINITION)
            .replace("{interval}", &interval.to_string())
            .replace("{spread}", &spread)
            .replace("{now}", &now.to_string())
            .replace("{sources}", &size.sources.to_string())
            .replace("{runs}", &size.runs.to_string())
            .replace("{values}", &size.values.to_string())
            .replace("{records}", &RECORDS.to_string())
            .replace("{report}", &format!("'{}'", "# Report\n\nEvery page gave its values. ".repeat(40)))
            .replace("{hex}", hex);
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&pool).await?;
    }
    if is_postgres {
        // The next task is numbered after those that were inserted with their numbers.
        let next = "SELECT setval(pg_get_serial_sequence('task_queue', 'task_id'), MAX(task_id)) FROM task_queue";
        sqlx::raw_sql(next).execute(&pool).await?;
    }
    // As the engine does by itself after a while: else it does so during the measurement.
    let settle = if is_postgres { "VACUUM ANALYZE" } else { "ANALYZE" };
    sqlx::raw_sql(settle).execute(&pool).await?;
    pool.close().await;
    Ok(())
}

/// Size of each table of a PostgreSQL database with its indexes, in bytes.
///
/// # Errors
///
/// Returns the error of the database.
pub async fn table_bytes(url: &str) -> Result<BTreeMap<String, i64>, sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    let sql = "SELECT relname::text AS name, pg_total_relation_size(relid) AS bytes FROM pg_stat_user_tables";
    let rows = sqlx::query(sql).fetch_all(&mut connection).await?;
    rows.iter().map(|row| Ok((row.try_get("name")?, row.try_get("bytes")?))).collect()
}

/// Makes the PostgreSQL server of a database wait for the disk at each commit, as it does by default and not under tests. Returns
/// whether it does.
///
/// # Errors
///
/// Returns the error of the database.
pub async fn make_durable(url: &str) -> Result<bool, sqlx::Error> {
    let mut connection = AnyConnection::connect(url).await?;
    sqlx::raw_sql("ALTER SYSTEM SET fsync = on").execute(&mut connection).await?;
    sqlx::raw_sql("SELECT pg_reload_conf()").execute(&mut connection).await?;
    // The processes of the server read their configuration a moment later.
    for _ in 0..500 {
        let mut other = AnyConnection::connect(url).await?;
        if sqlx::query("SHOW fsync").fetch_one(&mut other).await?.try_get::<String, _>(0)? == "on" {
            return Ok(true);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    Ok(false)
}
