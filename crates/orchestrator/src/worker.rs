//! Claims tasks and runs them.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use autoheal_engine::task::{Lease, Task, TaskState};
use autoheal_engine::{RunId, TaskId};
use autoheal_store::{ClaimRequest, Store, StoreError};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::feed::EventFeed;
use crate::lease::{self, Interrupts};
use crate::owner::Owner;
use crate::registry::Registry;
use crate::walk::{Session, WalkEnd, WalkError};

/// How a worker behaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerSettings {
    /// Who it is; names the lease's owner. Best the text of an [`Owner`].
    pub name: String,
    /// The machine it runs on: tasks may be bound to one.
    pub host: String,
    /// How long a claim holds without a heartbeat.
    pub lease: Duration,
    /// How often the claim is renewed; a third of the lease leaves room for two failures.
    pub heartbeat: Duration,
    /// How often it looks for work when there is none.
    pub poll: Duration,
    /// How long a stop waits for running nodes to end before it drops them (they are run again on resume).
    pub grace: Duration,
    /// How many tasks it runs at once; at least 1.
    pub concurrency: usize,
    /// How long a task that failed for a fault of the environment waits for its next try.
    pub retry_in: Duration,
}

impl WorkerSettings {
    /// The defaults, under the name of this process.
    pub fn of_this_process() -> Self {
        let owner = Owner::this_process();
        let lease = Duration::from_secs(30);
        Self {
            name: owner.to_string(),
            host: owner.host,
            lease,
            heartbeat: lease / 3,
            poll: Duration::from_secs(1),
            grace: Duration::from_mins(1),
            concurrency: 1,
            retry_in: Duration::from_secs(30),
        }
    }

    /// The same with another lease, renewed three times within it.
    #[must_use]
    pub fn with_lease(self, lease: Duration) -> Self {
        Self { lease, heartbeat: lease / 3, ..self }
    }
}

/// What became of one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    /// The run has an outcome (in the store), the task this state.
    Finished {
        /// The run.
        run: RunId,
        /// `Completed`, `Cancelled` or `Failed`.
        state: TaskState,
    },
    /// The worker was asked to stop; the run goes on from its last checkpoint when the task is claimed again.
    Stopped {
        /// The run.
        run: RunId,
    },
    /// The run could not go on here; the task is pending again, or failed for good.
    Broken {
        /// Why, with its causes.
        error: String,
        /// The task's state now.
        state: TaskState,
    },
    /// Another worker took the task over.
    LeaseLost,
}

/// Why a task could not be run.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// There is no such task.
    #[error("there is no task {0}: see `autoheal tasks`")]
    NoSuchTask(TaskId),
    /// It ended already.
    #[error("task {task} has ended: {}", state.name())]
    Ended {
        /// The task.
        task: TaskId,
        /// How.
        state: TaskState,
    },
    /// It is bound to another machine, of another kind, or waits for its time or for another task of its target.
    #[error("task {task} cannot be run here now: {reason}")]
    NotReady {
        /// The task.
        task: TaskId,
        /// Why, and what to do.
        reason: String,
    },
    /// Asked to stop before the task could be claimed.
    #[error("stopped before task {0} could be claimed")]
    Stopped(TaskId),
    /// The store failed.
    #[error("the database failed")]
    Store(#[from] StoreError),
}

/// Claims tasks from a store and runs them by the workflows of a registry.
#[derive(Clone)]
pub struct Worker {
    store: Store,
    settings: WorkerSettings,
    registry: Registry,
    feed: EventFeed,
    /// A permit for each task that [`Worker::run_task`] may run at once, shared with every clone.
    slots: Arc<Semaphore>,
}

impl Worker {
    /// A worker; it does nothing until [`Worker::run_until`] or [`Worker::run_task`].
    pub fn new(store: Store, settings: WorkerSettings, registry: Registry) -> Self {
        let slots = Arc::new(Semaphore::new(settings.concurrency.max(1)));
        Self { store, settings, registry, feed: EventFeed::default(), slots }
    }

