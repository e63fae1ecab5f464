//! Speed of the queue: tasks enqueued, and tasks claimed and completed, by four workers of one process, on each engine
//! with its durable settings (SQLite in a file with `synchronous = FULL`, PostgreSQL with `fsync` on).
//!
//! The reference is the best that the machine's disk and the engine can do for one writer that waits for each commit: a
//! loop of single-row inserts on one connection, measured in the same session.
//!
//! A worker has one slot, as `autoheal worker` by default, or four, and claims as many tasks as it has free ones.
//!
//! Each stage also asserts its meaning: every task was claimed exactly once, and has the state (and run) that the stage leaves.
//!
//! Arguments: the engines to measure, `sqlite` or `postgresql` (default: both); `--smoke`: a few tasks, for the assertions
//! alone; `--json FILE`.

#![expect(clippy::unwrap_used, clippy::print_stdout, clippy::cast_precision_loss, reason = "a program for people")]

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use autoheal_engine::event::EventBody;
use autoheal_engine::task::{Lease, NewTask, Task, TaskKind, TaskState};
use autoheal_engine::workflow::Ending;
use autoheal_engine::{Outcome, RunId, StopReason, TaskId, Timestamp};
use autoheal_store::{ClaimRequest, FinishedRun, NewRun, Store};
use autoheal_testkit::figures::{self, Figure};
use autoheal_testkit::large_database::make_durable;
use sqlx::{AnyConnection, Connection as _, Executor as _};
use tokio::task::JoinSet;
use uuid::Uuid;

const WORKERS: usize = 4;

/// Tasks that a worker with several slots runs at once: the default of `autoheal serve`.
const SLOTS: usize = 4;

/// Size of the measurement.
#[derive(Clone, Copy)]
struct Size {
    tasks_per_worker: usize,
    rounds: usize,
    /// Duration of the reference loop.
    reference: Duration,
    /// True if rates are compared with the goals: a small load measures nothing.
    has_goals: bool,
}

const LONG: Size = Size { tasks_per_worker: 1000, rounds: 3, reference: Duration::from_secs(1), has_goals: true };
const SMOKE: Size = Size { tasks_per_worker: 25, rounds: 2, reference: Duration::from_millis(50), has_goals: false };

struct Arguments {
    smoke: bool,
    json: Option<String>,
    engines: Vec<String>,
}

impl Arguments {
    fn read() -> Self {
        let mut arguments = Self { smoke: false, json: None, engines: Vec::new() };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--smoke" => arguments.smoke = true,
                "--json" => arguments.json = words.next(),
                // Cargo says `--bench`.
                option if option.starts_with('-') => {}
                engine => arguments.engines.push(engine.to_owned()),
            }
        }
        arguments
    }

    fn wants(&self, engine: &str) -> bool {
        self.engines.is_empty() || self.engines.iter().any(|name| name.eq_ignore_ascii_case(engine))
    }
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() {
    sqlx::any::install_default_drivers();
    let arguments = Arguments::read();
    let size = if arguments.smoke { SMOKE } else { LONG };
    println!("{WORKERS} workers, {} tasks, median of {} rounds", WORKERS * size.tasks_per_worker, size.rounds);
    let mut figures = Vec::new();
    if arguments.wants("SQLite") {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/queue.db", folder.path().display());
        figures.extend(measure("SQLite", &url, 3000.0, size).await);
    }
    if arguments.wants("PostgreSQL")
        && let Some(url) = postgres(arguments.smoke).await
    {
        figures.extend(measure("PostgreSQL", &url, 1000.0, size).await);
    }
    if let Some(file) = &arguments.json {
        figures::write(Path::new(file), &figures).unwrap();
    }
}

/// A database of PostgreSQL. To measure, there must be one, and it must wait for the disk.
async fn postgres(smoke: bool) -> Option<String> {
    let url = autoheal_testkit::postgres::database();
    if let Some(url) = &url
        && !smoke
    {
        assert!(make_durable(url).await.unwrap(), "PostgreSQL was started with fsync off, which cannot be changed");
    }
    assert!(smoke || url.is_some(), "there is no PostgreSQL to measure: install it, or pass `sqlite`");
    url
}

