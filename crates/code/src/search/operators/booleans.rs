//! A condition that is too narrow, too wide, or the wrong way around; a choice with its ends swapped.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::idioms::{alternatives, filled};
use crate::search::site::Site;
use crate::search::stock::is_short;
use crate::search::tree::{Node, Place, Shape};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let text = site.file.text;
    for node in site.nodes() {
        match &node.shape {
            Shape::Logical { operands, operator } => {
                connective(changes, site, operands, operator);
                drop_operand(changes, site, node, operands);
            }
            Shape::Not(operand) => changes.replace(5.0, &node.span, operand.text(text)),
            Shape::Choice { test, yes, no } => {
                changes.swap(3.0, text, yes, no);
                changes.replace(0.5, &node.span, yes.text(text));
                changes.replace(0.5, &node.span, no.text(text));
                let code = site.text(*test);
                if is_short(code) && !code.contains(' ') {
                    changes.replace(0.5, &node.span, code);
                }
            }
            _ => {}
        }
        // Whether a value that is returned or passed on is a truth value is not known; a comparison is one.
        let is_comparison = matches!(node.shape, Shape::Comparison { .. });
        if node.place == Place::Condition
            || site.is_operand(node)
            || (is_comparison && node.place == Place::Value && !site.binds_tightly(node))
        {
            negate(changes, site, node);
            let before = changes.count();
            extend(changes, site, node);
            changes.limit(before, 4.0);
        } else if node.place == Place::Value
            && !site.binds_tightly(node)
            && matches!(node.shape, Shape::Call(_) | Shape::Name | Shape::Member { .. } | Shape::Index { .. })
        {
            changes.insert(0.3, node.span.start, site.file.idioms.not);
        }
    }
}

fn connective(changes: &mut Changes, site: &Site<'_>, operands: &[Span], written: &str) {
    for (other, weight) in alternatives(site.file.idioms.connectives, written) {
        let mut edits = Vec::new();
        for pair in operands.windows(2) {
            let [left, right] = pair else { continue };
            let place = site.operator_place(*left, *right, written);
            edits.extend(place.map(|place| Edit::replace(place.range(), *other)));
        }
        if edits.len() > 1 {
            for edit in &edits {
                changes.add(weight * 0.2, vec![edit.clone()]);
            }
        }
        if !edits.is_empty() {
            changes.add(*weight, edits);
        }
    }
}

/// `a` for `a and b`.
fn drop_operand(changes: &mut Changes, site: &Site<'_>, node: &Node, operands: &[Span]) {
    if let [left, right] = operands {
        changes.replace(2.0, &node.span, site.text(*left));
        changes.replace(2.0, &node.span, site.text(*right));
        return;
    }
    for pair in operands.windows(2) {
        let [left, right] = pair else { continue };
        changes.delete(1.0, Span { start: left.start, end: right.start });
        changes.delete(1.0, Span { start: left.end, end: right.end });
    }
}

fn negate(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    let idioms = site.file.idioms;
    let (before, after) = idioms.not_around;
    match &node.shape {
        Shape::Comparison { operators, .. } => match operators.as_slice() {
            [only] if idioms.unopposed.contains(only) => changes.wrap(4.0, &node.span, before, after),
            // The operator's opposite says the same and reads better.
            [_] => {}
            _ => changes.insert(4.0, node.span.start, idioms.not),
        },
        Shape::Logical { .. } => changes.wrap(0.7, &node.span, before, after),
        Shape::Not(_) | Shape::Unary { .. } | Shape::Choice { .. } | Shape::Assign { .. } | Shape::Function { .. } => {}
        _ if matches!(site.outer(node), Some(Shape::Not(_))) => {}
        _ => changes.insert(4.0, node.span.start, idioms.not),
    }
}

/// `a and b` and `a or b` for `a`, where `b` is a condition of the same function or made of a variable of it.
fn extend(changes: &mut Changes, site: &Site<'_>, node: &Node) {
    if matches!(site.outer(node), Some(Shape::Logical { .. } | Shape::Not(_) | Shape::Unary { .. })) {
        return;
    }
    let idioms = site.file.idioms;
    let own = site.text(node.span);
    let mut others: Vec<(String, f64)> = Vec::new();
    let conditions = site.conditions().iter().filter(|other| **other != own);
    others.extend(conditions.map(|other| ((*other).to_owned(), 0.5)));
    let donated = site.other_conditions().iter().filter(|one| one.code != own);
    others.extend(donated.map(|one| (one.code.clone(), 0.5 * one.weight)));
    for name in site.names().iter() {
        let tests = idioms.tests.iter();
        others.extend(tests.map(|(test, weight)| (filled(test, name.text), weight * name.nearness)));
    }
    others.extend(boundaries(site, node).into_iter().map(|other| (other, 0.7)));
    for (other, weight) in others {
        for (connective, mixes, share) in [(idioms.and, idioms.or, 1.0), (idioms.or, idioms.and, 0.8)] {
            let brackets = |code: &str| {
                let is_loose = mentions(code, mixes) || idioms.loose.iter().any(|loose| code.contains(loose));
                if is_loose { ("(", ")") } else { ("", "") }
            };
            let ((open, close), (other_open, other_close)) = (brackets(own), brackets(&other));
            let code = format!("{close} {connective} {other_open}{other}{other_close}");
            changes.wrap(weight * share, &node.span, open, &code);
            if weight > 0.35 && open.is_empty() {
                let code = format!("{other_open}{other}{other_close} {connective} ");
                changes.insert(weight * share * 0.6, node.span.start, code);
            }
        }
    }
}

/// The other end of an interval: `i >= 0` and `i < len(xs)` for what is used as an index; another one of several values.
fn boundaries(site: &Site<'_>, node: &Node) -> Vec<String> {
    let Shape::Comparison { operands, operators } = &node.shape else { return Vec::new() };
    let ([left, right], [operator]) = (operands.as_slice(), operators.as_slice()) else { return Vec::new() };
    let mut found = Vec::new();
    if let Some(Shape::Index { object, index }) = site.node_in(*left).map(|left| &left.shape) {
        let (object, index) = (site.text(*object), site.text(*index));
        found.extend([format!("{index} < {}", site.file.idioms.length_of(object)), format!("{index} >= 0")]);
    }
    let (left, right) = (site.text(*left), site.text(*right));
    if operator.starts_with(['=', '!'])
        && is_short(left)
        && let Ok(value) = right.parse::<i64>()
    {
        let near = [value.saturating_add(1), value.saturating_sub(1), value.saturating_add(2), value.saturating_sub(2)];
        found.extend(near.map(|other| format!("{left} {operator} {other}")));
    }
    if operator.starts_with(['<', '>']) && is_short(left) {
        found.push(format!("{left} >= 0"));
    }
    found
}

/// Returns whether the code has an operator outside of any name.
fn mentions(code: &str, operator: &str) -> bool {
    if operator.starts_with(char::is_alphabetic) {
        code.contains(&format!(" {operator} "))
    } else {
        code.contains(operator)
    }
}
