//! Tests of sources: written data is read back, one version is active, and a change that arrives too late has no effect.

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::breaker::NameCheck;
use autoheal_engine::diagnostics::DiagnosticsLog;
use autoheal_engine::source::{Health, HealthState, PageFault, Snapshot, SnapshotRole, SourceRecord, Stage};
use autoheal_engine::task::{NewTask, TaskKind};
use autoheal_engine::{StopReason, Timestamp};
use autoheal_store::{AlertFilter, Scheduled, Slice, SourceRow, Store, StoreError, TaskFilter};
use rstest::rstest;
use serde_json::json;

use crate::database::Engine;
use crate::queue::{LONG, request};

const NAME: &str = "news";

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn named() -> String {
    NAME.to_owned()
}

fn staged(version: u32) -> SourceRecord {
    let recipe = json!({ "version": 1, "number": version });
    let definition = json!({ "url": format!("http://a/{version}") });
    SourceRecord::Staged { source: named(), version, recipe, definition, asked_by: "scout".to_owned() }
}

fn promoted(version: u32, replaces: Option<u32>) -> SourceRecord {
    let definition = json!({ "url": format!("http://a/{version}") });
    SourceRecord::Promoted { source: named(), version, definition, replaces, asked_by: "doctor".to_owned() }
}

fn page(role: SnapshotRole, millis: i64) -> SourceRecord {
    let content = format!("<p>{millis}").into_bytes();
    let snapshot = Snapshot {
        role,
        url: "http://a/1".to_owned(),
        taken_at: at(millis),
        content,
        values: Some(json!({ "n": millis })),
    };
    SourceRecord::Snapshot { source: named(), snapshot }
}

