//! The task queue: which worker owns which task, and until when (design: leases, epochs, one task per target at a time).

use std::time::Duration;

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::task::{Lease, NewTask, Task, TaskKind, TaskState};
use autoheal_engine::{TaskId, Timestamp};
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use crate::closing::close_runs;
use crate::database::{Dialect, Statement};
use crate::filter::Filter;
use crate::write::Write;
use crate::{Store, StoreError, alert, row};

pub use claim::ClaimRequest;

/// Result of enqueueing a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enqueued {
    /// The open task for this work.
    pub id: TaskId,
    /// True if this request created the task; `false`: the task was open already and is unchanged.
    pub created: bool,
}

/// The answer to a heartbeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// True if a user requested the task's cancellation.
    pub cancel_requested: bool,
}

/// Filter of a list of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFilter {
    /// Only tasks in this state.
    pub state: Option<TaskState>,
    /// Only tasks of this kind.
    pub kind: Option<TaskKind>,
    /// Only tasks about this target.
    pub target: Option<String>,
    /// Only tasks about a target that contains this text, in upper or lower case.
    pub search: Option<String>,
    /// Only tasks that were created before this one.
    pub before: Option<TaskId>,
    /// Maximum number of tasks, the newest first.
    pub limit: u32,
}

impl Default for TaskFilter {
    fn default() -> Self {
        Self { state: None, kind: None, target: None, search: None, before: None, limit: 100 }
    }
}

/// The longest target: the unique columns hold it, and an index row has a limit.
const LONGEST_TARGET: usize = 2000;

const ENQUEUE: &str = "
    INSERT INTO task_queue (type, target, state, priority, created_at, run_at, max_retries, host, context_json)
    VALUES ($1, $2, 'PENDING', $3, {now}, $4, $5, $6, $7)
    ON CONFLICT (open_key) DO NOTHING
    RETURNING task_id";

const OPEN_TASK: &str = "SELECT task_id FROM task_queue WHERE open_key = $1";

/// Columns that a statement that closes a task returns.
macro_rules! closing {
    () => {
        "state, type, target, retry_count, deaths, error_message"
    };
}

/// A write by the holder of a lease: changes nothing when the epoch is an old one.
macro_rules! fenced {
    ($set:literal, $returning:expr) => {
        concat!(
            "UPDATE task_queue SET ",
            $set,
            " WHERE task_id = $1 AND lease_epoch = $2 AND state = 'IN_PROGRESS' RETURNING ",
            $returning
        )
    };
}
const HEARTBEAT: &str = fenced!("lease_until = {now} + $3", "cancel_requested");
const RELEASE: &str = fenced!(
    "state = CASE WHEN cancel_requested = 0 THEN 'PENDING' ELSE 'CANCELLED' END,
     completed_at = CASE WHEN cancel_requested = 0 THEN NULL ELSE {now} END,
     lease_owner = NULL, lease_until = NULL",
    closing!()
);
const FAIL: &str = fenced!(
    "state = CASE WHEN cancel_requested <> 0 THEN 'CANCELLED' WHEN retry_count < max_retries THEN 'PENDING' ELSE 'QUARANTINED' END,
     completed_at = CASE WHEN cancel_requested = 0 AND retry_count < max_retries THEN NULL ELSE {now} END,
     run_at = {now} + $3, retry_count = retry_count + 1, error_message = $4, lease_owner = NULL, lease_until = NULL",
    closing!()
);
/// The end of a task that its workers do not survive.
const QUARANTINE: &str = fenced!(
    "state = CASE WHEN cancel_requested = 0 THEN 'QUARANTINED' ELSE 'CANCELLED' END,
     completed_at = {now}, lease_owner = NULL, lease_until = NULL",
    closing!()
);

