use autoheal_engine::source::{Health, HealthState};
use serde_json::json;

use super::*;

const ADA: &str = "ada";

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millis(millis)
}

fn name() -> SourceName {
    "news".parse().unwrap()
}

fn url(path: &str) -> Url {
    Url::parse(&format!("https://example.com/{path}")).unwrap()
}

/// Creates a store with a source that has an active first version and a second version in review.
async fn store() -> Store {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let definition = json!({
        "url": url("1"), "blueprint": { "base_url": url("1"), "kind": "single", "fields": [] },
        "interval_seconds": 60, "heal_policy": "auto",
    });
    let source = || name().to_string();
    let asked_by = || "doctor".to_owned();
    let staged = |version| SourceRecord::Staged {
        source: source(),
        version,
        recipe: json!({ "version": 1, "fields": { "title": { "select": format!("h{version}") } } }),
        definition: definition.clone(),
        asked_by: asked_by(),
    };
    let promoted = SourceRecord::Promoted {
        source: source(),
        version: 1,
        definition: definition.clone(),
        replaces: None,
        asked_by: asked_by(),
    };
    let records = [
        SourceRecord::Definition { source: source(), definition: definition.clone() },
        SourceRecord::Health { source: source(), health: Health { state: HealthState::Quarantined, ..Health::new() } },
        staged(1),
        promoted,
        staged(2),
        SourceRecord::Waiting { source: source(), version: 2 },
    ];
    store.change_sources(at(1), &records).await.unwrap();
    store
}

async fn decided(store: &Store) -> Vec<(Decision, Option<u32>, String, Timestamp)> {
    let rows = store.decisions("news", 10).await.unwrap();
    rows.into_iter().rev().map(|row| (row.decision, row.version, row.asked_by, row.at)).collect()
}

#[tokio::test]
async fn every_decision_says_who_made_it() {
    let store = store().await;
    let name = name();
    release(&store, &name, ADA, at(2)).await.unwrap();
    assert_eq!(approve(&store, &name, ADA, at(3)).await.unwrap(), 2);
    assert_eq!(rollback(&store, &name, None, "bob", at(4)).await.unwrap(), 1);
    assert_eq!(
        store.recipes("news").await.unwrap()[1].stage,
        Stage::Rejected,
        "the Doctor's fix is not proposed again"
    );
    let changes = Changes { interval_seconds: Some(5), ..Changes::default() };
    assert_eq!(set(&store, &name, &changes, ADA, at(5)).await.unwrap().interval_seconds, 5);
    remove(&store, &name, ADA, at(6)).await.unwrap();
    let by = |who: &str| who.to_owned();
    let expected = [
        (Decision::Released, None, by(ADA), at(2)),
        (Decision::Approved, Some(2), by(ADA), at(3)),
        (Decision::RolledBack, Some(1), by("bob"), at(4)),
        (Decision::Changed, None, by(ADA), at(5)),
        (Decision::Removed, None, by(ADA), at(6)),
    ];
    assert_eq!(decided(&store).await, expected);
}

#[tokio::test]
async fn two_who_change_a_source_at_once_do_not_undo_each_other() {
    let store = store().await;
    let name = name();
    let was = store.source("news").await.unwrap().unwrap().definition;
    let changes = Changes { interval_seconds: Some(5), ..Changes::default() };
    set(&store, &name, &changes, ADA, at(2)).await.unwrap();
    let (source, definition) = (name.to_string(), json!({ "other": true }));
    let late = SourceRecord::Redefined { source: source.clone(), was: was.clone(), definition: definition.clone() };
    assert!(matches!(store.change_sources(at(3), &[late]).await, Err(StoreError::Superseded)));
    // A run that found the page elsewhere finds it again next time.
    store.change_sources(at(3), &[SourceRecord::Moved { source, was, definition }]).await.unwrap();
    assert_eq!(store.source("news").await.unwrap().unwrap().definition["interval_seconds"], 5);
    // Releasing a source keeps the counts of a concurrent run.
    let mut released = store.source("news").await.unwrap().unwrap().health;
    let counted = Health { success_count: 7, ..released.clone() };
    store.change_sources(at(4), &[SourceRecord::Health { source: "news".to_owned(), health: counted }]).await.unwrap();
    released.release(at(5));
    let released = SourceRecord::Released { source: "news".to_owned(), health: released };
    store.change_sources(at(5), &[released]).await.unwrap();
    let health = store.source("news").await.unwrap().unwrap().health;
    assert_eq!((health.success_count, health.state, health.released_at), (7, HealthState::Degraded, Some(at(5))));
}

