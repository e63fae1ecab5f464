//! `FIX_SOURCE`, the Doctor (spec `doctor-agent.md`): check the breaker, collect the context, diagnose, fix, stage, validate, deploy.
//! One run is one attempt, and every attempt is a row of `fix_history`.

mod breaker;
mod context;
mod deploy;
mod diagnosis;
mod fix;
mod node;
mod state;
mod trial;

use autoheal_engine::Timestamp;
use autoheal_engine::graph::{Graph, GraphError};
use autoheal_engine::task::{Task, TaskKind};
use autoheal_engine::workflow::{Ending, StepContext, StepError, Workflow};
use serde_json::json;

use crate::loaded::{Loaded, Page, Stored, permanent, source_of};
use crate::services::{SourceServices, noting_waits};

pub use crate::prompt_limits::PromptLimits;
pub use diagnosis::DiagnosisContext;
pub use fix::relocate_list;
pub use node::{DoctorNode, graph};
pub use state::{DoctorState, End, Proposal};

/// Workflow of `FIX_SOURCE` tasks, which heals sources.
pub struct DoctorWorkflow {
    services: SourceServices,
    graph: Graph<DoctorNode, DoctorState>,
}

impl DoctorWorkflow {
    /// The workflow with these services.
    ///
    /// # Errors
    ///
    /// Never, as a test shows: the graph is a constant.
    pub fn new(services: SourceServices) -> Result<Self, GraphError> {
        Ok(Self { services, graph: graph()? })
    }
}

impl Workflow for DoctorWorkflow {
    type Node = DoctorNode;
    type State = DoctorState;

    fn kind(&self) -> TaskKind {
        TaskKind::FixSource
    }

    fn state_version(&self) -> u32 {
        DoctorState::VERSION
    }

    fn graph(&self) -> &Graph<DoctorNode, DoctorState> {
        &self.graph
    }

    fn start(&self, task: &Task, _now: Timestamp) -> Result<DoctorState, StepError> {
        let source = source_of(task)?;
        // A request of the user names no failure; the check of the page finds it.
        let failure = if task.context.is_null() || task.context == json!({}) {
            None
        } else {
            Some(
                serde_json::from_value(task.context.clone())
                    .map_err(|error| permanent(format!("the task's context: {error}")))?,
            )
        };
        Ok(DoctorState::new(source, failure))
    }

    async fn step(&self, node: DoctorNode, state: &mut DoctorState, context: &StepContext) -> Result<(), StepError> {
        let stored = match node {
            DoctorNode::CollectContext | DoctorNode::Fix | DoctorNode::Validate => Stored::Wanted,
            DoctorNode::CheckBreaker | DoctorNode::Stage | DoctorNode::Deploy => Stored::NotWanted,
        };
        let page = state.failure.as_ref().and_then(|failure| failure.page.as_deref());
        let page = page.map_or(Page::Number(0), Page::At);
        let loaded = Loaded::load(&self.services, state.source.as_str(), page, stored).await?;
        let work = async {
            match node {
                DoctorNode::CheckBreaker => breaker::run(state, &loaded, &self.services, context).await,
                DoctorNode::CollectContext => context::run(state, &loaded, &self.services, context).await,
                DoctorNode::Fix => fix::run(state, &loaded, &self.services, context).await,
                DoctorNode::Stage => deploy::stage(state, &loaded, context),
                DoctorNode::Validate => trial::run(state, &loaded, &self.services, context).await,
                DoctorNode::Deploy => deploy::run(state, &loaded, &self.services, context).await,
            }
        };
        noting_waits(context, work).await
    }

    fn on_step_failed(&self, _node: DoctorNode, state: &mut DoctorState, error: &StepError, _now: Timestamp) -> bool {
        state.end = Some(End::Broken(error.to_string()));
        true
    }

    fn cancel(&self, state: &mut DoctorState, _now: Timestamp) {
        state.end = Some(End::Cancelled);
    }

    fn is_stopped(&self, state: &DoctorState) -> bool {
        matches!(state.end, Some(End::Broken(_) | End::Cancelled))
    }

    fn ending(&self, state: &DoctorState, _now: Timestamp) -> Ending {
        let stop_reason = state.stop_reason();
        let results = json!({
            "source": state.source,
            "failure": state.failure,
            "diagnosis": state.context,
            "proposal": state.proposal,
            "validation": state.validation,
            "end": state.end,
            "breaker_reason": state.end.as_ref().and_then(End::breaker_reason),
        });
        Ending { outcome: stop_reason.outcome(0), stop_reason, results, report: state.report() }
    }
}
