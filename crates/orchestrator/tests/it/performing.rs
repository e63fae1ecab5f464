//! Tests of tasks that a caller waits for.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use autoheal_engine::TaskId;
use autoheal_engine::event::EventBody;
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_orchestrator::{PerformError, Registry, WhenStopped, Worker, WorkerSettings};
use autoheal_store::{ClaimRequest, Store, TaskFilter};
use rstest::rstest;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::database::{Database, Engine};
use crate::toy::{self, Toy, ToyNode};
use crate::walking::{Gate, settings, until_all_have_ended, worker};

async fn sqlite() -> (Database, Store) {
    let database = Engine::Sqlite.database().unwrap();
    let store = database.open().await;
    (database, store)
}

async fn state(store: &Store, task: TaskId) -> TaskState {
    store.task(task).await.unwrap().unwrap().state
}

#[tokio::test]
async fn a_task_that_was_asked_for_with_other_settings_is_not_gone_on_with() {
    let (_database, store) = sqlite().await;
    let open = store.enqueue(&toy::task("one")).await.unwrap().id;
    let worker = worker(&store, Toy::plain());
    let mut other = toy::task("one");
    other.context = json!({ "rounds": 3 });
    let stop = CancellationToken::new();
    let refused = worker.perform(&other, &stop, WhenStopped::GoesOn).await.unwrap_err();
    assert!(matches!(&refused, PerformError::AskedOtherwise { task, .. } if *task == open), "{refused}");
    assert!(refused.to_string().contains(&format!("autoheal tasks cancel {open}")), "{refused}");
    assert_eq!(state(&store, open).await, TaskState::Pending, "it is left as it was");

    let row = worker.perform(&toy::task("one"), &stop, WhenStopped::GoesOn).await.unwrap();
    assert_eq!((row.task, row.is_well()), (open, true), "the same settings are the same task");
}

#[tokio::test]
async fn a_task_without_settings_goes_with_the_one_that_is_open() {
    let (_database, store) = sqlite().await;
    let open = store.enqueue(&toy::task("one")).await.unwrap().id;
    let task = NewTask::new(TaskKind::HealRepo, "one", autoheal_store::system_time());
    let (worker, stop) = (worker(&store, Toy::plain()), CancellationToken::new());
    assert_eq!(worker.perform(&task, &stop, WhenStopped::GoesOn).await.unwrap().task, open);
}

#[rstest]
#[tokio::test]
async fn everybody_who_waits_for_a_task_gets_the_run_it_ended_with(
    #[values(Engine::Sqlite, Engine::Postgres)] engine: Engine,
) {
    let Some(database) = engine.database() else { return };
    let store = database.open().await;
    let gate = Gate::new();
    let (first, second) = (worker(&store, gate.toy(ToyNode::Work)), worker(&store, Toy::plain()));
    let (task, stop) = (toy::task("one"), CancellationToken::new());
    let late = async {
        gate.wait_until_entered().await;
        // Asked for while it is open: what `perform` does first, which on a busy machine may take longer than the work.
        let asked = store.enqueue(&task).await.unwrap();
        assert!(!asked.created);
        let opening = async {
            tokio::time::sleep(settings().poll * 5).await;
            // Two rounds.
            gate.let_go_on();
            gate.let_go_on();
        };
        tokio::join!(second.finish(asked.id, &stop), opening).0
    };
    let (one, other) = tokio::join!(first.perform(&task, &stop, WhenStopped::GoesOn), late);
    let one = one.unwrap();
    assert_eq!(one.stop_reason.as_deref(), Some("GREEN"));
    assert_eq!(other.unwrap(), one);
}

