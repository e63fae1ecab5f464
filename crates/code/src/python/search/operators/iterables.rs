//! A lost call that gives indices or pairs of what is gone through.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Kind, Place, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.place == Place::Iterable) {
        let weight = match &node.shape {
            Shape::Name | Shape::Index { .. } => 1.0,
            Shape::Member { .. } => 0.85,
            Shape::Call(_) | Shape::Binary { .. } | Shape::Comprehension(_) => 0.4,
            _ => continue,
        };
        changes.wrap(weight * 2.0, &node.span, "range(len(", "))");
        changes.wrap(weight, &node.span, "zip(*", ")");
        // Pairs are what is unpacked.
        let Kind::ForEach { target, .. } = site.statement.kind else { continue };
        if site.node_in(target).is_some_and(|target| matches!(target.shape, Shape::Tuple(_))) {
            changes.insert(weight * 8.0, node.span.end, ".items()");
            changes.wrap(weight * 6.0, &node.span, "enumerate(", ")");
        }
    }
}
