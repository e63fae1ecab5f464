//! A fresh database for each test.

use autoheal_store::Store;
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Executor as _};
use tempfile::TempDir;

/// Database engine on which a test runs.
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
    _address: Address,
}

/// The address of an empty database, and what keeps it.
pub(crate) struct Address {
    pub(crate) text: String,
    _folder: Option<TempDir>,
}

impl Engine {
    /// `None` when this machine lacks the engine, which has been said loudly.
    pub(crate) fn address(self) -> Option<Address> {
        let (text, folder) = match self {
            Self::Sqlite => {
                let folder = tempfile::tempdir().unwrap();
                (format!("sqlite://{}/queue.db", folder.path().display()), Some(folder))
            }
            Self::Memory => ("sqlite::memory:".to_owned(), None),
            Self::Postgres => (autoheal_testkit::postgres::database()?, None),
        };
        Some(Address { text, _folder: folder })
    }

    /// Opens a new database on this engine; `None` where the engine is not available.
    pub(crate) async fn database(self) -> Option<TestDatabase> {
        let address = self.address()?;
        let store = Store::open(&address.text).await.unwrap();
        Some(TestDatabase { url: address.text.clone(), store, _address: address })
    }
}

impl TestDatabase {
    /// Executes a statement on a connection of its own, for changes that only tests make.
    pub(crate) async fn execute(&self, sql: impl Into<String>) {
        let mut connection = AnyConnection::connect(&self.url).await.unwrap();
        connection.execute(AssertSqlSafe(sql.into())).await.unwrap();
    }

    /// The time of every lease is up, without waiting for it.
    pub(crate) async fn expire_leases(&self) {
        self.execute("UPDATE task_queue SET lease_until = 0 WHERE state = 'IN_PROGRESS'").await;
    }
}
