//! Replacements for a wrong literal.

use crate::javascript::search::site::Site;
use crate::javascript::search::stock::is_short;
use crate::javascript::search::tree::{Node, Place, Shape};
use crate::search::change::Changes;
use crate::search::literals::{numbers, owned, texts};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes().filter(|node| node.place != Place::Target) {
        let written = site.text(node.span);
        let others: Vec<(String, f64)> = match &node.shape {
            Shape::Number(_) => numbers(written.parse().ok(), "undefined", literals(site, &site.file.numbers)),
            Shape::Text => {
                let mut others = texts(written, literals(site, &site.file.texts));
                others.extend(owned(&[("[]", 0.3), ("null", 0.3), ("undefined", 0.3)]));
                others
            }
            Shape::Boolean(boolean) => {
                let other = if *boolean { "false" } else { "true" };
                owned(&[(other, 6.0), ("undefined", 0.5), ("null", 0.5)])
            }
            Shape::Null => owned(&[
                ("undefined", 2.0),
                ("false", 1.0),
                ("true", 0.5),
                ("0", 0.7),
                ("''", 0.7),
                ("[]", 0.5),
                ("{}", 0.5),
            ]),
            Shape::Name if written == "undefined" => {
                owned(&[("null", 3.0), ("false", 1.0), ("true", 0.5), ("''", 0.5), ("0", 0.5)])
            }
            Shape::Array(elements) if elements.is_empty() => {
                owned(&[("{}", 1.0), ("null", 1.0), ("''", 1.0), ("undefined", 0.5), ("[[]]", 0.5)])
            }
            Shape::Object { is_empty: true, .. } => {
                owned(&[("[]", 1.0), ("null", 1.0), ("undefined", 0.5), ("Object.create(null)", 0.5)])
            }
            _ => continue,
        };
        let is_news = |other: &str| other != written && !is_neutral(site, node, other);
        for (other, weight) in others.into_iter().filter(|(other, _)| is_news(other)) {
            changes.replace(weight, &node.span, other);
        }
    }
}

/// Returns whether the operation around the literal would have no effect with this number: other operators
/// remove such an operation altogether.
fn is_neutral(site: &Site<'_>, node: &Node, number: &str) -> bool {
    let Some(Shape::Binary { right, operator, .. }) = site.parent(node).map(|parent| &parent.shape) else {
        return false;
    };
    let is_right = right.contains(node.span);
    match *operator {
        "+" => number == "0",
        "-" | "<<" | ">>" => is_right && number == "0",
        "*" => number == "1",
        "/" | "**" => is_right && number == "1",
        _ => false,
    }
}

/// Maximum number of a file's literals that are tried.
const MOST_LITERALS: usize = 30;

/// The literals that the function itself, or else the file, writes.
fn literals<'a>(site: &Site<'a>, literals: &'a [Span]) -> impl Iterator<Item = &'a str> {
    let around = site.function.map_or(Span { start: 0, end: usize::MAX }, |function| function.span);
    let text = site.file.text;
    let inside = literals.iter().filter(move |literal| around.contains(**literal));
    inside.map(move |literal| literal.text(text)).filter(|code| is_short(code)).take(MOST_LITERALS)
}
