//! A copy of the database is a database.

use std::os::unix::fs::PermissionsExt as _;

use autoheal_engine::task::TaskState;
use autoheal_store::{Store, StoreError, TaskFilter};
use autoheal_testkit::postgres;

use crate::database::Engine;
use crate::queue::{LONG, request, task};

/// Continues with the copy: open tasks are still open, and the lease of a worker that no longer exists expires.
async fn goes_on(copy: &str) {
    let store = Store::open(copy).await.unwrap();
    let targets = |tasks: Vec<autoheal_engine::task::Task>| {
        let mut targets: Vec<_> = tasks.into_iter().map(|task| (task.target, task.state)).collect();
        targets.sort();
        targets
    };
    let expected = [("held".to_owned(), TaskState::InProgress), ("open".to_owned(), TaskState::Pending)];
    assert_eq!(targets(store.tasks(&TaskFilter::default()).await.unwrap()), expected);
    let (claimed, _) = store.claim(&request("another", LONG)).await.unwrap().unwrap();
    assert_eq!(claimed.target, "open");
}

/// A task that a worker is at, and one that waits.
async fn fill(store: &Store) {
    store.enqueue(&task("held")).await.unwrap();
    store.claim(&request("w", LONG)).await.unwrap().unwrap();
    store.enqueue(&task("open")).await.unwrap();
}

#[tokio::test]
async fn a_copy_of_a_sqlite_database_is_made_while_it_is_used() {
    let database = Engine::Sqlite.database().await.unwrap();
    fill(&database.store).await;
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("it's a copy.db");
    database.store.back_up(&copy).await.unwrap();
    database.store.enqueue(&task("after the copy")).await.unwrap();
    assert_eq!(copy.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let again = database.store.back_up(&copy).await;
    assert!(matches!(again, Err(StoreError::Refused { .. })), "nothing is written over: {again:?}");
    goes_on(&format!("sqlite://{}", copy.display())).await;
    let nowhere = database.store.back_up(&folder.path().join("missing/copy.db")).await;
    assert!(matches!(nowhere, Err(StoreError::Refused { .. })), "{nowhere:?}");
}

#[tokio::test]
async fn a_dump_of_a_postgres_database_is_restored() {
    let Some(database) = Engine::Postgres.database().await else { return };
    fill(&database.store).await;
    let folder = tempfile::tempdir().unwrap();
    let refused = database.store.back_up(&folder.path().join("copy")).await.unwrap_err().to_string();
    assert!(refused.contains("pg_dump"), "{refused}");
    let Some(dump) = postgres::dump(&database.url, folder.path()) else { return };
    database.store.enqueue(&task("after the copy")).await.unwrap();
    let Some(copy) = postgres::restore(&dump) else { return };
    goes_on(&copy).await;
}
