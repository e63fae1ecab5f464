//! The graph of a workflow whose work is one step.

use std::time::Duration;

use autoheal_engine::graph::{Graph, GraphBuilder, GraphError, Next, Node, Policy};

/// Policy for a step that requests a page. A failure of the site is a result, not a failure of the step: retries are only for
/// a store that is temporarily unavailable.
pub(crate) const PAGE_POLICY: Policy =
    Policy { timeout: Duration::from_mins(20), attempts: 3, backoff: Duration::from_secs(2) };

/// One node that asks a site for a page and leaves what it learned.
pub(crate) fn graph<N: Node, S>(node: N) -> Result<Graph<N, S>, GraphError> {
    GraphBuilder::new(node).policy(node, PAGE_POLICY).edge(node, Next::End).build()
}
