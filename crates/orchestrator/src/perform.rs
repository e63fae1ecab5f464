//! Tasks that a caller waits for.

use autoheal_engine::task::{NewTask, TaskKind, TaskState};
use autoheal_engine::{Outcome, StopReason, TaskId};
use autoheal_store::{Enqueued, RunRow, Store, StoreError, TaskFilter};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::worker::{TaskEnd, Worker, WorkerError};

/// Reason a task that the caller waited for has no finished run.
#[derive(Debug, thiserror::Error)]
pub enum PerformError {
    /// It could not be run.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// The open task for the same target was requested with other settings.
    #[error(
        "task {task} for `{target}`, which was requested with other settings, is not finished; wait for its end \
         (`autoheal tasks show {task}`), or cancel it (`autoheal tasks cancel {task}`)"
    )]
    AskedOtherwise {
        /// Id of the open task.
        task: TaskId,
        /// Target of the task.
        target: String,
    },
    /// The open task for the same target is being cancelled and has not ended yet.
    #[error("task {0} for the same target is being cancelled; repeat the request when it has ended")]
    Ending(TaskId),
    /// The run of the task could not continue.
    #[error("task {task} could not continue; the results so far are kept: {error}")]
    Broken {
        /// Id of the task.
        task: TaskId,
        /// Reason the run could not continue.
        error: String,
    },
    /// Another worker runs the task now.
    #[error("another worker took task {0} over; `autoheal tasks show {0}` shows it")]
    TakenOver(TaskId),
    /// The caller stopped waiting; the task continues when a worker claims it.
    #[error("stopped; task {0} resumes when a worker runs, or when you repeat the request")]
    Stopped(TaskId),
    /// The caller stopped waiting, and the task, created for this caller alone, was cancelled.
    #[error("stopped; task {0} was cancelled")]
    Cancelled(TaskId),
    /// A row that was just written is missing.
    #[error("task {0} has no run: was it removed meanwhile?")]
    Gone(TaskId),
}

impl From<StoreError> for PerformError {
    fn from(error: StoreError) -> Self {
        Self::Worker(WorkerError::Store(error))
    }
}

/// Enqueues a task, or finds the open one for the same work if it was requested with the same settings. A task without settings
/// matches every open one.
///
/// # Errors
///
/// [`PerformError::AskedOtherwise`], [`PerformError::Gone`], and any error that the database reports.
pub async fn ask_for(store: &Store, task: &NewTask) -> Result<Enqueued, PerformError> {
    let enqueued = store.enqueue(task).await?;
    if !enqueued.created {
        let open = store.task(enqueued.id).await?.ok_or(PerformError::Gone(enqueued.id))?;
        if open.cancel_requested {
            return Err(PerformError::Ending(open.id));
        }
        if has_settings(task) && open.context != task.context {
            return Err(PerformError::AskedOtherwise { task: open.id, target: open.target });
        }
    }
    Ok(enqueued)
}

fn has_settings(task: &NewTask) -> bool {
    task.context != Value::Null && task.context != json!({})
}

/// Fate of a task that was created for a caller who stops waiting for it. A task that was open before
/// continues in any case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenStopped {
    /// It continues when a worker claims it, or when it is requested again.
    GoesOn,
    /// It is cancelled: no other caller needs its result.
    IsCancelled,
}

impl Worker {
    /// Enqueues a task, or finds the open one for the same work (see [`ask_for`]), and runs it to completion, or waits for the
    /// worker that runs it. Returns the finished run.
    ///
    /// # Errors
    ///
    /// [`PerformError`].
    pub async fn perform(
        &self,
        task: &NewTask,
        stop: &CancellationToken,
        when_stopped: WhenStopped,
    ) -> Result<RunRow, PerformError> {
        let _listening = self.listen(&task.target);
        let enqueued = ask_for(self.store(), task).await?;
        if !enqueued.created {
            // A caller waits for it.
            self.store().hasten(enqueued.id).await?;
        }
        match when_stopped {
            WhenStopped::IsCancelled if enqueued.created => self.finish_or_cancel(enqueued.id, stop).await,
            WhenStopped::IsCancelled | WhenStopped::GoesOn => self.finish(enqueued.id, stop).await,
        }
    }

