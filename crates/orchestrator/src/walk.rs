//! One run: begin or resume, node after node, checkpoint after checkpoint, finish.
//!
//! Every node starts from the JSON of the last checkpoint, also when the worker that wrote it is still at work: a run
//! that is resumed elsewhere sees the same states as one that is not interrupted.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use autoheal_engine::alert::{Alert, AlertKind};
use autoheal_engine::error_code::CodedError;
use autoheal_engine::event::EventBody;
use autoheal_engine::graph::{GraphError, Next, Node as _};
use autoheal_engine::task::{Lease, Task, TaskState};
use autoheal_engine::workflow::{Ending, Record, StepContext, StepError, StepServices, Workflow};
use autoheal_engine::{Outcome, RunId, StopReason, Timestamp};
use autoheal_store::{Checkpoint, FinishedRun, NewRun, Store, StoreError};
use serde_json::Value;
use uuid::Uuid;

use crate::fail_point;
use crate::feed::{Audience, Clock, RunFeed};
use crate::lease::{Interrupt, Interrupts};
use crate::step::{self, StepEnd};

/// Maximum time for a cancelled run to notify others: a user waits for its end.
const LEAVE_TIME: Duration = Duration::from_secs(10);

/// A claimed task and the tools of its walk.
pub(crate) struct Session {
    pub(crate) store: Store,
    pub(crate) task: Task,
    pub(crate) lease: Lease,
    pub(crate) audience: Audience,
    pub(crate) interrupts: Interrupts,
}

/// End of a walk without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WalkEnd {
    /// The run has an outcome, and the task this state.
    Finished(RunId, TaskState),
    /// The worker is shutting down; the run continues on another worker.
    Stopped(RunId),
}

