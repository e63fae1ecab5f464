//! Interface between a workflow and the orchestrator: a graph, a state, and one function per node.
//!
//! A step may be run twice, and on another machine: it first makes sure that its workspace exists, and everything it
//! stores goes through [`StepContext::record`], which the orchestrator writes in the checkpoint's transaction.
//! A step that is cancelled, timed out or fenced off is *dropped*; everything it started must end with it.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Serialize, de::DeserializeOwned};

use crate::alert::{Alert, AlertKind};
use crate::diagnostics::DiagnosticsEntry;
use crate::event::EventBody;
use crate::graph::{Graph, Node};
use crate::output;
use crate::source::SourceRecord;
use crate::task::{Task, TaskKind};
use crate::{ErrorCode, Outcome, RunId, StopReason, Timestamp};

/// A workflow: runs the tasks of one kind.
pub trait Workflow: Send + Sync + 'static {
    /// The workflow's closed set of nodes.
    type Node: Node;
    /// State that the agents share. It is the checkpoint, so it holds
    /// content (commits, patches), never only a path.
    type State: Serialize + DeserializeOwned + Send + Sync + 'static;

    /// Returns the kind of tasks that the workflow serves.
    fn kind(&self) -> TaskKind;

    /// Returns the version stored with each state; a state of another version is not resumed.
    fn state_version(&self) -> u32;

    /// Returns the workflow's graph of nodes and routes.
    fn graph(&self) -> &Graph<Self::Node, Self::State>;

    /// The longest that one try of a node of this task may take. Code that computes cannot notice it: its process is ended from outside.
    fn limit(&self, node: Self::Node, _task: &Task) -> Duration {
        self.graph().policy(node).timeout
    }

    /// The state a new run begins with.
    ///
    /// # Errors
    ///
    /// [`StepError::Permanent`] when the task's context cannot be understood.
    fn start(&self, task: &Task, now: Timestamp) -> Result<Self::State, StepError>;

    /// Does the job of one node.
    ///
    /// # Errors
    ///
    /// See [`StepError`].
    fn step(
        &self,
        node: Self::Node,
        state: &mut Self::State,
        context: &StepContext,
    ) -> impl Future<Output = Result<(), StepError>> + Send;

    /// Records a step's failure, after its last attempt, in the state, so that the run can still end with a result
    /// ("generate results even on partial failure"). Returns `false` when the run cannot continue and its task fails.
    fn on_step_failed(&self, node: Self::Node, state: &mut Self::State, error: &StepError, now: Timestamp) -> bool;

    /// Records in the state that a user cancelled the run.
    fn cancel(&self, state: &mut Self::State, now: Timestamp);

    /// Reports the cancellation to external services that know of the run, after [`Workflow::cancel`]. It has little time, and
    /// nothing may depend on its success.
    fn on_cancelled(&self, _state: &mut Self::State, _context: &StepContext) -> impl Future<Output = ()> + Send {
        std::future::ready(())
    }

    /// Drops what this process holds for the run, which it does not continue: the run ended, continues elsewhere, or lost its
    /// lease.
    fn on_released(&self, _run: RunId) {}

    /// Returns whether the run is over regardless of the routes: a step failed and was absorbed, or the run
    /// was cancelled.
    fn is_stopped(&self, state: &Self::State) -> bool;

    /// Returns the end of the run; called once, when the run is over.
    fn ending(&self, state: &Self::State, now: Timestamp) -> Ending;

    /// Returns the alert that this end raises, if any, and its message: stored with the end of the run.
    fn alert(&self, _ending: &Ending) -> Option<(AlertKind, String)> {
        None
    }
}

/// End of a run.
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct Ending {
    /// Outcome of the run.
    pub outcome: Outcome,
    /// Reason the run ended.
    pub stop_reason: StopReason,
    /// The result document (for a repository: `results.json`).
    pub results: serde_json::Value,
    /// The report for the user, Markdown.
    pub report: String,
}

/// Reason a step failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// May pass by itself (network, a container that died): the node's policy decides about another try.
    #[error("{code}: {message}")]
    Passing {
        /// Code that describes it best.
        code: ErrorCode,
        /// Description of the failure.
        message: String,
    },
    /// Will not pass by itself.
    #[error("{code}: {message}")]
    Permanent {
        /// Code that describes it best.
        code: ErrorCode,
        /// Description of the failure and of what to do about it.
        message: String,
    },
    /// Another worker owns the task now: nothing of this step may have an effect.
    #[error("the lease was lost: another worker owns the task")]
    LeaseLost,
}

impl StepError {
    /// Its code.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Passing { code, .. } | Self::Permanent { code, .. } => *code,
            Self::LeaseLost => ErrorCode::StepFailed,
        }
    }
}

/// Something a step leaves in the store, written in the checkpoint's transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// The current state of a diagnostic; replaces the run's row for the same key.
    Diagnostic(DiagnosticsEntry),
    /// A row of `fix_history`.
    Fix(FixRecord),
    /// The full output of a command that the run started.
    Output(OutputRecord),
    /// A change to a source.
    Source(SourceRecord),
    /// An alert to the user.
    Alert(Alert),
}

impl Record {
    fn output_length(&self) -> usize {
        match self {
            Self::Output(output) => output.output.len(),
            Self::Diagnostic(_) | Self::Fix(_) | Self::Source(_) | Self::Alert(_) => 0,
        }
    }
}

/// Output that one step keeps in full, in bytes, all of its commands together.
const OUTPUTS_OF_A_STEP: usize = 32 << 20;