    /// The same worker, whose feed has what happens in its own runs only: for one of several who ask at once.
    #[must_use]
    pub fn with_own_feed(&self) -> Self {
        Self { feed: EventFeed::default(), ..self.clone() }
    }

    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }

    /// What happens in this worker's runs.
    pub fn feed(&self) -> &EventFeed {
        &self.feed
    }

    /// Runs whatever is ready, several tasks at once, until `stop`; then lets the running nodes end (see
    /// [`WorkerSettings::grace`]) and gives their tasks back.
    pub async fn run_until(&self, stop: CancellationToken) {
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            let claimed = if running.len() < self.settings.concurrency.max(1) {
                self.claim(None).await.unwrap_or_else(|error| {
                    tracing::warn!(error = %chain(&error), "no task could be claimed");
                    None
                })
            } else {
                None
            };
            if let Some((task, lease)) = claimed {
                let (worker, stop) = (self.clone(), stop.clone());
                running.spawn(async move { worker.serve(task, lease, stop).await });
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                Some(_) = running.join_next() => {}
                () = sleep(self.settings.poll), if running.len() < self.settings.concurrency.max(1) => {}
            }
        }
        while running.join_next().await.is_some() {}
    }

    /// Runs this one task: waits until it can be claimed, and walks its run to the end or until `stop`. No more tasks than
    /// [`WorkerSettings::concurrency`] are run at once by this worker and its clones; the others wait in the queue, where another
    /// worker may take them.
    ///
    /// A lease whose process is provably gone is ended at once; another's is waited for.
    ///
    /// # Errors
    ///
    /// [`WorkerError`] when the task cannot be claimed at all.
    pub async fn run_task(&self, task: TaskId, stop: CancellationToken) -> Result<TaskEnd, WorkerError> {
        loop {
            // Whoever only waits for another worker's task needs no slot.
            if let Ok(_slot) = self.slots.try_acquire()
                && let Some((task, lease)) = self.claim(Some(task)).await?
            {
                return Ok(self.serve(task, lease, stop).await);
            }
            let row = self.store.task(task).await?.ok_or(WorkerError::NoSuchTask(task))?;
            match row.state {
                TaskState::InProgress if self.end_orphaned_lease(&row).await? => continue,
                TaskState::InProgress => {}
                TaskState::Pending => self.ensure_claimable(&row)?,
                TaskState::Completed | TaskState::Failed | TaskState::Quarantined | TaskState::Cancelled => {
                    return Err(WorkerError::Ended { task, state: row.state });
                }
            }
            tokio::select! {
                () = stop.cancelled() => return Err(WorkerError::Stopped(task)),
                () = sleep(self.settings.poll) => {}
            }
        }
    }

    async fn claim(&self, only: Option<TaskId>) -> Result<Option<(Task, Lease)>, StoreError> {
        let request = ClaimRequest {
            worker: self.settings.name.clone(),
            host: self.settings.host.clone(),
            kinds: self.registry.kinds(),
            lease: self.settings.lease,
            only,
        };
        self.store.claim(&request).await
    }

    /// Ends the lease of a process that is gone; says whether it did.
    async fn end_orphaned_lease(&self, task: &Task) -> Result<bool, StoreError> {
        let Some(name) = &task.lease_owner else { return Ok(false) };
        if !name.parse::<Owner>().is_ok_and(|owner| owner.is_gone()) {
            return Ok(false);
        }
        tracing::info!(task = %task.id, owner = name, "the worker of the task is gone: taking over");
        let orphaned = Lease { task: task.id, owner: name.clone(), epoch: task.lease_epoch };
        // Its last heartbeat, sent in its place: the lease ends now.
        match self.store.heartbeat(&orphaned, Duration::ZERO).await {
            Ok(_) => Ok(true),
            Err(StoreError::LeaseLost(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A pending task that will never become claimable here should not be waited for.
    fn ensure_claimable(&self, task: &Task) -> Result<(), WorkerError> {
        let refuse = |reason: String| Err(WorkerError::NotReady { task: task.id, reason });
        if self.registry.walker(task.kind).is_none() {
            return refuse(format!("this worker does not serve {}", task.kind.name()));
        }
        match &task.host {
            Some(host) if *host != self.settings.host => refuse(format!("it is bound to the machine {host}")),
            Some(_) | None => Ok(()),
        }
    }

    async fn serve(&self, task: Task, lease: Lease, stop: CancellationToken) -> TaskEnd {
        let WorkerSettings { lease: duration, heartbeat, grace, .. } = self.settings;
        let (_beat, hold) = lease::keep(self.store.clone(), lease.clone(), duration, heartbeat, task.cancel_requested);
        let Some(walker) = self.registry.walker(task.kind) else {
            return self.broken(&lease, format!("no workflow serves {}", task.kind.name())).await;
        };
        let session = Session {
            store: self.store.clone(),
            task,
            lease,
            feed: self.feed.clone(),
            interrupts: Interrupts { hold, stop, grace },
        };
        match walker.walk(&session).await {
            Ok(WalkEnd::Finished(run, state)) => TaskEnd::Finished { run, state },
            Ok(WalkEnd::Stopped(run)) => TaskEnd::Stopped { run },
            Err(WalkError::LeaseLost) => {
                tracing::warn!(task = %session.task.id, "the lease was lost: another worker owns the task");
                TaskEnd::LeaseLost
            }
            Err(error) => self.broken(&session.lease, chain(&error)).await,
        }
    }

    async fn broken(&self, lease: &Lease, error: String) -> TaskEnd {
        tracing::error!(task = %lease.task, error, "a run could not go on");
        match self.store.fail(lease, &error, self.settings.retry_in).await {
            Ok(state) => TaskEnd::Broken { error, state },
            Err(StoreError::LeaseLost(_)) => TaskEnd::LeaseLost,
            // The lease runs out by itself, and the task is claimed again.
            Err(_) => TaskEnd::Broken { error, state: TaskState::InProgress },
        }
    }
}

/// The error and its causes in one line.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
