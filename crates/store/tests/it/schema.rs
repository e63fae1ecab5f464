//! Opening: new databases, old ones, newer ones, and several processes at once.

use autoheal_store::{Store, StoreError};
use rstest::rstest;

use crate::database::Engine;
use crate::queue::task;

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