/// The stages: their names, and the goal of each as a rate or as a multiple of the reference.
const STAGES: [(&str, Goal); 5] = [
    ("enqueue", Goal::OfEngine),
    ("claim + complete, one slot", Goal::OfEngine),
    ("claim + complete, four slots", Goal::OfEngine),
    ("claim + begin run + finish run with results, one slot", Goal::OfReference),
    ("claim + begin run + finish run with results, four slots", Goal::OfReference),
];

#[derive(Clone, Copy)]
enum Goal {
    /// The engine's number of tasks per second.
    OfEngine,
    /// The reference's rate.
    OfReference,
}

async fn measure(engine: &str, url: &str, goal_of_engine: f64, size: Size) -> Vec<Figure> {
    let store = Store::open(url).await.unwrap();
    let mut rounds = Vec::new();
    for round in 0..size.rounds {
        let mut rates = vec![reference(url, size.reference).await];
        for slots in [1, SLOTS] {
            let enqueued = enqueue_all(&store, &format!("closed-{round}-{slots}"), size).await;
            let closed = by_all(&store, |store, _| work(store, slots, close)).await;
            closed.assert_same_tasks(&enqueued);
            // Such a task stays open, so the next stage needs other targets: a target has one open task at most.
            assert_left_in(&store, &closed, TaskState::Pending).await;
            let enqueued_to_run = enqueue_all(&store, &format!("run-{round}-{slots}"), size).await;
            let run = by_all(&store, |store, _| work(store, slots, run)).await;
            run.assert_same_tasks(&enqueued_to_run);
            assert_left_in(&store, &run, TaskState::Completed).await;
            rates.extend([enqueued.rate, closed.rate, run.rate]);
        }
        rounds.push(rates);
    }
    let median = |column: usize| {
        let mut rates: Vec<f64> = rounds.iter().map(|round| round[column]).collect();
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let reference = median(0);
    println!("{engine}: single-row insert and commit, one connection (the reference): {reference:.0}/s");
    let mut figures = Vec::new();
    for ((what, goal), column) in STAGES.into_iter().zip([1, 2, 5, 3, 6]) {
        let rate = median(column);
        let goal = match goal {
            Goal::OfEngine => goal_of_engine,
            Goal::OfReference => reference,
        };
        let figure = Figure::new(format!("{engine}: {what}"), rate, "/s").next_to("single-row commits", reference);
        let figure = if size.has_goals { figure.with_goal(figures::Goal::AtLeast(goal)) } else { figure };
        println!("{figure}");
        figures.push(figure);
    }
    figures
}

/// Commits per second of one connection that waits for each.
async fn reference(url: &str, length: Duration) -> f64 {
    let mut connection = AnyConnection::connect(url).await.unwrap();
    connection.execute("CREATE TABLE IF NOT EXISTS reference (number BIGINT, text TEXT)").await.unwrap();
    let begun = Instant::now();
    let mut commits = 0_i64;
    while begun.elapsed() < length {
        sqlx::query("INSERT INTO reference VALUES ($1, 'some text')")
            .bind(commits)
            .execute(&mut connection)
            .await
            .unwrap();
        commits += 1;
    }
    commits as f64 / begun.elapsed().as_secs_f64()
}

/// Result of a stage: the task of each operation, and operations per second.
struct Stage {
    tasks: Vec<TaskId>,
    rate: f64,
}

impl Stage {
    fn set(&self) -> BTreeSet<TaskId> {
        self.tasks.iter().copied().collect()
    }

    /// Asserts that this stage handled each task of the other exactly once, and no other task.
    fn assert_same_tasks(&self, other: &Self) {
        assert_eq!(self.tasks.len(), other.tasks.len(), "tasks were lost, or handled twice");
        assert_eq!(self.set(), other.set(), "other tasks were handled");
    }
}

/// Asserts the state in which a stage left its tasks: completed ones have one run, with its results.
async fn assert_left_in(store: &Store, stage: &Stage, state: TaskState) {
    for id in &stage.tasks {
        let task = store.task(*id).await.unwrap().unwrap();
        assert_eq!((task.state, task.lease_epoch), (state, 1), "{id}");
        let run = store.last_run(*id).await.unwrap();
        let has_results = run.as_ref().is_some_and(|run| run.finished_at.is_some() && run.results.is_some());
        assert_eq!(has_results, state == TaskState::Completed, "{id}: {run:?}");
    }
}

/// Has all workers do their share at the same time.
async fn by_all<F>(store: &Store, share: impl Fn(Store, usize) -> F) -> Stage
where
    F: Future<Output = Vec<TaskId>> + Send + 'static,
{
    let begun = Instant::now();
    let mut workers = JoinSet::new();
    for worker in 0..WORKERS {
        workers.spawn(share(store.clone(), worker));
    }
    let tasks = workers.join_all().await.concat();
    Stage { rate: tasks.len() as f64 / begun.elapsed().as_secs_f64(), tasks }
}

async fn enqueue_all(store: &Store, name: &str, size: Size) -> Stage {
    let stage = by_all(store, |store, worker| enqueue(store, format!("{name}-{worker}"), size.tasks_per_worker)).await;
    assert_eq!(stage.set().len(), WORKERS * size.tasks_per_worker, "a task was enqueued twice");
    stage
}

async fn enqueue(store: Store, name: String, tasks: usize) -> Vec<TaskId> {
    let mut enqueued = Vec::new();
    for number in 0..tasks {
        let target = format!("https://github.com/owner/repository-{name}-{number}");
        let task = NewTask::new(TaskKind::HealRepo, target, Timestamp::from_millis(0));
        let created = store.enqueue(&task).await.unwrap();
        assert!(created.created, "{}: an open task has this target already", task.target);
        enqueued.push(created.id);
    }
    enqueued
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

/// Claims as many tasks as there are free slots, and does them at the same time, until none is left.
async fn work<F>(store: Store, slots: usize, each: fn(Store, Task, Lease) -> F) -> Vec<TaskId>
where
    F: Future<Output = TaskId> + Send + 'static,
{
    let mut done = Vec::new();
    let mut running = JoinSet::new();
    loop {
        let claimed = store.claim_up_to(&request(), slots - running.len()).await.unwrap();
        let is_over = claimed.is_empty();
        for (task, lease) in claimed {
            running.spawn(each(store.clone(), task, lease));
        }
        if is_over {
            done.extend(running.join_all().await);
            return done;
        }
        done.extend(running.join_next().await.map(Result::unwrap));
        while let Some(ended) = running.try_join_next() {
            done.push(ended.unwrap());
        }
    }
}

/// Measures the queue alone: postpones the task indefinitely, which is one statement like any end of a task.
async fn close(store: Store, task: Task, lease: Lease) -> TaskId {
    let put_off = store.fail(&lease, "done", Duration::MAX).await.unwrap();
    assert_eq!(put_off, TaskState::Pending);
    task.id
}

/// The least that a worker writes for a task: a run with its first and last event, and its result.
async fn run(store: Store, task: Task, lease: Lease) -> TaskId {
    let at = Timestamp::from_millis(1);
    let ending = Ending {
        outcome: Outcome::Fixed,
        stop_reason: StopReason::Green,
        results: serde_json::json!({"ci_status": "PASSED"}),
        report: "# Healed".to_owned(),
    };
    let run = RunId(Uuid::now_v7());
    let event = EventBody::RunStarted { target: task.target.clone() };
    let new = NewRun { run, workflow: "repo".to_owned(), target: task.target, started_at: at, event };
    store.begin_run(&lease, &new).await.unwrap();
    let events = [(at, EventBody::RunFinished { outcome: None, stop_reason: "GREEN".to_owned() })];
    let end = FinishedRun { run, ending: &ending, at, task_state: TaskState::Completed, events: &events, records: &[] };
    store.finish(&lease, &end).await.unwrap();
    task.id
}
