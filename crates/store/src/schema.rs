//! Detection of a database that a newer autoheal has migrated: an older process must not continue to write into a schema that
//! it does not know.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::{Store, StoreError, row};

/// Time after which the schema's version is checked again.
const GOOD_FOR: Duration = Duration::from_mins(1);

const SEEN: &str = "SELECT MAX(version) AS version, {now} AS seen_at FROM _sqlx_migrations";

/// Time of the last check of the schema's version, by any clone of the store.
#[derive(Clone, Default)]
pub(crate) struct SchemaWatch {
    seen: Arc<Mutex<Option<Instant>>>,
}

impl SchemaWatch {
    fn is_due(&self) -> bool {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(|at| at.elapsed() >= GOOD_FOR)
    }

    fn seen_now(&self) {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }
}

impl Store {
    /// Checks the schema's version and reads the database's clock, unless that was done a moment ago.
    pub(crate) async fn watch_schema(&self) -> Result<(), StoreError> {
        if self.schema.is_due() { self.check_schema().await } else { Ok(()) }
    }

    /// Makes sure that the schema is the one that this program knows, and reads the database's clock.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerSchema`]; any error that the database reports.
    pub async fn check_schema(&self) -> Result<(), StoreError> {
        let dialect = self.database.dialect;
        let row = sqlx::query(dialect.sql(SEEN)).fetch_one(&self.database.pool).await?;
        self.clock.observe(row::time(&row, "seen_at")?);
        let version = row::integer(&row, "version")?;
        if version > dialect.newest_version() {
            return Err(StoreError::NewerSchema { version });
        }
        self.schema.seen_now();
        Ok(())
    }
}
