//! A fleet of sources on PostgreSQL, at several sizes: whether the schedule keeps its times, and what breaks first.
//!
//! Real are the database (which waits for the disk at each commit), its statements, the schedule, the claims and leases, and the
//! server with its pages. Simulated are the workers, twenty by default: each claims as a worker does, reads the source, waits as
//! long as a request would take, and stores a run with its values and the source's health. The database is filled first, as it is
//! after months; the last runs of the sources are spread over their interval, so that at any time some are due.
//!
//! Of each size: the time of the first look at all sources (after an upgrade), then the runs per second while what was overdue is
//! caught up, then how late runs begin, and the latency of pages meanwhile. At the end, what a run leaves in the database, and how fast
//! old runs are deleted.
//!
//! Arguments: `--sources N,N,...`, `--workers N`, `--seconds N`, `--interval HOURS`, `--json FILE`, `--plot FILE` (a picture of the
//! runs that wait, SVG); `--smoke`: one small fleet, for the assertions alone.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::cast_precision_loss,
    clippy::disallowed_methods,
    reason = "a program for people, which starts the binary that it measures"
)]

mod plot;
mod serve;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use autoheal_engine::event::EventBody;
use autoheal_engine::source::SourceRecord;
use autoheal_engine::task::{Lease, Task, TaskKind, TaskState};
use autoheal_engine::workflow::{Ending, Record};
use autoheal_engine::{Outcome, RunId, StopReason};
use autoheal_source::Definition;
use autoheal_source::schedule::{Turn, enqueue_due};
use autoheal_store::{Checkpoint, ClaimRequest, FinishedRun, NewRun, Store, system_time};
use autoheal_testkit::figures::{self, Figure, Goal};
use autoheal_testkit::large_database::{self, Size};
use autoheal_testkit::postgres;
use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use self::serve::{Serve, TOKEN};

/// Tasks that a worker runs at once.
const SLOTS: usize = 4;

/// Time that a request for a page takes, with what is polite to wait before it.
const FETCH: Duration = Duration::from_millis(250);

/// Interval between two looks of an idle worker.
const IDLE: Duration = Duration::from_millis(250);

/// Time within which one of twenty runs must have begun after its turn.
const LATEST: Duration = Duration::from_secs(30);

/// Time limit for what is overdue.
const PATIENCE: Duration = Duration::from_mins(20);

/// Requests of the dashboard's pages and of a monitoring system.
const REQUESTS: &[&str] = &[
    "/api/overview",
    "/api/needs",
    "/api/sources/statistics",
    "/api/sources?limit=50",
    "/api/sources?limit=50&search=77",
    "/api/sources/source-5",
    "/api/runs?limit=25",
    "/api/tasks?limit=25",
    "/metrics",
];

struct Arguments {
    sizes: Vec<u32>,
    workers: usize,
    /// Time for which runs are observed when nothing is overdue.
    observed: Duration,
    interval: Duration,
    json: Option<String>,
    plot: Option<String>,
    is_smoke: bool,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self {
            sizes: vec![10_000, 100_000, 1_000_000],
            workers: 20,
            observed: Duration::from_mins(2),
            interval: Duration::from_hours(6),
            json: None,
            plot: None,
            is_smoke: false,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().unwrap();
            match word.as_str() {
                "--sources" => arguments.sizes = value().split(',').map(|size| size.parse().unwrap()).collect(),
                "--workers" => arguments.workers = value().parse().unwrap(),
                "--seconds" => arguments.observed = Duration::from_secs(value().parse().unwrap()),
                "--interval" => arguments.interval = Duration::from_hours(value().parse().unwrap()),
                "--json" => arguments.json = Some(value()),
                "--plot" => arguments.plot = Some(value()),
                "--smoke" => {
                    let (observed, interval) = (Duration::from_secs(5), Duration::from_mins(2));
                    arguments = Self { sizes: vec![400], observed, interval, is_smoke: true, ..arguments };
                }
                // Cargo says `--bench`.
                _ => {}
            }
        }
        arguments
    }
}

/// The runs of the workers: source, time between its turn and the claim, time of the claim.
type Log = Vec<(String, Duration, Instant)>;

/// One simulated fleet.
struct Fleet<'a> {
    arguments: &'a Arguments,
    sources: u32,
    url: String,
    store: Store,
}

