//! A workflow small enough to know every state of: fetch, then work and check as many rounds as the task asks for.

use std::hint::black_box;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use autoheal_engine::alert::AlertKind;
use autoheal_engine::diagnostics::{Category, DiagnosticsEntry, Finding, Source};
use autoheal_engine::graph::{Graph, GraphBuilder, Next, Node, Policy};
use autoheal_engine::task::{NewTask, Task, TaskKind};
use autoheal_engine::workflow::{Ending, OutputRecord, Record, StepContext, StepError, Workflow};
use autoheal_engine::{ErrorCode, RunId, StopReason, Timestamp};
use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ToyNode {
    Fetch,
    Work,
    Check,
}

impl Node for ToyNode {
    const ALL: &'static [Self] = &[Self::Fetch, Self::Work, Self::Check];

    fn name(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Work => "work",
            Self::Check => "check",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ToyState {
    pub(crate) rounds_left: u32,
    pub(crate) done: Vec<String>,
    pub(crate) stopped: Option<(StopReason, String)>,
    /// Effect of the work on its process, as the task specifies.
    #[serde(default)]
    pub(crate) deed: Option<Deed>,
}

/// Effect of hostile input on a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Deed {
    OverflowTheStack,
    ComputeForEver,
    TakeAllMemory,
}

impl Deed {
    fn be_done(self) {
        match self {
            Self::OverflowTheStack => drop(black_box(overflow(0))),
            Self::ComputeForEver => loop {
                black_box(());
            },
            Self::TakeAllMemory => {
                // Four times what a worker process may have, and no more: nothing else may stand in the way.
                let taken: Vec<_> = (0..1024).map(|_| black_box(vec![1_u8; 1 << 20])).collect();
                loop {
                    black_box(&taken);
                }
            }
        }
    }
}

#[expect(unconditional_recursion, reason = "that is the deed")]
fn overflow(depth: u64) -> u64 {
    black_box(overflow(black_box(depth + 1)) + 1)
}

/// Work of a step besides its bookkeeping.
type Job = Arc<dyn for<'a> Fn(ToyNode, &'a StepContext) -> BoxFuture<'a, Result<(), StepError>> + Send + Sync>;

pub(crate) struct Toy {
    graph: Graph<ToyNode, ToyState>,
    job: Job,
    pub(crate) version: u32,
    pub(crate) absorbs: bool,
    /// Runs released by the worker.
    pub(crate) released: Arc<Mutex<Vec<RunId>>>,
    kind: TaskKind,
}

impl Toy {
    pub(crate) fn new(
        job: impl for<'a> Fn(ToyNode, &'a StepContext) -> BoxFuture<'a, Result<(), StepError>> + Send + Sync + 'static,
    ) -> Self {
        let graph = graph(Duration::from_mins(5));
        Self {
            graph,
            job: Arc::new(job),
            version: 1,
            absorbs: true,
            released: Arc::default(),
            kind: TaskKind::HealRepo,
        }
    }

    pub(crate) fn of(self, kind: TaskKind) -> Self {
        Self { kind, ..self }
    }

    /// Returns the toy with this timeout for each of its steps.
    pub(crate) fn within(self, timeout: Duration) -> Self {
        Self { graph: graph(timeout), ..self }
    }

    pub(crate) fn plain() -> Self {
        Self::new(|_, _| Box::pin(async { Ok(()) }))
    }
}

fn graph(timeout: Duration) -> Graph<ToyNode, ToyState> {
    let policy = Policy { timeout, attempts: 2, backoff: Duration::from_millis(1) };
    let again: &[_] = &[("again", Next::To(ToyNode::Work)), ("done", Next::End)];
    GraphBuilder::new(ToyNode::Fetch)
        .edge(ToyNode::Fetch, Next::To(ToyNode::Work))
        .edge(ToyNode::Work, Next::To(ToyNode::Check))
        .choice(
            ToyNode::Check,
            again,
            |state: &ToyState| {
                if state.rounds_left > 0 { Next::To(ToyNode::Work) } else { Next::End }
            },
        )
        .policy(ToyNode::Fetch, policy)
        .policy(ToyNode::Work, policy)
        .policy(ToyNode::Check, policy)
        .build()
        .unwrap()
}

