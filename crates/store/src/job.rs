//! Jobs: what was asked for over HTTP, by a name that is known before there is a run.

use autoheal_engine::task::Task;
use autoheal_engine::{JobId, TaskId, Timestamp};

use crate::{RunRow, Store, StoreError, row};

/// A job and what became of it.
#[derive(Debug, Clone, PartialEq)]
pub struct JobRow {
    /// Its name.
    pub job: JobId,
    /// Who asked.
    pub asked_by: String,
    /// When.
    pub created_at: Timestamp,
    /// The work, which may have been asked for by others, too.
    pub task: Task,
    /// The run that began last for it.
    pub run: Option<RunRow>,
}

impl Store {
    /// Gives a request for the work of `task` a name.
    ///
    /// # Errors
    ///
    /// [`StoreError::Database`] when there is no such task, or the name is taken.
    pub async fn add_job(&self, job: JobId, task: TaskId, asked_by: &str, at: Timestamp) -> Result<(), StoreError> {
        let sql = "INSERT INTO job (job_id, task_id, asked_by, created_at) VALUES ($1, $2, $3, $4)";
        let statement =
            sqlx::query(sql).bind(job.to_string()).bind(task.0).bind(row::storable(asked_by)).bind(at.as_millis());
        self.database.execute(statement).await?;
        Ok(())
    }

    /// A job.
    ///
    /// # Errors
    ///
    /// What the database reports.
    pub async fn job(&self, job: JobId) -> Result<Option<JobRow>, StoreError> {
        let sql = "SELECT task_queue.*, job.asked_by AS job_asked_by, job.created_at AS job_created_at
                   FROM job JOIN task_queue ON task_queue.task_id = job.task_id WHERE job.job_id = $1";
        let found = sqlx::query(sql).bind(job.to_string()).fetch_optional(&self.database.pool).await?;
        let Some(found) = found else { return Ok(None) };
        let task = row::task(&found)?;
        let run = self.last_run(task.id).await?;
        let (asked_by, created_at) = (row::text(&found, "job_asked_by")?, row::time(&found, "job_created_at")?);
        Ok(Some(JobRow { job, asked_by, created_at, task, run }))
    }

    /// The job by which a task was asked for last.
    ///
    /// # Errors
    ///
    /// What the database reports.
    pub async fn job_of_task(&self, task: TaskId) -> Result<Option<JobId>, StoreError> {
        let sql = "SELECT job_id FROM job WHERE task_id = $1 ORDER BY created_at DESC, job_id DESC LIMIT 1";
        let found = sqlx::query(sql).bind(task.0).fetch_optional(&self.database.pool).await?;
        found.map(|found| row::parsed(&found, "job_id")).transpose()
    }
}
