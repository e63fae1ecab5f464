//! Tasks that somebody waits for.

use autoheal_engine::TaskId;
use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_store::{RunRow, StoreError, TaskFilter};
use tokio_util::sync::CancellationToken;

use crate::clock::now;
use crate::worker::{TaskEnd, Worker, WorkerError};

/// Why a task that was waited for has no ended run.
#[derive(Debug, thiserror::Error)]
pub enum PerformError {
    /// It could not be run.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// Its run could not go on.
    #[error("task {task} could not go on; what was reached is kept: {error}")]
    Broken {
        /// The task.
        task: TaskId,
        /// Why.
        error: String,
    },
    /// Another worker is at it now.
    #[error("another worker took task {0} over: `autoheal tasks show {0}`")]
    TakenOver(TaskId),
    /// Whoever waited has stopped waiting; the task goes on when a worker claims it.
    #[error("stopped; task {0} goes on when a worker runs, or when you ask again")]
    Stopped(TaskId),
    /// A row that was just written is not there.
    #[error("task {0} has no run: was it removed meanwhile?")]
    Gone(TaskId),
}

impl From<StoreError> for PerformError {
    fn from(error: StoreError) -> Self {
        Self::Worker(WorkerError::Store(error))
    }
}

impl Worker {
    /// Enqueues a task, or finds the open one for the same target, and runs it to its end.
    ///
    /// # Errors
    ///
    /// [`PerformError`].
    pub async fn perform(&self, task: &NewTask, stop: &CancellationToken) -> Result<RunRow, PerformError> {
        let enqueued = self.store().enqueue(task).await?;
        if !enqueued.created {
            // Somebody waits for it.
            self.store().hasten(enqueued.id).await?;
        }
        self.finish(enqueued.id, stop).await
    }

    /// Runs a task to its end.
    ///
    /// # Errors
    ///
    /// [`PerformError`].
    pub async fn finish(&self, task: TaskId, stop: &CancellationToken) -> Result<RunRow, PerformError> {
        match self.run_task(task, stop.clone()).await {
            Ok(TaskEnd::Finished { run, .. }) => self.store().run(run).await?.ok_or(PerformError::Gone(task)),
            Ok(TaskEnd::Stopped { .. }) | Err(WorkerError::Stopped(_)) => Err(PerformError::Stopped(task)),
            Ok(TaskEnd::Broken { error, .. }) => Err(PerformError::Broken { task, error }),
            Ok(TaskEnd::LeaseLost) => Err(PerformError::TakenOver(task)),
            Err(error) => Err(error.into()),
        }
    }

    /// Runs a source now; when it fails the Doctor is let at it, and what that heals is run once more. The last of these runs.
    ///
    /// # Errors
    ///
    /// [`PerformError`].
    pub async fn refresh(&self, source: &str, stop: &CancellationToken) -> Result<RunRow, PerformError> {
        let mut row = self.perform(&NewTask::new(TaskKind::RefreshSource, source, now()), stop).await?;
        // What failed has left a task for the Doctor, and what the Doctor heals leaves one for another run.
        for kind in [TaskKind::FixSource, TaskKind::RefreshSource] {
            if let Some(open) = self.due(kind, source).await? {
                row = self.finish(open, stop).await?;
            }
        }
        Ok(row)
    }

    async fn due(&self, kind: TaskKind, target: &str) -> Result<Option<TaskId>, PerformError> {
        let filter =
            TaskFilter { state: Some(TaskState::Pending), kind: Some(kind), target: Some(target.to_owned()), limit: 1 };
        let due = now();
        Ok(self.store().tasks(&filter).await?.into_iter().find(|task| task.run_at <= due).map(|task| task.id))
    }
}