impl Fleet<'_> {
    async fn measure(&self, home: &Path) -> (Vec<Figure>, plot::Curve) {
        let begun = Instant::now();
        let enqueued = enqueue_due(&self.store, self.store.now()).await.unwrap();
        let first_look = begun.elapsed();
        let before = large_database::table_bytes(&self.url).await.unwrap();

        let (log, stop) = (Arc::<Mutex<Log>>::default(), Arc::<AtomicBool>::default());
        // A server of its own has the schedule, and serves the pages; it runs nothing.
        std::fs::write(home.join("autoheal.toml"), "[worker.kinds]\nrefresh_source = 0\n").unwrap();
        let serve = Serve::start(home, &[("AUTOHEAL_DATABASE_URL", &self.url)]);
        let mut workers = JoinSet::new();
        for number in 0..self.arguments.workers {
            // Each has its own connections, as on its own machine.
            let store = Store::open(&self.url).await.unwrap();
            workers.spawn(work(store, format!("worker-{number}"), Arc::clone(&log), Arc::clone(&stop)));
        }
        let waiting = tokio::spawn(count_waiting(self.store.clone(), Arc::clone(&stop)));
        let overdue = Instant::now();
        // Sources become due meanwhile, and wait behind those that were overdue.
        while log.lock().unwrap().len() < enqueued || self.store.glance(self.store.now()).await.unwrap().pending > 0 {
            assert!(overdue.elapsed() < PATIENCE, "runs that were overdue did not end");
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        let behind = log.lock().unwrap().len();
        let caught_up = overdue.elapsed();
        let on_time = Instant::now();
        let mut latencies = BTreeMap::<&str, Vec<f64>>::new();
        let client = reqwest::Client::new();
        while on_time.elapsed() < self.arguments.observed {
            for request in REQUESTS {
                let begun = Instant::now();
                let url = format!("http://{}{request}", serve.address);
                let answer = client.get(&url).bearer_auth(TOKEN).send().await.unwrap();
                assert!(answer.status().is_success(), "{url}: {}", answer.status());
                answer.bytes().await.unwrap();
                latencies.entry(request).or_default().push(begun.elapsed().as_secs_f64() * 1000.0);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        stop.store(true, Ordering::Relaxed);
        workers.join_all().await;
        let waiting = waiting.await.unwrap();
        drop(serve);

        let runs = std::mem::take(&mut *log.lock().unwrap());
        let names: BTreeSet<_> = runs.iter().map(|(source, ..)| source).collect();
        // No interval has passed since the first of them.
        assert_eq!(names.len(), runs.len(), "a source ran twice");
        let mut late: Vec<f64> = runs.iter().filter(|run| run.2 > on_time).map(|run| run.1.as_secs_f64()).collect();
        late.sort_by(f64::total_cmp);
        assert!(!late.is_empty(), "nothing was due");
        let of = |what: &str| format!("{} sources: {what}", self.sources);
        let per_second = |count: f64, time: Duration| count / time.as_secs_f64();
        let is_goal = |figure: Figure| {
            if self.arguments.is_smoke { figure } else { figure.with_goal(Goal::AtMost(LATEST.as_secs_f64())) }
        };
        let mut figures = vec![
            Figure::new(of("first look at all"), per_second(self.sources.into(), first_look), "/s"),
            Figure::new(of("runs while what was overdue is caught up"), per_second(behind as f64, caught_up), "/s"),
            Figure::new(of("runs on time"), per_second(late.len() as f64, self.arguments.observed), "/s"),
            Figure::new(of("a run begins after its time, p50"), part(&late, 0.5), "s"),
            is_goal(Figure::new(of("a run begins after its time, p95"), part(&late, 0.95), "s")),
        ];
        for (request, mut millis) in latencies {
            millis.sort_by(f64::total_cmp);
            figures.push(Figure::new(of(&format!("`{request}`, p95")), part(&millis, 0.95), "ms"));
        }
        let after = large_database::table_bytes(&self.url).await.unwrap();
        let grown = |table: &str| after[table].saturating_sub(before.get(table).copied().unwrap_or(0)) as f64;
        for table in after.keys().filter(|table| grown(table) > runs.len() as f64) {
            figures.push(Figure::new(
                of(&format!("`{table}` grows by a run")),
                grown(table) / runs.len() as f64,
                "bytes",
            ));
        }
        let (begun, at) = (Instant::now(), self.store.now());
        let pruned = self.store.prune(at).await.unwrap();
        figures.push(Figure::new(of("old runs deleted"), per_second(pruned.runs as f64, begun.elapsed()), "/s"));
        (figures, plot::Curve { name: format!("{} sources", self.sources), waiting })
    }
}

/// The value that this part of ascending values stays under.
fn part(ascending: &[f64], part: f64) -> f64 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "an index of a list")]
    let index = ((ascending.len() - 1) as f64 * part).round() as usize;
    ascending[index]
}

/// The number of runs that wait to begin, second by second, until it is stopped.
async fn count_waiting(store: Store, stop: Arc<AtomicBool>) -> Vec<u32> {
    let mut waiting = Vec::new();
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    while !stop.load(Ordering::Relaxed) {
        seconds.tick().await;
        waiting.push(u32::try_from(store.glance(store.now()).await.unwrap().pending).unwrap());
    }
    waiting
}