/// A task of two rounds.
pub(crate) fn task(target: &str) -> NewTask {
    let mut task = NewTask::new(TaskKind::HealRepo, target, Timestamp::default());
    task.context = json!({ "rounds": 2 });
    task
}

/// Nodes that a run of such a task visits.
pub(crate) const DONE: [&str; 5] = ["fetch", "work", "check", "work", "check"];

impl Workflow for Toy {
    type Node = ToyNode;
    type State = ToyState;

    fn kind(&self) -> TaskKind {
        self.kind
    }

    fn state_version(&self) -> u32 {
        self.version
    }

    fn graph(&self) -> &Graph<ToyNode, ToyState> {
        &self.graph
    }

    fn start(&self, task: &Task, _now: Timestamp) -> Result<ToyState, StepError> {
        let deed = task.context.get("deed").and_then(|deed| serde_json::from_value(deed.clone()).ok());
        match task.context.get("rounds").and_then(serde_json::Value::as_u64).map(u32::try_from) {
            Some(Ok(rounds_left)) => Ok(ToyState { rounds_left, done: Vec::new(), stopped: None, deed }),
            Some(Err(_)) | None => Err(StepError::Permanent {
                code: ErrorCode::InvalidInput,
                message: "the task does not say how many rounds".to_owned(),
            }),
        }
    }

    async fn step(&self, node: ToyNode, state: &mut ToyState, context: &StepContext) -> Result<(), StepError> {
        context.note("step", format!("{} after {}", node.name(), state.done.len()));
        context.progress("halfway");
        state.done.push(node.name().to_owned());
        (self.job)(node, context).await?;
        if let (ToyNode::Work, Some(deed)) = (node, state.deed) {
            deed.be_done();
        }
        match node {
            ToyNode::Fetch => {}
            ToyNode::Work => context.record(Record::Output(OutputRecord {
                node: node.name().to_owned(),
                command: "work hard".to_owned(),
                ended: "exit 0".to_owned(),
                output: format!("round with {} left", state.rounds_left),
                millis: 1,
            })),
            ToyNode::Check => {
                state.rounds_left -= 1;
                context.record(Record::Diagnostic(diagnostic(state.rounds_left)));
            }
        }
        Ok(())
    }

    fn on_step_failed(&self, node: ToyNode, state: &mut ToyState, error: &StepError, _now: Timestamp) -> bool {
        state.stopped = Some((StopReason::Infra, format!("{} failed: {error}", node.name())));
        self.absorbs
    }

    fn cancel(&self, state: &mut ToyState, _now: Timestamp) {
        state.stopped = Some((StopReason::Cancelled, "cancelled".to_owned()));
    }

    fn on_released(&self, run: RunId) {
        self.released.lock().unwrap().push(run);
    }

    fn is_stopped(&self, state: &ToyState) -> bool {
        state.stopped.is_some()
    }

    fn ending(&self, state: &ToyState, _now: Timestamp) -> Ending {
        let stop_reason = state.stopped.as_ref().map_or(StopReason::Green, |(reason, _)| *reason);
        Ending {
            outcome: stop_reason.outcome(0),
            stop_reason,
            results: json!({ "done": state.done, "stopped": state.stopped }),
            report: format!("# Done\n\n{}\n", state.done.join(", ")),
        }
    }

    fn alert(&self, ending: &Ending) -> Option<(AlertKind, String)> {
        (!ending.outcome.is_well()).then(|| (AlertKind::RetryLimit, "it is not healed".to_owned()))
    }
}

fn diagnostic(rounds_left: u32) -> DiagnosticsEntry {
    DiagnosticsEntry {
        finding: Finding {
            source: Source::Test,
            category: Category::Logic,
            file: Some("toy.py".to_owned()),
            location: None,
            message: format!("{rounds_left} rounds left"),
            stack: None,
        },
        first_seen_at: Timestamp::default(),
        last_seen_at: Timestamp::default(),
        occurrence_count: 3 - rounds_left,
        resolved_at: None,
    }
}
