//! The parts of a page that recipes use, of documents and of flat pages.

use crate::document::{Document, NodeId};
use crate::recipe::NodeTake;
use crate::select::{Selector, TooMuchWork};

/// The parts of a page that recipes use.
pub(super) trait View {
    /// The number of elements.
    fn len(&self) -> usize;
    fn select(&self, selector: &Selector) -> Result<Vec<NodeId>, TooMuchWork>;
    fn tag(&self, node: NodeId) -> &str;
    /// Returns whether `inner` is `outer` itself or one of its descendants.
    fn contains(&self, outer: NodeId, inner: NodeId) -> bool;
    /// Returns the requested part of a node, or `None` if the node does not have it.
    fn take(&self, node: NodeId, take: &NodeTake) -> Option<String>;
}

impl View for Document {
    fn len(&self) -> usize {
        self.len()
    }

    fn select(&self, selector: &Selector) -> Result<Vec<NodeId>, TooMuchWork> {
        self.try_select(selector)
    }

    fn tag(&self, node: NodeId) -> &str {
        self.tag(node)
    }

    fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        self.contains(outer, inner)
    }

    fn take(&self, node: NodeId, take: &NodeTake) -> Option<String> {
        taken(self, node, take)
    }
}

/// Returns the requested part of a node, or `None` if the node does not have it.
pub(crate) fn taken(page: &Document, node: NodeId, take: &NodeTake) -> Option<String> {
    match take {
        NodeTake::Text => Some(page.text(node).into_owned()),
        NodeTake::OwnText => Some(page.own_text(node)),
        NodeTake::Html => Some(page.html(node)),
        NodeTake::Attribute(name) => page.attribute(node, name).map(str::to_owned),
    }
}