async fn with_source(store: &Store) {
    let definition = SourceRecord::Definition { source: named(), definition: json!({ "url": "http://a/1" }) };
    let health = SourceRecord::Health { source: named(), health: Health::new() };
    store.change_sources(at(1), &[definition, health, staged(1), promoted(1, None)]).await.unwrap();
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_is_kept_of_a_source_is_read_back(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    let mut health = Health::new();
    health.failed_run(at(5));
    let check = NameCheck { at: at(7), target_known: false, control_known: true };
    let records = [
        SourceRecord::Health { source: named(), health: health.clone() },
        SourceRecord::Values {
            source: named(),
            url: "http://a/1".to_owned(),
            version: 1,
            values: json!({ "title": "A" }),
        },
        SourceRecord::NameCheck { source: named(), check },
        SourceRecord::Watched { source: named(), version: 1, good: false },
        SourceRecord::Task(NewTask::new(TaskKind::FixSource, NAME, at(0))),
        SourceRecord::Task(NewTask::new(TaskKind::FixSource, NAME, at(0))),
    ];
    store.change_sources(at(9), &records).await.unwrap();
    let alert = Alert { target: named(), kind: AlertKind::Quarantine, message: "look at it".to_owned(), shared: None };
    store.raise(at(9), &[alert]).await.unwrap();
    let source = store.source(NAME).await.unwrap().unwrap();
    assert_eq!((source.health, source.definition), (health, json!({ "url": "http://a/1" })));
    assert_eq!(store.sources().await.unwrap().len(), 1);
    assert_eq!(store.values(NAME, at(0), 10).await.unwrap()[0].values, json!({ "title": "A" }));
    assert_eq!(store.values(NAME, at(10), 10).await.unwrap(), []);
    assert_eq!(store.alerts(&AlertFilter::about(NAME, 10)).await.unwrap()[0].kind, "QUARANTINE");
    assert_eq!(store.alerts(&AlertFilter::about("other", 10)).await.unwrap(), []);
    assert_eq!(store.name_checks(NAME, at(0)).await.unwrap(), [check]);
    let recipe = &store.recipes(NAME).await.unwrap()[0];
    assert_eq!((recipe.stage, recipe.runs, recipe.failed_runs), (Stage::Production, 1, 1));
    assert_eq!(store.tasks(&TaskFilter::default()).await.unwrap().len(), 1, "the same work twice is one task");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn diagnostics_of_a_source_are_counted_bounded_and_deleted_with_it(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    let fault = |message: &str| PageFault {
        category: StopReason::ParseError,
        field: Some("title".to_owned()),
        status: None,
        page: Some("http://a/1".to_owned()),
        message: message.to_owned(),
    };
    let mut log = DiagnosticsLog::default();
    let kept = async |log: &DiagnosticsLog<PageFault>, time| {
        let entries = log.entries().to_vec();
        store.change_sources(at(time), &[SourceRecord::Diagnostics { source: named(), entries }]).await.unwrap();
        store.source_diagnostics(NAME, Slice::ALL).await.unwrap()
    };
    log.observe(&[fault("seen 1 time"), fault("gone soon")], at(2));
    assert_eq!(kept(&log, 2).await.len(), 2);
    log.observe(&[fault("seen 2 times"), fault("seen 3 time")], at(3));
    let stored = kept(&log, 3).await;
    let states: Vec<_> = stored
        .iter()
        .map(|entry| {
            let message = entry.finding.message.as_str();
            (message, entry.occurrence_count, entry.first_seen_at, entry.resolved_at)
        })
        .collect();
    let expected =
        [("seen 2 times", 1, at(3), None), ("seen 3 time", 2, at(2), None), ("gone soon", 1, at(2), Some(at(3)))];
    assert!(states.len() == 3 && expected.iter().all(|state| states.contains(state)), "{states:?}");
    assert_eq!(states[2], expected[2], "resolved ones last");
    let many: Vec<PageFault> = (0..600).map(|n| fault(&format!("kind {}", "x".repeat(n)))).collect();
    let mut crowd = DiagnosticsLog::with_capacity(1000);
    crowd.observe(&many, at(4));
    assert_eq!(kept(&crowd, 4).await.len(), DiagnosticsLog::<PageFault>::DEFAULT_CAPACITY);
    store.change_sources(at(5), &[SourceRecord::Removed { source: named() }]).await.unwrap();
    assert_eq!(store.source_diagnostics(NAME, Slice::ALL).await.unwrap(), []);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_promotion_names_what_it_replaces(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    store.change_sources(at(2), &[staged(2), staged(3)]).await.unwrap();
    for wrong in [promoted(2, None), promoted(2, Some(3)), promoted(4, Some(1))] {
        let refused = store.change_sources(at(3), &[wrong]).await;
        assert!(matches!(refused, Err(StoreError::Superseded)), "{refused:?}");
    }
    store.change_sources(at(4), &[promoted(2, Some(1))]).await.unwrap();
    assert!(matches!(store.change_sources(at(5), &[promoted(3, Some(1))]).await, Err(StoreError::Superseded)));
    store.change_sources(at(6), &[SourceRecord::Rejected { source: named(), version: 3 }]).await.unwrap();
    assert!(matches!(store.change_sources(at(7), &[promoted(3, Some(2))]).await, Err(StoreError::Superseded)));
    let stages: Vec<Stage> = store.recipes(NAME).await.unwrap().iter().map(|recipe| recipe.stage).collect();
    assert_eq!(stages, [Stage::Archived, Stage::Production, Stage::Rejected]);
    assert_eq!(store.source(NAME).await.unwrap().unwrap().definition, json!({ "url": "http://a/2" }));
    // Back to what was in force before, definition and all.
    store.change_sources(at(8), &[promoted(1, Some(2))]).await.unwrap();
    let recipes = store.recipes(NAME).await.unwrap();
    assert_eq!((recipes[0].stage, recipes[0].replaces), (Stage::Production, Some(2)));
    assert_eq!(store.source(NAME).await.unwrap().unwrap().definition, json!({ "url": "http://a/1" }));
    // Taken back for good.
    store.change_sources(at(9), &[SourceRecord::Rejected { source: named(), version: 2 }]).await.unwrap();
    assert!(matches!(store.change_sources(at(10), &[promoted(2, Some(1))]).await, Err(StoreError::Superseded)));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_few_pages_of_each_kind_are_kept(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    let pages: Vec<SourceRecord> =
        (1..=5).flat_map(|millis| [page(SnapshotRole::Original, millis), page(SnapshotRole::Good, millis)]).collect();
    store.change_sources(at(9), &pages).await.unwrap();
    let of = async |role| {
        let kept = store.snapshots(NAME, role, None, 9).await.unwrap();
        kept.iter().map(|page| String::from_utf8(page.content.clone()).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(of(SnapshotRole::Original).await, ["<p>5"]);
    assert_eq!(of(SnapshotRole::Good).await, ["<p>5", "<p>4", "<p>3"]);
    assert!(of(SnapshotRole::Failing).await.is_empty());
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_is_removed_is_gone_and_alerts_stay(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    let alert = Alert { target: named(), kind: AlertKind::Dead, message: "gone".to_owned(), shared: None };
    store.change_sources(at(2), &[page(SnapshotRole::Good, 1)]).await.unwrap();
    store.raise(at(2), &[alert]).await.unwrap();
    store.change_sources(at(3), &[SourceRecord::Removed { source: named() }]).await.unwrap();
    assert_eq!(store.source(NAME).await.unwrap(), None);
    assert_eq!(store.recipes(NAME).await.unwrap(), []);
    assert_eq!(store.snapshots(NAME, SnapshotRole::Good, None, 9).await.unwrap(), []);
    assert_eq!(store.alerts(&AlertFilter::newest(9)).await.unwrap().len(), 1);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_run_of_a_source_that_is_removed_is_told_to_stop(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    store.enqueue(&NewTask::new(TaskKind::RefreshSource, NAME, at(1))).await.unwrap();
    let (_, lease) = store.claim(&request("w", LONG)).await.unwrap().unwrap();
    store.change_sources(at(3), &[SourceRecord::Removed { source: named() }]).await.unwrap();
    assert!(store.heartbeat(&lease, LONG).await.unwrap().cancel_requested);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_release_is_not_undone_by_who_read_before_it(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    let mut read_before = store.source(NAME).await.unwrap().unwrap().health;
    let mut released = read_before.clone();
    released.release(at(50));
    store.change_sources(at(50), &[SourceRecord::Released { source: named(), health: released }]).await.unwrap();
    read_before.state = HealthState::Quarantined;
    read_before.failure_count = 7;
    store.change_sources(at(60), &[SourceRecord::Health { source: named(), health: read_before }]).await.unwrap();
    let health = store.source(NAME).await.unwrap().unwrap().health;
    assert_eq!((health.state, health.released_at, health.failure_count), (HealthState::Degraded, Some(at(50)), 7));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_source_that_has_run_since_it_was_looked_at_is_not_run_again(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    let task = NewTask::new(TaskKind::RefreshSource, NAME, at(10));
    let run = || Scheduled { run: Some(task.clone()), look_at: Some(at(20)) };
    let mut seen = store.due_sources(at(9), 10).await.unwrap();
    assert_eq!(seen.len(), 1);
    let mut health = seen[0].row.health.clone();
    health.good_run(at(9));
    store.change_sources(at(9), &[SourceRecord::Health { source: named(), health }]).await.unwrap();
    assert_eq!(store.reschedule(vec![(seen.remove(0), run())]).await.unwrap(), 0, "it ran a moment ago");
    let now = store.due_sources(at(9), 10).await.unwrap();
    assert_eq!(now.len(), 1, "nothing was decided about how it is now");
    assert_eq!(store.reschedule(vec![(now[0].clone(), run())]).await.unwrap(), 1);
    assert_eq!(store.reschedule(vec![(now[0].clone(), run())]).await.unwrap(), 0, "asked for already");
    let tasks = store.tasks(&TaskFilter::default()).await.unwrap();
    assert_eq!(tasks.len(), 1);
    assert_eq!((tasks[0].target.as_str(), tasks[0].run_at), (NAME, at(10)));
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn the_schedule_looks_at_a_source_at_its_time_and_after_each_change(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    with_source(store).await;
    let due = async |time| store.due_sources(at(time), 10).await.unwrap();
    let settle = async |look_at| {
        let decided =
            due(i64::MAX / 2).await.into_iter().map(|source| (source, Scheduled { run: None, look_at })).collect();
        assert_eq!(store.reschedule(decided).await.unwrap(), 0);
    };
    settle(Some(at(50))).await;
    assert_eq!((due(49).await.len(), due(50).await.len()), (0, 1));
    let row = store.source(NAME).await.unwrap().unwrap();
    let (definition, health, source) = (row.definition, row.health, named());
    let changes = [
        SourceRecord::Health { source: source.clone(), health: health.clone() },
        SourceRecord::Released { source: source.clone(), health },
        SourceRecord::Definition { source: source.clone(), definition: definition.clone() },
        SourceRecord::Redefined { source, was: definition.clone(), definition },
    ];
    for change in changes {
        settle(None).await;
        assert_eq!(due(i64::MAX / 2).await, [], "nothing to do before something changes");
        store.change_sources(at(60), std::slice::from_ref(&change)).await.unwrap();
        assert_eq!(due(0).await.len(), 1, "{change:?}");
    }
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn sources_are_found_by_their_host_and_by_their_last_run(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let sources = [
        ("a", "https://shop.example/list?at=other.example"),
        ("b", "https://shop.example:8443/"),
        ("c", "https://shop.example/"),
        ("d", "https://other.example/shop.example/"),
    ];
    for (time, (source, url)) in (1..).zip(sources) {
        let (source, definition) = (
            source.to_owned(),
            json!({ "blueprint": { "base_url": "https://x.example/", "text": "\0 \"url\":\"https://y.example/" }, "url": url }),
        );
        let added = [
            SourceRecord::Definition { source: source.clone(), definition },
            SourceRecord::Health { source, health: Health::new() },
        ];
        store.change_sources(at(time), &added).await.unwrap();
    }
    let names = |rows: Vec<SourceRow>| rows.into_iter().map(|row| row.source).collect::<Vec<_>>();
    assert_eq!(names(store.sources_of_host("shop.example", 10).await.unwrap()), ["a", "c"]);
    assert_eq!(names(store.sources_of_host("shop.example", 1).await.unwrap()), ["a"]);
    assert_eq!(names(store.sources_of_host("shop.example:8443", 10).await.unwrap()), ["b"]);
    assert_eq!(names(store.sources_changed_since(at(2), 2).await.unwrap()), ["d", "c"]);
    assert_eq!(names(store.sources_changed_since(at(4), 10).await.unwrap()), ["d"]);
}

#[test]
fn every_state_has_its_name() {
    for state in [HealthState::Active, HealthState::Degraded, HealthState::Quarantined, HealthState::Dead] {
        assert_eq!(HealthState::from_name(state.name()), Some(state));
    }
}
