//! A copy of the database, made while others work on it.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::database::Dialect;
use crate::{Store, StoreError};

impl Store {
    /// Writes a consistent copy of the whole database into a new file that only this user can read. The copy is an ordinary
    /// database. Other readers and writers are not blocked meanwhile.
    ///
    /// # Errors
    ///
    /// [`StoreError::Refused`] on PostgreSQL, which has its own tools, and if the file already exists or cannot be written;
    /// any error that the database reports.
    pub async fn back_up(&self, file: &Path) -> Result<(), StoreError> {
        let refused = |reason: String| StoreError::Refused { what: "the copy of the database", reason };
        match self.database.dialect {
            Dialect::Sqlite => {}
            Dialect::Postgres => {
                return Err(refused("of a PostgreSQL database `pg_dump` makes one: docs/database.md".to_owned()));
            }
        }
        let unwritable = |error: io::Error| refused(format!("{} cannot be written: {error}", file.display()));
        let path = file.to_str().ok_or_else(|| refused(format!("the path {} is not valid UTF-8", file.display())))?;
        // SQLite writes into a file that is there only while it is empty, and would let others read one that it makes.
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(unwritable)?;
        let copied = sqlx::query("VACUUM INTO $1").bind(path.to_owned()).execute(&self.database.pool).await;
        let kept = match copied {
            Ok(_) => fs::File::open(file).and_then(|copy| copy.sync_all()).map_err(unwritable),
            Err(error) => Err(error.into()),
        };
        if kept.is_err() {
            // An incomplete copy is useless.
            let _ = fs::remove_file(file);
        }
        kept
    }
}