    /// Runs a task to completion, or waits for the worker that runs it. Returns the finished run.
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
            // Another worker has brought it to its end meanwhile.
            Err(ended @ WorkerError::Ended { .. }) => {
                let last = self.store().last_run(task).await?;
                last.filter(|run| run.results.is_some()).ok_or(PerformError::Worker(ended))
            }
            Err(error) => Err(error.into()),
        }
    }

    /// As [`Worker::finish`]; a stop cancels the task, and its run ends with the results so far.
    async fn finish_or_cancel(&self, task: TaskId, stop: &CancellationToken) -> Result<RunRow, PerformError> {
        // Ended by the cancellation and by nothing else: a stop would give the task back.
        let unstopped = CancellationToken::new();
        let work = self.finish(task, &unstopped);
        tokio::pin!(work);
        tokio::select! {
            row = &mut work => return row,
            () = stop.cancelled() => {}
        }
        self.store().request_cancel(task).await?;
        // Takes effect with the next heartbeat. The result is irrelevant: no caller waits for it.
        drop(work.await);
        Err(PerformError::Cancelled(task))
    }

    /// Runs a source now. If the run fails, lets the Doctor heal the source, and then runs it once more. Returns the last of
    /// these runs, with the outcome of all of them.
    ///
    /// # Errors
    ///
    /// [`PerformError`].
    pub async fn refresh(
        &self,
        source: &str,
        stop: &CancellationToken,
        when_stopped: WhenStopped,
    ) -> Result<RunRow, PerformError> {
        let _listening = self.listen(source);
        let task = NewTask::new(TaskKind::RefreshSource, source, self.store().now());
        let mut row = self.perform(&task, stop, when_stopped).await?;
        let mut is_healed = false;
        // A failed run creates a task for the Doctor, and a successful Doctor creates one for another run.
        for kind in [TaskKind::FixSource, TaskKind::RefreshSource] {
            if let Some(open) = self.due(kind, source).await? {
                row = self.finish(open, stop).await?;
                is_healed |= row.outcome == Some(Outcome::Healed);
            }
        }
        // The last run has the values; what happened on the whole is that the source was healed.
        if is_healed && row.is_well() {
            (row.outcome, row.stop_reason) = (Some(Outcome::Healed), Some(StopReason::Promoted.name().to_owned()));
        }
        Ok(row)
    }

    /// Returns an open task of this kind for the target, if one is due or in progress on any worker: the caller must wait for it, too.
    async fn due(&self, kind: TaskKind, target: &str) -> Result<Option<TaskId>, PerformError> {
        let now = self.store().now();
        for state in [TaskState::Pending, TaskState::InProgress] {
            let target = Some(target.to_owned());
            let filter = TaskFilter { state: Some(state), kind: Some(kind), target, limit: 1, ..TaskFilter::default() };
            let open = self.store().tasks(&filter).await?.into_iter().next();
            if let Some(task) = open.filter(|task| state == TaskState::InProgress || task.run_at <= now) {
                return Ok(Some(task.id));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use autoheal_store::ClaimRequest;

    use super::*;
    use crate::registry::Registry;
    use crate::worker::WorkerSettings;

    #[tokio::test]
    async fn whoever_waits_for_a_source_waits_for_what_is_due_and_for_what_another_worker_is_at() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open_file(&folder.path().join("test.db")).await.unwrap();
        let worker = Worker::new(store.clone(), WorkerSettings::of_this_process(), Registry::new());
        let kind = TaskKind::FixSource;
        assert_eq!(worker.due(kind, "chair").await.unwrap(), None);

        let later = NewTask::new(kind, "chair", autoheal_store::system_time().plus(Duration::from_hours(1)));
        let id = store.enqueue(&later).await.unwrap().id;
        assert_eq!(worker.due(kind, "chair").await.unwrap(), None, "what is for later is not waited for");
        store.hasten(id).await.unwrap();
        assert_eq!(worker.due(kind, "chair").await.unwrap(), Some(id));

        let request = ClaimRequest {
            worker: "another".to_owned(),
            host: "elsewhere".to_owned(),
            kinds: vec![kind],
            lease: Duration::from_mins(1),
            only: Some(id),
        };
        store.claim(&request).await.unwrap().unwrap();
        assert_eq!(worker.due(kind, "chair").await.unwrap(), Some(id), "another worker is at it");
        assert_eq!(worker.due(kind, "table").await.unwrap(), None);
    }
}
