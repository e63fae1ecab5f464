use autoheal_store::Store;
use tempfile::TempDir;

/// The engines that every test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    Postgres,
}

/// A fresh database for one test.
pub(crate) struct Database {
    pub(crate) url: String,
    _folder: Option<TempDir>,
}

impl Engine {
    /// `None`, said loudly, where the engine is missing.
    pub(crate) fn database(self) -> Option<Database> {
        match self {
            Self::Sqlite => {
                let folder = TempDir::new().unwrap();
                let url = format!("sqlite://{}", folder.path().join("test.db").display());
                Some(Database { url, _folder: Some(folder) })
            }
            Self::Postgres => autoheal_testkit::postgres::database().map(|url| Database { url, _folder: None }),
        }
    }
}

impl Database {
    pub(crate) async fn open(&self) -> Store {
        Store::open(&self.url).await.unwrap()
    }
}
