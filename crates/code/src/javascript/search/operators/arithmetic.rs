//! A wrong arithmetic operator, operands in the wrong order, a lost or wrong pair of brackets, a wrong sign.

use crate::edit::Edit;
use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Node, Place, Shape};
use crate::javascript::tokens::{Kind, scan};
use crate::search::change::Changes;
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let text = site.file.text;
    for node in site.nodes() {
        match &node.shape {
            Shape::Binary { left, right, operator } if !alternatives(operator).is_empty() => {
                let joins = *operator == "+" && (has_order(site, *left) || has_order(site, *right));
                if let Some(place) = operator_place(text, *left, *right, operator) {
                    for (other, weight) in alternatives(operator) {
                        let weight = if joins { weight * 0.2 } else { *weight };
                        changes.add(weight, vec![Edit::replace(place.range(), *other)]);
                    }
                }
                match *operator {
                    "*" | "&" | "|" | "^" => {}
                    "+" if joins => changes.swap(3.0, text, left, right),
                    "+" => changes.swap(0.5, text, left, right),
                    _ => changes.swap(0.7, text, left, right),
                }
                regroup(changes, site, node, *left, *right);
                // One of the operands is too much.
                changes.replace(0.4, &node.span, left.text(text));
                changes.replace(0.3, &node.span, right.text(text));
            }
            Shape::Unary { operator: "-" | "+" | "~", operand } => {
                changes.replace(2.0, &node.span, operand.text(text));
            }
            Shape::Name | Shape::Call { .. } | Shape::Member { .. } | Shape::Index { .. } | Shape::Number(_)
                if matches!(node.place, Place::Value | Place::Index | Place::Bound) && !site.binds_tightly(node) =>
            {
                let is_number =
                    matches!(node.shape, Shape::Number(_)) || site.file.uses(site.text(node.span)).is_number();
                changes.insert(if is_number { 0.4 } else { 0.1 }, node.span.start, "-");
                if node.shape != Shape::Name || node.parent.is_none() {
                    let before = changes.count();
                    lost_operand(changes, site, node.span);
                    changes.limit(before, 0.7);
                }
            }
            _ => {}
        }
    }
}

/// Returns whether the operand is known to be a text or a collection, whose sums depend on the order.
fn has_order(site: &Site<'_>, operand: Span) -> bool {
    let code = site.text(operand);
    code.contains(['\'', '"', '`']) || site.file.uses(code).is_collection()
}

/// `a + b` for `b`.
fn lost_operand(changes: &mut Changes, site: &Site<'_>, operand: Span) {
    let own = site.text(operand);
    for name in site.names().iter().filter(|name| name.text != own) {
        let fit = name.nearness * if site.file.uses(name.text).is_number() { 1.0 } else { 0.3 };
        let name = name.text;
        changes.insert(0.2 * fit, operand.start, format!("{name} + "));
        changes.insert(0.2 * fit, operand.end, format!(" + {name}"));
        changes.insert(0.2 * fit, operand.end, format!(" - {name}"));
        changes.insert(0.1 * fit, operand.end, format!(" * {name}"));
    }
}

/// `(a + b) * c` for `a + b * c` and the other way around; brackets are put in or taken out.
fn regroup(changes: &mut Changes, site: &Site<'_>, node: &Node, left: Span, right: Span) {
    let inner = |span: Span| {
        site.nodes().find_map(|inner| match &inner.shape {
            Shape::Binary { left, right, .. } if span.contains(inner.span) && inner.span != node.span => {
                Some((inner.span, *left, *right))
            }
            _ => None,
        })
    };
    if let Some((span, inner_left, _)) = inner(right) {
        if span == right {
            changes.add(1.5, vec![Edit::insert(left.start, "("), Edit::insert(inner_left.end, ")")]);
        } else if is_bracketed(site.text(right)) && span.start == right.start + 1 && span.end + 1 == right.end {
            changes.add(0.7, vec![Edit::delete(right.start..span.start), Edit::delete(span.end..right.end)]);
        }
    }
    if let Some((span, _, inner_right)) = inner(left) {
        if span == left {
            changes.add(1.5, vec![Edit::insert(inner_right.start, "("), Edit::insert(right.end, ")")]);
        } else if is_bracketed(site.text(left)) && span.start == left.start + 1 && span.end + 1 == left.end {
            changes.add(0.7, vec![Edit::delete(left.start..span.start), Edit::delete(span.end..left.end)]);
        }
    }
}

fn is_bracketed(code: &str) -> bool {
    code.starts_with('(') && code.ends_with(')')
}

/// Returns the position of the operator between two operands; comments may stand there, too.
pub(super) fn operator_place(text: &str, left: Span, right: Span, operator: &str) -> Option<Span> {
    let between = text.get(left.end..right.start)?;
    let is_it = |token: &&crate::javascript::tokens::Token| {
        matches!(token.kind, Kind::Operator | Kind::Keyword) && token.text(between) == operator
    };
    let tokens = scan(between);
    // What stands between two operands may look like the beginning of a regular expression.
    let found = tokens.iter().find(is_it).map(|token| (token.start, token.end));
    let (start, end) = found.or_else(|| {
        let at = between.find(operator)?;
        (between.trim() == operator).then_some((at, at + operator.len()))
    })?;
    Some(Span { start: left.end + start, end: left.end + end })
}

/// Returns the operators that may have been meant, with their weights; those
/// that look or work most alike come first.
pub(super) fn alternatives(written: &str) -> &'static [(&'static str, f64)] {
    match written {
        "+" => &[("-", 5.0), ("*", 2.0), ("/", 0.5), ("%", 0.3)],
        "-" => &[("+", 5.0), ("*", 0.7), ("/", 0.5), ("%", 0.5)],
        "*" => &[("/", 4.0), ("+", 2.0), ("**", 1.0), ("-", 0.5), ("%", 0.5)],
        "/" => &[("*", 4.0), ("%", 2.0), ("-", 0.5), ("+", 0.3)],
        "%" => &[("/", 4.0), ("*", 1.0), ("-", 0.5), ("+", 0.3)],
        "**" => &[("*", 5.0), ("^", 0.3)],
        "<<" => &[(">>", 4.0), (">>>", 2.0)],
        ">>" => &[("<<", 4.0), (">>>", 4.0)],
        ">>>" => &[(">>", 5.0), ("<<", 2.0)],
        "|" => &[("&", 4.0), ("^", 3.0), ("||", 1.0), ("+", 0.3)],
        "&" => &[("|", 4.0), ("^", 3.0), ("&&", 1.0)],
        "^" => &[("&", 4.0), ("|", 4.0), ("**", 1.0)],
        _ => &[],
    }
}
