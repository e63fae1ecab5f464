//! One worker in this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use autoheal_engine::event::{Event, EventBody};
use autoheal_engine::task::{TaskKind, TaskState};
use autoheal_engine::workflow::StepError;
use autoheal_engine::{ErrorCode, RunId, TaskId, Timestamp};
use autoheal_orchestrator::{Registry, Room, TaskEnd, Worker, WorkerError, WorkerSettings};
use autoheal_store::{AlertFilter, Checkpoint, ClaimRequest, NewRun, Slice, Store, TaskFilter, system_time};
use rstest::rstest;
use tokio::sync::Semaphore;
use tokio::sync::broadcast::Receiver;
use tokio_util::sync::CancellationToken;

use crate::database::Engine;
use crate::toy::{self, DONE, Toy, ToyNode};

pub(crate) fn settings() -> WorkerSettings {
    let settings = WorkerSettings { poll: Duration::from_millis(10), ..WorkerSettings::of_this_process() };
    WorkerSettings { heartbeat: Duration::from_millis(20), ..settings }
}

pub(crate) fn worker(store: &Store, toy: Toy) -> Worker {
    Worker::new(store.clone(), settings(), Registry::new().with(toy))
}

pub(crate) async fn run(worker: &Worker, task: TaskId) -> TaskEnd {
    worker.run_task(task, CancellationToken::new()).await.unwrap()
}

pub(crate) fn finished(end: &TaskEnd) -> RunId {
    match end {
        TaskEnd::Finished { run, .. } => *run,
        other => panic!("not finished: {other:?}"),
    }
}

pub(crate) async fn nodes_done(store: &Store, run: RunId) -> Vec<String> {
    let results = store.run(run).await.unwrap().unwrap().results.unwrap();
    serde_json::from_value(results["done"].clone()).unwrap()
}

/// Waits until every task has ended.
pub(crate) async fn until_all_have_ended(store: &Store) {
    while store.tasks(&TaskFilter::default()).await.unwrap().iter().any(|task| task.state.is_open()) {
        tokio::time::sleep(settings().poll).await;
    }
}

fn heard(watcher: &mut Receiver<Event>) -> Vec<Event> {
    std::iter::from_fn(|| watcher.try_recv().ok()).collect()
}

/// A gate in a node: it signals when the node is entered, and holds it until the gate is opened.
#[derive(Clone)]
pub(crate) struct Gate {
    pub(crate) entered: Arc<Semaphore>,
    pub(crate) open: Arc<Semaphore>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self { entered: Arc::new(Semaphore::new(0)), open: Arc::new(Semaphore::new(0)) }
    }

    pub(crate) fn toy(&self, at: ToyNode) -> Toy {
        let gate = self.clone();
        Toy::new(move |node, context| {
            let gate = gate.clone();
            Box::pin(async move {
                if node == at {
                    gate.entered.add_permits(1);
                    gate.open.acquire().await.unwrap().forget();
                    context.ensure_owner().await?;
                }
                Ok(())
            })
        })
    }

    pub(crate) async fn wait_until_entered(&self) {
        self.entered.acquire().await.unwrap().forget();
    }

    pub(crate) fn let_go_on(&self) {
        self.open.add_permits(1);
    }
}

