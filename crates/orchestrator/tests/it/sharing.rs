//! Several workers on one database.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use autoheal_engine::event::EventBody;
use autoheal_engine::task::{Lease, NewTask, TaskKind};
use autoheal_engine::workflow::StepError;
use autoheal_orchestrator::{Registry, TaskEnd, Worker, WorkerSettings};
use autoheal_store::{ClaimRequest, RunFilter};
use rstest::rstest;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::database::Engine;
use crate::rows;
use crate::toy::{self, DONE, Toy, ToyNode};
use crate::walking::{Gate, finished, nodes_done, run, settings, until_all_have_ended, worker};

#[rstest]
#[tokio::test]
async fn workers_share_the_tasks_and_each_is_done_once(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    const TASKS: u32 = 24;
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    for number in 0..TASKS {
        store.enqueue(&toy::task(&format!("target {number}"))).await.unwrap();
    }
    let stop = CancellationToken::new();
    let checks = Arc::new(AtomicU32::new(0));
    let ended = Arc::new(Semaphore::new(0));
    let mut workers = Vec::new();
    for number in 0..3 {
        let settings = WorkerSettings { name: format!("worker {number}"), concurrency: 2, ..settings() };
        let (stop, checks) = (stop.clone(), Arc::clone(&checks));
        let toy = Toy::new(move |node, _| {
            if node == ToyNode::Check {
                checks.fetch_add(1, Ordering::SeqCst);
            }
            Box::pin(async { Ok(()) })
        });
        let worker = Worker::new(store.clone(), settings, Registry::new().with(toy));
        let mut watcher = worker.feed().watch();
        let ended = ended.clone();
        workers.push(tokio::spawn(async move { worker.run_until(stop).await }));
        tokio::spawn(async move {
            while let Ok(event) = watcher.recv().await {
                if matches!(event.body, EventBody::RunFinished { .. }) {
                    ended.add_permits(1);
                }
            }
        });
    }
    let _all = ended.acquire_many(TASKS).await.unwrap();
    stop.cancel();
    for worker in workers {
        worker.await.unwrap();
    }
    assert_eq!(checks.load(Ordering::SeqCst), TASKS * 2, "two rounds for each task, none twice");
    assert_eq!(store.runs(&RunFilter::newest(1000)).await.unwrap().len(), usize::try_from(TASKS).unwrap());
}

#[rstest]
#[tokio::test]
async fn who_lost_the_lease_leaves_no_trace(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let gate = Gate::new();
    // No heartbeat comes in time, so the loss is noticed by the step, or by the fence of its checkpoint.
    let slow = WorkerSettings { heartbeat: Duration::from_hours(1), name: "slow".to_owned(), ..settings() };
    let slow = Worker::new(store.clone(), slow, Registry::new().with(gate.toy(ToyNode::Work)));
    let thief = async {
        gate.wait_until_entered().await;
        let task = store.task(id).await.unwrap().unwrap();
        let lease = Lease { task: id, owner: "slow".to_owned(), epoch: task.lease_epoch };
        store.heartbeat(&lease, Duration::ZERO).await.unwrap();
        let end = run(&worker(&store, Toy::plain()), id).await;
        assert_eq!(nodes_done(&store, finished(&end)).await, DONE);
        let rows = rows::of_task(&store, id).await;
        gate.let_go_on();
        rows
    };
    let (end, rows) = tokio::join!(slow.run_task(id, CancellationToken::new()), thief);
    assert_eq!(end.unwrap(), TaskEnd::LeaseLost);
    assert_eq!(rows::of_task(&store, id).await, rows);
}

#[tokio::test]
async fn the_fence_holds_even_when_the_step_does_not_ask() {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    let id = store.enqueue(&toy::task("one")).await.unwrap().id;
    let slow = WorkerSettings { heartbeat: Duration::from_hours(1), name: "slow".to_owned(), ..settings() };
    let thief_store = store.clone();
    let robbed = Toy::new(move |node, _| {
        let store = thief_store.clone();
        Box::pin(async move {
            if node == ToyNode::Work {
                let task = store.task(id).await.unwrap().unwrap();
                let lease = Lease { task: id, owner: "slow".to_owned(), epoch: task.lease_epoch };
                store.heartbeat(&lease, Duration::ZERO).await.unwrap();
                let request = ClaimRequest {
                    worker: "thief".to_owned(),
                    host: "here".to_owned(),
                    kinds: vec![TaskKind::HealRepo],
                    lease: Duration::from_hours(1),
                    only: Some(id),
                };
                store.claim(&request).await.unwrap().expect("the lease has run out");
            }
            Ok::<(), StepError>(())
        })
    });
    let released = Arc::clone(&robbed.released);
    let slow = Worker::new(store.clone(), slow, Registry::new().with(robbed));
    assert_eq!(run(&slow, id).await, TaskEnd::LeaseLost);
    let run = store.open_run(id).await.unwrap().unwrap().run;
    assert_eq!(*released.lock().unwrap(), [run], "what was kept for it goes");
    assert_eq!(store.checkpoints(run).await.unwrap().len(), 1, "only the one from before");
}

#[rstest]
#[tokio::test]
async fn under_load_what_is_urgent_goes_first(#[values(Engine::Sqlite, Engine::Postgres)] engine: Engine) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let mut expected = Vec::new();
    for number in 0..60_i32 {
        let priority = [9, 1, 5][usize::try_from(number % 3).unwrap()];
        let task = NewTask { priority, ..toy::task(&format!("target {number}")) };
        let id = store.enqueue(&task).await.unwrap().id;
        expected.push((priority, id));
    }
    expected.sort();
    let stop = CancellationToken::new();
    let worker = worker(&store, Toy::plain());
    let waiting = async {
        until_all_have_ended(&store).await;
        stop.cancel();
    };
    tokio::join!(worker.run_until(stop.clone()), waiting);
    let mut runs = store.runs(&autoheal_store::RunFilter::newest(100)).await.unwrap();
    // Names of runs are in the order in which they began.
    runs.sort_by_key(|run| run.run);
    assert_eq!(
        runs.iter().map(|run| run.task).collect::<Vec<_>>(),
        expected.iter().map(|(_, id)| *id).collect::<Vec<_>>()
    );
}
