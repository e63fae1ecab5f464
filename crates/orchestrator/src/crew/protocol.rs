//! The channel between a worker and its worker processes: one JSON document a line, orders down, reports up.

use autoheal_engine::RunId;
use autoheal_engine::event::Event;
use autoheal_engine::task::{Lease, Task, TaskKind, TaskState};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lease::Hold;

/// The number of a job, unique within one worker process.
pub(crate) type JobId = u64;

/// The kind of work that one worker process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The healing of one repository; the process ends with it.
    Repository,
    /// Runs of sources, several at once.
    Pages,
    /// Calls of tools for which a client waits, several at once.
    Calls,
}

impl Role {
    /// Returns the role whose processes run tasks of this kind.
    pub(crate) const fn of(kind: TaskKind) -> Self {
        match kind {
            TaskKind::HealRepo => Self::Repository,
            TaskKind::AddSource | TaskKind::FixSource | TaskKind::RefreshSource => Self::Pages,
        }
    }
}

/// The first line to a worker process.
#[derive(Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// Role of the process.
    pub role: Role,
    /// The settings of the program that starts it, in that program's own form.
    pub settings: Value,
}

/// A line to a worker process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Order {
    /// Walk the run of a claimed task. The lease is renewed by the sender.
    Walk {
        job: JobId,
        task: Box<Task>,
        lease: Lease,
        /// Maximum time that a stop waits for the running step, in milliseconds.
        grace_millis: u64,
    },
    /// Execute a call and return its result.
    Call { job: JobId, name: String, input: Value },
    /// News of the lease.
    Hold { job: JobId, hold: Hold },
    /// Stop in good order.
    Stop { job: JobId },
    /// Drop the job: its sender does not wait for it.
    Drop { job: JobId },
}

/// A line from a worker process.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Report {
    /// The process accepts orders.
    Ready,
    /// An event of a run.
    Event { job: JobId, event: Box<Event> },
    /// A line of progress of a call.
    Progress { job: JobId, line: String },
    /// The end of a job.
    Ended { job: JobId, end: JobEnd },
}

/// End of a job that its worker process survived.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum JobEnd {
    /// The run has an outcome.
    Finished { run: RunId, state: TaskState },
    /// The run was given back.
    Stopped { run: RunId },
    /// Another worker owns the task.
    LeaseLost,
    /// The run cannot continue here; the error includes its causes.
    Broken { error: String },
    /// The answer of a call; an error has the caller's own form.
    Answer { answer: Result<Value, Value> },
}
