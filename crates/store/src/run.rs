//! Runs: one walk through a graph, with a checkpoint after every node. All that a step leaves (state, events, records)
//! is written in one transaction, and only while the task is still held: a worker that lost its lease leaves no trace.

use autoheal_engine::event::{Event, EventBody};
use autoheal_engine::task::{Lease, TaskState};
use autoheal_engine::workflow::{Ending, Record};
use autoheal_engine::{Outcome, RunId, TaskId, Timestamp};
use serde_json::Value;
use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, SqlSafeStr as _, SqlStr};

use crate::database::Statement;
use crate::row::json;
use crate::write::{OnIdle, Write};
use crate::{Store, StoreError, record, row};

/// A run that is about to begin.
#[derive(Debug, Clone)]
pub struct NewRun {
    /// Identifier of the run, created by the caller.
    pub run: RunId,
    /// Name of the workflow.
    pub workflow: String,
    /// Target of the run.
    pub target: String,
    /// Time at which it begins.
    pub started_at: Timestamp,
    /// First event of the run.
    pub event: EventBody,
}

/// A run as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    /// Identifier of the run.
    pub run: RunId,
    /// The task it belongs to.
    pub task: TaskId,
    /// Name of the workflow.
    pub workflow: String,
    /// Target of the run.
    pub target: String,
    /// Time at which it began.
    pub started_at: Timestamp,
    /// Time at which it ended; `None`: it can be resumed.
    pub finished_at: Option<Timestamp>,
    /// Outcome of the run; `None` while it is unfinished.
    pub outcome: Option<Outcome>,
    /// Reason the run ended.
    pub stop_reason: Option<String>,
    /// Results of the run, as a JSON document.
    pub results: Option<Value>,
    /// The report for the user, Markdown.
    pub report: Option<String>,
}

impl RunRow {
    /// Returns whether the run has ended and left its target well.
    pub fn is_well(&self) -> bool {
        self.outcome.is_some_and(Outcome::is_well)
    }
}

/// State of a run after a node.
#[derive(Debug, Clone, PartialEq)]
pub struct Checkpoint {
    /// Identifier of the run.
    pub run: RunId,
    /// Position among the run's checkpoints.
    pub seq: i64,
    /// The node that ended.
    pub node: String,
    /// The node that comes next; `None`: the run is over.
    pub next_node: Option<String>,
    /// Version of the state's format.
    pub state_version: u32,
    /// State that the workflow's agents share, as JSON.
    pub state: Value,
    /// Time of the checkpoint.
    pub at: Timestamp,
}

/// The end of a run.
#[derive(Debug, Clone, Copy)]
pub struct FinishedRun<'a> {
    /// Identifier of the run.
    pub run: RunId,
    /// End of the run.
    pub ending: &'a Ending,
    /// Time at which it ended.
    pub at: Timestamp,
    /// New state of its task: one of the closed states.
    pub task_state: TaskState,
    /// Last events of the run, each with its time.
    pub events: &'a [(Timestamp, EventBody)],
    /// Records to store with the end of the run, such as an alert.
    pub records: &'a [Record],
}

const FENCE: &str = "
    SELECT deaths FROM task_queue
    WHERE task_id = $1 AND lease_epoch = $2 AND state = 'IN_PROGRESS' {for_update}";

const BEGIN: &str = "
    INSERT INTO run (run_id, task_id, workflow, target, started_at) VALUES ($1, $2, $3, $4, $5)";

