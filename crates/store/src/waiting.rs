//! Tasks that wait and are not claimed: those that are bound to a machine which has another name now, or is gone, and those that no worker
//! is free for.

use std::time::Duration;

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::{TaskId, Timestamp};
use sqlx::any::AnyRow;

use crate::{Store, StoreError, row};

/// Target of alerts about the queue as a whole.
pub const QUEUE: &str = "the queue";

/// Maximum number of waiting tasks that are checked.
const LOOKED_AT: i64 = 1000;

const ADOPT: &str = "
    UPDATE task_queue SET host = $1
    WHERE host <> $1 AND ($2 IS NULL OR host = $2) AND state IN ('PENDING', 'IN_PROGRESS')";

/// Ends the lease of a task that only a lost machine could take over, so that it does not block other work on its target.
const LET_GO: &str = "
    UPDATE task_queue SET state = 'PENDING', run_at = lease_until, deaths = deaths + 1, lease_owner = NULL, lease_until = NULL,
        error_message = 'the worker ' || lease_owner || ' died, or was cut off, while working on it'
    WHERE ready_priority IS NOT NULL AND state = 'IN_PROGRESS' AND lease_until < {now} - $1";

const WAITING: &str = "
    SELECT ready.task_id, ready.type, ready.target, ready.host, ready.ready_at FROM task_queue ready
    WHERE ready.ready_priority IS NOT NULL AND ready.state = 'PENDING' AND ready.ready_at < {now} - $1
      AND NOT EXISTS (SELECT 1 FROM task_queue running WHERE running.running_key = ready.target)
    ORDER BY ready.ready_priority, ready.ready_at, ready.task_id LIMIT $2";

struct Waiting {
    task: TaskId,
    kind: String,
    target: String,
    host: Option<String>,
    since: Timestamp,
}

impl Waiting {
    fn read(row: &AnyRow) -> Result<Self, StoreError> {
        Ok(Self {
            task: TaskId(row::integer(row, "task_id")?),
            kind: row::text(row, "type")?,
            target: row::text(row, "target")?,
            host: row::optional_text(row, "host")?,
            since: row::time(row, "ready_at")?,
        })
    }

    fn alert(&self, host: &str) -> Alert {
        let Self { task, kind, target, since, .. } = self;
        let since = since.to_rfc3339();
        Alert {
            target: target.clone(),
            kind: AlertKind::Waiting,
            message: format!(
                "task {task} ({kind}) has waited since {since} for a worker on the machine {host}, where its path lies: start `autoheal \
                 worker` there with the same data folder, or give the task up with `autoheal tasks cancel {task}`"
            ),
            shared: None,
        }
    }
}

impl Store {
    /// Binds the open tasks of a machine to the name that it has now: those that are bound to `from`, or to any other name when that is
    /// `None`. Returns the number of tasks.
    pub async fn adopt_tasks(&self, from: Option<&str>, to: &str) -> Result<u64, StoreError> {
        let statement = sqlx::query(ADOPT).bind(to.to_owned()).bind(from.map(str::to_owned));
        self.database
            .write(move |connection| Box::pin(async move { Ok(statement.execute(connection).await?.rows_affected()) }))
            .await
    }

    /// Raises an alert for each task that could have been claimed for `patience` and is bound to a machine, and one for all
    /// others together; at most one a day for the same target. A lease that expired at least `patience` ago is ended, so that it
    /// does not block other work on its target.
    pub async fn watch_waiting(&self, patience: Duration) -> Result<(), StoreError> {
        let dialect = self.database.dialect;
        let millis = i64::try_from(patience.as_millis()).unwrap_or(i64::MAX / 4);
        self.database.execute(sqlx::query(dialect.sql(LET_GO)).bind(millis)).await?;
        let waiting = sqlx::query(dialect.sql(WAITING)).bind(millis).bind(LOOKED_AT);
        let waiting = waiting.fetch_all(&self.database.pool).await?;
        let waiting: Vec<Waiting> = waiting.iter().map(Waiting::read).collect::<Result<_, _>>()?;
        let mut alerts: Vec<_> =
            waiting.iter().filter_map(|waiting| Some(waiting.alert(waiting.host.as_deref()?))).collect();
        let mut anywhere = waiting.iter().filter(|waiting| waiting.host.is_none());
        if let Some(first) = anywhere.next() {
            let message = format!(
                "{} tasks have waited for more than {} minutes for a free worker, first task {} ({} of {}): start another `autoheal worker`, \
                 or raise worker.concurrency",
                anywhere.count() + 1,
                patience.as_secs() / 60,
                first.task,
                first.kind,
                first.target,
            );
            let (target, kind) = (QUEUE.to_owned(), AlertKind::Waiting);
            alerts.push(Alert { target, kind, message, shared: None });
        }
        if alerts.is_empty() { Ok(()) } else { self.raise(self.now(), &alerts).await }
    }
}
