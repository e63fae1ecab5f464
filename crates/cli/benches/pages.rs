//! Latency of everything that the dashboard's pages request, with a large database behind them.
//!
//! The database is filled by statements, in the form in which the program itself leaves it; the server is the real binary. Each request is
//! sent `--times` times, one after the other, as a page does. The reference is `GET /healthz`, which reads nothing, in the same session.
//!
//! Arguments: `--sources N`, `--runs N`, `--values N`, `--times N`, `--database-url URL` (of an empty database; by default an SQLite file),
//! `--json FILE`.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for people, which starts the binary that it measures"
)]

mod serve;

use std::time::{Duration, Instant};

use autoheal_store::{Store, system_time};
use serde_json::json;
use sqlx::AnyPool;
use sqlx::any::AnyPoolOptions;

use self::serve::{Serve, TOKEN};

/// The slowest that one of twenty requests of a page may be.
const GOAL: Duration = Duration::from_millis(100);

struct Arguments {
    sources: u32,
    runs: u32,
    values: u32,
    times: usize,
    database_url: Option<String>,
    json: Option<String>,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments =
            Self { sources: 1_000, runs: 100_000, values: 1_000_000, times: 40, database_url: None, json: None };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap();
            match word.as_str() {
                "--sources" => arguments.sources = value().parse().unwrap(),
                "--runs" => arguments.runs = value().parse().unwrap(),
                "--values" => arguments.values = value().parse().unwrap(),
                "--times" => arguments.times = value().parse().unwrap(),
                "--database-url" => arguments.database_url = Some(value()),
                "--json" => arguments.json = Some(value()),
                // Cargo says `--bench`.
                _ => {}
            }
        }
        arguments
    }
}

/// Statements that fill the database. `{hex}` writes the number `i` in twelve hexadecimal digits. Of a hundred sources, one waits for a
/// review, one is in quarantine and three are degraded; of ten runs, nine are of sources and one is of a repository.
const FILL: &[&str] = &[
    "INSERT INTO source (source_name, definition_json, created_at, updated_at)
     SELECT 'source-' || i, '{\"url\":\"https://shop.example/' || i || '\",\"blueprint\":{\"base_url\":\"https://shop.example/' || i ||
     '\",\"kind\":\"single\",\"fields\":[]},\"interval_seconds\":604800,\"heal_policy\":\"auto\"}', {now} - 1000000, {now} FROM n WHERE i < {sources}",
    "INSERT INTO source_health (source_name, state, last_success_at, success_count, failure_count, quarantine_until, created_at, updated_at)
     SELECT 'source-' || i, CASE i % 100 WHEN 7 THEN 'QUARANTINED' WHEN 8 THEN 'DEGRADED' WHEN 9 THEN 'DEGRADED' WHEN 10 THEN 'DEGRADED'
     ELSE 'ACTIVE' END, {now}, 90, 10, CASE i % 100 WHEN 7 THEN {now} + 80000000 END, {now} - 1000000, {now} FROM n WHERE i < {sources}",
    "INSERT INTO recipe_version (source_name, version, stage, recipe_json, definition_json, asked_by, created_at, promoted_at, promoted_by)
     SELECT 'source-' || i, 1, 'PRODUCTION', '{\"version\":1,\"fields\":{\"title\":{\"select\":\"h1\"},\"price\":{\"select\":\".price\"}}}', '{}', 'add_source',
     {now}, {now}, 'validation' FROM n WHERE i < {sources}",
    "INSERT INTO recipe_version (source_name, version, stage, recipe_json, definition_json, asked_by, waits, created_at)
     SELECT 'source-' || i, 2, 'STAGING', '{\"version\":1,\"fields\":{\"title\":{\"select\":\"h2\"},\"price\":{\"select\":\".cost\"}}}', '{}', 'doctor', 1, {now}
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
     SELECT 'source-' || (i % {sources}), 'PARSE_ERROR', '{}', '--- a\n+++ b\n', '{}', 'FAILED', {now} - 500000000 + i FROM n WHERE i < 20000",
    "INSERT INTO llm_call (at, target, purpose, model, prompt_hash, input_tokens, output_tokens, cached_tokens, micro_dollars, latency_millis, outcome)
     SELECT {now} - 100000 * (20000 - i), 'source-' || (i % {sources}), 'selectors', 'model-' || (i % 3), 'hash', 1000, 100, 0, 500, 900, 'ANSWERED'
     FROM n WHERE i < 20000",
];

/// Everything that the pages of the dashboard request, by page.
const REQUESTS: &[(&str, &str)] = &[
    ("overview", "/api/overview"),
    ("overview", "/api/needs"),
    ("overview", "/api/sources/statistics"),
    ("overview", "/api/runs?limit=6"),
    ("runs", "/api/runs?limit=25"),
    ("runs", "/api/runs?limit=25&kind=HEAL_REPO&state=could_not_fix"),
    ("runs", "/api/runs?limit=25&search=repository-19"),
    ("runs", "/api/runs?limit=25&search=in+no+target"),
    ("runs", "/api/runs?limit=25&before={run}"),
    ("run", "/api/runs/{run}"),
    ("run", "/api/runs/{run}/diagnostics?limit=200"),
    ("run", "/api/runs/{run}/fixes?limit=200"),
    ("run", "/api/runs/{run}/outputs?limit=200"),
    ("sources", "/api/sources?limit=50"),
    ("sources", "/api/sources?limit=50&state=DEGRADED"),
    ("sources", "/api/sources?limit=50&waits=true"),
    ("sources", "/api/sources?limit=50&search=77"),
    ("sources", "/api/sources?limit=50&offset=900"),
    ("source", "/api/sources/source-5"),
    ("source", "/api/sources/source-5/values?limit=25"),
    ("source", "/api/sources/source-5/values?limit=200"),
    ("source", "/api/sources/source-5/recipes?limit=200"),
    ("source", "/api/sources/source-5/fixes?limit=200"),
    ("source", "/api/sources/source-5/snapshots?limit=200"),
    ("source", "/api/sources/source-5/decisions"),
    ("source", "/api/runs?limit=25&target=source-5"),
    ("queue", "/api/tasks?limit=25"),
    ("queue", "/api/tasks?limit=25&state=COMPLETED&search=source-77"),
    ("alerts", "/api/alerts?limit=25"),
    ("alerts", "/api/alerts?limit=25&search=source-99"),
    ("usage", "/api/usage?by=day"),
    ("monitoring", "/metrics"),
];