const CANCEL: &str = "
    UPDATE task_queue SET cancel_requested = 1,
        state = CASE state WHEN 'PENDING' THEN 'CANCELLED' ELSE state END,
        completed_at = CASE state WHEN 'PENDING' THEN {now} ELSE completed_at END
    WHERE task_id = $1 AND state IN ('PENDING', 'IN_PROGRESS')
    RETURNING state, target";

const REOPEN: &str = "
    UPDATE task_queue SET state = 'PENDING', run_at = {now}, retry_count = 0, deaths = 0, cancel_requested = 0,
        completed_at = NULL, error_message = NULL
    WHERE task_id = $1 AND state IN ('FAILED', 'CANCELLED', 'QUARANTINED')
    RETURNING task_id";

/// Reopens the run that was closed with its task; such a run has no results.
const REOPEN_RUN: &str = "
    UPDATE run SET finished_at = NULL, outcome = NULL, stop_reason = NULL
    WHERE run_id = (SELECT MAX(run_id) FROM run WHERE task_id = $1) AND finished_at IS NOT NULL AND results_json IS NULL";

const HASTEN: &str = "
    UPDATE task_queue SET run_at = {now} WHERE task_id = $1 AND state = 'PENDING' AND run_at > {now} RETURNING task_id";

const HOLDS: &str = "
    SELECT task_id FROM task_queue
    WHERE task_id = $1 AND lease_epoch = $2 AND state = 'IN_PROGRESS' AND lease_until > {now}";

/// Adds the task only if nothing of the source has changed since the caller read it. A run writes the source's health before its
/// task closes, so either the open task or the change prevents a duplicate.
const ENQUEUE_UNCHANGED: &str = "
    INSERT INTO task_queue (type, target, state, priority, created_at, run_at, max_retries, host, context_json)
    SELECT $1, $2, 'PENDING', $3, {now}, $4, $5, $6, $7
    FROM source_health WHERE source_name = $2 AND changes = $8
    ON CONFLICT (open_key) DO NOTHING
    RETURNING task_id";

/// Adds a task, unless one for the same work is open.
pub(crate) fn enqueue_statement(dialect: Dialect, task: &NewTask) -> Statement {
    bound(dialect, ENQUEUE, task)
}

/// Adds a run of the source that the task is about, unless it changed since then or a run is enqueued already.
pub(crate) fn enqueue_unchanged(dialect: Dialect, task: &NewTask, changes: i64) -> Statement {
    bound(dialect, ENQUEUE_UNCHANGED, task).bind(changes)
}

fn bound(dialect: Dialect, sql: &'static str, task: &NewTask) -> Statement {
    sqlx::query(dialect.sql(sql))
        .bind(task.kind.name())
        .bind(task.target.clone())
        .bind(i64::from(task.priority))
        .bind(task.run_at.as_millis())
        .bind(i64::from(task.max_retries))
        .bind(task.host.clone())
        .bind(task.context.to_string())
}

impl Store {
    /// Asks for work. While an open task exists for the same kind and target, that is the answer.
    ///
    /// # Errors
    ///
    /// [`StoreError::Refused`] for a target that is empty, longer than 2,000 bytes or holds the character NUL.
    pub async fn enqueue(&self, task: &NewTask) -> Result<Enqueued, StoreError> {
        let refused = |reason: &str| Err(StoreError::Refused { what: "the target", reason: reason.to_owned() });
        if task.target.is_empty() {
            return refused("it is empty: name a source, a repository's URL or a path");
        }
        if task.target.len() > LONGEST_TARGET {
            return refused("it is longer than 2,000 bytes");
        }
        if task.target.contains('\0') {
            return refused("it holds the character NUL");
        }
        loop {
            if let Some(id) = self.insert(task).await? {
                return Ok(Enqueued { id, created: true });
            }
            // The task that was in the way may have ended since: then there is room for a new one.
            if let Some(id) = self.open_task(task.open_key()).await? {
                return Ok(Enqueued { id, created: false });
            }
        }
    }

