//! One statement of a transaction, and what it means when it changes nothing.

use autoheal_engine::TaskId;
use sqlx::AnyConnection;

use crate::StoreError;
use crate::database::Statement;

/// What it means that a statement changed no row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnIdle {
    /// There was nothing to change.
    Fine,
    /// The run it belongs to is over.
    NoSuchRun,
    /// Somebody else changed first what it would change.
    Superseded,
}

/// A statement and what it must do.
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
