//! A variable that begins with the wrong value, and a parameter that lacks one.

use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Kind, Node, Shape};
use crate::search::change::Changes;

/// Initial values of variables, with their weights.
const BEGINNINGS: [(&str, f64); 12] = [
    ("0", 2.0),
    ("1", 2.0),
    ("[]", 1.5),
    ("''", 1.5),
    ("{}", 1.0),
    ("null", 1.0),
    ("-1", 1.0),
    ("false", 1.0),
    ("true", 1.0),
    ("Infinity", 0.7),
    ("-Infinity", 0.7),
    ("new Map()", 0.2),
];

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let declared = match &site.statement.kind {
        Kind::Declaration(declared) | Kind::For { declared, .. } => declared.as_slice(),
        _ => &[],
    };
    for declarator in declared.iter().filter(|declarator| declarator.is_name) {
        let Some(value) = declarator.value else {
            for (beginning, weight) in BEGINNINGS {
                changes.insert(weight, declarator.target.end, format!(" = {beginning}"));
            }
            continue;
        };
        let is_it = |node: &&Node| node.span == value && is_beginning(&node.shape);
        if !site.nodes().any(|node| is_it(&node)) {
            continue;
        }
        let own = site.text(value);
        for (other, weight) in BEGINNINGS.iter().filter(|(other, _)| *other != own) {
            changes.replace(*weight, &value, *other);
        }
        let before = changes.count();
        for name in site.names().iter().filter(|name| name.text != own) {
            let (name, near) = (name.text, name.nearness);
            changes.replace(near, &value, name);
            changes.replace(0.5 * near, &value, format!("{name}[0]"));
            changes.replace(0.5 * near, &value, format!("{name}.length"));
            changes.replace(0.5 * near, &value, format!("{name}.length - 1"));
            changes.replace(0.3 * near, &value, format!("[{name}]"));
        }
        changes.limit(before, 6.0);
    }
    parameters(changes, site);
}

/// `function f(options = {})` for `function f(options)`.
fn parameters(changes: &mut Changes, site: &Site<'_>) {
    let head = site.statement.head;
    let functions = site.file.module.functions.iter().filter(|function| head.contains(function.parameters_span));
    for function in functions {
        for parameter in function.parameters.iter().filter(|one| !one.is_optional && !one.name.is_empty()) {
            defaults(changes, parameter.span.end);
        }
    }
    for key in site.nodes().filter(|node| node.shape == Shape::Key { is_shorthand: true }) {
        defaults(changes, key.span.end);
    }
}

fn defaults(changes: &mut Changes, at: usize) {
    for (default, weight) in
        [("{}", 1.0), ("[]", 0.5), ("''", 0.5), ("0", 0.5), ("false", 0.5), ("true", 0.3), ("1", 0.5)]
    {
        changes.insert(0.5 * weight, at, format!(" = {default}"));
    }
}

fn is_beginning(shape: &Shape) -> bool {
    match shape {
        Shape::Name
        | Shape::Number(_)
        | Shape::Text
        | Shape::Template(_)
        | Shape::Boolean(_)
        | Shape::Null
        | Shape::Unary { .. }
        | Shape::Member { .. }
        | Shape::Index { .. } => true,
        Shape::Array(elements) => elements.len() < 2,
        Shape::Object { is_empty, .. } => *is_empty,
        Shape::Call { arguments, .. } => arguments.len() < 2,
        Shape::This
        | Shape::Pattern { .. }
        | Shape::Binary { .. }
        | Shape::Logical { .. }
        | Shape::Update { .. }
        | Shape::Assign { .. }
        | Shape::Choice { .. }
        | Shape::Function { .. }
        | Shape::Await(_)
        | Shape::Key { .. }
        | Shape::Other => false,
    }
}
