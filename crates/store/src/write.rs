//! One statement of a transaction, and the meaning of a statement that changes nothing.

use autoheal_engine::TaskId;
use sqlx::AnyConnection;

use crate::database::Statement;
use crate::{Store, StoreError};

/// Meaning of a statement that changed no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnIdle {
    /// There was nothing to change.
    Fine,
    /// The run it belongs to is over.
    NoSuchRun,
    /// Another writer changed the row first.
    Superseded,
}

/// A statement and the meaning of its having no effect.
pub(crate) struct Write {
    pub(crate) statement: Statement,
    pub(crate) on_idle: OnIdle,
}

impl Write {
    /// Executes it within the caller's transaction, which an error is to undo.
    pub(crate) async fn execute(self, connection: &mut AnyConnection, task: Option<TaskId>) -> Result<(), StoreError> {
        let changed = self.statement.execute(connection).await?.rows_affected() > 0;
        match (changed, self.on_idle, task) {
            (true, _, _) | (false, OnIdle::Fine, _) => Ok(()),
            (false, OnIdle::NoSuchRun, Some(task)) => Err(StoreError::NoSuchRun(task)),
            (false, OnIdle::NoSuchRun | OnIdle::Superseded, _) => Err(StoreError::Superseded),
        }
    }
}

impl Store {
    /// Executes the writes in one transaction.
    pub(crate) async fn write_all(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    for write in writes {
                        write.execute(&mut *connection, None).await?;
                    }
                    Ok(())
                })
            })
            .await
    }
}
