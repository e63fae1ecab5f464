//! Full-text index of one manual, in a SQLite file apart from the database (FTS5).
//!
//! It is a cache: everything in it comes from the manual's pages. A file of another version is replaced, not migrated.
//!
//! # Layout
//!
//! - `pages`: the pages, and which of them have to be requested
//! - `query`: units with certain words; the vocabulary

mod pages;
mod query;

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{Executor as _, SqlitePool};
use url::Url;

pub use pages::{Abbreviation, CrawledPage, DuePage, IndexUnit, PageContent, PageOutcome, Summary};
pub use query::{FoundUnit, WordCount};

use crate::StoreError;

/// Version of the schema and of the form of the words in it: a file of another version is useless.
const VERSION: i64 = 1;

const SCHEMA: &str = include_str!("schema.sql");

/// Full-text index of one manual. Cheap to clone; the clones share their connections.
#[derive(Debug, Clone)]
pub struct ManualIndex {
    pool: SqlitePool,
}

impl ManualIndex {
    /// Returns the name of the file with the index of the manual that starts at `start`.
    pub fn file_name(start: &Url) -> String {
        let mut start = start.clone();
        start.set_fragment(None);
        format!("{}.db", &hash(start.as_str().as_bytes())[..32])
    }

    /// Opens the index in the file at `path`. Creates it if it is missing, and replaces one of another version; its folder
    /// must exist.
    pub async fn create(path: &Path) -> Result<Self, StoreError> {
        if let Some(index) = Self::open(path).await? {
            return Ok(index);
        }
        let pool = connect(SqliteConnectOptions::new().filename(path).create_if_missing(true)).await?;
        let mut transaction = pool.begin_with("BEGIN IMMEDIATE").await?;
        let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *transaction).await?;
        // Another process may have made it in the meantime.
        if version == 0 {
            transaction.execute(SCHEMA).await?;
            transaction.execute("PRAGMA user_version = 1").await?;
        }
        transaction.commit().await?;
        Ok(Self { pool })
    }

    /// Opens an index; `None` if there is no file, or one of another version, which is deleted.
    pub async fn open(path: &Path) -> Result<Option<Self>, StoreError> {
        if !path.exists() {
            return Ok(None);
        }
        let pool = connect(SqliteConnectOptions::new().filename(path)).await?;
        let version: i64 = sqlx::query_scalar("PRAGMA user_version").fetch_one(&pool).await?;
        if version == VERSION {
            return Ok(Some(Self { pool }));
        }
        pool.close().await;
        if version != 0 {
            delete(path).map_err(|error| StoreError::Refused {
                what: "the index of the manual",
                reason: format!("{} has another version and cannot be deleted: {error}", path.display()),
            })?;
        }
        Ok(None)
    }
}

/// Deletes an index. Its log goes first: a new file must not get the changes of the old one.
fn delete(path: &Path) -> std::io::Result<()> {
    for suffix in ["-wal", "-shm", ""] {
        let mut file = path.as_os_str().to_owned();
        file.push(suffix);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

async fn connect(options: SqliteConnectOptions) -> Result<SqlitePool, StoreError> {
    let options = options
        .journal_mode(SqliteJournalMode::Wal)
        // A page that is lost in a power failure is requested again.
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(std::time::Duration::from_secs(30));
    Ok(SqlitePoolOptions::new().max_connections(2).test_before_acquire(false).connect_with(options).await?)
}

/// Returns the SHA-256 of some bytes as hexadecimal digits.
fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
