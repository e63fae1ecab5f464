//! Tests of tasks that no worker can claim.

use std::time::Duration;

use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_store::{AlertFilter, ClaimRequest};
use rstest::rstest;

use crate::database::Engine;
use crate::queue::{LONG, NO_TIME, request, task};

const HOUR: Duration = Duration::from_hours(1);

fn bound(target: &str, host: &str) -> NewTask {
    NewTask { host: Some(host.to_owned()), ..task(target) }
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_machine_with_a_new_name_takes_over_what_was_bound_to_its_old_one(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    let mine = store.enqueue(&bound("mine", "container-1")).await.unwrap().id;
    store.enqueue(&bound("theirs", "container-9")).await.unwrap();
    let here = ClaimRequest { host: "machine-a".to_owned(), ..request("w", LONG) };
    assert!(store.claim(&here).await.unwrap().is_none());
    assert_eq!(store.adopt_tasks(Some("container-1"), "machine-a").await.unwrap(), 1);
    let (claimed, lease) = store.claim(&here).await.unwrap().unwrap();
    assert_eq!(claimed.id, mine);
    store.release(&lease).await.unwrap();
    assert_eq!(store.adopt_tasks(None, "machine-a").await.unwrap(), 1, "in a database of this machine alone: all");
    assert_eq!(store.adopt_tasks(None, "machine-a").await.unwrap(), 0);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_nobody_could_claim_for_an_hour_is_told_once_with_what_it_waits_for(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    store.enqueue(&NewTask { run_at: store.now(), ..task("fresh") }).await.unwrap();
    store.watch_waiting(HOUR).await.unwrap();
    assert_eq!(store.alerts(&AlertFilter::newest(10)).await.unwrap(), []);

    let gone = store.enqueue(&bound("/srv/shop", "machine-of-old")).await.unwrap().id;
    for number in 0..3 {
        store.enqueue(&task(&format!("t{number}"))).await.unwrap();
    }
    for _ in 0..2 {
        store.watch_waiting(HOUR).await.unwrap();
    }
    let alerts = store.alerts(&AlertFilter::newest(10)).await.unwrap();
    let told: Vec<_> = alerts.iter().map(|alert| (alert.target.as_str(), alert.kind.as_str())).collect();
    assert_eq!(told, [("the queue", "WAITING"), ("/srv/shop", "WAITING")]);
    assert!(alerts[0].message.starts_with("3 tasks have waited"), "{}", alerts[0].message);
    for said in ["the machine machine-of-old", &format!("autoheal tasks cancel {gone}")] {
        assert!(alerts[1].message.contains(said), "{}", alerts[1].message);
    }
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_lease_of_a_machine_that_is_gone_does_not_keep_its_target_for_ever(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    let gone = store.enqueue(&bound("t", "here")).await.unwrap().id;
    let (_, lease) = store.claim(&request("w", NO_TIME)).await.unwrap().unwrap();
    store.enqueue(&NewTask { kind: TaskKind::FixSource, ..task("t") }).await.unwrap();
    let elsewhere = ClaimRequest { host: "elsewhere".to_owned(), ..request("e", LONG) };
    assert!(store.claim(&elsewhere).await.unwrap().is_none(), "the target is taken");
    store.watch_waiting(HOUR).await.unwrap();
    assert!(store.claim(&elsewhere).await.unwrap().is_none(), "for an hour");
    database.expire_leases().await;
    store.watch_waiting(HOUR).await.unwrap();
    assert_eq!(store.claim(&elsewhere).await.unwrap().unwrap().0.kind, TaskKind::FixSource);
    let left = store.task(gone).await.unwrap().unwrap();
    assert_eq!((left.state, left.deaths, left.lease_owner), (TaskState::Pending, 1, None));
    assert!(store.heartbeat(&lease, LONG).await.is_err());
}