    async fn insert(&self, task: &NewTask) -> Result<Option<TaskId>, StoreError> {
        let row = self.database.execute(enqueue_statement(self.database.dialect, task)).await?;
        row.map(|row| row::integer(&row, "task_id").map(TaskId)).transpose()
    }

    async fn open_task(&self, open_key: String) -> Result<Option<TaskId>, StoreError> {
        let row = sqlx::query(OPEN_TASK).bind(open_key).fetch_optional(&self.database.pool).await?;
        row.map(|row| row::integer(&row, "task_id").map(TaskId)).transpose()
    }

    /// Executes a fenced statement that may close its task, with all that belongs to a task's end: the alert of a dead letter, and the end of
    /// its unfinished run. Returns the task's state.
    async fn close(&self, lease: &Lease, statement: Statement) -> Result<TaskState, StoreError> {
        let (task, dialect, now) = (lease.task, self.database.dialect, self.now());
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    let row = statement.fetch_optional(&mut *connection).await?.ok_or(StoreError::LeaseLost(task))?;
                    let state = row::task_state(&row)?;
                    if state == TaskState::Quarantined {
                        for write in dead_letter(dialect, now, task, &row)? {
                            write.execute(&mut *connection, None).await?;
                        }
                    }
                    close_runs_of(connection, dialect, &row).await?;
                    Ok(state)
                })
            })
            .await
    }

    /// Extends the lease by `length` from now. A lease that has expired can still be extended as long as no other worker has
    /// claimed the task.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`]; [`StoreError::NewerSchema`] as [`Store::claim`].
    pub async fn heartbeat(&self, lease: &Lease, length: Duration) -> Result<Held, StoreError> {
        self.watch_schema().await?;
        let row = self.fenced(lease, fenced_query(self, HEARTBEAT, lease).bind(millis(length))).await?;
        Ok(Held { cancel_requested: row::integer(&row, "cancel_requested")? != 0 })
    }

    /// Returns whether the worker still holds the lease and it has not expired: call it right before an
    /// effect outside the store.
    pub async fn holds(&self, lease: &Lease) -> Result<bool, StoreError> {
        Ok(fenced_query(self, HOLDS, lease).fetch_optional(&self.database.pool).await?.is_some())
    }

    /// Returns a task to the queue, for another worker to continue: a graceful stop, not a failure. A task whose cancellation was
    /// requested is cancelled instead.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`].
    pub async fn release(&self, lease: &Lease) -> Result<(), StoreError> {
        self.close(lease, fenced_query(self, RELEASE, lease)).await.map(drop)
    }

    /// Records a failure of the environment or the program. The task is retried after `retry_in`; it is QUARANTINED with an alert
    /// when its retries are used up, or CANCELLED when that was requested. Its unfinished run is kept for the next attempt, or
    /// ends with the task.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`].
    pub async fn fail(&self, lease: &Lease, error: &str, retry_in: Duration) -> Result<TaskState, StoreError> {
        let statement = fenced_query(self, FAIL, lease).bind(millis(retry_in)).bind(row::storable(error));
        self.close(lease, statement).await
    }

    async fn fenced(&self, lease: &Lease, statement: Statement) -> Result<AnyRow, StoreError> {
        self.database.execute(statement).await?.ok_or(StoreError::LeaseLost(lease.task))
    }

    /// Requests a task's cancellation: a pending one is cancelled at once, a running one learns of it with its next heartbeat.
    /// Returns `false` when the task is not open.
    pub async fn request_cancel(&self, task: TaskId) -> Result<bool, StoreError> {
        let dialect = self.database.dialect;
        let statement = sqlx::query(dialect.sql(CANCEL)).bind(task.0);
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    let Some(row) = statement.fetch_optional(&mut *connection).await? else { return Ok(false) };
                    close_runs_of(connection, dialect, &row).await?;
                    Ok(true)
                })
            })
            .await
    }

    /// Makes a pending task due now, because a caller waits for it. Returns whether it was scheduled for later.
    pub async fn hasten(&self, task: TaskId) -> Result<bool, StoreError> {
        let statement = sqlx::query(self.database.dialect.sql(HASTEN)).bind(task.0);
        Ok(self.database.execute(statement).await?.is_some())
    }

    /// Returns a failed, cancelled or quarantined task to the queue, with its retries restored; the worker that claims it resumes
    /// its unfinished run, if any. Returns `false` when it is in another state, or when an open task for the same work exists.
    pub async fn reopen(&self, task: TaskId) -> Result<bool, StoreError> {
        let reopen = sqlx::query(self.database.dialect.sql(REOPEN)).bind(task.0);
        let reopened = self
            .database
            .write(move |connection| {
                Box::pin(async move {
                    if reopen.fetch_optional(&mut *connection).await?.is_none() {
                        return Ok(false);
                    }
                    sqlx::query(REOPEN_RUN).bind(task.0).execute(&mut *connection).await?;
                    Ok(true)
                })
            })
            .await;
        match reopened {
            Err(error) if error.is_collision() => Ok(false),
            reopened => reopened,
        }
    }

    /// A task.
    pub async fn task(&self, task: TaskId) -> Result<Option<Task>, StoreError> {
        let row = sqlx::query("SELECT * FROM task_queue WHERE task_id = $1")
            .bind(task.0)
            .fetch_optional(&self.database.pool)
            .await?;
        row.as_ref().map(row::task).transpose()
    }

    /// Tasks, the newest first.
    pub async fn tasks(&self, filter: &TaskFilter) -> Result<Vec<Task>, StoreError> {
        let statement = Filter::of("task_queue")
            .and("state =", filter.state.map(TaskState::name))
            .and("type =", filter.kind.map(TaskKind::name))
            .and("target =", filter.target.as_deref())
            .and_contains("target", filter.search.as_deref())
            .and("task_id <", filter.before.map(|task| task.0))
            .newest("task_id", filter.limit);
        let rows = statement.fetch_all(&self.database.pool).await?;
        rows.iter().map(row::task).collect()
    }
}

