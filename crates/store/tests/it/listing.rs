//! Lists for people, and jobs.

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::event::EventBody;
use autoheal_engine::source::{Health, Snapshot, SnapshotRole, SourceRecord};
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::workflow::Outcome;
use autoheal_engine::{JobId, RunId, Timestamp};
use autoheal_store::{Checkpoint, FinishedRun, NewRun, RunFilter, RunState, Store, TaskFilter};
use rstest::rstest;
use serde_json::json;
use uuid::Uuid;

use crate::database::Engine;
use crate::queue::{LONG, request};

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// Begins a run of a new task; finishes it if `healed` is given.
async fn run(store: &Store, kind: TaskKind, target: &str, healed: Option<bool>) -> RunId {
    store.enqueue(&NewTask::new(kind, target, at(0))).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let run = RunId(Uuid::now_v7());
    let event = EventBody::RunStarted { target: target.to_owned() };
    let new = NewRun { run, workflow: kind.name().to_owned(), target: target.to_owned(), started_at: at(100), event };
    store.begin_run(&lease, &new).await.unwrap();
    if let Some(healed) = healed {
        let outcome =
            Outcome { healed, stop_reason: "X".to_owned(), results: json!({ "n": 1 }), report: String::new() };
        let (task_state, events, records) = (TaskState::Completed, &[][..], &[][..]);
        let end = FinishedRun { run, outcome: &outcome, at: at(200), task_state, events, records };
        store.finish(&lease, &end).await.unwrap();
    }
    run
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn runs_and_tasks_are_listed_by_what_they_are_and_page_by_page(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let good = run(store, TaskKind::RefreshSource, "news", Some(true)).await;
    let bad = run(store, TaskKind::RefreshSource, "news", Some(false)).await;
    let other = run(store, TaskKind::RefreshSource, "other", Some(true)).await;
    let open = run(store, TaskKind::HealRepo, "a/b", None).await;
    let listed = async |filter: RunFilter| {
        let rows = store.runs(&filter).await.unwrap();
        rows.into_iter().map(|row| row.run).collect::<Vec<_>>()
    };
    let all = RunFilter::newest(10);
    assert_eq!(listed(all.clone()).await, [open, other, bad, good]);
    assert_eq!(listed(RunFilter { limit: 2, before: Some(other), ..all.clone() }).await, [bad, good]);
    assert_eq!(listed(RunFilter { kind: Some(TaskKind::HealRepo), ..all.clone() }).await, [open]);
    assert_eq!(listed(RunFilter { target: Some("news".to_owned()), ..all.clone() }).await, [bad, good]);
    let containing = |text: &str| RunFilter { target_contains: Some(text.to_owned()), ..all.clone() };
    assert_eq!(listed(containing("E")).await, [other, bad, good]);
    assert_eq!(listed(containing("a/")).await, [open]);
    for no_wildcard in ["%", "n_ws", "\\"] {
        assert_eq!(listed(containing(no_wildcard)).await, []);
    }
    let (text, by_prefix) = (bad.to_string(), async |text: &str| store.runs_that_begin_with(text, 3).await.unwrap());
    assert_eq!(by_prefix(&text).await, [bad]);
    assert_eq!(by_prefix(&text.to_uppercase()[..35]).await, [bad]);
    assert_eq!(by_prefix(&text[..4]).await, [open, other, bad]);
    assert_eq!(by_prefix("_").await, []);
    assert_eq!(listed(RunFilter { state: Some(RunState::Running), ..all.clone() }).await, [open]);
    assert_eq!(listed(RunFilter { state: Some(RunState::Healed), ..all.clone() }).await, [other, good]);
    assert_eq!(listed(RunFilter { state: Some(RunState::NotHealed), ..all.clone() }).await, [bad]);
    let task = store.run(bad).await.unwrap().unwrap().task;
    assert_eq!(listed(RunFilter { task: Some(task), ..all }).await, [bad]);
    let before = TaskFilter { before: Some(task), ..TaskFilter::default() };
    assert!(store.tasks(&before).await.unwrap().iter().all(|row| row.id < task));

    let recent = store.recent_runs(None, 1).await.unwrap();
    assert_eq!(recent["news"].iter().map(|run| (run.run, run.healed)).collect::<Vec<_>>(), [(bad, Some(false))]);
    assert_eq!(recent["other"].len() + recent.len(), 3, "a repository is no source");
    let both = store.recent_runs(Some("news"), 9).await.unwrap();
    assert_eq!(both["news"].iter().map(|run| run.run).collect::<Vec<_>>(), [good, bad]);

    let glance = store.glance(at(0)).await.unwrap();
    assert_eq!((glance.pending, glance.running, glance.runs, glance.healed, glance.alerts), (0, 1, 4, 2, 0));
    assert_eq!(store.glance(at(101)).await.unwrap().runs, 0);
    let counts = store.task_counts().await.unwrap();
    assert!(counts.contains(&(TaskKind::RefreshSource, TaskState::Completed, 3)), "{counts:?}");
    assert_eq!(store.last_event(open).await.unwrap(), 1);
    let sources = store.source_counts().await.unwrap();
    assert_eq!(sources.into_values().sum::<u64>(), u64::try_from(store.sources().await.unwrap().len()).unwrap());
    store.ping().await.unwrap();
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_job_is_a_name_for_a_task_and_several_may_name_one(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let task = store.enqueue(&NewTask::new(TaskKind::HealRepo, "a/b", at(0))).await.unwrap().id;
    let (one, two) = (JobId(Uuid::now_v7()), JobId(Uuid::now_v7()));
    assert_eq!(store.job_of_task(task).await.unwrap(), None);
    store.add_job(one, task, "ada", at(5)).await.unwrap();
    store.add_job(two, task, "bob", at(6)).await.unwrap();
    assert!(store.add_job(two, task, "bob", at(6)).await.is_err(), "a name is given once");
    assert_eq!(store.job_of_task(task).await.unwrap(), Some(two));
    let row = store.job(one).await.unwrap().unwrap();
    assert_eq!((row.asked_by.as_str(), row.created_at, row.task.id, row.run), ("ada", at(5), task, None));
    assert_eq!(store.job(JobId(Uuid::now_v7())).await.unwrap(), None);
    // With its run, and how far that is.
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let run = RunId(Uuid::now_v7());
    let event = EventBody::RunStarted { target: "a/b".to_owned() };
    let new = NewRun { run, workflow: "HEAL_REPO".to_owned(), target: "a/b".to_owned(), started_at: at(7), event };
    store.begin_run(&lease, &new).await.unwrap();
    for (seq, node, next) in [(1, "a", Some("b")), (2, "b", None)] {
        let checkpoint = Checkpoint {
            run,
            seq,
            node: node.to_owned(),
            next_node: next.map(str::to_owned),
            state_version: 1,
            state: json!({}),
            at: at(8),
        };
        store.checkpoint(&lease, &checkpoint, &[], &[]).await.unwrap();
    }
    let row = store.job(one).await.unwrap().unwrap();
    assert_eq!(row.run, store.run(run).await.unwrap());
    assert_eq!(row.steps, [("a".to_owned(), Some("b".to_owned())), ("b".to_owned(), None)]);
    store.request_cancel(task).await.unwrap();
    store.release(&lease).await.unwrap();
    let row = store.job(one).await.unwrap().unwrap();
    assert_eq!((row.run.unwrap().stop_reason.as_deref(), row.steps), (Some("CANCELLED"), vec![]));
    // What is forgotten takes its names along.
    store.prune(at(i64::MAX / 2)).await.unwrap();
    assert_eq!(store.job(one).await.unwrap(), None);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_sources_gave_last_and_the_pages_kept_of_them_are_listed(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    for name in ["news", "other"] {
        let source = || name.to_owned();
        let definition = json!({ "url": "http://a/1" });
        let mut records = vec![
            SourceRecord::Definition { source: source(), definition: definition.clone() },
            SourceRecord::Health { source: source(), health: Health::new() },
            SourceRecord::Staged {
                source: source(),
                version: 1,
                recipe: json!({}),
                definition: definition.clone(),
                asked_by: "scout".to_owned(),
            },
            SourceRecord::Promoted {
                source: source(),
                version: 1,
                definition,
                replaces: None,
                asked_by: "scout".to_owned(),
            },
        ];
        for number in 1..=2 {
            let url = "http://a/1".to_owned();
            let values = json!({ "n": number });
            records.push(SourceRecord::Values { source: source(), url: url.clone(), version: 1, values });
            let content = format!("<p>{number}").into_bytes();
            let snapshot = Snapshot { role: SnapshotRole::Good, url, taken_at: at(number), content, values: None };
            records.push(SourceRecord::Snapshot { source: source(), snapshot });
        }
        store.change_sources(at(3), &records).await.unwrap();
    }
    let message = "m".to_owned();
    let alert = Alert { target: "news".to_owned(), kind: AlertKind::Dead, message, shared: None };
    store.raise(at(4), &[alert]).await.unwrap();
    let first = store.alerts(None, None, 9).await.unwrap()[0].alert;
    assert!(store.alerts(None, Some(first), 9).await.unwrap().is_empty());

    let latest = store.latest_values(None).await.unwrap();
    assert_eq!((latest.len(), &latest["news"].values), (2, &json!({ "n": 2 })));
    assert_eq!(store.latest_values(Some("other")).await.unwrap().len(), 1);
    let standing = store.standing_recipes().await.unwrap();
    assert_eq!(standing["news"].iter().map(|recipe| recipe.version).collect::<Vec<_>>(), [1]);
    let pages = store.kept_pages("news").await.unwrap();
    assert_eq!(pages.iter().map(|page| page.taken_at).collect::<Vec<_>>(), [at(2), at(1)]);
    let (kept, content) = store.kept_page("news", pages[1].snapshot).await.unwrap().unwrap();
    assert_eq!((kept, content.as_slice()), (pages[1].clone(), b"<p>1".as_slice()));
    assert_eq!(store.kept_page("other", pages[1].snapshot).await.unwrap(), None, "it is another source's");
}