/// Reason a walk cannot continue here.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// Another worker owns the task: nothing more was written.
    #[error("the lease was lost: another worker owns the task")]
    LeaseLost,
    /// The database reported an error.
    #[error("the database failed")]
    Store(#[source] StoreError),
    /// The task's context was not understood.
    #[error("the task cannot be started")]
    Start(#[source] StepError),
    /// A state could not be written or read as JSON.
    #[error("the state of the run could not be written or read")]
    State(#[from] serde_json::Error),
    /// The worker process that walked the run died, hung, or reported an error; the reason.
    #[error("{0}")]
    Process(String),
    /// A route chose a node that it does not list.
    #[error("the graph is faulty; please report this")]
    Graph(#[from] GraphError),
}

impl From<StoreError> for WalkError {
    fn from(error: StoreError) -> Self {
        if matches!(error, StoreError::LeaseLost(_)) { Self::LeaseLost } else { Self::Store(error) }
    }
}

/// Walks the run of the session's task from its last checkpoint to its end, or until it is interrupted.
pub(crate) async fn walk<W: Workflow>(workflow: &W, session: &Session) -> Result<WalkEnd, WalkError> {
    let mut walk = Walk::begin_or_resume(workflow, session).await?;
    loop {
        let turn = match (walk.next, session.interrupts.pending()) {
            (_, Some(Interrupt::LeaseLost)) => return Err(WalkError::LeaseLost),
            (_, Some(Interrupt::Cancelled)) => walk.cancel().await?,
            // A worker that has to stop still finishes a run that has reached its end.
            (Next::End, Some(Interrupt::Stopped) | None) => walk.complete().await?,
            (Next::To(_), Some(Interrupt::Stopped)) => walk.give_back().await?,
            (Next::To(node), None) => walk.pass(node).await?,
        };
        if let Turn::Over(end) = turn {
            return Ok(end);
        }
    }
}

impl<W: Workflow> Drop for Walk<'_, W> {
    /// However the walk ends, also when it is dropped half-way.
    fn drop(&mut self) {
        self.workflow.on_released(self.run);
    }
}

enum Turn {
    GoOn,
    Over(WalkEnd),
}

struct Walk<'session, W: Workflow> {
    workflow: &'session W,
    session: &'session Session,
    run: RunId,
    feed: Arc<RunFeed>,
    services: Arc<dyn StepServices>,
    /// The number of the last checkpoint; 0 before the first.
    sequence: i64,
    /// The state of the last checkpoint.
    state: Value,
    next: Next<W::Node>,
}

impl<'session, W: Workflow> Walk<'session, W> {
    async fn begin_or_resume(workflow: &'session W, session: &'session Session) -> Result<Self, WalkError> {
        match session.store.open_run(session.task.id).await? {
            None => Self::begin(workflow, session).await,
            Some(row) => Self::resume(workflow, session, row.run, row.started_at).await,
        }
    }

    async fn begin(workflow: &'session W, session: &'session Session) -> Result<Self, WalkError> {
        let run = RunId(Uuid::now_v7());
        let at = session.store.now();
        let state = workflow.start(&session.task, at).map_err(WalkError::Start)?;
        let state = serde_json::to_value(&state)?;
        let started = EventBody::RunStarted { target: session.task.target.clone() };
        let row = NewRun {
            run,
            workflow: session.task.kind.name().to_owned(),
            target: session.task.target.clone(),
            started_at: at,
            event: started.clone(),
        };
        session.store.begin_run(&session.lease, &row).await?;
        fail_point::reach("after-begin", 0);
        tracing::info!(%run, task = %session.task.id, target = session.task.target, "a run begins");
        let walk = Self::at(workflow, session, run, 0, 0, state, Next::To(workflow.graph().entry()));
        walk.feed.announce_stored(at, started);
        Ok(walk)
    }

    async fn resume(
        workflow: &'session W,
        session: &'session Session,
        run: RunId,
        started_at: Timestamp,
    ) -> Result<Self, WalkError> {
        let checkpoint = session.store.last_checkpoint(run).await?;
        let sequence = checkpoint.as_ref().map_or(0, |checkpoint| checkpoint.seq);
        let reached = checkpoint.map(|checkpoint| reached(workflow, checkpoint)).transpose();
        let (state, next) = if let Ok(Some((state, next))) = &reached {
            (state.clone(), *next)
        } else {
            // The state of another version is useless here; the task is the same.
            let state = workflow.start(&session.task, started_at).map_err(WalkError::Start)?;
            (serde_json::to_value(&state)?, Next::To(workflow.graph().entry()))
        };
        let last_event = session.store.last_event(run).await?;
        let walk = Self::at(workflow, session, run, last_event, sequence, state, next);
        tracing::info!(%run, task = %session.task.id, node = name_of(next).unwrap_or("end"), "a run is resumed");
        if let Err(why) = reached {
            tracing::warn!(%run, task = %session.task.id, why, "the run starts anew");
            let (node, topic) = (workflow.graph().entry().name().to_owned(), "version".to_owned());
            let message = format!("begun by another version of autoheal ({why}): the run starts anew");
            walk.feed.emit(EventBody::Note { node, topic, message });
        }
        walk.feed.emit(EventBody::RunResumed { node: name_of(next).unwrap_or("end").to_owned() });
        session.store.append_events(&session.lease, run, &walk.feed.take()).await?;
        Ok(walk)
    }

    fn at(
        workflow: &'session W,
        session: &'session Session,
        run: RunId,
        last_event: i64,
        sequence: i64,
        state: Value,
        next: Next<W::Node>,
    ) -> Self {
        let feed = Arc::new(RunFeed::new(run, session.audience.clone(), last_event, clock_of(&session.store)));
        let services: Arc<dyn StepServices> =
            Arc::new(Services { store: session.store.clone(), lease: session.lease.clone(), feed: Arc::clone(&feed) });
        Self { workflow, session, run, feed, services, sequence, state, next }
    }

    /// Runs one node and stores its checkpoint.
    async fn pass(&mut self, node: W::Node) -> Result<Turn, WalkError> {
        let begun = Instant::now();
        let end =
            step::run(self.workflow, node, &self.state, self.run, &self.services, &self.session.interrupts).await?;
        match end {
            StepEnd::Done { state, records } => self.advance(node, &state, &records, begun).await,
            StepEnd::Failed { error, records } => {
                let mut state = self.state_before()?;
                if self.workflow.on_step_failed(node, &mut state, &error, self.now()) {
                    self.advance(node, &state, &records, begun).await
                } else {
                    self.fail(&error).await
                }
            }
            StepEnd::Interrupted(Interrupt::LeaseLost) => Err(WalkError::LeaseLost),
            StepEnd::Interrupted(Interrupt::Cancelled) => self.cancel().await,
            StepEnd::Interrupted(Interrupt::Stopped) => self.give_back().await,
        }
    }

    async fn advance(
        &mut self,
        node: W::Node,
        state: &W::State,
        records: &[Record],
        begun: Instant,
    ) -> Result<Turn, WalkError> {
        let next = if self.workflow.is_stopped(state) { Next::End } else { self.workflow.graph().next(node, state)? };
        let state = serde_json::to_value(state)?;
        let checkpoint = Checkpoint {
            run: self.run,
            seq: self.sequence + 1,
            node: node.name().to_owned(),
            next_node: name_of(next).map(str::to_owned),
            state_version: self.workflow.state_version(),
            state,
            at: self.now(),
        };
        let millis = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let finished = EventBody::NodeFinished { node: node.name().to_owned(), millis };
        let mut events = self.feed.take();
        events.push((checkpoint.at, finished.clone()));
        fail_point::reach("before-checkpoint", checkpoint.seq);
        self.session.store.checkpoint(&self.session.lease, &checkpoint, &events, records).await?;
        fail_point::reach("after-checkpoint", checkpoint.seq);
        self.feed.announce_stored(checkpoint.at, finished);
        self.sequence = checkpoint.seq;
        self.state = checkpoint.state;
        self.next = next;
        Ok(Turn::GoOn)
    }

    /// The routes led to the end.
    async fn complete(&self) -> Result<Turn, WalkError> {
        let ending = self.workflow.ending(&self.state_before()?, self.now());
        self.finish(&ending, TaskState::Completed).await
    }

    /// Ends the run after the user cancelled its task, with the results so far.
    async fn cancel(&self) -> Result<Turn, WalkError> {
        let mut state = self.state_before()?;
        self.workflow.cancel(&mut state, self.now());
        let context = StepContext::new(self.run, "cancel", Arc::clone(&self.services));
        if tokio::time::timeout(LEAVE_TIME, self.workflow.on_cancelled(&mut state, &context)).await.is_err() {
            tracing::warn!(run = %self.run, "a cancelled run could not report its end in time");
        }
        let ending = self.workflow.ending(&state, self.now());
        self.finish(&ending, TaskState::Cancelled).await
    }

    /// Ends the run after a node failed and its workflow cannot continue without it.
    async fn fail(&self, error: &StepError) -> Result<Turn, WalkError> {
        let coded = CodedError::new(error.code(), error.to_string(), self.now());
        let ending = Ending {
            outcome: Outcome::Failed,
            stop_reason: StopReason::Failed,
            results: serde_json::json!({ "error": coded }),
            report: format!("# The run failed\n\n{coded}\n"),
        };
        self.finish(&ending, TaskState::Failed).await
    }

    async fn finish(&self, ending: &Ending, task_state: TaskState) -> Result<Turn, WalkError> {
        let at = self.now();
        let (outcome, stop_reason) = (ending.outcome, ending.stop_reason.name());
        let finished = EventBody::RunFinished { outcome: Some(outcome), stop_reason: stop_reason.to_owned() };
        let mut events = self.feed.take();
        events.push((at, finished.clone()));
        let records: Vec<Record> = self.alert(ending, task_state).into_iter().collect();
        let row = FinishedRun { run: self.run, ending, at, task_state, events: &events, records: &records };
        fail_point::reach("before-finish", 0);
        self.session.store.finish(&self.session.lease, &row).await?;
        fail_point::reach("after-finish", 0);
        self.feed.announce_stored(at, finished);
        tracing::info!(run = %self.run, outcome = outcome.name(), stop_reason, state = task_state.name(), "a run ended");
        Ok(Turn::Over(WalkEnd::Finished(self.run, task_state)))
    }

    /// Returns the alert that the end of the run raises, if any.
    fn alert(&self, ending: &Ending, task_state: TaskState) -> Option<Record> {
        let (kind, message) = if task_state == TaskState::Failed {
            let message = ending.results["error"]["message"].as_str().unwrap_or("a step failed");
            (AlertKind::RunFailed, format!("the run failed: {message}"))
        } else {
            self.workflow.alert(ending)?
        };
        let target = self.session.task.target.clone();
        let message = format!("{message}; `autoheal report {}` tells what was reached", self.run);
        Some(Record::Alert(Alert { target, kind, message, shared: None }))
    }

    /// Gives the run back for the next worker that claims the task; the events of the dropped step are stored.
    async fn give_back(&self) -> Result<Turn, WalkError> {
        let Session { store, lease, .. } = self.session;
        store.append_events(lease, self.run, &self.feed.take()).await?;
        store.release(lease).await?;
        tracing::info!(run = %self.run, node = name_of(self.next).unwrap_or("end"), "a run was given back");
        Ok(Turn::Over(WalkEnd::Stopped(self.run)))
    }

    fn now(&self) -> Timestamp {
        self.session.store.now()
    }

    fn state_before(&self) -> Result<W::State, WalkError> {
        Ok(serde_json::from_value(self.state.clone())?)
    }
}

/// Returns the state of a checkpoint and the next node, or the reason this version of the program cannot resume from it.
fn reached<W: Workflow>(workflow: &W, checkpoint: Checkpoint) -> Result<(Value, Next<W::Node>), String> {
    let (found, known) = (checkpoint.state_version, workflow.state_version());
    if found != known {
        return Err(format!("its state has version {found}, this one reads {known}"));
    }
    let next = match checkpoint.next_node {
        None => Next::End,
        Some(name) => Next::To(W::Node::from_name(&name).ok_or_else(|| format!("this one has no node `{name}`"))?),
    };
    match serde_json::from_value::<W::State>(checkpoint.state.clone()) {
        Ok(_) => Ok((checkpoint.state, next)),
        Err(error) => Err(format!("its state cannot be read: {error}")),
    }
}

/// Returns the store's clock, which sets the time of events.
fn clock_of(store: &Store) -> Clock {
    let store = store.clone();
    Box::new(move || store.now())
}

fn name_of<N: autoheal_engine::graph::Node>(next: Next<N>) -> Option<&'static str> {
    match next {
        Next::To(node) => Some(node.name()),
        Next::End => None,
    }
}

struct Services {
    store: Store,
    lease: Lease,
    feed: Arc<RunFeed>,
}

impl StepServices for Services {
    fn now(&self) -> Timestamp {
        self.store.now()
    }

    fn emit(&self, body: EventBody) {
        self.feed.emit(body);
    }

    fn still_owner(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
        // Without a response from the store, there is no permission.
        Box::pin(async { self.store.holds(&self.lease).await.unwrap_or(false) })
    }
}
