//! Claims tasks and runs them.

use std::collections::BTreeMap;
use std::time::Duration;

use autoheal_engine::task::{Lease, Task, TaskKind, TaskState};
use autoheal_engine::{RunId, TaskId, with_causes};
use autoheal_store::{ClaimRequest, Store, StoreError, TaskFilter};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::crew::{self, Crew};
use crate::feed::{Audience, EventFeed, Listeners, Listening};
use crate::lease::{self, Interrupts};
use crate::owner::Owner;
use crate::registry::Registry;
use crate::retry;
use crate::room::Room;
use crate::slots::{Slot, Slots};
use crate::walk::{Session, WalkEnd, WalkError};

/// Settings of a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerSettings {
    /// Name of the worker, under which it holds leases. Best the text of an [`Owner`].
    pub name: String,
    /// The machine it runs on: tasks may be bound to one.
    pub host: String,
    /// Time that a claim holds without a heartbeat.
    pub lease: Duration,
    /// Interval at which the claim is renewed; a third of the lease leaves room for two failures.
    pub heartbeat: Duration,
    /// Polling interval while there is no work.
    pub poll: Duration,
    /// Maximum time that a stop waits for running nodes to end before it
    /// drops them (they are run again on resume).
    pub grace: Duration,
    /// Maximum number of tasks that run at once; at least 1.
    pub concurrency: usize,
    /// Maximum number of tasks of each kind; 0: none at all. A kind that is not listed has no separate limit.
    pub kinds: BTreeMap<TaskKind, usize>,
    /// Wait before the first retry of a task that failed for a fault of the environment; doubled with each
    /// further retry.
    pub retry_in: Duration,
    /// The disk space without which nothing is claimed.
    pub room: Room,
}

impl WorkerSettings {
    /// Default of [`WorkerSettings::lease`].
    pub const DEFAULT_LEASE: Duration = Duration::from_secs(30);

    /// Default of [`WorkerSettings::retry_in`].
    pub const DEFAULT_RETRY: Duration = Duration::from_secs(30);

    /// The defaults, under the name of this process.
    pub fn of_this_process() -> Self {
        let owner = Owner::this_process();
        let lease = Self::DEFAULT_LEASE;
        Self {
            name: owner.to_string(),
            host: owner.host,
            lease,
            heartbeat: lease / 3,
            poll: Duration::from_secs(1),
            grace: Duration::from_mins(1),
            concurrency: 1,
            kinds: BTreeMap::new(),
            retry_in: Self::DEFAULT_RETRY,
            room: Room { folder: std::env::temp_dir(), least: 0 },
        }
    }

    /// Returns the settings with another lease, renewed three times within it.
    #[must_use]
    pub fn with_lease(self, lease: Duration) -> Self {
        Self { lease, heartbeat: lease / 3, ..self }
    }
}

/// Result of one claim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskEnd {
    /// The run has an outcome (in the store), the task this state.
    Finished {
        /// Id of the run.
        run: RunId,
        /// `Completed`, `Cancelled` or `Failed`.
        state: TaskState,
    },
    /// The worker had to stop; the run continues from its last checkpoint when the task is claimed again.
    Stopped {
        /// Id of the run.
        run: RunId,
    },
    /// The run could not continue here; the task is pending again, or quarantined if its retries are used up.
    Broken {
        /// Reason, with its causes.
        error: String,
        /// The task's state now.
        state: TaskState,
    },
    /// Another worker took the task over.
    LeaseLost,
}

/// Reason a task could not be run.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// There is no such task.
    #[error("there is no task {0}: see `autoheal tasks`")]
    NoSuchTask(TaskId),
    /// The task has ended already.
    #[error("task {task} has ended: {}", state.name())]
    Ended {
        /// Id of the task.
        task: TaskId,
        /// State in which it ended.
        state: TaskState,
    },
    /// The task is bound to another machine, is of another kind, or waits for its time or for another task of its target.
    #[error("task {task} cannot be run here now: {reason}")]
    NotReady {
        /// Id of the task.
        task: TaskId,
        /// Reason, and what to do.
        reason: String,
    },
    /// The worker had to stop before it could claim the task.
    #[error("stopped before task {0} could be claimed")]
    Stopped(TaskId),
    /// The database reported an error.
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
    listeners: Listeners,
    slots: Slots,
    crew: Option<Crew>,
}

impl Worker {
    /// A worker; it does nothing until [`Worker::run_until`] or [`Worker::run_task`].
    pub fn new(store: Store, settings: WorkerSettings, registry: Registry) -> Self {
        let slots = Slots::new(settings.concurrency, settings.kinds.clone());
        Self {
            store,
            settings,
            registry,
            feed: EventFeed::default(),
            listeners: Listeners::default(),
            slots,
            crew: None,
        }
    }

