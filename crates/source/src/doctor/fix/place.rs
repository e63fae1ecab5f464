//! New location of a field on a page.

use autoheal_page::recipe::{NodeTake, Source};
use autoheal_page::{Document, NodeId, Selector};

use crate::scout::is_by_position;

/// Longer lists are not taken apart.
const MOST_ITEMS: usize = 500;

/// New location of a field.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) source: Source,
    /// Values at this location.
    pub(super) values: Vec<String>,
    /// Evidence for the location.
    pub(super) why: String,
}

impl Place {
    pub(super) const fn new(source: Source, values: Vec<String>, why: String) -> Self {
        Self { source, values, why }
    }

    /// The selector, if it reads elements.
    pub(super) const fn select(&self) -> Option<&Selector> {
        match &self.source {
            Source::Nodes { select, .. } => Some(select),
            Source::Structured(_) => None,
        }
    }

    /// Returns whether nothing but tags and positions select it.
    pub(super) fn is_by_position(&self) -> bool {
        self.select().is_some_and(|select| is_by_position(select.source()))
    }

    /// The same location by another selector.
    pub(super) fn by(&self, select: Selector) -> Self {
        let take = match &self.source {
            Source::Nodes { take, .. } => take.clone(),
            Source::Structured(_) => NodeTake::Text,
        };
        Self { source: Source::Nodes { select, take }, values: self.values.clone(), why: self.why.clone() }
    }
}

/// The items of a list around an element of each: as far up as it contains no element of another item.
pub(super) fn items_around(page: &Document, nodes: &[NodeId]) -> Option<Vec<NodeId>> {
    if !(2..=MOST_ITEMS).contains(&nodes.len()) {
        return None;
    }
    let holds_another = |item: NodeId, own: NodeId| nodes.iter().any(|node| *node != own && page.contains(item, *node));
    let item_of = |node: NodeId| page.ancestors(node).take_while(|above| !holds_another(*above, node)).last();
    Some(nodes.iter().map(|node| item_of(*node).unwrap_or(*node)).collect())
}
