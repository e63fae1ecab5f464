//! A fresh database for each test.

use autoheal_store::Store;
use tempfile::TempDir;

/// Which engine a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Memory,
    Postgres,
}

/// A database that is gone when the test ends.
pub(crate) struct TestDatabase {
    pub(crate) url: String,
    pub(crate) store: Store,
    _folder: Option<TempDir>,
}

impl Engine {
    /// `None` when this machine lacks the engine, which has been said loudly.
    pub(crate) async fn database(self) -> Option<TestDatabase> {
        let (url, folder) = match self {
            Self::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                (format!("sqlite://{}/queue.db", folder.path().display()), Some(folder))
            }
            Self::Memory => ("sqlite::memory:".to_owned(), None),
            Self::Postgres => (autoheal_testkit::postgres::database()?, None),
        };
        let store = Store::open(&url).await.unwrap();
        Some(TestDatabase { url, store, _folder: folder })
    }
}