/// Ends the unfinished run of a task that was closed.
async fn close_runs_of(connection: &mut AnyConnection, dialect: Dialect, closed: &AnyRow) -> Result<(), StoreError> {
    let (target, state) = (row::text(closed, "target")?, row::task_state(closed)?);
    if !state.is_open() {
        for write in close_runs(dialect, &target, state)? {
            write.execute(&mut *connection, None).await?;
        }
    }
    Ok(())
}

/// The alert that a task has failed for good.
fn dead_letter(dialect: Dialect, at: Timestamp, task: TaskId, row: &AnyRow) -> Result<[Write; 2], StoreError> {
    let (kind, failures) = (row::text(row, "type")?, row::integer(row, "retry_count")?);
    let deaths: u32 = row::number(row, "deaths")?;
    let error = row::optional_text(row, "error_message")?.unwrap_or_default();
    let happened = if deaths >= Task::MOST_DEATHS {
        format!("took its worker down {deaths} times")
    } else {
        format!("failed {failures} times")
    };
    let message = format!(
        "task {task} ({kind}) {happened} and is not tried again: {error}; `autoheal tasks retry {task}` puts it back into the queue"
    );
    let alert = Alert { target: row::text(row, "target")?, kind: AlertKind::DeadLetter, message, shared: None };
    Ok(alert::writes(dialect, at, &alert))
}

/// A statement whose first two arguments are the fence.
fn fenced_query(store: &Store, sql: &'static str, lease: &Lease) -> Statement {
    sqlx::query(store.database.dialect.sql(sql)).bind(lease.task.0).bind(lease.epoch)
}

fn millis(duration: Duration) -> i64 {
    // Far enough for a lease, and the sum with the present stays within the column.
    const LONGEST: i64 = i64::MAX / 4;
    i64::try_from(duration.as_millis()).unwrap_or(LONGEST).min(LONGEST)
}

mod claim;
#[cfg(test)]
mod plan;