#[tokio::test]
async fn what_a_dead_worker_has_left_of_the_target_is_run_first() {
    let (_database, store) = sqlite().await;
    let of = |kind: TaskKind| NewTask { kind, ..toy::task("source") };
    let left = store.enqueue(&of(TaskKind::FixSource)).await.unwrap().id;
    let claim = ClaimRequest {
        worker: "a worker elsewhere".to_owned(),
        host: "elsewhere".to_owned(),
        kinds: vec![TaskKind::FixSource],
        lease: Duration::from_millis(300),
        only: None,
    };
    store.claim(&claim).await.unwrap().unwrap();
    let registry = [TaskKind::FixSource, TaskKind::RefreshSource]
        .into_iter()
        .fold(Registry::new(), |registry, kind| registry.with(Toy::plain().of(kind)));
    let worker = Worker::new(store.clone(), settings(), registry);
    let awaited = worker.feed().awaited();
    let stop = CancellationToken::new();
    let row = worker.perform(&of(TaskKind::RefreshSource), &stop, WhenStopped::GoesOn).await.unwrap();
    assert!(row.is_well());
    assert_eq!(state(&store, left).await, TaskState::Completed, "it had to end before");
    let awaited = awaited.borrow().clone().unwrap();
    assert_eq!((awaited.task, awaited.worker.as_str()), (left, "a worker elsewhere"));
}

#[tokio::test]
async fn a_feed_of_its_own_has_its_own_runs_only() {
    let (_database, store) = sqlite().await;
    let shared =
        Worker::new(store.clone(), WorkerSettings { concurrency: 2, ..settings() }, Registry::new().with(Toy::plain()));
    let (one, other) = (shared.with_own_feed(), shared.with_own_feed());
    let mut feeds = [one.feed().watch(), other.feed().watch(), shared.feed().watch()];
    let stop = CancellationToken::new();
    let (task, other_task) = (toy::task("one"), toy::task("other"));
    let (first, second) = tokio::join!(
        one.perform(&task, &stop, WhenStopped::GoesOn),
        other.perform(&other_task, &stop, WhenStopped::GoesOn)
    );
    first.unwrap();
    second.unwrap();
    let begun = feeds.each_mut().map(|feed| {
        let events = std::iter::from_fn(|| feed.try_recv().ok());
        let begun = events.filter_map(|event| match event.body {
            EventBody::RunStarted { target } => Some(target),
            _ => None,
        });
        begun.collect::<Vec<String>>()
    });
    assert_eq!(begun, [vec!["one".to_owned()], vec!["other".to_owned()], vec![]]);
}

#[tokio::test]
async fn a_task_that_nobody_waits_for_any_more_is_cancelled_when_it_was_made_for_them() {
    let (_database, store) = sqlite().await;
    let gate = Gate::new();
    let worker = worker(&store, gate.toy(ToyNode::Work));
    let stop = CancellationToken::new();
    let stopping = async {
        gate.wait_until_entered().await;
        stop.cancel();
    };
    let task = toy::task("one");
    let (end, ()) = tokio::join!(worker.perform(&task, &stop, WhenStopped::IsCancelled), stopping);
    let Err(PerformError::Cancelled(made)) = end else { panic!("not cancelled: {end:?}") };
    assert_eq!(state(&store, made).await, TaskState::Cancelled);
    let run = store.last_run(made).await.unwrap().unwrap();
    assert_eq!(run.stop_reason.as_deref(), Some("CANCELLED"), "the run ends with what was reached");
}

#[tokio::test]
async fn a_task_that_was_open_before_is_left_to_others_when_its_caller_goes_away() {
    let (_database, store) = sqlite().await;
    let open = store.enqueue(&toy::task("one")).await.unwrap().id;
    let gate = Gate::new();
    let impatient = WorkerSettings { grace: Duration::ZERO, ..settings() };
    let worker = Worker::new(store.clone(), impatient, Registry::new().with(gate.toy(ToyNode::Work)));
    let stop = CancellationToken::new();
    let stopping = async {
        gate.wait_until_entered().await;
        stop.cancel();
    };
    let task = toy::task("one");
    let (end, ()) = tokio::join!(worker.perform(&task, &stop, WhenStopped::IsCancelled), stopping);
    assert!(matches!(end, Err(PerformError::Stopped(task)) if task == open), "{end:?}");
    assert_eq!(state(&store, open).await, TaskState::Pending);
}