/// Maximum number of bytes stored of each further output of the step.
const OUTPUT_OF_MANY: usize = 64 << 10;

/// One attempt at a fix (spec `doctor-agent.md`, table `fix_history`).
#[derive(Debug, Clone, PartialEq, Serialize, serde::Deserialize)]
pub struct FixRecord {
    /// Target of the fix: a source's name or a repository.
    pub target: String,
    /// The kind of error, such as `SYNTAX`.
    pub error_type: String,
    /// Diagnosis before the fix, JSON.
    pub diagnosis: serde_json::Value,
    /// The patch, a unified diff.
    pub patch: String,
    /// Result of validating the patch, JSON.
    pub validation: serde_json::Value,
    /// Destination of the fix: `STAGING`, `PRODUCTION` or `FAILED`; for a
    /// repository `PRODUCTION` means "accepted".
    pub deployed_to: String,
}

/// The full output of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct OutputRecord {
    /// The node that ran it.
    pub node: String,
    /// The command line, for display only (never re-run from here).
    pub command: String,
    /// End of the command, in words: `exit 1`, `timed out after 60 s`, ...
    pub ended: String,
    /// Standard output and error, up to the cap.
    pub output: String,
    /// Duration of the command, in milliseconds.
    pub millis: u64,
}

/// Services of the orchestrator that a step can use.
pub trait StepServices: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Puts an event into the feed.
    fn emit(&self, body: EventBody);

    /// Returns whether this worker still owns the task, according to the store. To be called right before an external effect.
    fn still_owner(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>>;
}

/// Context of a step: its run, its node, and the services of the orchestrator.
pub struct StepContext {
    /// Run that the step belongs to.
    pub run: RunId,
    /// Name of the step's node.
    pub node: &'static str,
    services: Arc<dyn StepServices>,
    records: Mutex<Vec<Record>>,
}

impl StepContext {
    /// A context for one try at one node.
    pub fn new(run: RunId, node: &'static str, services: Arc<dyn StepServices>) -> Self {
        Self { run, node, services, records: Mutex::new(Vec::new()) }
    }

    /// Returns a context of the same step whose records are discarded with it.
    #[must_use]
    pub fn without_records(&self) -> Self {
        Self::new(self.run, self.node, Arc::clone(&self.services))
    }

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        self.services.now()
    }

    /// Emits a note that is stored with the run.
    pub fn note(&self, topic: &str, message: impl Into<String>) {
        self.services.emit(EventBody::Note {
            node: self.node.to_owned(),
            topic: topic.to_owned(),
            message: message.into(),
        });
    }

    /// Says how far a long step is.
    pub fn progress(&self, message: impl Into<String>) {
        self.services.emit(EventBody::Progress { node: self.node.to_owned(), message: message.into() });
    }

    /// Returns a function that does the same, for callers that outlive a borrow of the context.
    pub fn progress_lines(&self) -> impl Fn(String) + Send + Sync + 'static {
        let (services, node) = (Arc::clone(&self.services), self.node);
        move |message| services.emit(EventBody::Progress { node: node.to_owned(), message })
    }

    /// Returns a function that emits notes about a topic, for callers that outlive a borrow of the context.
    pub fn notes_about(&self, topic: &'static str) -> impl Fn(String) + Send + Sync + 'static {
        let (services, node) = (Arc::clone(&self.services), self.node);
        let note = move |message| EventBody::Note { node: node.to_owned(), topic: topic.to_owned(), message };
        move |message| services.emit(note(message))
    }

    /// Leaves something in the store, together with the step's checkpoint.
    ///
    /// Outputs are cut here: a step may run hundreds of commands, and all of their records stay in memory until its checkpoint.
    pub fn record(&self, mut record: Record) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Record::Output(output) = &mut record {
            let kept: usize = records.iter().map(Record::output_length).sum();
            let most = if kept + output.output.len() <= OUTPUTS_OF_A_STEP { output::MOST } else { OUTPUT_OF_MANY };
            if output.output.len() > most {
                output.output = output::cut(&output.output, most);
            }
        }
        records.push(record);
    }

    /// Takes the records that the step has left so far; the orchestrator calls it at the end of the step.
    pub fn take_records(&self) -> Vec<Record> {
        std::mem::take(&mut self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Checks that this worker still owns the task; to be called right before an effect outside the store (a push).
    ///
    /// # Errors
    ///
    /// [`StepError::LeaseLost`] when another worker owns the task now.
    pub async fn ensure_owner(&self) -> Result<(), StepError> {
        if self.services.still_owner().await { Ok(()) } else { Err(StepError::LeaseLost) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Deaf;

    impl StepServices for Deaf {
        fn now(&self) -> Timestamp {
            Timestamp::default()
        }

        fn emit(&self, _body: EventBody) {}

        fn still_owner(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(std::future::ready(true))
        }
    }

    #[test]
    fn a_step_of_many_long_outputs_keeps_little_of_them() {
        let context = StepContext::new(RunId(uuid::Uuid::nil()), "fix", Arc::new(Deaf));
        let output = || OutputRecord {
            node: String::new(),
            command: String::new(),
            ended: String::new(),
            output: "x".repeat(15 << 20),
            millis: 0,
        };
        (0..50).for_each(|_| context.record(Record::Output(output())));
        let records = context.take_records();
        assert_eq!(records.len(), 50);
        let kept: usize = records.iter().map(Record::output_length).sum();
        assert!(kept <= 40 << 20, "{kept} bytes");
        assert!(records[0].output_length() > output::MOST - 64, "the first is kept as it always was");
    }
}
