//! The graph of a workflow whose work is one step.

use std::time::Duration;

use autoheal_engine::graph::{Graph, GraphBuilder, GraphError, Next, Node, Policy};

/// How patient to be with a step that asks for a page. What the site does is a result, not a failure of the step: only the store may be
/// away.
pub(crate) const PAGE_POLICY: Policy =
    Policy { timeout: Duration::from_mins(20), attempts: 3, backoff: Duration::from_secs(2) };

/// One node that asks a site for a page and leaves what it learned.
pub(crate) fn graph<N: Node, S>(node: N) -> Result<Graph<N, S>, GraphError> {
    GraphBuilder::new(node).policy(node, PAGE_POLICY).edge(node, Next::End).build()
}
