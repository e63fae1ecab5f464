//! Workflows by the kind of task that they serve.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use autoheal_engine::graph::Node as _;
use autoheal_engine::task::{Task, TaskKind};
use autoheal_engine::workflow::Workflow;

use crate::walk::{Session, WalkEnd, WalkError, walk};

/// The workflows of one worker. It claims tasks of their kinds only.
#[derive(Clone, Default)]
pub struct Registry {
    walkers: BTreeMap<TaskKind, Arc<dyn Walker>>,
}

impl Registry {
    /// A registry that serves nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The registry that also serves the workflow's kind; a later workflow for the same kind takes the place of an earlier one.
    #[must_use]
    pub fn with<W: Workflow>(mut self, workflow: W) -> Self {
        self.walkers.insert(workflow.kind(), Arc::new(workflow));
        self
    }

    /// The kinds that are served.
    pub fn kinds(&self) -> Vec<TaskKind> {
        self.walkers.keys().copied().collect()
    }

    pub(crate) fn walker(&self, kind: TaskKind) -> Option<Arc<dyn Walker>> {
        self.walkers.get(&kind).cloned()
    }
}

/// A workflow whose node and state types are forgotten.
pub(crate) trait Walker: Send + Sync {
    /// The time that one try of a node of this task may take; `None` for an unknown node.
    fn limit(&self, node: &str, task: &Task) -> Option<Duration>;

    fn walk<'call>(
        &'call self,
        session: &'call Session,
    ) -> Pin<Box<dyn Future<Output = Result<WalkEnd, WalkError>> + Send + 'call>>;
}

impl<W: Workflow> Walker for W {
    fn limit(&self, node: &str, task: &Task) -> Option<Duration> {
        W::Node::from_name(node).map(|node| Workflow::limit(self, node, task))
    }

    fn walk<'call>(
        &'call self,
        session: &'call Session,
    ) -> Pin<Box<dyn Future<Output = Result<WalkEnd, WalkError>> + Send + 'call>> {
        Box::pin(walk(self, session))
    }
}
