//! The claim: which tasks a worker gets next.

use std::time::Duration;

use autoheal_engine::TaskId;
use autoheal_engine::task::{Lease, Task, TaskKind};

use super::{QUARANTINE, fenced_query, millis};
use crate::{Store, StoreError, row};

/// A worker's request for a task.
#[derive(Debug, Clone)]
pub struct ClaimRequest {
    /// The worker's name, for display; the epoch is what proves ownership.
    pub worker: String,
    /// The worker's host: a task that names a host is assigned only to workers on it.
    pub host: String,
    /// Kinds of tasks that it runs.
    pub kinds: Vec<TaskKind>,
    /// Duration of the lease without a heartbeat.
    pub lease: Duration,
    /// The only task that may be claimed; `None`: any.
    pub only: Option<TaskId>,
}

/// `ready_at` and `ready_priority` also hold tasks whose lease has run out: a dead worker's task is ready again. The dead cannot report
/// their failure, so the claim that takes a task over counts it.
macro_rules! claim {
    ($only:literal) => {
        concat!(
            "UPDATE task_queue SET state = 'IN_PROGRESS', started_at = COALESCE(started_at, {now}),
                 lease_owner = $1, lease_until = {now} + $2, lease_epoch = lease_epoch + 1,
                 deaths = CASE state WHEN 'IN_PROGRESS' THEN deaths + 1 ELSE deaths END,
                 error_message = CASE state WHEN 'IN_PROGRESS'
                     THEN 'the worker ' || lease_owner || ' died, or was cut off, while working on it' ELSE error_message END
             WHERE task_id {any_of}
                 SELECT ready.task_id FROM task_queue ready
                 WHERE ready.ready_priority IS NOT NULL AND ready.ready_at <= {now}
                   AND (ready.host IS NULL OR ready.host = $3)
                   AND ready.type IN ($4, $5, $6, $7)
                   AND COALESCE((SELECT running.task_id FROM task_queue running
                                 WHERE running.running_key = ready.target), ready.task_id) = ready.task_id ",
            $only,
            " ORDER BY ready.ready_priority, ready.ready_at, ready.task_id
                 LIMIT $8 {skip_locked} {end}
             RETURNING *"
        )
    };
}
pub(super) const CLAIM: &str = claim!("");
pub(super) const CLAIM_ONLY: &str = claim!("AND ready.task_id = $9");

impl Store {
    /// Claims the next task that is ready for this worker: [`Store::claim_up_to`] one.
    ///
    /// # Errors
    ///
    /// Those of [`Store::claim_up_to`].
    pub async fn claim(&self, request: &ClaimRequest) -> Result<Option<(Task, Lease)>, StoreError> {
        Ok(self.claim_up_to(request, 1).await?.pop())
    }

    /// Claims the next tasks that are ready for this worker, `most` at most: pending and due, or left behind by a worker whose lease
    /// expired. No other task may be running for the target of one, and it must be allowed on this host. The smallest priority
    /// number comes first, then the task that has been ready for longest. All of them cost one statement and one wait for the disk.
    ///
    /// A task on which [`Task::MOST_DEATHS`] workers died one after the other is QUARANTINED instead, with an alert.
    ///
    /// # Errors
    ///
    /// [`StoreError::NewerSchema`] within a minute after a newer autoheal has migrated the database; any error that the database
    /// reports.
    pub async fn claim_up_to(&self, request: &ClaimRequest, most: usize) -> Result<Vec<(Task, Lease)>, StoreError> {
        self.watch_schema().await?;
        let mut most = most;
        loop {
            let claimed = match self.try_claim(request, most).await {
                // Two workers took two tasks of one target in the same moment, or two of the tasks have one target. The latter
                // recurs for as long as both are claimed together.
                Err(error) if error.is_collision() => {
                    most = most.min(1);
                    continue;
                }
                claimed => claimed?,
            };
            // Claimed like any other, so that the usual claim stays one statement. A worker that dies before the task is closed
            // leaves it to the next.
            let (pills, tasks): (Vec<_>, Vec<_>) =
                claimed.into_iter().partition(|(task, _)| task.deaths >= Task::MOST_DEATHS);
            let quarantined = self.quarantine_all(&pills).await;
            if pills.is_empty() || !tasks.is_empty() {
                return Ok(tasks);
            }
            quarantined?;
        }
    }

    async fn try_claim(&self, request: &ClaimRequest, most: usize) -> Result<Vec<(Task, Lease)>, StoreError> {
        let statement = if request.only.is_some() { CLAIM_ONLY } else { CLAIM };
        let mut statement = sqlx::query(self.database.dialect.sql(statement))
            .bind(request.worker.clone())
            .bind(millis(request.lease))
            .bind(request.host.clone());
        for kind in TaskKind::ALL {
            // The engines share no way to pass a list; a kind that is not served matches nothing.
            statement = statement.bind(if request.kinds.contains(&kind) { kind.name() } else { "" });
        }
        statement = statement.bind(i64::try_from(most).unwrap_or(i64::MAX));
        if let Some(TaskId(id)) = request.only {
            statement = statement.bind(id);
        }
        let mut tasks = Vec::new();
        let mut corrupt = None;
        for row in self.database.execute_all(statement).await? {
            match row::task(&row) {
                Ok(task) => tasks.push(task),
                Err(error) => corrupt = Some(error),
            }
        }
        // A task that cannot be read must not take the others of its claim along.
        if let Some(error) = corrupt.filter(|_| tasks.is_empty()) {
            return Err(error);
        }
        // The engines return the rows in any order.
        tasks.sort_by_key(|task| (task.priority, task.run_at, task.id));
        let leased = |task: Task| {
            let lease = Lease { task: task.id, owner: request.worker.clone(), epoch: task.lease_epoch };
            (task, lease)
        };
        Ok(tasks.into_iter().map(leased).collect())
    }

    async fn quarantine_all(&self, pills: &[(Task, Lease)]) -> Result<(), StoreError> {
        for (_, lease) in pills {
            match self.close(lease, fenced_query(self, QUARANTINE, lease)).await {
                // Another worker may have been faster.
                Ok(_) | Err(StoreError::LeaseLost(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
