//! A value that may be missing, and is read as if it were there.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Node, Place, Shape};

/// Maximum number of the file's own fallback values that are tried.
const MOST_FALLBACKS: usize = 20;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.place == Place::Value) {
        let is_inside = site.is_operand(node) || matches!(site.outer(node), Some(Shape::Comparison { .. }));
        if !is_inside && !site.binds_tightly(node) {
            let before = changes.count();
            fall_back(changes, site, node);
            changes.limit(before, 1.0);
        }
    }
}

/// `value or []` for `value`, and `value and value.name`.
fn fall_back(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let (file, idioms) = (site.file, site.file.idioms);
    let own = site.text(node.span);
    let is_plain = matches!(node.shape, Shape::Name | Shape::Member { .. } | Shape::Index { .. } | Shape::Call(_));
    if !is_plain || file.uses(own).is_called() {
        return;
    }
    let (or, at) = (idioms.or, node.span.end);
    for (other, weight) in idioms.fallbacks {
        let known = file.fallbacks.get(other).copied().unwrap_or_default();
        changes.insert(weight * f64::from(known.min(3) + 1), at, format!(" {or} {other}"));
    }
    let others = file.fallbacks.iter().filter(|(other, _)| idioms.fallbacks.iter().all(|(usual, _)| usual != *other));
    for (other, count) in others.take(MOST_FALLBACKS) {
        changes.insert(0.7 * f64::from((*count).min(4)), at, format!(" {or} {other}"));
    }
    for name in site.names().iter().filter(|name| name.text != own) {
        changes.insert(0.25 * name.nearness, at, format!(" {or} {}", name.text));
    }
    if let Shape::Member { object, .. } | Shape::Index { object, .. } = &node.shape
        && site.text(*object) != idioms.owner
    {
        changes.insert(1.0, node.span.start, format!("{} {} ", site.text(*object), idioms.and));
    }
}
