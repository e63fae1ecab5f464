//! The nodes of the workflow and where each leads (design section 4).

use std::time::Duration;

use autoheal_engine::graph::{Graph, GraphBuilder, GraphError, Next, Node, Policy};

use crate::request::CommandLimits;
use crate::state::{HealState, PatchVerdict};

/// The spec's seven agents, and the planner of `diagnostics-log.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HealNode {
    /// Clones the repository and learns what it is.
    Analyze,
    /// Finds the test files.
    Discover,
    /// Runs the checks and reads what they say.
    Diagnose,
    /// Picks what to fix next, or ends.
    Plan,
    /// Proposes candidates for each target.
    Fix,
    /// Tries the candidates and keeps what meets the acceptance rule.
    Patch,
    /// Commits and pushes what was kept.
    Commit,
    /// Verifies the branch where it was pushed.
    Monitor,
}

impl Node for HealNode {
    const ALL: &'static [Self] = &[
        Self::Analyze,
        Self::Discover,
        Self::Diagnose,
        Self::Plan,
        Self::Fix,
        Self::Patch,
        Self::Commit,
        Self::Monitor,
    ];

    fn name(self) -> &'static str {
        match self {
            Self::Analyze => "analyze_repo",
            Self::Discover => "discover_tests",
            Self::Diagnose => "diagnose_failures",
            Self::Plan => "plan",
            Self::Fix => "generate_fixes",
            Self::Patch => "patch_code",
            Self::Commit => "commit_push",
            Self::Monitor => "monitor_ci",
        }
    }
}

impl HealNode {
    /// The longest that one try may take, of what the graph allows: looking for fixes ends with the run's own time.
    #[must_use]
    pub fn limit(self, allowed: Duration, limits: &CommandLimits) -> Duration {
        match self {
            Self::Plan | Self::Fix | Self::Patch => allowed.min(limits.longest_step()),
            Self::Analyze | Self::Discover | Self::Diagnose | Self::Commit | Self::Monitor => allowed,
        }
    }
}

/// The graph of a repository's healing.
///
/// # Errors
///
/// Never, as a test shows: the graph is a constant.
pub fn graph() -> Result<Graph<HealNode, HealState>, GraphError> {
    let network = Policy { timeout: Duration::from_mins(30), attempts: 3, backoff: Duration::from_secs(2) };
    let checks = Policy::once(Duration::from_hours(2));
    let quick = Policy::once(Duration::from_mins(10));
    // Models are slow, and asked again when they fail.
    let models = Policy::once(Duration::from_hours(2));
    GraphBuilder::new(HealNode::Analyze)
        .policy(HealNode::Analyze, network)
        .policy(HealNode::Discover, quick)
        .policy(HealNode::Diagnose, checks)
        .policy(HealNode::Plan, models)
        .policy(HealNode::Fix, models)
        .policy(HealNode::Patch, Policy::once(Duration::from_hours(6)))
        .policy(HealNode::Commit, network)
        // The checks again, and then as long as CI may take.
        .policy(HealNode::Monitor, Policy::once(Duration::from_hours(6)))
        .edge(HealNode::Analyze, Next::To(HealNode::Discover))
        .edge(HealNode::Discover, Next::To(HealNode::Diagnose))
        .edge(HealNode::Diagnose, Next::To(HealNode::Plan))
        .choice(HealNode::Plan, &[("work to do", Next::To(HealNode::Fix)), ("over", Next::End)], after_plan)
        .edge(HealNode::Fix, Next::To(HealNode::Patch))
        .choice(
            HealNode::Patch,
            &[("accepted", Next::To(HealNode::Commit)), ("nothing accepted", Next::To(HealNode::Plan))],
            after_patch,
        )
        .edge(HealNode::Commit, Next::To(HealNode::Monitor))
        .choice(HealNode::Monitor, &[("red", Next::To(HealNode::Analyze)), ("over", Next::End)], after_monitor)
        .build()
}

fn after_plan(state: &HealState) -> Next<HealNode> {
    if state.stop.is_some() { Next::End } else { Next::To(HealNode::Fix) }
}

fn after_patch(state: &HealState) -> Next<HealNode> {
    match state.plan.patch_verdict {
        PatchVerdict::Accepted => Next::To(HealNode::Commit),
        PatchVerdict::NothingAccepted => Next::To(HealNode::Plan),
    }
}

/// Every round walks all agents in the spec's order (Property 23); analyze and discover find their work done.
fn after_monitor(state: &HealState) -> Next<HealNode> {
    if state.stop.is_some() { Next::End } else { Next::To(HealNode::Analyze) }
}