const CHECKPOINT: &str = "
    INSERT INTO run_checkpoint (run_id, seq, node, next_node, state_version, state_json, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// Clears the count of workers that died: this one made progress.
const PROGRESS: &str = "UPDATE task_queue SET deaths = 0 WHERE task_id = $1";

const FINISH_RUN: &str = "
    UPDATE run SET finished_at = $2, outcome = $3, stop_reason = $4, results_json = $5, report = $6
    WHERE run_id = $1 AND unfinished_task = $7";

/// Closes the task, and clears the error of an earlier attempt.
const FINISH_TASK: &str = "
    UPDATE task_queue SET state = $3, completed_at = {now}, lease_owner = NULL, lease_until = NULL, error_message = NULL,
        deaths = 0
    WHERE task_id = $1 AND lease_epoch = $2 AND state = 'IN_PROGRESS' RETURNING deaths";

/// Effect of a transaction on the held task.
#[derive(Debug, Clone, Copy)]
enum Effect {
    None,
    /// Its workers get further: earlier deaths do not count.
    Progress,
    End(TaskState),
}

impl Store {
    /// Begins a run of the held task, with its first event.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`]; [`StoreError::Database`] when the task has an unfinished run already.
    pub async fn begin_run(&self, lease: &Lease, new: &NewRun) -> Result<(), StoreError> {
        let begin = sqlx::query(BEGIN)
            .bind(new.run.to_string())
            .bind(lease.task.0)
            .bind(new.workflow.clone())
            .bind(new.target.clone())
            .bind(new.started_at.as_millis());
        let mut writes = vec![of_run(begin)];
        writes.extend(events_of(new.run, &[(new.started_at, new.event.clone())])?);
        self.write_held(lease, Effect::None, writes).await
    }

    /// Stores the state of the run, its events and the records of the step, all of them or none.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`]; [`StoreError::Database`] for a `seq` that the run has already.
    pub async fn checkpoint(
        &self,
        lease: &Lease,
        checkpoint: &Checkpoint,
        events: &[(Timestamp, EventBody)],
        records: &[Record],
    ) -> Result<(), StoreError> {
        let statement = sqlx::query(CHECKPOINT)
            .bind(checkpoint.run.to_string())
            .bind(checkpoint.seq)
            .bind(checkpoint.node.clone())
            .bind(checkpoint.next_node.clone())
            .bind(i64::from(checkpoint.state_version))
            .bind(checkpoint.state.to_string())
            .bind(checkpoint.at.as_millis());
        let mut writes = vec![of_run(statement)];
        writes.extend(events_of(checkpoint.run, events)?);
        let dialect = self.database.dialect;
        for record in records {
            writes.extend(record::writes(dialect, checkpoint.run, checkpoint.at, record)?);
        }
        self.write_held(lease, Effect::Progress, writes).await
    }

    /// Ends a run and its task.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`]; [`StoreError::NoSuchRun`]; [`StoreError::Refused`] when `task_state` is an open state.
    pub async fn finish(&self, lease: &Lease, finished: &FinishedRun<'_>) -> Result<(), StoreError> {
        if finished.task_state.is_open() {
            return Err(StoreError::Refused {
                what: "the end of a run",
                reason: format!("{} is not a state in which a task ends", finished.task_state.name()),
            });
        }
        let ending = finished.ending;
        let run = sqlx::query(FINISH_RUN)
            .bind(finished.run.to_string())
            .bind(finished.at.as_millis())
            .bind(ending.outcome.name())
            .bind(ending.stop_reason.name())
            .bind(ending.results.to_string())
            .bind(row::storable(&ending.report))
            .bind(lease.task.0);
        let mut writes = vec![of_run(run)];
        writes.extend(events_of(finished.run, finished.events)?);
        for record in finished.records {
            writes.extend(record::writes(self.database.dialect, finished.run, finished.at, record)?);
        }
        self.write_held(lease, Effect::End(finished.task_state), writes).await
    }

    /// Adds events outside a checkpoint, such as that a run was resumed.
    ///
    /// # Errors
    ///
    /// [`StoreError::LeaseLost`].
    pub async fn append_events(
        &self,
        lease: &Lease,
        run: RunId,
        events: &[(Timestamp, EventBody)],
    ) -> Result<(), StoreError> {
        self.write_held(lease, Effect::None, events_of(run, events)?).await
    }

    /// Executes `writes` in one transaction, provided that the lease is held until its end. One that finds nothing to change,
    /// and should, undoes them all. The first statement checks the lease, and keeps other writers away from the task.
    async fn write_held(&self, lease: &Lease, effect: Effect, writes: Vec<Write>) -> Result<(), StoreError> {
        let task = lease.task;
        let of_lease = |sql| sqlx::query(self.database.dialect.sql(sql)).bind(task.0).bind(lease.epoch);
        let fence = match effect {
            Effect::None | Effect::Progress => of_lease(FENCE),
            Effect::End(state) => of_lease(FINISH_TASK).bind(state.name()),
        };
        self.database
            .write(move |connection| {
                Box::pin(async move {
                    let held = fence.fetch_optional(&mut *connection).await?.ok_or(StoreError::LeaseLost(task))?;
                    if matches!(effect, Effect::Progress) && row::integer(&held, "deaths")? > 0 {
                        sqlx::query(PROGRESS).bind(task.0).execute(&mut *connection).await?;
                    }
                    for write in writes {
                        write.execute(&mut *connection, Some(task)).await?;
                    }
                    Ok(())
                })
            })
            .await
    }

    /// A run.
    pub async fn run(&self, run: RunId) -> Result<Option<RunRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM run WHERE run_id = $1")
            .bind(run.to_string())
            .fetch_optional(&self.database.pool)
            .await?;
        row.as_ref().map(run_row).transpose()
    }

    /// The task's unfinished run, to be resumed.
    pub async fn open_run(&self, task: TaskId) -> Result<Option<RunRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM run WHERE unfinished_task = $1")
            .bind(task.0)
            .fetch_optional(&self.database.pool)
            .await?;
        row.as_ref().map(run_row).transpose()
    }

    /// The run of the task that began last, ended or not.
    pub async fn last_run(&self, task: TaskId) -> Result<Option<RunRow>, StoreError> {
        let row = sqlx::query("SELECT * FROM run WHERE task_id = $1 ORDER BY started_at DESC, run_id DESC LIMIT 1")
            .bind(task.0)
            .fetch_optional(&self.database.pool)
            .await?;
        row.as_ref().map(run_row).transpose()
    }

    /// Returns the last checkpoint of the run.
    pub async fn last_checkpoint(&self, run: RunId) -> Result<Option<Checkpoint>, StoreError> {
        let row = sqlx::query("SELECT * FROM run_checkpoint WHERE run_id = $1 ORDER BY seq DESC LIMIT 1")
            .bind(run.to_string())
            .fetch_optional(&self.database.pool)
            .await?;
        row.as_ref().map(checkpoint).transpose()
    }

    /// Every checkpoint of a run, the first one first.
    pub async fn checkpoints(&self, run: RunId) -> Result<Vec<Checkpoint>, StoreError> {
        let rows = sqlx::query("SELECT * FROM run_checkpoint WHERE run_id = $1 ORDER BY seq")
            .bind(run.to_string())
            .fetch_all(&self.database.pool)
            .await?;
        rows.iter().map(checkpoint).collect()
    }

    /// Returns the sequence number of the run's last event; 0 when it has no events.
    pub async fn last_event(&self, run: RunId) -> Result<i64, StoreError> {
        let row = sqlx::query("SELECT COALESCE(MAX(sequence), 0) AS last FROM run_event WHERE run_id = $1")
            .bind(run.to_string())
            .fetch_one(&self.database.pool)
            .await?;
        row::integer(&row, "last")
    }

    /// The run's events with a sequence number above `after`, in order.
    pub async fn events(&self, run: RunId, after: i64) -> Result<Vec<Event>, StoreError> {
        let rows = sqlx::query("SELECT * FROM run_event WHERE run_id = $1 AND sequence > $2 ORDER BY sequence")
            .bind(run.to_string())
            .bind(after)
            .fetch_all(&self.database.pool)
            .await?;
        rows.iter()
            .map(|row| {
                Ok(Event {
                    run,
                    sequence: row::integer(row, "sequence")?,
                    at: row::time(row, "at")?,
                    body: row::document(row, "body_json")?,
                })
            })
            .collect()
    }
}

