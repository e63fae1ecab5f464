//! A variable that begins with the wrong value.

use crate::search::change::Changes;
use crate::search::idioms::filled;
use crate::search::site::Site;
use crate::search::tree::{Kind, Node, Shape};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for declarator in site.declarators().iter().filter(|declarator| declarator.is_name) {
        if let Some(value) = declarator.value {
            begins(changes, site, value);
        } else {
            for (beginning, weight) in site.file.idioms.beginnings {
                changes.insert(*weight, declarator.target.end, format!(" = {beginning}"));
            }
        }
    }
    if let Kind::Assign { last: Some(last), .. } = &site.statement.kind
        && matches!(last.operator, "" | ":")
    {
        begins(changes, site, last.value);
    }
}

/// The values of `a, b = 0, 1` begin one each.
fn begins(changes: &mut Changes, site: &Site<'_>, value: Span) {
    let exactly = |place: Span| site.node_in(place).filter(|node| node.span == place);
    let node = exactly(value);
    match node.map(|node| &node.shape) {
        Some(Shape::Tuple(elements)) => {
            let nodes = elements.iter().filter_map(|element| exactly(*element));
            nodes.for_each(|node| begins_with(changes, site, node));
        }
        _ => node.into_iter().for_each(|node| begins_with(changes, site, node)),
    }
}

fn begins_with(changes: &mut Changes, site: &Site<'_>, value: &Node) {
    if !is_beginning(&value.shape) {
        return;
    }
    let own = site.text(value.span);
    for (other, weight) in site.file.idioms.beginnings.iter().filter(|(other, _)| *other != own) {
        changes.replace(*weight, &value.span, *other);
    }
    let before = changes.count();
    for name in site.names().iter().filter(|name| name.text != own) {
        for (template, weight) in site.file.idioms.first_values {
            changes.replace(weight * name.nearness, &value.span, filled(template, name.text));
        }
    }
    changes.limit(before, 6.0);
    if matches!(value.shape, Shape::Number(_)) {
        changes.insert(0.3, value.span.start, "-");
    }
}

fn is_beginning(shape: &Shape) -> bool {
    match shape {
        Shape::Name
        | Shape::Number(_)
        | Shape::Text
        | Shape::Template(_)
        | Shape::Boolean
        | Shape::Nothing
        | Shape::Unary { .. }
        | Shape::Not(_)
        | Shape::Member { .. }
        | Shape::Index { .. } => true,
        Shape::List(elements) => elements.len() < 2,
        Shape::Object { is_empty, .. } => *is_empty,
        Shape::Call(call) => call.arguments.len() + call.keywords.len() < 2,
        Shape::Owner
        | Shape::Pattern { .. }
        | Shape::Binary { .. }
        | Shape::Comparison { .. }
        | Shape::Logical { .. }
        | Shape::Update { .. }
        | Shape::Assign { .. }
        | Shape::Choice { .. }
        | Shape::Slice { .. }
        | Shape::Tuple(_)
        | Shape::Comprehension(_)
        | Shape::Function { .. }
        | Shape::Await(_)
        | Shape::Spread
        | Shape::Key { .. }
        | Shape::Other => false,
    }
}
