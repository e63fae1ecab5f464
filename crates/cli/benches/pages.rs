//! Latency of everything that the dashboard's pages request, with a large database behind them.
//!
//! The database is filled by statements, in the form in which the program itself leaves it; the server is the real binary. Each request is
//! sent `--times` times, one after the other, as a page does. The reference is `GET /healthz`, which reads nothing, in the same session.
//!
//! Arguments: `--sources N`, `--runs N`, `--values N`, `--times N`, `--database-url URL` (of an empty database; by default an SQLite file),
//! `--json FILE`; `--smoke`: a small database, and no goal.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a program for people, which starts the binary that it measures"
)]

mod serve;

use std::path::Path;
use std::time::{Duration, Instant};

use autoheal_store::{Store, system_time};
use autoheal_testkit::figures::{self, Figure, Goal};
use autoheal_testkit::large_database::{self, Size};

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
    /// True if the figures are compared with the goal.
    has_goal: bool,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self {
            sources: 1_000,
            runs: 100_000,
            values: 1_000_000,
            times: 40,
            database_url: None,
            json: None,
            has_goal: true,
        };
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
                "--smoke" => {
                    arguments = Self { sources: 20, runs: 200, values: 1_000, times: 2, has_goal: false, ..arguments };
                }
                // Cargo says `--bench`.
                _ => {}
            }
        }
        arguments
    }
}

/// Everything that the pages of the dashboard request, by page.
const REQUESTS: &[(&str, &str)] = &[
    ("overview", "/api/overview"),
    ("overview", "/api/trends"),
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
    let begun = Instant::now();
    let Arguments { sources, runs, values, .. } = arguments;
    let size = Size { sources, runs, values, interval: None };
    large_database::fill(&url, &size, system_time().as_millis()).await.unwrap();
    let engine = if url.starts_with("postgres") { "PostgreSQL" } else { "SQLite" };
    println!(
        "{} on {engine}: {} sources, {} runs, {} values, filled in {:.0} s",
        serve::build(),
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
    let (mut figures, mut slow, mut reference) = (Vec::new(), Vec::new(), None);
    println!("| page | request | p50 ms | p95 ms | KiB |\n| --- | --- | --- | --- | --- |");
    for (page, request) in requests {
        let path = request.replace("{run}", &run);
        let (latencies, size) = measure(&client, &format!("http://{}{path}", serve.address), arguments.times).await;
        let (p50, p95) = (millis(&latencies, 2), millis(&latencies, 20));
        println!("| {page} | `{request}` | {p50:.1} | {p95:.1} | {} |", size / 1024);
        let figure = Figure::new(format!("{engine}: `{request}`, p95"), p95, "ms");
        figures.push(match &reference {
            Some(reference) => {
                figure.next_to("`/healthz`", *reference).with_goal(Goal::AtMost(GOAL.as_secs_f64() * 1000.0))
            }
            None => figure,
        });
        reference.get_or_insert(p95);
        if p95 > GOAL.as_secs_f64() * 1000.0 {
            slow.push(request);
        }
    }
    if let Some(file) = &arguments.json {
        figures::write(Path::new(file), &figures).unwrap();
    }
    assert!(slow.is_empty() || !arguments.has_goal, "one of twenty took longer than {} ms: {slow:?}", GOAL.as_millis());
}
