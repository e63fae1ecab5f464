//! A value that lacks something in scope: another operand, a bound of what is gone through, the better of two.

use crate::search::change::Changes;
use crate::search::idioms::filled;
use crate::search::site::Site;
use crate::search::stock::is_short;
use crate::search::tree::{Kind, Node, Place, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.shape == Shape::Name) {
        operand(changes, site, node);
        if node.place == Place::Iterable && !site.file.uses(site.text(node.span)).is_number() {
            part(changes, site, node);
        }
    }
    if site.statement.is_in_loop && matches!(site.statement.kind, Kind::Expression(_) | Kind::Assign { .. }) {
        better(changes, site);
    }
}

/// `x - y` for `x`, and `x ** 2`: where a variable is an argument, an element or an operand.
fn operand(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let is_operand = matches!(node.place, Place::Value | Place::Index | Place::Bound);
    let uses = site.file.uses(site.text(node.span));
    if !is_operand || node.parent.is_none() || uses.is_called() {
        return;
    }
    let is_in_sum = matches!(site.outer(node), Some(Shape::Binary { .. }));
    let binds_tightly = site.binds_tightly(node);
    if let Some(squared) = site.file.idioms.squared.filter(|_| is_in_sum || !binds_tightly) {
        changes.insert(if is_in_sum { 0.7 } else { 0.2 }, node.span.end, squared);
    }
    if binds_tightly {
        return;
    }
    let is_compared = matches!(site.outer(node), Some(Shape::Comparison { .. }));
    let share = if is_compared { site.file.idioms.compared } else { 1.0 };
    for other in site.others_at(node) {
        let known = site.file.uses(other.text);
        let fit = share * other.nearness * uses.fit(known) * if known.is_collection() { 0.3 } else { 1.0 };
        let name = other.text;
        changes.insert(0.5 * fit, node.span.start, format!("{name} + "));
        changes.insert(0.3 * fit, node.span.end, format!(" + {name}"));
        changes.insert(0.5 * fit, node.span.end, format!(" - {name}"));
        changes.insert(0.2 * fit, node.span.end, format!(" * {name}"));
    }
}

/// Proposes a part of a collection: `items[k:]` for `items`.
fn part(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    for other in site.others_at(node).into_iter().filter(|other| !site.file.uses(other.text).is_collection()) {
        for (part, weight) in site.file.idioms.bounded {
            changes.insert(weight * other.nearness, node.span.end, filled(part, other.text));
        }
    }
}

/// `best = max(best, value)` for `best = value`.
fn better(changes: &mut Changes, site: &Site<'_>) {
    for assignment in site.assignments().filter(|assignment| assignment.operator.is_empty()) {
        let (target, value) = (site.text(assignment.target), site.text(assignment.value));
        let is_list = site.node_in(assignment.target).is_some_and(|target| matches!(target.shape, Shape::Tuple(_)));
        if !is_list && is_short(value) && !site.file.uses(target).is_no_number() && !site.is_only_binding(target) {
            for (best, weight) in site.file.idioms.better {
                changes.wrap(*weight, &assignment.value, &format!("{best}({target}, "), ")");
            }
        }
    }
}
