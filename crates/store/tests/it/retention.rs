//! Forgetting.

use autoheal_engine::Timestamp;
use autoheal_engine::event::EventBody;
use autoheal_engine::task::{NewTask, TaskState};
use autoheal_engine::workflow::{FixRecord, Outcome, Record};
use autoheal_engine::{RunId, TaskId};
use autoheal_store::{Checkpoint, FinishedRun, NewRun, Pruned, Store};
use rstest::rstest;
use serde_json::json;
use uuid::Uuid;

use crate::database::Engine;
use crate::queue::{LONG, request, task};

const FUTURE: Timestamp = Timestamp::from_millis(i64::MAX / 2);
const EVENT: EventBody = EventBody::RunStarted { target: String::new() };

/// A task with a run that has one of everything.
async fn run_to_the_end(store: &Store, target: &str) -> (TaskId, RunId) {
    let at = Timestamp::from_millis(1);
    store.enqueue(&NewTask { priority: 1, ..task(target) }).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let run = RunId(Uuid::now_v7());
    let new = NewRun { run, workflow: "repo".to_owned(), target: target.to_owned(), started_at: at, event: EVENT };
    store.begin_run(&lease, &new).await.unwrap();
    let (node, state) = ("fix".to_owned(), json!({}));
    let checkpoint = Checkpoint { run, seq: 1, node, next_node: None, state_version: 1, state, at };
    let fix = FixRecord {
        target: target.to_owned(),
        error_type: "SYNTAX".to_owned(),
        diagnosis: json!({}),
        patch: String::new(),
        validation: json!({}),
        deployed_to: "FAILED".to_owned(),
    };
    store.checkpoint(&lease, &checkpoint, &[], &[Record::Fix(fix)]).await.unwrap();
    let outcome =
        Outcome { healed: false, stop_reason: "ATTEMPTS".to_owned(), results: json!({}), report: String::new() };
    let end = FinishedRun { run, outcome: &outcome, at, task_state: TaskState::Completed, events: &[], records: &[] };
    store.finish(&lease, &end).await.unwrap();
    (lease.task, run)
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn closed_tasks_are_forgotten_with_their_runs_and_open_ones_stay(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let (ended, run) = run_to_the_end(&store, "t").await;
    let waiting = store.enqueue(&task("waiting")).await.unwrap().id;
    let completed_at = store.task(ended).await.unwrap().unwrap().completed_at.unwrap();

    assert_eq!(store.prune(completed_at).await.unwrap(), Pruned::default(), "it did not end before its end");
    assert!(store.run(run).await.unwrap().is_some());
    assert_eq!(store.prune(FUTURE).await.unwrap(), Pruned { tasks: 1, runs: 1 });
    assert_eq!(store.task(ended).await.unwrap(), None);
    assert_eq!(store.run(run).await.unwrap(), None);
    assert_eq!(store.checkpoints(run).await.unwrap(), []);
    assert_eq!(store.events(run, 0).await.unwrap(), []);
    assert_eq!(store.fixes_of_target("t", Timestamp::from_millis(0)).await.unwrap().len(), 1, "the breaker counts it");
    assert_eq!(store.task(waiting).await.unwrap().unwrap().state, TaskState::Pending);
}

#[tokio::test]
async fn more_is_forgotten_than_one_transaction_takes() {
    let store = Engine::Memory.database().await.unwrap().store;
    for number in 0..450 {
        let id = store.enqueue(&task(&format!("t{number}"))).await.unwrap().id;
        store.request_cancel(id).await.unwrap();
    }
    run_to_the_end(&store, "t").await;
    assert_eq!(store.prune(FUTURE).await.unwrap(), Pruned { tasks: 451, runs: 1 });
}