#[rstest]
#[tokio::test]
async fn a_run_passes_its_nodes_in_order_and_leaves_its_outcome(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let worker = worker(&store, Toy::plain());
    let mut watcher = worker.feed().watch();
    let end = run(&worker, id).await;
    let run = finished(&end);
    assert_eq!(end, TaskEnd::Finished { run, state: TaskState::Completed });

    let row = store.run(run).await.unwrap().unwrap();
    assert_eq!((row.is_well(), row.stop_reason.as_deref()), (true, Some("GREEN")));
    assert!(row.finished_at.is_some());
    assert_eq!(nodes_done(&store, run).await, DONE);
    assert_eq!(store.task(id).await.unwrap().unwrap().state, TaskState::Completed);

    let checkpoints = store.checkpoints(run).await.unwrap();
    let path: Vec<(i64, &str, Option<&str>)> =
        checkpoints.iter().map(|point| (point.seq, point.node.as_str(), point.next_node.as_deref())).collect();
    let expected = [
        (1, "fetch", Some("work")),
        (2, "work", Some("check")),
        (3, "check", Some("work")),
        (4, "work", Some("check")),
        (5, "check", None),
    ];
    assert_eq!(path, expected);
    assert_eq!(store.outputs(run, Slice::ALL).await.unwrap().len(), 2);
    assert_eq!(store.diagnostics(run, Slice::ALL).await.unwrap().len(), 1, "the same one twice");

    let stored = store.events(run, 0).await.unwrap();
    let sequences: Vec<i64> = stored.iter().map(|event| event.sequence).collect();
    assert_eq!(sequences, (1..=i64::try_from(stored.len()).unwrap()).collect::<Vec<i64>>());
    let live = heard(&mut watcher);
    assert_eq!(live.iter().filter(|event| !event.body.is_stored()).count(), 5, "one progress per node");
    let live: Vec<Event> = live.into_iter().filter(|event| event.body.is_stored()).collect();
    assert_eq!(live, stored, "who watches sees what is stored, in the same order, under the same numbers");
    let kinds: String = stored
        .iter()
        .map(|event| match &event.body {
            EventBody::RunStarted { .. } => 'S',
            EventBody::NodeStarted { .. } => '(',
            EventBody::Note { .. } => '.',
            EventBody::NodeFinished { .. } => ')',
            EventBody::RunFinished { .. } => 'F',
            EventBody::RunResumed { .. } | EventBody::NodeFailed { .. } | EventBody::Progress { .. } => '?',
        })
        .collect();
    assert_eq!(kinds, "S(.)(.)(.)(.)(.)F");
}

#[tokio::test]
async fn a_passing_failure_is_tried_again_and_leaves_no_trace_in_the_state() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let failures = AtomicU32::new(1);
    let toy = Toy::new(move |node, _| {
        let fails = node == ToyNode::Work && failures.swap(0, Ordering::SeqCst) > 0;
        let error = StepError::Passing { code: ErrorCode::GitPushFailed, message: "no route".to_owned() };
        Box::pin(async move { if fails { Err(error) } else { Ok(()) } })
    });
    let run = finished(&run(&worker(&store, toy), id).await);
    assert_eq!(nodes_done(&store, run).await, DONE);
    let events = store.events(run, 0).await.unwrap();
    let failed =
        events.iter().filter(|event| matches!(event.body, EventBody::NodeFailed { retry: true, attempt: 1, .. }));
    assert_eq!(failed.count(), 1);
}

fn failing() -> Toy {
    Toy::new(|node, _| {
        let error = StepError::Permanent { code: ErrorCode::PatchApplyFailed, message: "no such line".to_owned() };
        Box::pin(async move { if node == ToyNode::Check { Err(error) } else { Ok(()) } })
    })
}

#[rstest]
#[tokio::test]
async fn an_absorbed_failure_ends_the_run_with_what_was_reached(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let end = run(&worker(&store, failing()), id).await;
    let run = finished(&end);
    assert_eq!(end, TaskEnd::Finished { run, state: TaskState::Completed });
    let row = store.run(run).await.unwrap().unwrap();
    assert!(!row.is_well());
    assert_eq!(row.stop_reason.as_deref(), Some("INFRA"));
    assert_eq!(row.results.unwrap()["stopped"][1], "check failed: PATCH_APPLY_FAILED: no such line");
    assert_eq!(nodes_done(&store, run).await, ["fetch", "work"], "the failed step left nothing in the state");
}

#[tokio::test]
async fn a_failure_that_is_not_absorbed_fails_the_task() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let mut toy = failing();
    toy.absorbs = false;
    let end = run(&worker(&store, toy), id).await;
    let run = finished(&end);
    assert_eq!(end, TaskEnd::Finished { run, state: TaskState::Failed });
    let row = store.run(run).await.unwrap().unwrap();
    assert_eq!(row.results.unwrap()["error"]["code"], "PATCH_APPLY_FAILED");
    assert_eq!(store.task(id).await.unwrap().unwrap().state, TaskState::Failed);
}

