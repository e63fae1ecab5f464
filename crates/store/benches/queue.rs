//! Speed of the queue: tasks enqueued, and tasks claimed and completed, by four workers of one process, on each engine
//! with its durable settings (SQLite in a file with `synchronous = FULL`, PostgreSQL with `fsync` on).
//!
//! The reference is the best that the machine's disk and the engine can do for one writer that waits for each commit: a
//! loop of single-row inserts on one connection, measured in the same session.
//!
//! Arguments: the engines to measure, `sqlite` or `postgresql`; default: both.

#![expect(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss, reason = "a program for people")]

use std::time::{Duration, Instant};

use autoheal_engine::event::EventBody;
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::workflow::Ending;
use autoheal_engine::{Outcome, RunId, StopReason, Timestamp};
use autoheal_store::{ClaimRequest, FinishedRun, NewRun, Store};
use sqlx::{AnyConnection, Connection as _, Executor as _, Row as _};
use tokio::task::JoinSet;
use uuid::Uuid;

const WORKERS: usize = 4;
const TASKS_PER_WORKER: usize = 1000;
const ROUNDS: usize = 3;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    sqlx::any::install_default_drivers();
    println!("{WORKERS} workers, {} tasks, median of {ROUNDS} rounds", WORKERS * TASKS_PER_WORKER);
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |engine: &str| asked.is_empty() || asked.iter().any(|name| name.eq_ignore_ascii_case(engine));
    if wanted("SQLite") {
        let folder = tempfile::tempdir().unwrap();
        measure("SQLite", &format!("sqlite://{}/queue.db", folder.path().display()), 3000.0).await;
    }
    if !wanted("PostgreSQL") {
        return;
    }
    if let Some(url) = autoheal_testkit::postgres::database() {
        if make_durable(&url).await {
            measure("PostgreSQL", &url, 1000.0).await;
        } else {
            autoheal_testkit::skip("PostgreSQL", "the server was started with fsync off, which cannot be changed");
        }
    }
}

/// Makes the test server wait for the disk at each commit, which it does not do by default.
async fn make_durable(url: &str) -> bool {
    let mut connection = AnyConnection::connect(url).await.unwrap();
    connection.execute("ALTER SYSTEM SET fsync = on").await.unwrap();
    connection.execute("SELECT pg_reload_conf() IS NOT NULL AS done").await.unwrap();
    // The server's processes read the configuration when they are told of it, a moment later.
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(5) {
        let mut other = AnyConnection::connect(url).await.unwrap();
        if sqlx::query("SHOW fsync").fetch_one(&mut other).await.unwrap().get::<String, _>(0) == "on" {
            return true;
        }
    }
    false
}

async fn measure(engine: &str, url: &str, goal: f64) {
    let store = Store::open(url).await.unwrap();
    let mut rounds = Vec::new();
    for round in 0..ROUNDS {
        let reference = reference(url).await;
        let enqueued = by_all(&store, move |store, worker| enqueue(store, round, worker)).await;
        let closed = by_all(&store, |store, _| claim_and_close(store)).await;
        by_all(&store, move |store, worker| enqueue(store, round, worker)).await;
        let run = by_all(&store, |store, _| claim_and_run(store)).await;
        rounds.push([reference, enqueued, closed, run]);
    }
    let median = |column: usize| {
        let mut rates: Vec<f64> = rounds.iter().map(|round| round[column]).collect();
        rates.sort_by(f64::total_cmp);
        rates[ROUNDS / 2]
    };
    let reference = median(0);
    println!("{engine}: single-row insert and commit, one connection (the reference): {reference:.0}/s");
    for (column, what) in [(1, "enqueue"), (2, "claim + complete"), (3, "claim + begin run + finish run with results")]
    {
        let rate = median(column);
        let verdict = if column == 3 {
            String::new()
        } else {
            format!(", goal {goal:.0}/s {}", if rate >= goal { "met" } else { "MISSED" })
        };
        println!("{engine}: {what}: {rate:.0}/s, {:.2} x the reference{verdict}", rate / reference);
    }
}

/// Commits per second of one connection that waits for each.
async fn reference(url: &str) -> f64 {
    const LENGTH: Duration = Duration::from_secs(1);
    let mut connection = AnyConnection::connect(url).await.unwrap();
    connection.execute("CREATE TABLE IF NOT EXISTS reference (number BIGINT, text TEXT)").await.unwrap();
    let begun = Instant::now();
    let mut commits = 0_i64;
    while begun.elapsed() < LENGTH {
        sqlx::query("INSERT INTO reference VALUES ($1, 'some text')")
            .bind(commits)
            .execute(&mut connection)
            .await
            .unwrap();
        commits += 1;
    }
    commits as f64 / begun.elapsed().as_secs_f64()
}

/// Tasks per second when every worker does its share at the same time.
async fn by_all<F>(store: &Store, share: impl Fn(Store, usize) -> F) -> f64
where
    F: Future<Output = ()> + Send + 'static,
{
    let begun = Instant::now();
    let mut workers = JoinSet::new();
    for worker in 0..WORKERS {
        workers.spawn(share(store.clone(), worker));
    }
    workers.join_all().await;
    (WORKERS * TASKS_PER_WORKER) as f64 / begun.elapsed().as_secs_f64()
}

async fn enqueue(store: Store, round: usize, worker: usize) {
    for number in 0..TASKS_PER_WORKER {
        let target = format!("https://github.com/owner/repository-{round}-{worker}-{number}");
        // No retries: a failure ends it.
        let task = NewTask { max_retries: 1, ..NewTask::new(TaskKind::HealRepo, target, Timestamp::from_millis(0)) };
        assert!(store.enqueue(&task).await.unwrap().created);
    }
}

fn request() -> ClaimRequest {
    ClaimRequest {
        worker: "bench".to_owned(),
        host: "here".to_owned(),
        kinds: TaskKind::ALL.to_vec(),
        lease: Duration::from_mins(1),
        only: None,
    }
}

/// Measures the queue alone: claims each task and postpones it indefinitely, which is one statement like any
/// end of a task.
async fn claim_and_close(store: Store) {
    while let Some((_, lease)) = store.claim(&request()).await.unwrap() {
        let put_off = store.fail(&lease, "done", Duration::MAX).await.unwrap();
        assert_eq!(put_off, TaskState::Pending);
    }
}

/// The least that a worker writes for a task: a run with its first and last event, and its result.
async fn claim_and_run(store: Store) {
    let at = Timestamp::from_millis(1);
    let ending = Ending {
        outcome: Outcome::Fixed,
        stop_reason: StopReason::Green,
        results: serde_json::json!({"ci_status": "PASSED"}),
        report: "# Healed".to_owned(),
    };
    while let Some((task, lease)) = store.claim(&request()).await.unwrap() {
        let run = RunId(Uuid::now_v7());
        let event = EventBody::RunStarted { target: task.target.clone() };
        let new = NewRun { run, workflow: "repo".to_owned(), target: task.target, started_at: at, event };
        store.begin_run(&lease, &new).await.unwrap();
        let events = [(at, EventBody::RunFinished { outcome: None, stop_reason: "GREEN".to_owned() })];
        let end =
            FinishedRun { run, ending: &ending, at, task_state: TaskState::Completed, events: &events, records: &[] };
        store.finish(&lease, &end).await.unwrap();
    }
}
