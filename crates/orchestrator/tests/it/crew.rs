//! Worker processes: what hostile input does to them is a failed attempt of its own task, and of nothing else.

use std::time::Duration;

use autoheal_engine::TaskId;
use autoheal_engine::event::EventBody;
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_orchestrator::crew::performer::{Performer, greeting};
use autoheal_orchestrator::crew::{Crew, CrewSettings};
use autoheal_orchestrator::{Registry, TaskEnd, Worker, WorkerSettings};
use autoheal_store::Store;
use autoheal_testkit::ordinary_user::test_again;
use rstest::rstest;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::database::{Database, Engine};
use crate::toy::{self, DONE, Deed, Toy};
use crate::walking::{finished, nodes_done, settings};

/// Set where this very test binary is a worker process.
const CHILD: &str = "--exact crew::worker_process --nocapture --quiet";

/// No test of its own: the worker process that the tests below start.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn worker_process() {
    // Run as a test, it has no greeting to read.
    if !std::env::args().collect::<Vec<_>>().join(" ").ends_with(CHILD) {
        return;
    }
    let url = greeting().unwrap().settings["url"].as_str().unwrap().to_owned();
    let store = Store::open(&url).await.unwrap();
    let registry = Registry::new()
        .with(Toy::plain().of(TaskKind::HealRepo).within(Duration::from_secs(1)))
        .with(Toy::plain().of(TaskKind::RefreshSource).within(Duration::from_secs(1)));
    Performer { store, registry, callee: None }.perform().await;
}

/// A worker with worker processes, for both kinds of task.
async fn worker(database: &Database, patience: Duration) -> (Store, Worker) {
    let store = database.open().await;
    let registry = |kind| Toy::plain().of(kind).within(Duration::from_secs(1));
    let registry = Registry::new().with(registry(TaskKind::HealRepo)).with(registry(TaskKind::RefreshSource));
    let crew = Crew::new(CrewSettings {
        arguments: CHILD.split(' ').map(str::to_owned).collect(),
        settings: json!({ "url": database.url }),
        memory: 256 << 20,
        patience,
    });
    let settings = WorkerSettings { concurrency: 4, ..settings() };
    (store.clone(), Worker::new(store, settings, registry).with_crew(crew))
}

fn task(kind: TaskKind, target: &str, deed: Option<Deed>) -> NewTask {
    let mut task = toy::task(target);
    task.kind = kind;
    task.context = json!({ "rounds": 2, "deed": deed });
    task
}

async fn run(worker: &Worker, task: TaskId) -> TaskEnd {
    worker.run_task(task, CancellationToken::new()).await.unwrap()
}

fn broken(end: &TaskEnd) -> &str {
    match end {
        TaskEnd::Broken { error, state: TaskState::Pending } => error,
        other => panic!("it should have failed once: {other:?}"),
    }
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_task_is_done_in_a_worker_process_and_its_events_are_seen(#[case] engine: Engine) {
    let Some(database) = engine.database() else { return };
    let (store, worker) = worker(&database, Duration::from_mins(1)).await;
    let mut watcher = worker.feed().watch();
    for kind in [TaskKind::HealRepo, TaskKind::RefreshSource] {
        let id = store.enqueue(&task(kind, "one", None)).await.unwrap().id;
        let run = finished(&run(&worker, id).await);
        assert_eq!(nodes_done(&store, run).await, DONE);
        let mut events = Vec::new();
        while let Ok(event) = watcher.try_recv() {
            assert_eq!(event.run, run);
            events.extend(event.body.is_stored().then_some(event.body));
        }
        let stored: Vec<EventBody> = store.events(run, 0).await.unwrap().into_iter().map(|event| event.body).collect();
        assert_eq!(events, stored);
    }
}

#[rstest]
#[case(Deed::OverflowTheStack, "overflowed its stack")]
#[case(Deed::ComputeForEver, "node work did not end within 1 s, nor could it be interrupted")]
#[case::memory(Deed::TakeAllMemory, "exceeded its memory of 256 MiB")]
#[tokio::test]
async fn what_kills_a_worker_process_is_a_failed_attempt_with_its_reason(#[case] deed: Deed, #[case] reason: &str) {
    let database = Engine::Sqlite.database().unwrap();
    let (store, worker) = worker(&database, Duration::from_secs(5)).await;
    for kind in [TaskKind::HealRepo, TaskKind::RefreshSource] {
        let id = store.enqueue(&task(kind, "hostile", Some(deed))).await.unwrap().id;
        let end = run(&worker, id).await;
        assert!(broken(&end).contains(reason), "{end:?}");
        let after = store.enqueue(&task(kind, "harmless", None)).await.unwrap().id;
        assert_eq!(nodes_done(&store, finished(&run(&worker, after).await)).await, DONE);
    }
}

/// An ordinary user makes no control groups: the memory of a worker process is watched instead.
#[test]
fn the_memory_of_a_worker_process_is_limited_without_control_groups() {
    test_again("the memory of worker processes", &["case_3_memory"], "case_3_memory");
}

#[tokio::test]
async fn others_in_a_shared_process_that_dies_are_done_all_the_same() {
    let database = Engine::Sqlite.database().unwrap();
    let (store, worker) = worker(&database, Duration::from_mins(1)).await;
    let kind = TaskKind::RefreshSource;
    let mut ids = Vec::new();
    for (target, deed) in [("a", None), ("b", Some(Deed::OverflowTheStack)), ("c", None), ("d", None)] {
        ids.push(store.enqueue(&task(kind, target, deed)).await.unwrap().id);
    }
    let all = ids.iter().map(|id| run(&worker, *id));
    let ends = futures_util::future::join_all(all).await;
    for (index, end) in ends.iter().enumerate() {
        if index == 1 {
            assert!(broken(end).contains("overflowed its stack"), "{end:?}");
        } else {
            assert_eq!(nodes_done(&store, finished(end)).await, DONE);
            let task = store.task(ids[index]).await.unwrap().unwrap();
            assert_eq!((task.state, task.retry_count), (TaskState::Completed, 0), "it is not to blame");
        }
    }
}

#[tokio::test]
async fn a_cancellation_ends_a_process_that_cannot_hear_it() {
    let database = Engine::Sqlite.database().unwrap();
    let (store, worker) = worker(&database, Duration::from_secs(5)).await;
    let mut watcher = worker.feed().watch();
    let id = store.enqueue(&task(TaskKind::HealRepo, "hostile", Some(Deed::ComputeForEver))).await.unwrap().id;
    let cancelling = async {
        while !matches!(watcher.recv().await.unwrap().body, EventBody::NodeStarted { node, .. } if node == "work") {}
        assert!(store.request_cancel(id).await.unwrap());
    };
    let (end, ()) = tokio::join!(run(&worker, id), cancelling);
    assert!(matches!(end, TaskEnd::Stopped { .. }), "{end:?}");
    assert_eq!(store.task(id).await.unwrap().unwrap().state, TaskState::Cancelled);
}