#[tokio::test]
async fn a_task_that_cannot_be_started_is_tried_again_later_and_says_why() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let mut task = toy::task("one");
    task.context = serde_json::json!({});
    task.max_retries = 0;
    let id = store.enqueue(&task).await.unwrap().id;
    let TaskEnd::Broken { error, state } = run(&worker(&store, Toy::plain()), id).await else { panic!("no rounds") };
    assert!(error.contains("does not say how many rounds"), "{error}");
    assert_eq!(state, TaskState::Quarantined);
    let alert = &store.alerts(&AlertFilter::newest(1)).await.unwrap()[0];
    assert_eq!((alert.kind.as_str(), alert.target.as_str()), ("DEAD_LETTER", "one"));
}

#[rstest]
#[tokio::test]
async fn a_cancelled_task_drops_its_step_and_ends_with_results(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let gate = Gate::new();
    let worker = worker(&store, gate.toy(ToyNode::Work));
    let cancel = async {
        gate.wait_until_entered().await;
        assert!(store.request_cancel(id).await.unwrap());
    };
    let (end, ()) = tokio::join!(run(&worker, id), cancel);
    let run = finished(&end);
    assert_eq!(end, TaskEnd::Finished { run, state: TaskState::Cancelled });
    let row = store.run(run).await.unwrap().unwrap();
    assert_eq!(row.stop_reason.as_deref(), Some("CANCELLED"));
    assert_eq!(nodes_done(&store, run).await, ["fetch"]);
}

#[rstest]
#[tokio::test]
async fn a_stop_waits_for_the_node_and_another_worker_goes_on_with_the_next(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let gate = Gate::new();
    let first = worker(&store, gate.toy(ToyNode::Work));
    let stop = CancellationToken::new();
    let stopping = async {
        gate.wait_until_entered().await;
        stop.cancel();
        gate.let_go_on();
    };
    let (end, ()) = tokio::join!(first.run_task(id, stop.clone()), stopping);
    let TaskEnd::Stopped { run: stopped } = end.unwrap() else { panic!("not stopped") };
    assert_eq!(store.task(id).await.unwrap().unwrap().state, TaskState::Pending);
    assert_eq!(store.last_checkpoint(stopped).await.unwrap().unwrap().next_node.as_deref(), Some("check"));

    let resumed = finished(&run(&worker(&store, Toy::plain()), id).await);
    assert_eq!(resumed, stopped);
    assert_eq!(nodes_done(&store, resumed).await, DONE, "no node was run twice");
    let events = store.events(resumed, 0).await.unwrap();
    assert!(events.iter().any(|event| event.body == EventBody::RunResumed { node: "check".to_owned() }));
    let sequences: Vec<i64> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(sequences, (1..=i64::try_from(events.len()).unwrap()).collect::<Vec<i64>>(), "no gap after the change");
}

#[tokio::test]
async fn a_stop_without_grace_drops_the_node_which_is_run_again() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let gate = Gate::new();
    let impatient = WorkerSettings { grace: Duration::ZERO, ..settings() };
    let first = Worker::new(store.clone(), impatient, Registry::new().with(gate.toy(ToyNode::Work)));
    let stop = CancellationToken::new();
    let stopping = async {
        gate.wait_until_entered().await;
        stop.cancel();
    };
    let (end, ()) = tokio::join!(first.run_task(id, stop.clone()), stopping);
    let TaskEnd::Stopped { run: stopped } = end.unwrap() else { panic!("not stopped") };
    assert_eq!(store.last_checkpoint(stopped).await.unwrap().unwrap().next_node.as_deref(), Some("work"));
    let resumed = finished(&run(&worker(&store, Toy::plain()), id).await);
    assert_eq!(nodes_done(&store, resumed).await, DONE);
}