/// A worker: as many runs at once as it has slots, until it is stopped.
async fn work(store: Store, worker: String, log: Arc<Mutex<Log>>, stop: Arc<AtomicBool>) {
    let request = ClaimRequest {
        host: worker.clone(),
        worker,
        kinds: vec![TaskKind::RefreshSource],
        lease: Duration::from_mins(1),
        only: None,
    };
    let mut running = JoinSet::new();
    while !stop.load(Ordering::Relaxed) {
        let claimed = store.claim_up_to(&request, SLOTS - running.len()).await.unwrap();
        let was_idle = claimed.is_empty();
        for (task, lease) in claimed {
            running.spawn(refresh(store.clone(), task, lease, Arc::clone(&log)));
        }
        if was_idle && running.is_empty() {
            tokio::time::sleep(IDLE).await;
        }
        if let Some(ended) = running.join_next().await {
            ended.unwrap();
        }
    }
    running.join_all().await;
}

/// A run of a source as its workflow stores it, of a page that has what it had before.
async fn refresh(store: Store, task: Task, lease: Lease, log: Arc<Mutex<Log>>) {
    let (claimed_at, now, source) = (Instant::now(), store.now(), task.target.clone());
    let row = store.source(&source).await.unwrap().unwrap();
    let version = store.recipes(&source).await.unwrap()[0].version;
    let definition: Definition = serde_json::from_value(row.definition).unwrap();
    let turn = Turn::next(&source, &definition, &row.health, now).unwrap();
    let run = RunId(Uuid::now_v7());
    let started = EventBody::RunStarted { target: source.clone() };
    let workflow = TaskKind::RefreshSource.name().to_owned();
    let new = NewRun { run, workflow, target: source.clone(), started_at: now, event: started };
    store.begin_run(&lease, &new).await.unwrap();
    tokio::time::sleep(FETCH).await;
    let at = store.now();
    let mut health = row.health;
    health.good_run(at);
    let values =
        json!({ "title": { "type": "text", "value": "An item" }, "price": { "type": "text", "value": "12 EUR" } });
    let records = [
        SourceRecord::Values {
            source: source.clone(),
            url: definition.url.to_string(),
            version,
            values: values.clone(),
        },
        SourceRecord::Watched { source: source.clone(), version, good: true },
        SourceRecord::Health { source: source.clone(), health },
    ];
    let records = records.map(Record::Source);
    let checkpoint = Checkpoint {
        run,
        seq: 1,
        node: "refresh".to_owned(),
        next_node: None,
        state_version: 1,
        state: json!({ "source": source, "values": values }),
        at,
    };
    store.checkpoint(&lease, &checkpoint, &[], &records).await.unwrap();
    let ending = Ending {
        outcome: Outcome::Fetched,
        stop_reason: StopReason::Good,
        results: json!({ "values": values }),
        report: format!("# {source}\n\nThe page has its values."),
    };
    let events = [(at, EventBody::RunFinished { outcome: Some(Outcome::Fetched), stop_reason: "GOOD".to_owned() })];
    let end = FinishedRun { run, ending: &ending, at, task_state: TaskState::Completed, events: &events, records: &[] };
    store.finish(&lease, &end).await.unwrap();
    log.lock().unwrap().push((source, now.since(turn.at), claimed_at));
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    rustls::crypto::ring::default_provider().install_default().unwrap();
    let arguments = Arguments::read();
    let (mut figures, mut curves) = (Vec::new(), Vec::new());
    println!(
        "{}, {} workers with {SLOTS} slots, a request takes {} ms, each source every {} s",
        serve::build(),
        arguments.workers,
        FETCH.as_millis(),
        arguments.interval.as_secs()
    );
    for &sources in &arguments.sizes {
        let Some(url) = postgres::database() else {
            assert!(arguments.is_smoke, "there is no PostgreSQL to measure: install it");
            return;
        };
        let store = Store::open(&url).await.unwrap();
        assert!(
            arguments.is_smoke || large_database::make_durable(&url).await.unwrap(),
            "PostgreSQL was started with fsync off, which cannot be changed"
        );
        let size = Size { sources, runs: sources, values: sources, interval: Some(arguments.interval) };
        large_database::fill(&url, &size, system_time().as_millis()).await.unwrap();
        let home = tempfile::tempdir().unwrap();
        let (measured, curve) = Fleet { arguments: &arguments, sources, url, store }.measure(home.path()).await;
        for figure in &measured {
            println!("{figure}");
        }
        figures.extend(measured);
        curves.push(curve);
    }
    if let Some(file) = &arguments.plot {
        std::fs::write(file, plot::svg(&curves)).unwrap();
    }
    if let Some(file) = &arguments.json {
        figures::write(Path::new(file), &figures).unwrap();
    }
    let missed: Vec<_> =
        figures.iter().filter(|figure| figure.is_met() == Some(false)).map(|figure| &figure.what).collect();
    assert!(missed.is_empty(), "goals are missed: {missed:?}");
}
