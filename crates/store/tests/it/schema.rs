//! Opening: new databases, old ones, newer ones, and several processes at once.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::task::NewTask;
use autoheal_store::{Reach, Store, StoreError};
use rstest::rstest;

use crate::database::Engine;
use crate::queue::{LONG, NO_TIME, request, task};

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_was_stored_is_there_when_the_database_is_opened_again(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let id = database.store.enqueue(&task("t")).await.unwrap().id;
    let again = Store::open(&database.url).await.unwrap();
    assert_eq!(again.task(id).await.unwrap().unwrap().target, "t");
    assert!(!again.enqueue(&task("t")).await.unwrap().created);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_newer_schema_is_refused(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    database.execute("UPDATE _sqlx_migrations SET version = version + 4710").await;
    let refused = Store::open(&database.url).await;
    assert!(matches!(refused, Err(StoreError::NewerSchema { version: 4711 })), "{refused:?}");
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn a_new_database_opened_from_many_sides_is_migrated_once(#[case] engine: Engine) {
    let Some(url) = engine.address() else { return };
    let mut opening = tokio::task::JoinSet::new();
    for number in 0..8 {
        let address = url.text.clone();
        opening.spawn(async move {
            let store = Store::open(&address).await.unwrap();
            store.enqueue(&task(&format!("t{number}"))).await.unwrap().created
        });
    }
    assert_eq!(opening.join_all().await, [true; 8]);
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn an_older_process_that_runs_notices_a_newer_schema(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let store = &database.store;
    store.check_schema().await.unwrap();
    database.execute("UPDATE _sqlx_migrations SET version = version + 4710").await;
    let noticed = store.check_schema().await;
    assert!(matches!(noticed, Err(StoreError::NewerSchema { version: 4711.. })), "{noticed:?}");
}

#[tokio::test]
async fn a_database_file_is_for_its_owner_alone_also_one_that_was_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a b.db");
    let mode = |name: &str| std::fs::metadata(folder.path().join(name)).unwrap().mode() & 0o777;
    std::fs::write(&file, "").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    for _ in 0..2 {
        let store = Store::open_file(&file).await.unwrap();
        store.enqueue(&task("t")).await.unwrap();
        let modes = ["a b.db", "a b.db-wal", "a b.db-shm"].map(mode);
        assert_eq!(modes, [0o600; 3], "{modes:?}");
        drop(store);
    }
    let other = folder.path().join("new.db");
    Store::open(&format!("sqlite://{}", other.display())).await.unwrap();
    assert_eq!(mode("new.db"), 0o600);
}

/// Ten minutes ahead of the database's.
fn fast_clock() -> Timestamp {
    autoheal_store::system_time().plus(Duration::from_mins(10))
}

#[rstest]
#[case(Engine::Sqlite)]
#[case(Engine::Postgres)]
#[tokio::test]
async fn what_a_machine_with_a_fast_clock_asks_for_is_due_at_once(#[case] engine: Engine) {
    let Some(database) = engine.database().await else { return };
    let fast = Store::open_by(&database.url, fast_clock).await.unwrap();
    let ahead = fast.now().since(database.store.now());
    assert!(ahead < Duration::from_secs(5), "{ahead:?}");
    fast.enqueue(&NewTask { run_at: fast.now(), ..task("t") }).await.unwrap();
    let (claimed, lease) = database.store.claim(&request("w", NO_TIME)).await.unwrap().expect("it is due");
    assert_eq!(claimed.target, "t");
    // Nor does it take away what others hold, or give out notices before their time.
    let alert = Alert { target: "t".to_owned(), kind: AlertKind::Dead, message: "gone".to_owned(), shared: None };
    fast.raise(fast.now(), &[alert]).await.unwrap();
    let reach = Reach { post: true, mail: false };
    let slow = &database.store;
    let notice =
        slow.claim_notice(slow.now().plus(Duration::from_secs(2)), slow.now().plus(LONG), reach).await.unwrap();
    assert!(notice.is_some(), "it is due for all machines");
    drop(lease);
}

#[tokio::test]
async fn two_databases_in_memory_are_two() {
    let one = Store::open("sqlite::memory:").await.unwrap();
    let other = Store::open("sqlite::memory:").await.unwrap();
    assert!(one.enqueue(&task("t")).await.unwrap().created);
    assert!(other.enqueue(&task("t")).await.unwrap().created);
}

#[tokio::test]
async fn a_file_may_have_any_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ünusual ? na#me 100%.db");
    let id = Store::open_file(&file).await.unwrap().enqueue(&task("t")).await.unwrap().id;
    assert!(file.is_file());
    assert!(Store::open_file(&file).await.unwrap().task(id).await.unwrap().is_some());
}

#[tokio::test]
async fn an_address_of_another_kind_is_refused_without_being_repeated() {
    let refused = Store::open("mysql://user:hunter2@host/db").await.unwrap_err();
    assert!(matches!(refused, StoreError::UnknownAddress));
    assert!(!format!("{refused} {refused:?}").contains("hunter2"));
}
