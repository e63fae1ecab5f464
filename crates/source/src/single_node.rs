//! The graph of a workflow whose work is one step.

use std::time::Duration;

use autoheal_engine::graph::{Graph, GraphBuilder, GraphError, Next, Node, Policy};

/// One node that asks a site for a page and leaves what it learned.
pub(crate) fn graph<N: Node, S>(node: N) -> Result<Graph<N, S>, GraphError> {
    // What the site does is a result, not a failure of the step: only the store may be away.
    let policy = Policy { timeout: Duration::from_mins(20), attempts: 3, backoff: Duration::from_secs(2) };
    GraphBuilder::new(node).policy(node, policy).edge(node, Next::End).build()
}
