//! An index that is wrong, missing, or too much; a part or an element in place of a whole.

use crate::search::change::Changes;
use crate::search::idioms::filled;
use crate::search::site::Site;
use crate::search::stock::is_short;
use crate::search::tree::{Node, Place, Shape};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match &node.shape {
            Shape::Index { object, index } => wrong(changes, site, node, *object, *index),
            // What a part has too much, or too little, is for its bounds to say.
            Shape::Call(call) if site.file.idioms.pieces.contains(&site.text(call.name)) => {}
            Shape::Name | Shape::Member { .. } | Shape::Call(_)
                if matches!(node.place, Place::Value | Place::Iterable | Place::Condition)
                    && !site.binds_as_object(node) =>
            {
                missing(changes, site, node);
            }
            _ => {}
        }
    }
}

fn wrong(changes: &mut Changes, site: &Site<'_>, node: &Node, object: Span, index: Span) {
    let (value, code) = (site.text(object), site.text(index));
    changes.replace(1.0, &node.span, value);
    // `grid[y][x]` for `grid[x][y]`.
    if let Some(Shape::Index { index: inner, .. }) = site.node_in(object).map(|inner| &inner.shape) {
        changes.swap(2.0, site.file.text, inner, &index);
    }
    let is_slice = site.node_in(index).is_some_and(|index| matches!(index.shape, Shape::Slice { .. }));
    if is_slice || !is_short(value) {
        return;
    }
    let written = |template: &str| template.replace("{value}", value).replace("{index}", code);
    for (other, weight) in site.file.idioms.indices {
        changes.replace(*weight, &index, written(other));
    }
    for (other, weight) in site.file.idioms.accesses.iter().filter(|_| node.place != Place::Target) {
        changes.replace(*weight, &node.span, written(other));
    }
}

fn missing(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let own = site.text(node.span);
    let likely = if site.file.uses(own).is_number() { site.file.idioms.indexed_number } else { 1.0 };
    let (parts, elements) = if node.place == Place::Iterable { (3.0 * likely, 0.2 * likely) } else { (likely, likely) };
    for (part, weight) in site.file.idioms.parts {
        changes.insert(parts * weight, node.span.end, *part);
    }
    for (element, weight) in site.file.idioms.elements {
        if is_short(own) || !element.contains("{}") {
            changes.insert(elements * weight, node.span.end, filled(element, own));
        }
    }
    for name in site.others_at(node) {
        let is_index = !site.file.uses(name.text).is_collection();
        let weight = elements * if is_index { 0.2 } else { 0.05 };
        changes.insert(weight * name.nearness, node.span.end, format!("[{}]", name.text));
    }
}
