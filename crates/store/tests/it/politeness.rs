//! The turns of hosts: shared by all who share the database.

use std::time::Duration;

use autoheal_engine::politeness::{HostReservations as _, Pace};
use autoheal_store::Store;
use rstest::rstest;

use crate::database::Engine;

const PACE: Pace = Pace { interval: Duration::from_secs(100), burst: 2 };

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn workers_take_turns(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let other = Store::open(&database.url).await.unwrap();
    let patience = Duration::from_secs(250);
    let mut waits = Vec::new();
    for turn in 0..5 {
        let store = if turn % 2 == 0 { &database.store } else { &other };
        waits.push(store.reserve("a.example", PACE, patience).await.unwrap().as_secs_f64());
    }
    let expected = [0.0, 0.0, 100.0, 200.0, 300.0];
    for (wait, expected) in waits.iter().zip(expected) {
        assert!((wait - expected).abs() < 30.0, "{waits:?}");
    }
    // The last one was too far away and was not taken: whoever is more patient gets it.
    let patient = other.reserve("a.example", PACE, Duration::from_secs(1000)).await.unwrap();
    assert!((patient.as_secs_f64() - 300.0).abs() < 30.0, "{patient:?}");
    assert_eq!(other.reserve("b.example", PACE, patience).await.unwrap(), Duration::ZERO);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn many_at_once_get_a_turn_each(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let pace = Pace { interval: Duration::from_secs(1000), burst: 1 };
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..12 {
        let store = database.store.clone();
        asking.spawn(async move { store.reserve("a.example", pace, Duration::from_secs(100_000)).await.unwrap() });
    }
    let mut waits: Vec<u64> = asking.join_all().await.iter().map(|wait| (wait.as_secs() + 500) / 1000).collect();
    waits.sort_unstable();
    assert_eq!(waits, (0..12).collect::<Vec<_>>());
}
