//! Tasks of the queue (spec `doctor-agent.md`, table `task_queue`).

use serde::{Deserialize, Serialize};

use crate::{TaskId, Timestamp};

/// Kind of work that a task requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskKind {
    /// Build a blueprint and a recipe for a new page.
    AddSource,
    /// Heal a source that stopped yielding.
    FixSource,
    /// Run a source on schedule.
    RefreshSource,
    /// Take a repository from red to green.
    HealRepo,
}

impl TaskKind {
    /// Every kind, in the order the spec names them.
    pub const ALL: [Self; 4] = [Self::AddSource, Self::FixSource, Self::RefreshSource, Self::HealRepo];

    /// The kind as the `type` column holds it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AddSource => "ADD_SOURCE",
            Self::FixSource => "FIX_SOURCE",
            Self::RefreshSource => "REFRESH_SOURCE",
            Self::HealRepo => "HEAL_REPO",
        }
    }

    /// The kind that a `type` column names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// State of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum TaskState {
    /// Waiting for a worker.
    Pending,
    /// Leased by a worker.
    InProgress,
    /// Ended with a result (which may be "could not heal": that is the run's `stop_reason`).
    Completed,
    /// Ended with a run that failed: no other try would come to anything else.
    Failed,
    /// Failed for a fault of the environment or the program until its retries were used up, or took its worker down each time: a dead
    /// letter, which the user may put back into the queue.
    Quarantined,
    /// Cancelled by a user.
    Cancelled,
}

impl TaskState {
    /// All states.
    pub const ALL: [Self; 6] =
        [Self::Pending, Self::InProgress, Self::Completed, Self::Failed, Self::Quarantined, Self::Cancelled];

    /// The state as the `state` column holds it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::InProgress => "IN_PROGRESS",
            Self::Completed => "COMPLETED",
            Self::Failed => "FAILED",
            Self::Quarantined => "QUARANTINED",
            Self::Cancelled => "CANCELLED",
        }
    }

    /// The state that a `state` column names.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Pending or in progress: such a task holds its `open_key`.
    pub const fn is_open(self) -> bool {
        match self {
            Self::Pending | Self::InProgress => true,
            Self::Completed | Self::Failed | Self::Quarantined | Self::Cancelled => false,
        }
    }
}

/// A request for work, before it has a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NewTask {
    /// Kind of work to do.
    pub kind: TaskKind,
    /// Target of the work: a source's name, or a repository's URL or path.
    pub target: String,
    /// Priority: a task with a smaller number runs first; 5 is the default.
    pub priority: i32,
    /// Earliest time at which it may be claimed.
    pub run_at: Timestamp,
    /// Number of failures that are retried before the task is QUARANTINED.
    pub max_retries: u32,
    /// Host whose workers alone may claim it (a local path exists on one host only); `None`: any.
    pub host: Option<String>,
    /// Input of the workflow, as JSON.
    pub context: serde_json::Value,
}

impl NewTask {
    /// The default of `priority`.
    pub const DEFAULT_PRIORITY: i32 = 5;

    /// A task with the spec's defaults: priority 5, three retries, from now on, any host.
    pub fn new(kind: TaskKind, target: impl Into<String>, now: Timestamp) -> Self {
        Self {
            kind,
            target: target.into(),
            priority: Self::DEFAULT_PRIORITY,
            run_at: now,
            max_retries: 3,
            host: None,
            context: serde_json::Value::Object(serde_json::Map::new()),
        }
    }

    /// The key that at most one open task holds: enqueueing the same work twice is one task.
    pub fn open_key(&self) -> String {
        format!("{}:{}", self.kind.name(), self.target)
    }
}

/// A row of the queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Number of the task.
    pub id: TaskId,
    /// Kind of work to do.
    pub kind: TaskKind,
    /// Target of the work.
    pub target: String,
    /// State of the task.
    pub state: TaskState,
    /// Priority: a task with a smaller number runs first.
    pub priority: i32,
    /// Time at which it was enqueued.
    pub created_at: Timestamp,
    /// Earliest time at which it may be claimed.
    pub run_at: Timestamp,
    /// Time at which a worker first claimed it.
    pub started_at: Option<Timestamp>,
    /// Time at which it ended.
    pub completed_at: Option<Timestamp>,
    /// Reason the last attempt failed.
    pub error_message: Option<String>,
    /// Failures that workers reported; a worker that died reports none and counts as one of `deaths`.
    pub retry_count: u32,
    /// Failures that are retried.
    pub max_retries: u32,
    /// Workers that died, or were cut off, at work on it since the last checkpoint: at [`Task::MOST_DEATHS`] it is QUARANTINED.
    pub deaths: u32,
    /// The only host that may claim it.
    pub host: Option<String>,
    /// Input of the workflow.
    pub context: serde_json::Value,
    /// Worker that holds the lease.
    pub lease_owner: Option<String>,
    /// End of the lease, by the database's clock.
    pub lease_until: Option<Timestamp>,
    /// Raised by every claim: the fence of every later write.
    pub lease_epoch: i64,
    /// True if a user requested its cancellation.
    pub cancel_requested: bool,
}

impl Task {
    /// Number of workers that may die on a task, without a checkpoint between them, before it is not assigned to another one.
    pub const MOST_DEATHS: u32 = 3;
}

/// Proof of a claim: writes that carry an old epoch change nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Number of the claimed task.
    pub task: TaskId,
    /// The worker that claimed it.
    pub owner: String,
    /// The epoch that the claim raised the task to.
    pub epoch: i64,
}
