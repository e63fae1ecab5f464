//! A condition that is too narrow, too wide, or the wrong way around; a choice with its ends swapped.

use std::collections::BTreeSet;

use super::arithmetic::operator_place;
use crate::edit::Edit;
use crate::javascript::search::site::Site;
use crate::javascript::search::stock::is_short;
use crate::javascript::search::tree::{Node, Place, Shape};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let text = site.file.text;
    for node in site.nodes() {
        match &node.shape {
            Shape::Logical { left, right, operator } => {
                if let Some(place) = operator_place(text, *left, *right, operator) {
                    for (other, weight) in connectives(operator) {
                        changes.add(*weight, vec![Edit::replace(place.range(), *other)]);
                    }
                }
                changes.replace(2.0, &node.span, left.text(text));
                changes.replace(2.0, &node.span, right.text(text));
            }
            Shape::Unary { operator: "!", operand } => changes.replace(5.0, &node.span, operand.text(text)),
            Shape::Choice { test, yes, no } => {
                changes.swap(3.0, text, yes, no);
                changes.replace(0.5, &node.span, yes.text(text));
                changes.replace(0.5, &node.span, no.text(text));
                let code = site.text(*test);
                if is_plain(code) {
                    changes.replace(0.5, &node.span, code);
                }
            }
            _ => {}
        }
        // Whether a value that is returned or passed on is a truth value is not known; a comparison is one.
        let is_comparison = matches!(&node.shape, Shape::Binary { operator, .. } if COMPARING.contains(operator));
        let is_operand = matches!(site.parent(node).map(|parent| &parent.shape), Some(Shape::Logical { .. }));
        if node.place == Place::Condition || is_operand || (is_comparison && node.place == Place::Value) {
            negate(changes, site, node);
            let before = changes.count();
            extend(changes, site, node);
            changes.limit(before, 4.0);
        } else if node.place == Place::Value && matches!(node.shape, Shape::Call { .. } | Shape::Name) {
            changes.insert(0.3, node.span.start, "!");
        }
    }
}

const COMPARING: [&str; 10] = ["<", "<=", ">", ">=", "==", "!=", "===", "!==", "in", "instanceof"];

fn connectives(written: &str) -> &'static [(&'static str, f64)] {
    match written {
        "&&" => &[("||", 5.0), ("??", 0.2)],
        "||" => &[("&&", 5.0), ("??", 1.5)],
        "??" => &[("||", 4.0), ("&&", 2.0)],
        _ => &[],
    }
}

fn is_plain(code: &str) -> bool {
    is_short(code) && !code.contains(' ')
}

fn negate(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let is_negated = matches!(site.parent(node).map(|parent| &parent.shape), Some(Shape::Unary { operator: "!", .. }));
    match &node.shape {
        // The operator's opposite says the same and reads better.
        Shape::Binary { operator, .. } if !matches!(*operator, "instanceof" | "in") => {}
        Shape::Binary { .. } => changes.wrap(4.0, &node.span, "!(", ")"),
        Shape::Logical { .. } => changes.wrap(0.7, &node.span, "!(", ")"),
        Shape::Unary { .. } | Shape::Choice { .. } | Shape::Assign { .. } | Shape::Function { .. } => {}
        _ if is_negated => {}
        _ => changes.insert(4.0, node.span.start, "!"),
    }
}

/// `a && b` and `a || b` for `a`, where `b` is a condition of the same function or made of a variable of it.
fn extend(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let parent = site.parent(node).map(|parent| &parent.shape);
    if matches!(parent, Some(Shape::Logical { .. } | Shape::Unary { .. })) {
        return;
    }
    let own = site.text(node.span);
    let mut others: Vec<(String, f64)> = Vec::new();
    let conditions: &BTreeSet<&str> = site.conditions();
    others.extend(conditions.iter().filter(|other| **other != own).map(|other| ((*other).to_owned(), 0.5)));
    let donated = site.other_conditions().iter().filter(|one| one.code != own);
    others.extend(donated.map(|one| (one.code.clone(), 0.5 * one.weight)));
    let names = site.names();
    for name in names.iter() {
        others.push((name.text.to_owned(), 0.4 * name.nearness));
        others.push((format!("!{}", name.text), 0.3 * name.nearness));
    }
    others.extend(boundaries(site, node).into_iter().map(|other| (other, 0.7)));
    for (other, weight) in others {
        for (connective, share) in [("&&", 1.0), ("||", 0.8)] {
            let brackets = |code: &str| {
                let mixes = if connective == "&&" { "||" } else { "&&" };
                if code.contains(mixes) || code.contains('?') { ("(", ")") } else { ("", "") }
            };
            let ((open, close), (other_open, other_close)) = (brackets(own), brackets(&other));
            let code = format!("{close} {connective} {other_open}{other}{other_close}");
            changes.wrap(weight * share, &node.span, open, &code);
            if weight > 0.35 && open.is_empty() {
                let code = format!("{other_open}{other}{other_close} {connective} ");
                changes.insert(weight * share * 0.7, node.span.start, code);
            }
        }
    }
}

/// The other end of an interval: `i >= 0` and `i < xs.length` for what is used as an index.
fn boundaries(site: &Site<'_>, node: &Node) -> Vec<String> {
    let Shape::Binary { left, right, operator } = &node.shape else { return Vec::new() };
    let mut found = Vec::new();
    let index = site.nodes().find_map(|inner| match &inner.shape {
        Shape::Index { object, index } if inner.span == *left => Some((site.text(*object), site.text(*index))),
        _ => None,
    });
    if let Some((object, index)) = index {
        found.extend([format!("{index} < {object}.length"), format!("{index} >= 0")]);
    }
    // One of several values.
    if operator.starts_with(['=', '!']) && is_short(site.text(*left)) {
        let (left, right) = (site.text(*left), site.text(*right));
        if let Ok(value) = right.parse::<i64>() {
            let near =
                [value.saturating_add(1), value.saturating_sub(1), value.saturating_add(2), value.saturating_sub(2)];
            found.extend(near.map(|other| format!("{left} {operator} {other}")));
        }
    }
    if operator.starts_with(['<', '>']) && is_short(site.text(*left)) {
        found.push(format!("{} >= 0", site.text(*left)));
    }
    found
}
