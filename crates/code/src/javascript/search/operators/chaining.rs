//! A value that may be missing, and is read as if it were there, or the other way around.

use crate::edit::Edit;
use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Node, Place, Shape};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.place != Place::Target) {
        let is_operand = matches!(site.parent(node).map(|parent| &parent.shape), Some(Shape::Logical { .. }));
        if node.place == Place::Value && !is_operand && !site.binds_tightly(node) {
            let before = changes.count();
            fall_back(changes, site, node);
            changes.limit(before, 1.0);
        }
        let Shape::Member { object, name, is_optional } = &node.shape else { continue };
        let between = site.file.text.get(object.end..name.start).unwrap_or_default();
        if *is_optional {
            if let Some(at) = between.find("?.") {
                changes.add(1.0, vec![Edit::delete(object.end + at..object.end + at + 1)]);
            }
        } else if site.text(*object) != "this"
            && let Some(at) = between.rfind('.')
        {
            changes.insert(1.0, object.end + at, "?");
        }
    }
}

/// Fallback values for a missing value, with their weights.
const FALLBACKS: [(&str, f64); 7] =
    [("{}", 1.0), ("[]", 1.0), ("''", 1.0), ("null", 0.7), ("0", 0.7), ("false", 0.5), ("undefined", 0.3)];

/// `value || {}` for `value`, and `value && value.name`.
fn fall_back(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let is_plain = matches!(node.shape, Shape::Name | Shape::Member { .. } | Shape::Index { .. } | Shape::Call { .. });
    if !is_plain || site.file.uses(site.text(node.span)).is_called() {
        return;
    }
    for (other, weight) in FALLBACKS {
        let known = site.file.fallbacks.get(other).copied().unwrap_or_default();
        changes.insert(weight * f64::from(known.min(3) + 1), node.span.end, format!(" || {other}"));
    }
    let own = site.file.fallbacks.iter().filter(|(other, _)| FALLBACKS.iter().all(|(usual, _)| usual != *other));
    for (other, count) in own.take(MOST_FALLBACKS) {
        changes.insert(0.7 * f64::from((*count).min(4)), node.span.end, format!(" || {other}"));
    }
    let own = site.text(node.span);
    for name in site.names().iter().filter(|name| name.text != own) {
        changes.insert(0.3 * name.nearness, node.span.end, format!(" || {}", name.text));
    }
    if let Shape::Member { object, .. } | Shape::Index { object, .. } = &node.shape
        && site.text(*object) != "this"
    {
        changes.insert(1.0, node.span.start, format!("{} && ", site.text(*object)));
    }
}

/// Maximum number of the file's own fallback values that are tried.
const MOST_FALLBACKS: usize = 20;
