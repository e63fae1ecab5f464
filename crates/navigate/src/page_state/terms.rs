//! Terms that descriptions belong to.

use std::collections::HashMap;

use autoheal_page::{Document, NodeId};

/// The terms of all descriptions of a page.
pub(super) struct Terms(HashMap<NodeId, NodeId>);

impl Terms {
    /// Finds them, in one pass: a list of definitions may have tens of thousands.
    pub(super) fn of_page(page: &Document) -> Self {
        let mut terms = HashMap::new();
        for list in page.nodes().filter(|&node| page.tag(node) == "dl") {
            let mut term = None;
            for child in page.children(list) {
                match (page.tag(child), term) {
                    ("dt", _) => term = Some(child),
                    ("dd", Some(term)) => {
                        terms.insert(child, term);
                    }
                    _ => {}
                }
            }
        }
        Self(terms)
    }

    /// The term that a `dd` describes.
    pub(super) fn of(&self, description: NodeId) -> Option<NodeId> {
        self.0.get(&description).copied()
    }
}
