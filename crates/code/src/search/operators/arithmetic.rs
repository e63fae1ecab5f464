//! A wrong arithmetic operator, operands in the wrong order, a lost or wrong pair of brackets, a wrong sign.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::idioms::alternatives;
use crate::search::site::Site;
use crate::search::tree::{Node, Place, Shape};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let text = site.file.text;
    for node in site.nodes() {
        match &node.shape {
            Shape::Binary { left, right, operator } => {
                let joins = has_order(site, *left) || has_order(site, *right);
                if let Some(place) = site.operator_place(*left, *right, operator) {
                    for (other, weight) in alternatives(site.file.idioms.arithmetic, operator) {
                        let weight = if joins { weight * 0.2 } else { *weight };
                        changes.add(weight, vec![Edit::replace(place.range(), *other)]);
                    }
                }
                match *operator {
                    "*" | "&" | "|" | "^" => {}
                    "+" if joins => changes.swap(3.0, text, left, right),
                    "+" => changes.swap(0.4, text, left, right),
                    _ => changes.swap(0.7, text, left, right),
                }
                regroup(changes, site, *left, *right);
                // One of the operands is too much.
                changes.replace(0.35, &node.span, left.text(text));
                changes.replace(0.25, &node.span, right.text(text));
            }
            Shape::Unary { operator: "-" | "+" | "~", operand } => {
                changes.replace(2.0, &node.span, operand.text(text));
            }
            Shape::Name | Shape::Call(_) | Shape::Member { .. } | Shape::Index { .. } | Shape::Number(_)
                if matches!(node.place, Place::Value | Place::Index | Place::Bound) && !site.binds_tightly(node) =>
            {
                let is_number =
                    matches!(node.shape, Shape::Number(_)) || site.file.uses(site.text(node.span)).is_number();
                changes.insert(if is_number { 0.4 } else { 0.1 }, node.span.start, "-");
                if node.shape != Shape::Name || node.parent.is_none() {
                    let before = changes.count();
                    let is_compared = matches!(site.outer(node), Some(Shape::Comparison { .. }));
                    lost_operand(changes, site, node, if is_compared { site.file.idioms.compared } else { 1.0 });
                    changes.limit(before, 0.7);
                }
            }
            _ => {}
        }
    }
}

/// Maximum number of operands of a sum that are looked at.
const MOST_OPERANDS: usize = 8;

/// Returns whether the operand, or one of those of a sum, is known to be a text or a list, whose sums depend on the order.
fn has_order(site: &Site<'_>, operand: Span) -> bool {
    let mut next = Some(operand);
    for _ in 0..MOST_OPERANDS {
        let Some(node) = next.and_then(|place| site.node_in(place)) else { return false };
        let Shape::Binary { left, right, .. } = &node.shape else { return is_ordered(site, node) };
        if site.node_in(*right).is_some_and(|right| is_ordered(site, right)) {
            return true;
        }
        next = Some(*left);
    }
    false
}

fn is_ordered(site: &Site<'_>, node: &Node) -> bool {
    match &node.shape {
        Shape::Text | Shape::Template(_) | Shape::List(_) | Shape::Comprehension(_) => true,
        Shape::Name => site.file.uses(site.text(node.span)).is_collection(),
        Shape::Call(call) => site.file.idioms.give_order.contains(&site.text(call.name)),
        Shape::Index { index, .. } => {
            site.node_in(*index).is_some_and(|index| matches!(index.shape, Shape::Slice { .. }))
        }
        _ => false,
    }
}

/// `a + b` for `b`.
fn lost_operand(changes: &mut Changes, site: &Site<'_>, operand: &Node, share: f64) {
    let Span { start, end } = operand.span;
    for name in site.others_at(operand) {
        let fit = share * name.nearness * if site.file.uses(name.text).is_number() { 1.0 } else { 0.3 };
        let name = name.text;
        changes.insert(0.2 * fit, start, format!("{name} + "));
        for (operator, weight) in [("+", 0.2), ("-", 0.2), ("*", 0.1), ("%", 0.1)] {
            changes.insert(weight * fit, end, format!(" {operator} {name}"));
        }
    }
}

/// `(a + b) * c` for `a + b * c` and the other way around; brackets are put in or taken out.
fn regroup(changes: &mut Changes, site: &Site<'_>, left: Span, right: Span) {
    let between = |from: usize, to: usize| site.file.text.get(from..to).unwrap_or_default();
    let inner = |operand: Span| match site.node_in(operand) {
        Some(Node { span, shape: Shape::Binary { left, right, .. }, .. }) => Some((*span, *left, *right)),
        _ => None,
    };
    if let Some((span, inner_left, _)) = inner(right)
        && !between(left.end, span.start).contains('(')
    {
        changes.add(1.5, vec![Edit::insert(left.start, "("), Edit::insert(inner_left.end, ")")]);
    }
    if let Some((span, _, inner_right)) = inner(left)
        && !between(span.end, right.start).contains(')')
    {
        changes.add(1.5, vec![Edit::insert(inner_right.start, "("), Edit::insert(right.end, ")")]);
    }
    for (span, ..) in [inner(left), inner(right)].into_iter().flatten() {
        let is_in_brackets =
            between(span.start.saturating_sub(1), span.start) == "(" && between(span.end, span.end + 1) == ")";
        if is_in_brackets {
            let (open, close) = (span.start - 1..span.start, span.end..span.end + 1);
            changes.add(0.7, vec![Edit::delete(open), Edit::delete(close)]);
        }
    }
}