#[tokio::test]
async fn no_more_tasks_are_run_at_once_than_the_settings_say() {
    let (_database, store) = sqlite().await;
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let seen = Arc::clone(&most);
    let toy = Toy::new(move |_, _| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&seen));
        Box::pin(async move {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(5)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        })
    });
    let shared = Worker::new(store.clone(), WorkerSettings { concurrency: 2, ..settings() }, Registry::new().with(toy));
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..5 {
        let worker = shared.with_own_feed();
        calls.spawn(async move {
            let task = toy::task(&format!("target {number}"));
            worker.perform(&task, &CancellationToken::new(), WhenStopped::GoesOn).await.unwrap().is_well()
        });
    }
    assert_eq!(calls.join_all().await, [true; 5]);
    assert_eq!(most.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_kind_has_no_more_slots_than_it_was_given_whoever_asks() {
    let (_database, store) = sqlite().await;
    let gate = Gate::new();
    let refresh = gate.toy(ToyNode::Work).of(TaskKind::RefreshSource);
    let registry = Registry::new().with(gate.toy(ToyNode::Work)).with(refresh);
    let kinds = BTreeMap::from([(TaskKind::HealRepo, 1), (TaskKind::FixSource, 0)]);
    let worker = Worker::new(store.clone(), WorkerSettings { concurrency: 3, kinds, ..settings() }, registry);
    for number in 0..3 {
        store.enqueue(&toy::task(&format!("repository {number}"))).await.unwrap();
        let source = NewTask { kind: TaskKind::RefreshSource, ..toy::task(&format!("source {number}")) };
        store.enqueue(&source).await.unwrap();
    }
    let stop = CancellationToken::new();
    let looking = async {
        for _ in 0..3 {
            gate.wait_until_entered().await;
        }
        // All slots are taken, and whoever asks for one more is not let in.
        let other = worker.run_task(TaskId(3), stop.clone());
        assert!(tokio::time::timeout(settings().poll * 5, other).await.is_err());
        let mut running = Vec::new();
        for task in
            store.tasks(&TaskFilter { state: Some(TaskState::InProgress), ..TaskFilter::default() }).await.unwrap()
        {
            running.push(task.kind);
        }
        running.sort();
        assert_eq!(running, [TaskKind::RefreshSource, TaskKind::RefreshSource, TaskKind::HealRepo]);
        for _ in 0..12 {
            gate.let_go_on();
        }
        until_all_have_ended(&store).await;
        stop.cancel();
    };
    tokio::join!(worker.run_until(stop.clone()), looking);
    assert!(store.tasks(&TaskFilter::default()).await.unwrap().iter().all(|task| task.state == TaskState::Completed));

    let fix = NewTask { kind: TaskKind::FixSource, ..toy::task("source") };
    let id = store.enqueue(&fix).await.unwrap().id;
    let fixer = Toy::plain().of(TaskKind::FixSource);
    let kinds = BTreeMap::from([(TaskKind::FixSource, 0)]);
    let none = Worker::new(store.clone(), WorkerSettings { kinds, ..settings() }, Registry::new().with(fixer));
    let refused = none.run_task(id, CancellationToken::new()).await.unwrap_err();
    assert!(refused.to_string().contains("does not serve FIX_SOURCE"), "{refused}");
}

#[tokio::test]
async fn whoever_waits_hears_of_the_run_when_another_clone_of_the_worker_walks_it() {
    let (_database, store) = sqlite().await;
    let gate = Gate::new();
    let shared = worker(&store, gate.toy(ToyNode::Work));
    let caller = shared.with_own_feed();
    let (mut feed, stop) = (caller.feed().watch(), CancellationToken::new());
    let (task, waiting) = (toy::task("one"), CancellationToken::new());
    // One slot, which the shared worker has before anybody asks: it walks the run.
    store.enqueue(&task).await.unwrap();
    let asking = async {
        gate.wait_until_entered().await;
        let asked = caller.perform(&task, &waiting, WhenStopped::GoesOn);
        tokio::pin!(asked);
        // It listens once it has been looked at.
        assert!(futures_util::poll!(&mut asked).is_pending());
        // Two rounds.
        gate.let_go_on();
        gate.let_go_on();
        let row = asked.await.unwrap();
        stop.cancel();
        row
    };
    let (row, ()) = tokio::join!(asking, shared.run_until(stop.clone()));
    assert!(row.is_well());
    let heard = std::iter::from_fn(|| feed.try_recv().ok());
    assert!(heard.into_iter().any(|event| matches!(event.body, EventBody::RunFinished { .. })));
}
