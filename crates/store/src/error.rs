//! Errors of the store.

use std::sync::Arc;

use autoheal_engine::TaskId;
use sqlx::error::{DatabaseError, ErrorKind};

/// Reason an operation of the store failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Another worker owns the task now, or it has ended: nothing was written, and the caller must discard its result.
    #[error("the lease of task {0} was lost: another worker owns it, or it has ended")]
    LeaseLost(TaskId),
    /// The address names no supported engine. The address may contain a password and is not repeated.
    #[error("the database address is not understood: give `sqlite://FILE`, `sqlite::memory:` or `postgres://...`")]
    UnknownAddress,
    /// A newer autoheal has migrated this database.
    #[error(
        "the database has schema version {version}, which this autoheal does not know: a newer one has migrated it; \
         install that version here, too, or use another database"
    )]
    NewerSchema {
        /// Version of the schema that the database has.
        version: i64,
    },
    /// The schema could not be brought up to date.
    #[error("the database schema could not be brought up to date")]
    Migration(#[source] sqlx::migrate::MigrateError),
    /// An argument cannot be stored.
    #[error("{what} cannot be stored: {reason}")]
    Refused {
        /// Name of the argument.
        what: &'static str,
        /// Reason for the refusal, and values that would be accepted.
        reason: String,
    },
    /// The run to be ended is not the unfinished run of the task: nothing was written.
    #[error("task {0} has no such unfinished run: it has ended, or belongs to another task")]
    NoSuchRun(TaskId),
    /// Another writer changed the object first, such as the active version of a recipe.
    #[error("another client changed it first; check it, and repeat the change if it is still needed")]
    Superseded,
    /// A row has a value that this program does not write.
    #[error("the database holds something autoheal did not write: {column} is {found}")]
    Corrupt {
        /// Name of the column.
        column: &'static str,
        /// Value of the column, or the reason why it is invalid.
        found: String,
    },
    /// The database refused a statement or could not be reached.
    #[error("the database reports a fault")]
    Database(#[from] sqlx::Error),
    /// The transaction that carried several writers' changes failed: none of them happened.
    #[error("the transaction could not be committed: {0}")]
    NotCommitted(Arc<str>),
    /// The store's own writer has stopped, because the runtime is shutting down.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Returns whether two writers collided in a unique column, or waited for each other's rows: retried, the same statement sees
    /// the other's rows.
    pub(crate) fn is_collision(&self) -> bool {
        const DEADLOCK: &str = "40P01";
        self.fault().is_some_and(|fault| fault.is_unique_violation() || fault.code().as_deref() == Some(DEADLOCK))
    }

    /// Returns whether the database may have undone more than the statement that failed: true of anything but a broken
    /// constraint, such as a full disk, after which SQLite ends the whole transaction by itself.
    pub(crate) fn is_breakdown(&self) -> bool {
        match (self.fault(), self) {
            (Some(fault), _) => matches!(fault.kind(), ErrorKind::Other),
            (None, Self::Database(_)) => true,
            (None, _) => false,
        }
    }

    fn fault(&self) -> Option<&dyn DatabaseError> {
        match self {
            Self::Database(sqlx::Error::Database(fault)) => Some(fault.as_ref()),
            Self::Database(_)
            | Self::LeaseLost(_)
            | Self::UnknownAddress
            | Self::NewerSchema { .. }
            | Self::Migration(_)
            | Self::Refused { .. }
            | Self::NoSuchRun(_)
            | Self::Corrupt { .. }
            | Self::NotCommitted(_)
            | Self::Superseded
            | Self::Closed => None,
        }
    }
}
