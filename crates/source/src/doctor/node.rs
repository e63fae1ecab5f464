//! The nodes of the Doctor and where each leads.

use std::time::Duration;

use autoheal_engine::graph::{Graph, GraphBuilder, GraphError, Next, Node, Policy};

use super::state::DoctorState;

/// Steps of the Doctor, the nodes of its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DoctorNode {
    /// May an attempt be made?
    CheckBreaker,
    /// Looks at the page, compares it with what it was, and says what kind of failure it is.
    CollectContext,
    /// Proposes a change to the recipe or the definition.
    Fix,
    /// Puts the proposal into staging.
    Stage,
    /// Tries it on every stored page of the new layout and on the live one.
    Validate,
    /// Activates the fix, or counts a strike.
    Deploy,
}

impl Node for DoctorNode {
    const ALL: &'static [Self] =
        &[Self::CheckBreaker, Self::CollectContext, Self::Fix, Self::Stage, Self::Validate, Self::Deploy];

    fn name(self) -> &'static str {
        match self {
            Self::CheckBreaker => "check_breaker",
            Self::CollectContext => "collect_context",
            Self::Fix => "fix",
            Self::Stage => "stage",
            Self::Validate => "validate",
            Self::Deploy => "deploy",
        }
    }
}

/// The graph of a source's healing.
///
/// # Errors
///
/// Never, as a test shows: the graph is a constant.
pub fn graph() -> Result<Graph<DoctorNode, DoctorState>, GraphError> {
    let network = Policy { timeout: Duration::from_mins(30), attempts: 3, backoff: Duration::from_secs(2) };
    let quick = Policy { timeout: Duration::from_mins(5), ..network };
    GraphBuilder::new(DoctorNode::CheckBreaker)
        .policy(DoctorNode::CheckBreaker, quick)
        .policy(DoctorNode::CollectContext, network)
        .policy(DoctorNode::Fix, network)
        .policy(DoctorNode::Stage, quick)
        .policy(DoctorNode::Validate, network)
        .policy(DoctorNode::Deploy, quick)
        .choice(
            DoctorNode::CheckBreaker,
            &[("may attempt", Next::To(DoctorNode::CollectContext)), ("quarantined or dead", Next::End)],
            |state: &DoctorState| if state.end.is_some() { Next::End } else { Next::To(DoctorNode::CollectContext) },
        )
        .choice(
            DoctorNode::CollectContext,
            &[("something is wrong", Next::To(DoctorNode::Fix)), ("well already", Next::End)],
            |state: &DoctorState| if state.end.is_some() { Next::End } else { Next::To(DoctorNode::Fix) },
        )
        .choice(
            DoctorNode::Fix,
            &[("a proposal", Next::To(DoctorNode::Stage)), ("none", Next::To(DoctorNode::Deploy))],
            |state: &DoctorState| {
                if state.proposal.is_some() { Next::To(DoctorNode::Stage) } else { Next::To(DoctorNode::Deploy) }
            },
        )
        .edge(DoctorNode::Stage, Next::To(DoctorNode::Validate))
        .edge(DoctorNode::Validate, Next::To(DoctorNode::Deploy))
        .edge(DoctorNode::Deploy, Next::End)
        .build()
}