#[tokio::test]
async fn what_cannot_be_decided_leaves_no_trace() {
    let store = store().await;
    let (name, nobody) = (name(), "nobody".parse().unwrap());
    assert!(matches!(release(&store, &nobody, ADA, at(2)).await, Err(DecideError::NoSuchSource(_))));
    assert!(matches!(rollback(&store, &name, None, ADA, at(2)).await, Err(DecideError::NoEarlierVersion(_))));
    let never = rollback(&store, &name, Some(2), ADA, at(2)).await;
    assert!(matches!(never, Err(DecideError::NeverInForce { version: 2, .. })));
    assert_eq!(reject(&store, &name, None, ADA, at(2)).await.unwrap(), 2);
    assert!(matches!(approve(&store, &name, ADA, at(3)).await, Err(DecideError::NothingWaits(_))));
    assert!(matches!(set(&store, &name, &Changes::default(), ADA, at(3)).await, Err(DecideError::NothingChanges(_))));
    let without = |url: Url| Changes { remove_pages: vec![url], ..Changes::default() };
    let missing = set(&store, &name, &without(url("2")), ADA, at(3)).await;
    assert!(matches!(missing, Err(DecideError::NoSuchPage { .. })));
    let none_left = set(&store, &name, &without(url("1")), ADA, at(3)).await;
    assert!(matches!(none_left, Err(DecideError::NoPageLeft(_))));
    assert_eq!(decided(&store).await, [(Decision::Rejected, Some(2), ADA.to_owned(), at(2))]);
}

#[tokio::test]
async fn a_rejection_keeps_its_reason_and_is_undone() {
    let store = store().await;
    let name = name();
    let none = reconsider(&store, &name, None, ADA, at(2)).await;
    assert!(matches!(none, Err(DecideError::AnotherWaits { version: 2, .. })), "{none:?}");
    reject(&store, &name, Some("it is the old price"), ADA, at(2)).await.unwrap();
    let other = reconsider(&store, &name, Some(1), "bob", at(3)).await;
    assert!(matches!(other, Err(DecideError::NotRejected { version: 1, .. })), "{other:?}");
    assert_eq!(reconsider(&store, &name, None, "bob", at(3)).await.unwrap(), 2);
    let again = reconsider(&store, &name, Some(2), "bob", at(4)).await;
    assert!(matches!(again, Err(DecideError::AnotherWaits { .. })), "{again:?}");
    assert_eq!(approve(&store, &name, ADA, at(5)).await.unwrap(), 2);
    let none = reconsider(&store, &name, None, ADA, at(6)).await;
    assert!(matches!(none, Err(DecideError::NothingRejected(_))), "{none:?}");
    let rows = store.decisions("news", 10).await.unwrap();
    let notes: Vec<_> = rows.iter().rev().map(|row| (row.decision, row.note.as_deref())).collect();
    let reason = Some("it is the old price");
    assert_eq!(notes, [(Decision::Rejected, reason), (Decision::Reconsidered, None), (Decision::Approved, None)]);
}

#[tokio::test]
async fn an_interval_takes_the_place_of_named_times_and_they_of_it() {
    let store = store().await;
    let name = name();
    let schedule = Setting::To("0 6 * * *".parse().unwrap());
    let named = set(&store, &name, &Changes { schedule, ..Changes::default() }, ADA, at(2)).await.unwrap();
    assert_eq!((named.schedule.unwrap().to_string().as_str(), named.interval_seconds), ("0 6 * * *", 60));
    let interval = Changes { interval_seconds: Some(60), ..Changes::default() };
    assert_eq!(set(&store, &name, &interval, ADA, at(3)).await.unwrap().schedule, None);
}

#[test]
fn what_is_null_is_cleared_and_what_is_not_named_stays() {
    let of = |text: &str| serde_json::from_str::<Changes>(text).unwrap().webhook;
    assert_eq!(of("{}"), Setting::Kept);
    assert_eq!(of(r#"{"webhook": null}"#), Setting::Cleared);
    assert_eq!(of(r#"{"webhook": "https://example.com/1"}"#), Setting::To(url("1")));
    assert!(serde_json::from_str::<Changes>(r#"{"webhok": null}"#).is_err());
}
