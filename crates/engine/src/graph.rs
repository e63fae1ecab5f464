//! A workflow as data: its nodes, the routes of each, and its timeouts and retries.
//!
//! Routes are data so that the whole graph can be drawn ([`Graph::mermaid`]) and checked when it is built. A conditional
//! route is a pure function of the state that lists all its targets; counters are changed by the agent that owns them,
//! never while routing. Running a graph is the orchestrator's job; this module knows single steps only.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::time::Duration;

/// The closed set of nodes of one workflow: an enum without fields.
pub trait Node: Copy + Ord + Send + Sync + 'static {
    /// All nodes of the workflow.
    const ALL: &'static [Self];

    /// The name used in checkpoints, events, diagrams and the API's `currentStep`.
    fn name(self) -> &'static str;

    /// The node of that name.
    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|node| node.name() == name)
    }
}

/// Target of a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Next<N> {
    /// Continue at this node.
    To(N),
    /// The run is over.
    End,
}

/// Timeout and retries of one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Policy {
    /// Time after which the step is cancelled and counts as failed.
    pub timeout: Duration,
    /// Maximum number of attempts at a step that fails for a transient reason, the first included; at least 1.
    pub attempts: u32,
    /// The wait before the second try; doubled before each further one.
    pub backoff: Duration,
}

impl Policy {
    /// One try within `timeout`.
    pub const fn once(timeout: Duration) -> Self {
        Self { timeout, attempts: 1, backoff: Duration::ZERO }
    }

    /// The wait before try number `attempt` (the first is 1 and waits nothing).
    pub fn wait_before(&self, attempt: u32) -> Duration {
        match attempt.checked_sub(2) {
            None => Duration::ZERO,
            Some(doublings) => self.backoff.saturating_mul(1_u32.checked_shl(doublings).unwrap_or(u32::MAX)),
        }
    }
}

