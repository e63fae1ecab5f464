//! Many callers at once.

use std::collections::BTreeSet;

use autoheal_engine::task::TaskState;
use autoheal_store::TaskFilter;
use rstest::rstest;
use tokio::task::JoinSet;

use crate::database::Engine;
use crate::queue::{LONG, request, task};

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Memory)]
#[case(Engine::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_thousand_requests_for_fifty_targets_are_fifty_tasks(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let mut asking = JoinSet::new();
    for caller in 0..50 {
        let store = database.store.clone();
        asking.spawn(async move {
            let mut created = 0;
            for number in 0..100 {
                // Every caller begins elsewhere, so that they meet.
                let target = format!("target-{}", (caller * 7 + number) % 50);
                created += usize::from(store.enqueue(&task(&target)).await.unwrap().created);
            }
            created
        });
    }
    assert_eq!(asking.join_all().await.into_iter().sum::<usize>(), 50);
    let open = database.store.tasks(&TaskFilter { limit: 10_000, ..TaskFilter::default() }).await.unwrap();
    assert_eq!((open.len(), open.iter().all(|task| task.state == TaskState::Pending)), (50, true));
    assert_eq!(open.iter().map(|task| &task.target).collect::<BTreeSet<_>>().len(), 50);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn claims_at_the_same_time_give_different_tasks_and_never_two_of_one_target(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = database.store;
    for target in 0..25 {
        for kind in autoheal_engine::task::TaskKind::ALL {
            let asked = autoheal_engine::task::NewTask { kind, ..task(&format!("t{target}")) };
            store.enqueue(&asked).await.unwrap();
        }
    }
    let mut claiming = JoinSet::new();
    for worker in 0..40 {
        let store = store.clone();
        claiming.spawn(async move { store.claim(&request(&format!("w{worker}"), LONG)).await.unwrap() });
    }
    let claimed: Vec<_> = claiming.join_all().await.into_iter().flatten().collect();
    let targets: BTreeSet<_> = claimed.iter().map(|(task, _)| task.target.clone()).collect();
    assert_eq!((claimed.len(), targets.len()), (25, 25));
}
