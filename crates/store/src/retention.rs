//! Forgetting: closed tasks and what belongs to them do not stay for ever.

use autoheal_engine::Timestamp;

use crate::{Store, StoreError};

/// What was forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Closed tasks.
    pub tasks: u64,
    /// Their runs, each with its checkpoints, events, diagnostics and outputs.
    pub runs: u64,
}

/// So many tasks go in one transaction: a worker's checkpoint does not have to wait for all of them.
const RUNS: &str = "
    DELETE FROM run WHERE task_id IN (
        SELECT task_id FROM task_queue WHERE ready_priority IS NULL AND completed_at < $1 ORDER BY task_id LIMIT 200)";

const TASKS: &str = "
    DELETE FROM task_queue WHERE task_id IN (
        SELECT task_id FROM task_queue WHERE ready_priority IS NULL AND completed_at < $1 ORDER BY task_id LIMIT 200)";

impl Store {
    /// Forgets the tasks that ended before `before`, with their runs and all that belongs to them. Open tasks stay, and so
    /// does the history of fixes, which is small and counts for the circuit breaker and the statistics.
    ///
    /// # Errors
    ///
    /// What the database reports; what was forgotten until then stays forgotten.
    pub async fn prune(&self, before: Timestamp) -> Result<Pruned, StoreError> {
        let mut pruned = Pruned::default();
        loop {
            let step = self.prune_some(before).await?;
            if step.tasks == 0 {
                return Ok(pruned);
            }
            pruned.tasks += step.tasks;
            pruned.runs += step.runs;
        }
    }

    async fn prune_some(&self, before: Timestamp) -> Result<Pruned, StoreError> {
        let before = before.as_millis();
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    let runs = sqlx::query(RUNS).bind(before).execute(&mut *connection).await?.rows_affected();
                    let tasks = sqlx::query(TASKS).bind(before).execute(&mut *connection).await?.rows_affected();
                    Ok(Pruned { tasks, runs })
                })
            })
            .await
    }
}
