//! Jobs: requests over HTTP, with an identifier that is known before there is a run.

use autoheal_engine::task::Task;
use autoheal_engine::{JobId, TaskId, Timestamp};

use crate::run::run_row;
use crate::{RunRow, Store, StoreError, row};

/// A job with its task and its latest run.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Identifier of the job.
    pub job: JobId,
    /// User or component that submitted it.
    pub asked_by: String,
    /// Time at which it was submitted.
    pub created_at: Timestamp,
    /// The task, which others may have requested, too.
    pub task: Task,
    /// The latest run of the task.
    pub run: Option<RunRow>,
    /// While that run is unfinished: its finished nodes in order, each with the node that follows it.
    pub steps: Vec<(String, Option<String>)>,
}

/// A single statement, because clients poll it. It returns a row for each checkpoint of an unfinished run; run identifiers
/// sort by time.
const JOB: &str = "
    SELECT task_queue.*, job.asked_by, job.created_at AS asked_at,
           run.run_id, run.workflow, run.started_at AS began_at, run.finished_at, run.outcome, run.stop_reason, run.results_json, run.report,
           run_checkpoint.node, run_checkpoint.next_node
    FROM job JOIN task_queue ON task_queue.task_id = job.task_id
    LEFT JOIN run ON run.run_id = (SELECT MAX(run_id) FROM run newest WHERE newest.task_id = job.task_id)
    LEFT JOIN run_checkpoint ON run_checkpoint.run_id = run.run_id AND run.finished_at IS NULL
    WHERE job.job_id = $1 ORDER BY run_checkpoint.seq";

impl Store {
    /// Records a job: an identifier for a request for the work of `task`.
    ///
    /// # Errors
    ///
    /// [`StoreError::Database`] when there is no such task, or the identifier is already used.
    pub async fn add_job(&self, job: JobId, task: TaskId, asked_by: &str, at: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO job (job_id, task_id, asked_by, created_at) VALUES ($1, $2, $3, $4)";
        let statement =
            sqlx::query(sql).bind(job.to_string()).bind(task.0).bind(row::storable(asked_by)).bind(at.as_millis());
        self.database.execute(statement).await?;
        Ok(())
    }

    /// A job.
    pub async fn job(&self, job: JobId) -> Result<Option<JobRow>, StoreError> {
        let rows = sqlx::query(JOB).bind(job.to_string()).fetch_all(&self.database.pool).await?;
        let Some(first) = rows.first() else { return Ok(None) };
        let task = row::task(first)?;
        let run = match row::optional_text(first, "run_id")? {
            // Other columns with the same name in both tables have the same value.
            Some(_) => Some(RunRow { started_at: row::time(first, "began_at")?, ..run_row(first)? }),
            None => None,
        };
        let steps = rows.iter().filter_map(|row| match row::optional_text(row, "node") {
            Ok(Some(node)) => Some(row::optional_text(row, "next_node").map(|next| (node, next))),
            Ok(None) => None,
            Err(error) => Some(Err(error)),
        });
        Ok(Some(JobRow {
            job,
            asked_by: row::text(first, "asked_by")?,
            created_at: row::time(first, "asked_at")?,
            task,
            run,
            steps: steps.collect::<Result<_, _>>()?,
        }))
    }

    /// Returns the job that requested a task last.
    pub async fn job_of_task(&self, task: TaskId) -> Result<Option<JobId>, StoreError> {
        let sql = "SELECT job_id FROM job WHERE task_id = $1 ORDER BY created_at DESC, job_id DESC LIMIT 1";
        let found = sqlx::query(sql).bind(task.0).fetch_optional(&self.database.pool).await?;
        found.map(|found| row::parsed(&found, "job_id")).transpose()
    }
}