struct Choice<N, S> {
    targets: Vec<(&'static str, Next<N>)>,
    choose: fn(&S) -> Next<N>,
}

enum Route<N, S> {
    Always(Next<N>),
    Choice(Choice<N, S>),
}

/// A checked graph of nodes `N` over a state `S`.
pub struct Graph<N, S> {
    entry: N,
    policies: BTreeMap<N, Policy>,
    routes: BTreeMap<N, Route<N, S>>,
}

/// Reason a graph cannot be built, or a step cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// A node has no way out.
    #[error("node {0} has no route")]
    NoRoute(&'static str),
    /// No route leads to a node.
    #[error("node {0} cannot be reached from the entry")]
    Unreachable(&'static str),
    /// No path leads from this node to the end.
    #[error("no path leads from node {0} to the end")]
    Endless(&'static str),
    /// A node was given two routes.
    #[error("node {0} has two routes")]
    TwoRoutes(&'static str),
    /// A node was given no policy.
    #[error("node {0} has no policy")]
    NoPolicy(&'static str),
    /// A conditional route chose something that is not among its listed targets.
    #[error("the route of node {0} chose a target that it does not list")]
    UnlistedTarget(&'static str),
}

/// Collects nodes and routes, then checks them.
pub struct GraphBuilder<N, S> {
    graph: Graph<N, S>,
    errors: Vec<GraphError>,
}

impl<N: Node, S> GraphBuilder<N, S> {
    /// A graph that starts at `entry`.
    pub fn new(entry: N) -> Self {
        Self { graph: Graph { entry, policies: BTreeMap::new(), routes: BTreeMap::new() }, errors: Vec::new() }
    }

    /// Sets the timeout and retries of `node`.
    #[must_use]
    pub fn policy(mut self, node: N, policy: Policy) -> Self {
        self.graph.policies.insert(node, policy);
        self
    }

    /// Adds an unconditional route: `to` always follows `from`.
    #[must_use]
    pub fn edge(self, from: N, to: Next<N>) -> Self {
        self.route(from, Route::Always(to))
    }

    /// Adds a conditional route: `choose` selects the target that follows `from`; `targets` lists every possible one with a
    /// label for the diagram.
    #[must_use]
    pub fn choice(self, from: N, targets: &[(&'static str, Next<N>)], choose: fn(&S) -> Next<N>) -> Self {
        self.route(from, Route::Choice(Choice { targets: targets.to_vec(), choose }))
    }

    fn route(mut self, from: N, route: Route<N, S>) -> Self {
        if self.graph.routes.insert(from, route).is_some() {
            self.errors.push(GraphError::TwoRoutes(from.name()));
        }
        self
    }

    /// The graph, if every node has one route and a policy, can be reached, and can reach the end.
    ///
    /// # Errors
    ///
    /// The first fault found, in the order of [`Node::ALL`].
    pub fn build(self) -> Result<Graph<N, S>, GraphError> {
        if let Some(error) = self.errors.into_iter().next() {
            return Err(error);
        }
        let graph = self.graph;
        for &node in N::ALL {
            if !graph.routes.contains_key(&node) {
                return Err(GraphError::NoRoute(node.name()));
            }
            if !graph.policies.contains_key(&node) {
                return Err(GraphError::NoPolicy(node.name()));
            }
        }
        let reachable = graph.reachable_from(graph.entry);
        for &node in N::ALL {
            if !reachable.contains(&Next::To(node)) {
                return Err(GraphError::Unreachable(node.name()));
            }
            if !graph.reachable_from(node).contains(&Next::End) {
                return Err(GraphError::Endless(node.name()));
            }
        }
        Ok(graph)
    }
}

impl<N: Node, S> Graph<N, S> {
    /// Returns the node at which a run starts.
    pub fn entry(&self) -> N {
        self.entry
    }

    /// Returns the timeout and retries of `node`.
    pub fn policy(&self, node: N) -> Policy {
        // `build` refuses a graph with a node without a policy.
        self.policies.get(&node).copied().unwrap_or(Policy::once(Duration::MAX))
    }

    /// Every node that can follow `node`, with the label of the way there (empty for the only way).
    pub fn targets(&self, node: N) -> Vec<(&'static str, Next<N>)> {
        match self.routes.get(&node) {
            None => Vec::new(),
            Some(Route::Always(next)) => vec![("", *next)],
            Some(Route::Choice(choice)) => choice.targets.clone(),
        }
    }

    /// Returns the target that follows `node` in this state.
    ///
    /// # Errors
    ///
    /// [`GraphError::UnlistedTarget`] when a conditional route chose a target that it does not list.
    pub fn next(&self, node: N, state: &S) -> Result<Next<N>, GraphError> {
        match self.routes.get(&node) {
            None => Err(GraphError::NoRoute(node.name())),
            Some(Route::Always(next)) => Ok(*next),
            Some(Route::Choice(choice)) => {
                let chosen = (choice.choose)(state);
                let listed = choice.targets.iter().any(|(_, target)| *target == chosen);
                if listed { Ok(chosen) } else { Err(GraphError::UnlistedTarget(node.name())) }
            }
        }
    }

    /// The graph as a Mermaid flowchart.
    pub fn mermaid(&self) -> String {
        let name = |next: Next<N>| match next {
            Next::To(node) => node.name(),
            Next::End => "END",
        };
        let mut text = format!("flowchart TD\n    START([start]) --> {}\n", self.entry.name());
        for &node in N::ALL {
            for (label, target) in self.targets(node) {
                let arrow = if label.is_empty() { "-->".to_owned() } else { format!("-- {label} -->") };
                let _ = writeln!(text, "    {} {arrow} {}", node.name(), name(target));
            }
        }
        text.push_str("    END([end])\n");
        text
    }

    fn reachable_from(&self, start: N) -> BTreeSet<Next<N>> {
        let mut seen = BTreeSet::from([Next::To(start)]);
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for (_, target) in self.targets(node) {
                if seen.insert(target)
                    && let Next::To(next) = target
                {
                    open.push(next);
                }
            }
        }
        seen
    }
}