/// A write that belongs to a run and is lost without it.
fn of_run(statement: Statement) -> Write {
    Write { statement, on_idle: OnIdle::NoSuchRun }
}

/// Writes for the events that the feed keeps; the database counts them.
fn events_of(run: RunId, events: &[(Timestamp, EventBody)]) -> Result<Vec<Write>, StoreError> {
    // Each number of events is another statement, and the engines keep a hundred of them prepared.
    const MOST_AT_ONCE: usize = 8;
    let stored: Vec<_> = events.iter().filter(|(_, body)| body.is_stored()).collect();
    let write = |events: &[&(Timestamp, EventBody)]| {
        let mut statement = sqlx::query(event_sql(events.len())).bind(run.to_string());
        for (at, body) in events {
            statement = statement.bind(at.as_millis()).bind(json("an event", body)?);
        }
        Ok(of_run(statement))
    };
    stored.chunks(MOST_AT_ONCE).map(write).collect()
}

/// Returns the statement that adds `count` events to a run: the run is `$1`, each event a time and a text.
fn event_sql(count: usize) -> SqlStr {
    let event = |number: usize| {
        let (at, body) = (2 * number, 2 * number + 1);
        format!("SELECT {number} AS number, CAST(${at} AS BIGINT) AS at, CAST(${body} AS TEXT) AS body_json")
    };
    let events = (1..=count).map(event).collect::<Vec<_>>().join(" UNION ALL ");
    // Made of constants and numbers alone.
    AssertSqlSafe(format!(
        "INSERT INTO run_event (run_id, sequence, at, body_json)
         SELECT $1, told.last + added.number, added.at, added.body_json
         FROM (SELECT COALESCE(MAX(sequence), 0) AS last FROM run_event WHERE run_id = $1) AS told, ({events}) AS added"
    ))
    .into_sql_str()
}

pub(crate) fn run_row(row: &AnyRow) -> Result<RunRow, StoreError> {
    Ok(RunRow {
        run: row::run_id(row)?,
        task: TaskId(row::integer(row, "task_id")?),
        workflow: row::text(row, "workflow")?,
        target: row::text(row, "target")?,
        started_at: row::time(row, "started_at")?,
        finished_at: row::optional_time(row, "finished_at")?,
        outcome: row::outcome(row)?,
        stop_reason: row::optional_text(row, "stop_reason")?,
        results: row::optional_document(row, "results_json")?,
        report: row::optional_text(row, "report")?,
    })
}

fn checkpoint(row: &AnyRow) -> Result<Checkpoint, StoreError> {
    Ok(Checkpoint {
        run: row::run_id(row)?,
        seq: row::integer(row, "seq")?,
        node: row::text(row, "node")?,
        next_node: row::optional_text(row, "next_node")?,
        state_version: row::number(row, "state_version")?,
        state: row::document(row, "state_json")?,
        at: row::time(row, "created_at")?,
    })
}