#[tokio::test]
async fn a_run_that_another_version_began_starts_anew_on_its_task() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let stop = CancellationToken::new();
    let stopper = stop.clone();
    let stopping = Toy::new(move |_, _| {
        stopper.cancel();
        Box::pin(async { Ok(()) })
    });
    let end = worker(&store, stopping).run_task(id, stop).await.unwrap();
    let TaskEnd::Stopped { run: begun } = end else { panic!("not stopped") };
    let mut newer = Toy::plain();
    newer.version = 2;
    let ended = finished(&run(&worker(&store, newer), id).await);
    assert_eq!(ended, begun, "in the same run");
    let last = store.last_checkpoint(ended).await.unwrap().unwrap();
    assert_eq!((last.seq, last.state_version), (1 + i64::try_from(DONE.len()).unwrap(), 2));
    assert_eq!(last.state["done"], serde_json::json!(DONE), "what the other version did is done again");
    assert_eq!(notes_of_version(&store, ended).await, 1);
    let row = store.task(id).await.unwrap().unwrap();
    assert_eq!((row.state, row.retry_count), (TaskState::Completed, 0));
}

async fn notes_of_version(store: &Store, run: RunId) -> usize {
    let events = store.events(run, 0).await.unwrap();
    let is_told = |body: &EventBody| matches!(body, EventBody::Note { topic, message, .. } if topic == "version" && message.contains("starts anew"));
    events.iter().filter(|event| is_told(&event.body)).count()
}

#[rstest]
#[tokio::test]
async fn a_checkpoint_that_cannot_be_read_is_no_reason_to_be_stuck(
    #[values("{\"speed\": 1}", "null")] state: &str,
    #[values("work", "a node of tomorrow")] next: &str,
) {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let request = ClaimRequest {
        worker: "w".to_owned(),
        host: "here".to_owned(),
        kinds: TaskKind::ALL.to_vec(),
        lease: Duration::from_mins(1),
        only: None,
    };
    let (_, lease) = store.claim(&request).await.unwrap().unwrap();
    let run_id = RunId(uuid::Uuid::now_v7());
    let at = Timestamp::from_millis(1);
    let event = EventBody::RunStarted { target: "one".to_owned() };
    let new = NewRun { run: run_id, workflow: "toy".to_owned(), target: "one".to_owned(), started_at: at, event };
    store.begin_run(&lease, &new).await.unwrap();
    let checkpoint = Checkpoint {
        run: run_id,
        seq: 1,
        node: "fetch".to_owned(),
        next_node: Some(next.to_owned()),
        state_version: 1,
        state: serde_json::from_str(state).unwrap(),
        at,
    };
    store.checkpoint(&lease, &checkpoint, &[], &[]).await.unwrap();
    store.release(&lease).await.unwrap();
    let ended = finished(&run(&worker(&store, Toy::plain()), id).await);
    assert_eq!((ended, notes_of_version(&store, ended).await), (run_id, 1));
}

#[tokio::test]
async fn nothing_is_begun_without_room_on_the_disk() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let room = Room { folder: std::env::temp_dir(), least: u64::MAX };
    let full = Worker::new(store.clone(), WorkerSettings { room, ..settings() }, Registry::new().with(Toy::plain()));
    let refused = full.run_task(id, CancellationToken::new()).await.unwrap_err();
    assert!(refused.to_string().contains("worker.min_free_mib"), "{refused}");
    assert!(full.missing_room().is_some());
    assert_eq!(store.task(id).await.unwrap().unwrap().state, TaskState::Pending);
    finished(&run(&worker(&store, Toy::plain()), id).await);
}

#[rstest]
#[tokio::test]
async fn a_run_that_fails_raises_an_alert(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let mut toy = failing();
    toy.absorbs = false;
    assert!(matches!(run(&worker(&store, toy), id).await, TaskEnd::Finished { state: TaskState::Failed, .. }));
    let alerts = store.alerts(&AlertFilter::about("one", 10)).await.unwrap();
    assert_eq!(alerts.len(), 1);
    let (kind, message) = (&alerts[0].kind, &alerts[0].message);
    assert!(
        kind == "RUN_FAILED" && message.contains("no such line") && message.contains("autoheal report"),
        "{message}"
    );
}

