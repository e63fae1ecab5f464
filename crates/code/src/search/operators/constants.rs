//! Replacements for a wrong literal.

use crate::search::change::Changes;
use crate::search::idioms::alternatives;
use crate::search::literals::{numbers, owned, texts};
use crate::search::site::Site;
use crate::search::stock::is_short;
use crate::search::tree::{Node, Place, Shape};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let idioms = site.file.idioms;
    let usual = |code: &str| owned(alternatives(idioms.literals, code));
    for node in site.nodes().filter(|node| node.place != Place::Target) {
        let written = site.text(node.span);
        let others: Vec<(String, f64)> = match &node.shape {
            Shape::Number(whole) => numbers(*whole, idioms.nothing, literals(site, &site.file.numbers)),
            Shape::Text => {
                let mut others = texts(written, literals(site, &site.file.texts));
                others.extend(usual("''"));
                others
            }
            Shape::Boolean | Shape::Nothing => usual(written),
            Shape::List(elements) if elements.is_empty() => usual("[]"),
            Shape::Object { is_empty: true, .. } => usual("{}"),
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
    let Some(Shape::Binary { right, operator, .. }) = site.outer(node) else { return false };
    let is_right = right.contains(node.span);
    match *operator {
        "+" => number == "0",
        "-" | "<<" | ">>" => is_right && number == "0",
        "*" => number == "1",
        "/" | "//" | "**" => is_right && number == "1",
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