async fn fill(pool: &AnyPool, arguments: &Arguments, is_postgres: bool) {
    let most = [arguments.sources, arguments.runs, arguments.values, 20_000].into_iter().max().unwrap();
    let hex = if is_postgres { "lpad(to_hex(i), 12, '0')" } else { "printf('%012x', i)" };
    for statement in FILL {
        let (insert, select) = statement.split_once("SELECT").unwrap();
        let type_of = if is_postgres { "::bigint" } else { "" };
        let sql = format!(
            "{insert} WITH RECURSIVE n(i) AS (SELECT 0{type_of} UNION ALL SELECT i + 1 FROM n WHERE i < {most}) SELECT {select}"
        );
        let sql = sql
            .replace("{now}", &system_time().as_millis().to_string())
            .replace("{sources}", &arguments.sources.to_string())
            .replace("{runs}", &arguments.runs.to_string())
            .replace("{values}", &arguments.values.to_string())
            .replace("{report}", &format!("'{}'", "# Report\n\nEvery page gave its values. ".repeat(40)))
            .replace("{hex}", hex);
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(pool).await.unwrap();
    }
    // As the engine does by itself after a while: else it does so during the measurement.
    let settle = if is_postgres { "VACUUM ANALYZE" } else { "ANALYZE" };
    sqlx::raw_sql(settle).execute(pool).await.unwrap();
}

/// The latencies of a request, in ascending order, and the size of its answer in bytes.
async fn measure(client: &reqwest::Client, url: &str, times: usize) -> (Vec<Duration>, usize) {
    let mut latencies = Vec::with_capacity(times);
    let mut size = 0;
    // The first one is a warm-up.
    for turn in 0..=times {
        let begun = Instant::now();
        let answer = client.get(url).bearer_auth(TOKEN).send().await.unwrap();
        assert!(answer.status().is_success(), "{url}: {}", answer.status());
        size = answer.bytes().await.unwrap().len();
        if turn > 0 {
            latencies.push(begun.elapsed());
        }
    }
    latencies.sort_unstable();
    (latencies, size)
}

/// The latency that all but `one_of`th of the requests stay under, in milliseconds.
fn millis(latencies: &[Duration], one_of: usize) -> f64 {
    let last = latencies.len() - 1;
    latencies[last - latencies.len() / one_of].as_secs_f64() * 1000.0
}

#[tokio::main]
async fn main() {
    rustls::crypto::ring::default_provider().install_default().unwrap();
    let arguments = Arguments::read();
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".local/share/autoheal");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("autoheal.db");
    let url = arguments.database_url.clone().unwrap_or_else(|| format!("sqlite://{}", file.display()));
    let store = match &arguments.database_url {
        Some(url) => Store::open(url).await.unwrap(),
        None => Store::open_file(&file).await.unwrap(),
    };
    drop(store);
    sqlx::any::install_default_drivers();
    let begun = Instant::now();
    let pool = AnyPoolOptions::new().max_connections(1).connect(&url).await.unwrap();
    fill(&pool, &arguments, url.starts_with("postgres")).await;
    pool.close().await;
    let profile = if env!("CARGO_BIN_EXE_autoheal").contains("/debug/") { "a dev build" } else { "a release build" };
    let engine = if url.starts_with("postgres") { "PostgreSQL" } else { "SQLite" };
    println!(
        "{profile} on {engine}: {} sources, {} runs, {} values, filled in {:.0} s",
        arguments.sources,
        arguments.runs,
        arguments.values,
        begun.elapsed().as_secs_f64()
    );

    let named = arguments.database_url.as_ref().map(|url| ("AUTOHEAL_DATABASE_URL", url.as_str()));
    let serve = Serve::start(home.path(), named.as_slice());
    let client = reqwest::Client::new();
    let run = format!("01930000-0000-7000-8000-{:012x}", arguments.runs / 2);
    let requests = std::iter::once(("reference", "/healthz")).chain(REQUESTS.iter().copied());
    let (mut figures, mut slow) = (Vec::new(), Vec::new());
    println!("| page | request | p50 ms | p95 ms | KiB |\n| --- | --- | --- | --- | --- |");
    for (page, request) in requests {
        let path = request.replace("{run}", &run);
        let (latencies, size) = measure(&client, &format!("http://{}{path}", serve.address), arguments.times).await;
        let (p50, p95) = (millis(&latencies, 2), millis(&latencies, 20));
        println!("| {page} | `{request}` | {p50:.1} | {p95:.1} | {} |", size / 1024);
        figures.push(json!({ "page": page, "request": request, "p50_millis": p50, "p95_millis": p95, "bytes": size }));
        if p95 > GOAL.as_secs_f64() * 1000.0 {
            slow.push(request);
        }
    }
    if let Some(file) = &arguments.json {
        std::fs::write(file, json!({ "build": profile, "engine": engine, "requests": figures }).to_string()).unwrap();
    }
    assert!(slow.is_empty(), "one of twenty took longer than {} ms: {slow:?}", GOAL.as_millis());
}