#[tokio::test]
async fn a_task_that_cannot_be_claimed_says_why() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let worker = worker(&store, Toy::plain());
    let missing = worker.run_task(TaskId(99), CancellationToken::new()).await;
    assert!(matches!(missing, Err(WorkerError::NoSuchTask(TaskId(99)))));

    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    run(&worker, id).await;
    let again = worker.run_task(id, CancellationToken::new()).await;
    assert!(matches!(again, Err(WorkerError::Ended { state: TaskState::Completed, .. })));

    let mut elsewhere = toy::task("two");
    elsewhere.host = Some("another-machine".to_owned());
    let id = store.enqueue(&elsewhere).await.unwrap().id;
    let refused = worker.run_task(id, CancellationToken::new()).await.unwrap_err();
    assert!(refused.to_string().contains("bound to the machine another-machine"), "{refused}");
}

#[rstest]
#[tokio::test]
async fn the_end_of_a_run_tells_a_person_what_the_workflow_wants_told(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    for target in ["healed", "not healed"] {
        let id = store.enqueue(&toy::task(target)).await.unwrap().id;
        let toy = if target == "healed" { Toy::plain() } else { failing() };
        run(&worker(&store, toy), id).await;
    }
    let alerts = store.alerts(&AlertFilter::newest(10)).await.unwrap();
    let told: Vec<_> = alerts.iter().map(|alert| (alert.kind.as_str(), alert.target.as_str())).collect();
    assert_eq!(told, [("RETRY_LIMIT", "not healed")]);
    let last = store.runs(&autoheal_store::RunFilter::newest(1)).await.unwrap()[0].run;
    assert!(alerts[0].message.contains(&format!("autoheal report {last}")), "{}", alerts[0].message);
}

#[tokio::test]
async fn what_fails_waits_longer_each_time() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let mut task = toy::task("one");
    task.context = serde_json::json!({});
    let id = store.enqueue(&task).await.unwrap().id;
    let base = Duration::from_secs(100);
    let worker =
        Worker::new(store.clone(), WorkerSettings { retry_in: base, ..settings() }, Registry::new().with(Toy::plain()));
    for doublings in 0..3 {
        let before = store.now();
        assert!(matches!(run(&worker, id).await, TaskEnd::Broken { state: TaskState::Pending, .. }));
        let row = store.task(id).await.unwrap().unwrap();
        assert_eq!(row.retry_count, doublings + 1);
        // The database's clock is this machine's.
        let (waits, most) = (row.run_at.since(before), base * 2_u32.pow(doublings));
        assert!(waits >= most * 3 / 4 && waits < most * 2, "{waits:?}");
        assert!(store.hasten(id).await.unwrap());
    }
    assert!(matches!(run(&worker, id).await, TaskEnd::Broken { state: TaskState::Quarantined, .. }));
}

/// Ten minutes ahead of the database's.
fn fast_clock() -> Timestamp {
    system_time().plus(Duration::from_mins(10))
}

#[rstest]
#[tokio::test]
async fn a_worker_whose_clock_is_fast_writes_the_time_of_the_database(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let fast = Store::open_by(&database.url, fast_clock).await.unwrap();
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let run = finished(&run(&worker(&fast, Toy::plain()), id).await);
    let row = store.run(run).await.unwrap().unwrap();
    let mut times = vec![row.started_at, row.finished_at.unwrap()];
    times.extend(store.checkpoints(run).await.unwrap().iter().map(|checkpoint| checkpoint.at));
    times.extend(store.events(run, 0).await.unwrap().iter().map(|event| event.at));
    let now = store.now();
    assert!(times.iter().all(|at| at.since(now) < Duration::from_mins(1)), "{times:?} {now:?}");
}
