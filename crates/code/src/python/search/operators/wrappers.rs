//! A call around a value, or behind it, that is missing or too much.

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::python::module::Span;
use crate::python::search::site::{Node, Place, Site};
use crate::search::change::Changes;
use crate::search::uses::Uses;

/// Functions that turn a value into a related one, weighted by how often they are missing.
const AROUND: &[(&str, f64)] = &[
    ("len", 2.0),
    ("str", 2.0),
    ("int", 2.0),
    ("list", 1.5),
    ("abs", 1.5),
    ("sorted", 1.5),
    ("set", 1.0),
    ("float", 1.0),
    ("tuple", 1.0),
    ("reversed", 1.0),
    ("bool", 0.5),
    ("sum", 0.7),
    ("max", 0.5),
    ("min", 0.5),
    ("round", 0.5),
    ("dict", 0.3),
    ("repr", 0.3),
];

/// Functions to wrap around a value that is iterated over, weighted by how often they are missing.
const AROUND_ITERABLES: &[(&str, f64)] =
    &[("reversed", 3.0), ("enumerate", 2.0), ("sorted", 2.0), ("range", 2.0), ("list", 1.5), ("set", 1.0)];

/// Methods that make a related value of a value.
const BEHIND: &[(&str, f64)] = &[
    (".copy()", 1.0),
    (".strip()", 1.0),
    (".lower()", 1.0),
    (".items()", 1.0),
    (".values()", 0.7),
    (".keys()", 0.3),
    (".split()", 0.5),
    (".upper()", 0.3),
    ("()", 1.0),
];

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let is_argument = matches!(node.parent, Some(Expr::Call(_)));
        if (is_argument || node.parent.is_none()) && node.place == Place::Value && !node.expression.is_compare_expr() {
            let before = changes.count();
            fall_back(changes, site, node);
            changes.limit(before, 0.7);
        }
        match node.expression {
            Expr::Call(call) => {
                if let ([first, ..], Expr::Name(_)) = (&*call.arguments.args, &*call.func) {
                    changes.replace(1.5, call, site.text(first));
                }
                if let Expr::Attribute(attribute) = &*call.func {
                    changes.replace(0.7, call, site.text(&*attribute.value));
                }
                if call.arguments.is_empty() {
                    changes.delete(0.7, Span::from(call.arguments.range()));
                }
                wrap(changes, site, node, 0.4);
            }
            Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => wrap(changes, site, node, 1.0),
            Expr::BinOp(_) | Expr::ListComp(_) | Expr::Generator(_) => wrap(changes, site, node, 0.3),
            _ => {}
        }
    }
}

/// Maximum number of functions of the file that are tried.
const MOST_FUNCTIONS: usize = 6;

fn wrap(changes: &mut Changes, site: &Site<'_>, node: &Node<'_>, weight: f64) {
    let code = site.text(node.expression);
    let is_plain =
        matches!(node.place, Place::Value | Place::Condition | Place::Index | Place::Bound | Place::Iterable);
    if matches!(code, "self" | "cls") {
        return;
    }
    if matches!(node.parent, Some(Expr::Attribute(_))) {
        // `name.strip().lower()` for `name.lower()`.
        behind(changes, node, weight * 0.5);
        return;
    }
    let is_subscripted =
        matches!(node.parent, Some(Expr::Subscript(parent)) if parent.value.range() == node.expression.range());
    if !is_plain {
        return;
    }
    let uses = if let Expr::Name(name) = node.expression { site.file.uses(&name.id) } else { Uses::default() };
    let list = if node.place == Place::Iterable { AROUND_ITERABLES } else { AROUND };
    for (name, share) in list {
        let is_repeated = code.starts_with(&format!("{name}("));
        let fit = match (*name, uses) {
            ("len" | "sorted" | "reversed" | "sum" | "set", uses) if uses.is_number() => 0.05,
            ("len", uses) if uses.is_collection() && node.is_argument_of("range") => 8.0,
            ("len" | "sorted" | "reversed" | "sum", uses) if uses.is_collection() => 1.5,
            ("abs" | "round" | "float", uses) if uses.is_no_number() => 0.05,
            _ => 1.0,
        };
        let share = if is_subscripted { share * 0.1 } else { share * fit };
        if !is_repeated && !node.is_argument_of(name) {
            changes.wrap(weight * share, node.expression, &format!("{name}("), ")");
        }
    }
    if node.place == Place::Iterable {
        changes.wrap(weight * 2.0, node.expression, "range(len(", "))");
        changes.wrap(weight, node.expression, "zip(*", ")");
        // Pairs are what is unpacked.
        if matches!(site.statement, Stmt::For(statement) if statement.target.is_tuple_expr()) {
            let end = node.expression.end().to_usize();
            changes.insert(weight * 8.0, end, ".items()");
            changes.wrap(weight * 6.0, node.expression, "enumerate(", ")");
        }
    }
    // Functions of the file that take one argument, and variables that are functions: a recursive call that was forgotten, a
    // conversion of its own.
    let variables = site.names().iter().copied().filter(|name| site.file.uses(name).is_called());
    for function in site.file.functions_of_one().take(MOST_FUNCTIONS).chain(variables) {
        if !node.is_argument_of(function) && !code.starts_with(function) {
            changes.wrap(weight * 0.5, node.expression, &format!("{function}("), ")");
        }
    }
    if !node.expression.is_bin_op_expr() {
        behind(changes, node, weight * 0.7);
    }
}

fn behind(changes: &mut Changes, node: &Node<'_>, weight: f64) {
    for (call, share) in BEHIND {
        changes.insert(weight * share, node.expression.end().to_usize(), *call);
    }
}

/// Fallback values for a missing value, with their weights.
const FALLBACKS: [(&str, f64); 7] =
    [("None", 1.0), ("[]", 1.0), ("''", 0.7), ("{}", 0.7), ("0", 0.7), ("()", 0.5), ("False", 0.3)];

/// Maximum number of the file's own values that are tried as fallbacks.
const MOST_FALLBACKS: usize = 20;

/// `value or None` for `value`.
fn fall_back(changes: &mut Changes, site: &Site<'_>, node: &Node<'_>) {
    let is_plain = matches!(node.expression, Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) | Expr::Call(_));
    if !is_plain {
        return;
    }
    let own = site.text(node.expression);
    let at = node.expression.end().to_usize();
    for (other, weight) in FALLBACKS {
        let known = site.file.fallbacks.get(other).copied().unwrap_or_default();
        changes.insert(weight * f64::from(known.min(3) + 1), at, format!(" or {other}"));
    }
    let others = site.file.fallbacks.iter().filter(|(other, _)| FALLBACKS.iter().all(|(usual, _)| usual != *other));
    for (other, count) in others.take(MOST_FALLBACKS) {
        changes.insert(0.7 * f64::from((*count).min(4)), at, format!(" or {other}"));
    }
    for name in site.names().iter().filter(|name| **name != own) {
        changes.insert(0.2, at, format!(" or {name}"));
    }
}
