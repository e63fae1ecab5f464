//! Candidates tried on pages, without a selector engine: a part's nodes are a sorted list, "inside" is a range.

use std::collections::HashMap;

use super::part::{Part, parts_of};
use crate::document::{Document, NodeId};

/// A page, the nodes that are wanted of it, and where each part of interest occurs.
pub(super) struct Place<'a> {
    pub(super) page: &'a Document,
    pub(super) wanted: &'a [NodeId],
    occurrences: Vec<Vec<NodeId>>,
}

impl<'a> Place<'a> {
    /// Looks up where `parts` occur; a part is then known by its place among them.
    pub(super) fn new(page: &'a Document, wanted: &'a [NodeId], parts: &[Part<'_>]) -> Self {
        let numbers: HashMap<Part<'_>, usize> =
            parts.iter().enumerate().map(|(number, part)| (*part, number)).collect();
        let mut occurrences = vec![Vec::new(); parts.len()];
        for node in page.nodes() {
            for part in parts_of(page, node) {
                if let Some(nodes) = numbers.get(&part).and_then(|number| occurrences.get_mut(*number)) {
                    nodes.push(node);
                }
            }
        }
        Self { page, wanted, occurrences }
    }

    /// Returns the number of nodes that have a part.
    pub(super) fn count(&self, part: usize) -> usize {
        self.occurrences.get(part).map_or(0, Vec::len)
    }

    /// The nodes that have all of some parts.
    pub(super) fn with_all(&self, parts: &[usize]) -> Vec<NodeId> {
        let mut lists: Vec<&[NodeId]> =
            parts.iter().filter_map(|part| self.occurrences.get(*part)).map(Vec::as_slice).collect();
        lists.sort_by_key(|list| list.len());
        let Some((shortest, others)) = lists.split_first() else {
            return Vec::new();
        };
        shortest.iter().copied().filter(|node| others.iter().all(|list| list.binary_search(node).is_ok())).collect()
    }

    /// Those of `nodes` that are somewhere below one of `outer`. Both are in document order.
    pub(super) fn below(&self, outer: &[NodeId], nodes: &[NodeId]) -> Vec<NodeId> {
        let mut upcoming = outer.iter().copied().peekable();
        let mut reach = 0;
        let is_below = |node: &NodeId| {
            while let Some(outer) = upcoming.next_if(|outer| outer < node) {
                reach = reach.max(self.page.close(outer));
            }
            node.index() < reach
        };
        nodes.iter().copied().filter(is_below).collect()
    }

    /// Those of `nodes` that are directly below one of `outer`.
    pub(super) fn directly_below(&self, outer: &[NodeId], nodes: &[NodeId]) -> Vec<NodeId> {
        let is_below =
            |node: &NodeId| self.page.parent(*node).is_some_and(|parent| outer.binary_search(&parent).is_ok());
        nodes.iter().copied().filter(is_below).collect()
    }
}