    /// Returns the worker with its tasks run in worker processes instead of its own process.
    #[must_use]
    pub fn with_crew(self, crew: Crew) -> Self {
        Self { crew: Some(crew), ..self }
    }

    /// Returns the worker with a separate feed for one of several concurrent callers. The feed has the events of the worker's own runs,
    /// and of runs for targets that it waits for ([`Worker::perform`]), regardless of the clone that walks them.
    #[must_use]
    pub fn with_own_feed(&self) -> Self {
        Self { feed: EventFeed::default(), ..self.clone() }
    }

    /// Has its feed hear of the runs for a target that other clones walk, for as long as the answer lives.
    pub(crate) fn listen(&self, target: &str) -> Listening {
        self.listeners.listen(target, &self.feed)
    }

    /// Returns the database of the worker.
    pub const fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the reason why it claims nothing, if there is too little disk space.
    pub fn missing_room(&self) -> Option<String> {
        self.settings.room.missing()
    }

    /// The machine that it runs on, as tasks that are bound to one name it.
    pub fn host(&self) -> &str {
        &self.settings.host
    }

    /// Returns the feed with the events of this worker's runs.
    pub fn feed(&self) -> &EventFeed {
        &self.feed
    }

    /// Runs ready tasks until `stop`, several at once (see [`WorkerSettings::concurrency`], which counts those of
    /// [`Worker::run_task`] too); then lets the running nodes end (see
    /// [`WorkerSettings::grace`]) and gives their tasks back. It cancels `stop` itself when a newer autoheal has migrated the database.
    pub async fn run_until(&self, stop: CancellationToken) {
        let mut running = JoinSet::new();
        while !stop.is_cancelled() {
            let claimed = match self.claim(None).await {
                Ok(claimed) => claimed,
                Err(error @ StoreError::NewerSchema { .. }) => {
                    tracing::error!(%error, "this worker stops");
                    stop.cancel();
                    break;
                }
                Err(error) => {
                    tracing::warn!(error = %with_causes(&error), "no task could be claimed");
                    Vec::new()
                }
            };
            let is_idle = claimed.is_empty();
            for claimed in claimed {
                let (worker, stop) = (self.clone(), stop.clone());
                running.spawn(async move { worker.serve(claimed, stop).await });
            }
            if !is_idle {
                continue;
            }
            tokio::select! {
                () = stop.cancelled() => {}
                Some(_) = running.join_next() => {}
                () = sleep(self.settings.poll) => {}
            }
        }
        while running.join_next().await.is_some() {}
    }

