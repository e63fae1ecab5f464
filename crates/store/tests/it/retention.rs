//! Tests of the deletion of old data.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::event::EventBody;
use autoheal_engine::source::{Health, SourceRecord};
use autoheal_engine::task::{NewTask, TaskState};
use autoheal_engine::workflow::{Ending, FixRecord, Record};
use autoheal_engine::{Outcome, RunId, StopReason, TaskId};
use autoheal_store::{AlertFilter, Checkpoint, FinishedRun, NewRun, Pruned, Retention, Store};
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
    let (outcome, stop_reason) = (Outcome::CouldNotFix, StopReason::Attempts);
    let ending = Ending { outcome, stop_reason, results: json!({}), report: String::new() };
    let end = FinishedRun { run, ending: &ending, at, task_state: TaskState::Completed, events: &[], records: &[] };
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
    assert_eq!(store.prune(FUTURE).await.unwrap(), Pruned { tasks: 1, runs: 1, rows: 0 });
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
    assert_eq!(store.prune(FUTURE).await.unwrap(), Pruned { tasks: 451, runs: 1, rows: 0 });
}

const DAY: Duration = Duration::from_hours(24);

/// A source whose recipe has had `versions`, each active once, and a value of its page from each.
async fn with_history(store: &Store, at: Timestamp, versions: u32) {
    let source = || "news".to_owned();
    let definition = json!({ "url": "http://a/1" });
    let mut records = vec![
        SourceRecord::Definition { source: source(), definition: definition.clone() },
        SourceRecord::Health { source: source(), health: Health::new() },
    ];
    for version in 1..=versions {
        let (recipe, asked_by) = (json!({ "version": 1 }), "doctor".to_owned());
        let (definition, replaces) = (definition.clone(), (version > 1).then(|| version - 1));
        records.extend([
            SourceRecord::Staged {
                source: source(),
                version,
                recipe,
                definition: definition.clone(),
                asked_by: asked_by.clone(),
            },
            SourceRecord::Promoted { source: source(), version, definition, replaces, asked_by },
            SourceRecord::Values {
                source: source(),
                url: "http://a/1".to_owned(),
                version,
                values: json!({ "n": version }),
            },
        ]);
    }
    store.change_sources(at, &records).await.unwrap();
    let alert = Alert { target: source(), kind: AlertKind::Dead, message: "gone".to_owned(), shared: None };
    store.raise(at, &[alert]).await.unwrap();
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn history_is_forgotten_but_for_what_the_next_run_needs(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let retention = Retention { history: 100 * DAY, ..Retention::default() };
    with_history(&store, store.now().minus(99 * DAY), 4).await;
    store.forget(&retention).await.unwrap();
    let versions =
        || async { store.recipes("news").await.unwrap().into_iter().map(|row| row.version).collect::<Vec<_>>() };
    assert_eq!((versions().await.len(), store.values("news", Timestamp::default(), 10).await.unwrap().len()), (4, 4));

    let retention = Retention { history: 98 * DAY, ..retention };
    let pruned = store.forget(&retention).await.unwrap();
    assert_eq!(pruned.rows, 2 + 3 + 1, "versions, values, the alert");
    let mut left = versions().await;
    left.sort_unstable();
    assert_eq!(left, [3, 4], "the active one and its predecessor");
    assert_eq!(store.values("news", Timestamp::default(), 10).await.unwrap()[0].values, json!({ "n": 4 }));
    assert_eq!(store.alerts(&AlertFilter::newest(10)).await.unwrap(), []);
    assert_eq!(store.forget(&retention).await.unwrap(), Pruned::default());
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn of_one_page_the_newest_values_are_kept(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    with_history(&store, store.now(), 5).await;
    assert_eq!(store.forget(&Retention { values: 2, ..Retention::default() }).await.unwrap().rows, 3);
    let left = store.values("news", Timestamp::default(), 10).await.unwrap();
    assert_eq!(left.iter().map(|row| row.version).collect::<Vec<_>>(), [4, 5]);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_finished_run_keeps_its_last_checkpoint_and_an_open_one_all(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    store.enqueue(&task("t")).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let (run, at) = (RunId(Uuid::now_v7()), Timestamp::from_millis(1));
    let new = NewRun { run, workflow: "repo".to_owned(), target: "t".to_owned(), started_at: at, event: EVENT };
    store.begin_run(&lease, &new).await.unwrap();
    for seq in 1..=3 {
        let (node, state) = ("fix".to_owned(), json!({}));
        let checkpoint = Checkpoint { run, seq, node, next_node: None, state_version: 1, state, at };
        store.checkpoint(&lease, &checkpoint, &[], &[]).await.unwrap();
    }
    store.forget(&Retention::default()).await.unwrap();
    assert_eq!(store.checkpoints(run).await.unwrap().len(), 3);
    let (outcome, stop_reason) = (Outcome::Fixed, StopReason::Green);
    let ending = Ending { outcome, stop_reason, results: json!({}), report: String::new() };
    let end = FinishedRun { run, ending: &ending, at, task_state: TaskState::Completed, events: &[], records: &[] };
    store.finish(&lease, &end).await.unwrap();
    store.forget(&Retention::default()).await.unwrap();
    let left = store.checkpoints(run).await.unwrap();
    assert_eq!(left.iter().map(|checkpoint| checkpoint.seq).collect::<Vec<_>>(), [3]);
}
