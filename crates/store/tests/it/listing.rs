//! Lists for people, and jobs.

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::event::EventBody;
use autoheal_engine::source::{Health, HealthState, Snapshot, SnapshotRole, SourceRecord};
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::workflow::Ending;
use autoheal_engine::{JobId, Outcome, RunId, StopReason, Timestamp};
use autoheal_store::{
    AlertFilter, Checkpoint, FinishedRun, NeedKind, NewRun, RunFilter, RunState, Slice, SourceFilter, SourceOrder,
    Store, TaskFilter,
};
use rstest::rstest;
use serde_json::json;
use uuid::Uuid;

use crate::database::Engine;
use crate::queue::{LONG, request};

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

/// Begins a run of a new task; finishes it if `reason` is given.
pub(crate) async fn run(store: &Store, kind: TaskKind, target: &str, reason: Option<StopReason>) -> RunId {
    store.enqueue(&NewTask::new(kind, target, at(0))).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    let run = RunId(Uuid::now_v7());
    let event = EventBody::RunStarted { target: target.to_owned() };
    let new = NewRun { run, workflow: kind.name().to_owned(), target: target.to_owned(), started_at: at(100), event };
    store.begin_run(&lease, &new).await.unwrap();
    if let Some(stop_reason) = reason {
        let outcome = stop_reason.outcome(0);
        let ending = Ending { outcome, stop_reason, results: json!({ "n": 1 }), report: String::new() };
        let (task_state, events, records) = (TaskState::Completed, &[][..], &[][..]);
        let end = FinishedRun { run, ending: &ending, at: at(200), task_state, events, records };
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
    let good = run(store, TaskKind::RefreshSource, "news", Some(StopReason::Good)).await;
    let bad = run(store, TaskKind::RefreshSource, "news", Some(StopReason::ParseError)).await;
    let other = run(store, TaskKind::RefreshSource, "other", Some(StopReason::Good)).await;
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
    let containing = |text: &str| RunFilter { search: Some(text.to_owned()), ..all.clone() };
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
    assert_eq!(
        listed(RunFilter { state: Some(RunState::Ended(Outcome::Fetched)), ..all.clone() }).await,
        [other, good]
    );
    assert_eq!(listed(RunFilter { state: Some(RunState::Ended(Outcome::Broken)), ..all.clone() }).await, [bad]);
    let task = store.run(bad).await.unwrap().unwrap().task;
    assert_eq!(listed(RunFilter { task: Some(task), ..all }).await, [bad]);
    let before = TaskFilter { before: Some(task), ..TaskFilter::default() };
    assert!(store.tasks(&before).await.unwrap().iter().all(|row| row.id < task));

    let recent = store.recent_runs(&["news", "other", "a/b"].map(str::to_owned), 1).await.unwrap();
    assert_eq!(
        recent["news"].iter().map(|run| (run.run, run.outcome)).collect::<Vec<_>>(),
        [(bad, Some(Outcome::Broken))]
    );
    assert_eq!(recent["other"].len() + recent.len(), 3, "a repository is no source");
    let both = store.recent_runs(&["news".to_owned()], 9).await.unwrap();
    assert_eq!(both["news"].iter().map(|run| run.run).collect::<Vec<_>>(), [good, bad]);

    let glance = store.glance(at(0)).await.unwrap();
    assert_eq!((glance.pending, glance.running, glance.runs, glance.alerts), (0, 1, 4, 0));
    assert_eq!(glance.outcomes, [(Outcome::Fetched, 2), (Outcome::Broken, 1)].into());
    assert_eq!(store.glance(at(101)).await.unwrap().runs, 0);
    let counts = store.task_counts().await.unwrap();
    assert_eq!(counts, [(TaskKind::HealRepo, TaskState::InProgress, 1)], "closed tasks are not counted");
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
    let first = store.alerts(&AlertFilter::newest(9)).await.unwrap()[0].alert;
    let older = AlertFilter { before: Some(first), ..AlertFilter::newest(9) };
    assert!(store.alerts(&older).await.unwrap().is_empty());
    let about = |search: &str| AlertFilter { search: Some(search.to_owned()), ..AlertFilter::newest(9) };
    assert_eq!(store.alerts(&about("EW")).await.unwrap().len(), 1);
    assert_eq!(store.alerts(&about("e_s")).await.unwrap().len(), 0, "no pattern");

    let both = store.values_before("news", None, 9).await.unwrap();
    assert_eq!(both.iter().map(|row| &row.values).collect::<Vec<_>>(), [&json!({ "n": 2 }), &json!({ "n": 1 })]);
    assert_eq!(store.values_before("news", Some(both[0].id), 9).await.unwrap(), both[1..]);
    let standing = store.standing_recipes(&["news".to_owned()]).await.unwrap();
    assert_eq!(standing["news"].iter().map(|recipe| recipe.version).collect::<Vec<_>>(), [1]);
    let pages = store.kept_pages("news", Slice::ALL).await.unwrap();
    assert_eq!(pages.iter().map(|page| page.taken_at).collect::<Vec<_>>(), [at(2), at(1)]);
    let (kept, content) = store.kept_page("news", pages[1].snapshot).await.unwrap().unwrap();
    assert_eq!((kept, content.as_slice()), (pages[1].clone(), b"<p>1".as_slice()));
    assert_eq!(store.kept_page("other", pages[1].snapshot).await.unwrap(), None, "it is another source's");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn sources_are_searched_sorted_and_listed_page_by_page(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let states = [HealthState::Active, HealthState::Dead, HealthState::Active, HealthState::Quarantined];
    for (number, state) in states.into_iter().enumerate() {
        let source = format!("source-{number}");
        let definition = json!({ "url": format!("https://shop{number}.example/100%") });
        let health = Health { state, failure_count: number as u64, ..Health::default() };
        let records =
            [SourceRecord::Definition { source: source.clone(), definition }, SourceRecord::Health { source, health }];
        store.change_sources(at(1), &records).await.unwrap();
    }
    let listed = async |filter: SourceFilter| {
        let (rows, total) = store.source_page(&SourceFilter { limit: 2, ..filter }).await.unwrap();
        (rows.into_iter().map(|row| row.source).collect::<Vec<_>>(), total)
    };
    let names = |numbers: &[u32]| numbers.iter().map(|number| format!("source-{number}")).collect::<Vec<_>>();
    assert_eq!(listed(SourceFilter::default()).await, (names(&[1, 3]), 4), "the worst first");
    assert_eq!(listed(SourceFilter { offset: 2, ..SourceFilter::default() }).await, (names(&[0, 2]), 4));
    let by = |order| SourceFilter { order, ..SourceFilter::default() };
    assert_eq!(listed(by(SourceOrder::Name)).await.0, names(&[0, 1]));
    assert_eq!(listed(by(SourceOrder::Failures)).await.0, names(&[3, 2]));
    let only = |state| SourceFilter { state: Some(state), ..SourceFilter::default() };
    assert_eq!(listed(only(HealthState::Active)).await, (names(&[0, 2]), 2));
    let search = |text: &str| SourceFilter { search: Some(text.to_owned()), ..SourceFilter::default() };
    assert_eq!(listed(search("SHOP3.")).await, (names(&[3]), 1));
    assert_eq!(listed(search("100%")).await.1, 4);
    assert_eq!(listed(search("1_0")).await.1, 0, "no pattern");
    assert_eq!(listed(SourceFilter { waits: true, ..SourceFilter::default() }).await, (names(&[]), 0));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_needs_a_person_is_gone_with_its_cause(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let needs = async || {
        let needs = store.needs(at(0), 9).await.unwrap();
        needs.into_iter().map(|need| (need.kind, need.target)).collect::<Vec<_>>()
    };
    assert_eq!(needs().await, []);
    run(store, TaskKind::HealRepo, "a/fine", Some(StopReason::NothingToDo)).await;
    run(store, TaskKind::HealRepo, "a/red", Some(StopReason::NoProgress)).await;
    run(store, TaskKind::HealRepo, "a/unmerged", Some(StopReason::Unmerged)).await;
    run(store, TaskKind::RefreshSource, "news", Some(StopReason::ParseError)).await;
    let source = || "news".to_owned();
    let health = |state| SourceRecord::Health { source: source(), health: Health { state, ..Health::default() } };
    let defined = SourceRecord::Definition { source: source(), definition: json!({}) };
    store.change_sources(at(1), &[defined, health(HealthState::Quarantined)]).await.unwrap();
    let expected = [
        (NeedKind::Quarantine, "news".to_owned()),
        (NeedKind::Merge, "a/unmerged".to_owned()),
        (NeedKind::NotFixed, "a/red".to_owned()),
    ];
    assert_eq!(needs().await, expected);
    store.change_sources(at(2), &[health(HealthState::Active)]).await.unwrap();
    run(store, TaskKind::HealRepo, "a/red", Some(StopReason::NothingToDo)).await;
    assert_eq!(needs().await, expected[1..2]);
}