    /// Runs this one task: waits until it can be claimed, and walks its run to the end or until `stop`. No more tasks than
    /// [`WorkerSettings::concurrency`] are run at once by this worker and its clones; the others wait in the queue, where another
    /// worker may take them.
    ///
    /// A lease whose process is provably gone is ended at once; another's is waited for ([`EventFeed::awaited`]). A task of the same target
    /// that such a process has left unfinished is run first: until then this one cannot begin, and perhaps no other worker comes.
    ///
    /// # Errors
    ///
    /// [`WorkerError`] when the task cannot be claimed at all.
    pub async fn run_task(&self, task: TaskId, stop: CancellationToken) -> Result<TaskEnd, WorkerError> {
        loop {
            // Waiting for another worker's task needs no slot.
            if let Some(claimed) = self.claim(Some(task)).await?.pop() {
                return Ok(Box::pin(self.serve(claimed, stop)).await);
            }
            let row = self.store.task(task).await?.ok_or(WorkerError::NoSuchTask(task))?;
            match row.state {
                TaskState::InProgress if self.end_orphaned_lease(&row).await? => continue,
                TaskState::InProgress => self.feed.await_end_of(&row),
                TaskState::Pending => {
                    self.ensure_claimable(&row)?;
                    match self.running_for(&row.target).await? {
                        Some(left) if self.is_left(&left).await? => {
                            match Box::pin(self.run_task(left.id, stop.clone())).await {
                                Ok(TaskEnd::Stopped { .. }) | Err(WorkerError::Stopped(_)) => {
                                    return Err(WorkerError::Stopped(task));
                                }
                                // It has ended, or is another worker's now.
                                Ok(_) | Err(WorkerError::Ended { .. } | WorkerError::NoSuchTask(_)) => continue,
                                Err(error) => return Err(error),
                            }
                        }
                        Some(running) => self.feed.await_end_of(&running),
                        None => {}
                    }
                }
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

    /// Claims tasks of kinds that there is room for: as many as there are free slots. A database that does not answer has no work
    /// to give.
    async fn claim(&self, only: Option<TaskId>) -> Result<Vec<Claimed>, StoreError> {
        if self.settings.room.missing().is_some() {
            return Ok(Vec::new());
        }
        let claiming = self.slots.claiming().await;
        let (kinds, most) = claiming.free(self.registry.kinds());
        if kinds.is_empty() {
            return Ok(Vec::new());
        }
        let WorkerSettings { name, host, lease, .. } = &self.settings;
        let request = ClaimRequest { worker: name.clone(), host: host.clone(), kinds, lease: *lease, only };
        let Ok(claimed) = timeout(*lease, self.store.claim_up_to(&request, most)).await else {
            tracing::warn!("the database does not answer");
            return Ok(Vec::new());
        };
        let claimed = claimed?.into_iter();
        Ok(claimed.map(|(task, lease)| Claimed { _slot: claiming.take(task.kind), task, lease }).collect())
    }

    /// The task that a worker runs for a target.
    async fn running_for(&self, target: &str) -> Result<Option<Task>, StoreError> {
        let (state, target) = (Some(TaskState::InProgress), Some(target.to_owned()));
        let filter = TaskFilter { state, target, limit: 1, ..TaskFilter::default() };
        Ok(self.store.tasks(&filter).await?.into_iter().next())
    }

    /// Returns whether the worker of a running task is gone, or was not heard of for the time of its lease.
    async fn is_left(&self, running: &Task) -> Result<bool, StoreError> {
        let is_over = running.lease_until.is_some_and(|until| until < self.store.now());
        Ok(is_over || self.end_orphaned_lease(running).await?)
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
        if self.registry.walker(task.kind).is_none() || !self.slots.serves(task.kind) {
            return refuse(format!("this worker does not serve {}", task.kind.name()));
        }
        if let Some(missing) = self.settings.room.missing() {
            return refuse(missing);
        }
        match &task.host {
            Some(host) if *host != self.settings.host => refuse(format!("it is bound to the machine {host}")),
            Some(_) | None => Ok(()),
        }
    }

    async fn serve(&self, claimed: Claimed, stop: CancellationToken) -> TaskEnd {
        let WorkerSettings { lease: duration, heartbeat, grace, .. } = self.settings;
        let Claimed { task, lease, _slot } = claimed;
        let (_beat, hold) = lease::keep(self.store.clone(), lease.clone(), duration, heartbeat, task.cancel_requested);
        let Some(walker) = self.registry.walker(task.kind) else {
            let error = format!("no workflow serves {}", task.kind.name());
            return self.broken(&task, &lease, error).await;
        };
        let lost = lease::lost(hold.clone());
        let (own, listeners, target) = (self.feed.clone(), self.listeners.clone(), task.target.clone());
        let session = Session {
            store: self.store.clone(),
            task,
            lease,
            audience: Audience { own, listeners, target },
            interrupts: Interrupts { hold, stop, grace },
        };
        let walk = async {
            match &self.crew {
                Some(crew) => Box::pin(crew::walk(crew, &*walker, &session)).await,
                None => walker.walk(&session).await,
            }
        };
        let walked = tokio::select! {
            biased;
            walked = walk => walked,
            // The walk waits for a database that does not respond, and its writes would be rejected by now.
            () = lost => Err(WalkError::LeaseLost),
        };
        match walked {
            Ok(WalkEnd::Finished(run, state)) => TaskEnd::Finished { run, state },
            Ok(WalkEnd::Stopped(run)) => TaskEnd::Stopped { run },
            Err(WalkError::LeaseLost) => {
                tracing::warn!(task = %session.task.id, "the lease was lost: another worker owns the task");
                TaskEnd::LeaseLost
            }
            Err(error) => self.broken(&session.task, &session.lease, with_causes(&error)).await,
        }
    }

    async fn broken(&self, task: &Task, lease: &Lease, error: String) -> TaskEnd {
        tracing::error!(task = %task.id, error, "a run could not continue");
        let retry_in = retry::wait(self.settings.retry_in, task.retry_count, task.id);
        match timeout(self.settings.lease, self.store.fail(lease, &error, retry_in)).await {
            Ok(Ok(state)) => TaskEnd::Broken { error, state },
            Ok(Err(StoreError::LeaseLost(_))) => TaskEnd::LeaseLost,
            // The lease runs out by itself, and the task is claimed again.
            Ok(Err(_)) | Err(_) => TaskEnd::Broken { error, state: TaskState::InProgress },
        }
    }
}

/// A task that is this worker's, and the slot that it takes.
struct Claimed {
    task: Task,
    lease: Lease,
    _slot: Slot,
}
