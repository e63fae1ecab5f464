//! Arguments in the wrong order, one too many, or one too few; the same of elements and entries.

use crate::javascript::search::site::Site;
use crate::javascript::search::tree::Shape;
use crate::search::change::Changes;
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let text = site.file.text;
    for node in site.nodes() {
        match &node.shape {
            Shape::Call { callee, name, arguments, open, .. } => {
                pairs(changes, site, arguments, 3.0);
                let receiver = site.nodes().find_map(|inner| match &inner.shape {
                    Shape::Member { object, .. } if inner.span == *callee => Some(*object),
                    _ => None,
                });
                // `separator.join(parts)` for `parts.join(separator)`.
                if let (Some(receiver), [only]) = (receiver, arguments.as_slice()) {
                    changes.swap(1.0, text, &receiver, only);
                }
                drop(changes, arguments);
                let name = name.text(text);
                let at = arguments.last().map(|last| last.end).or(open.map(|open| open + 1));
                if let Some(at) = at {
                    let before = changes.count();
                    add(changes, site, Called { name, arguments, at });
                    changes.limit(before, 4.0);
                }
            }
            // What is unpacked or returned in pairs is ordered like arguments.
            Shape::Array(elements) => {
                pairs(changes, site, elements, 0.7);
                if elements.len() < 8 {
                    drop(changes, elements);
                }
            }
            Shape::Object { entries, .. } => {
                for pair in entries.windows(2) {
                    let [(_, left), (_, right)] = pair else { continue };
                    if site.text(*left) != site.text(*right) && site.text(*left).len() + site.text(*right).len() < 120 {
                        changes.swap(0.3, text, left, right);
                    }
                }
            }
            _ => {}
        }
    }
}

fn pairs(changes: &mut Changes, site: &Site<'_>, elements: &[Span], weight: f64) {
    for (number, left) in elements.iter().enumerate().take(4) {
        for (distance, right) in elements.iter().skip(number + 1).enumerate().take(3) {
            if site.text(*left) != site.text(*right) {
                changes.swap(if distance == 0 { weight } else { weight / 3.0 }, site.file.text, left, right);
            }
        }
    }
}

/// Proposes to remove one of the arguments.
fn drop(changes: &mut Changes, arguments: &[Span]) {
    for (number, span) in arguments.iter().enumerate() {
        let whole = match (arguments.get(number + 1), number.checked_sub(1).and_then(|before| arguments.get(before))) {
            (Some(next), _) => Span { start: span.start, end: next.start },
            (None, Some(before)) => Span { start: before.end, end: span.end },
            (None, None) => *span,
        };
        changes.delete(0.5, whole);
    }
}

/// A call that may lack an argument.
#[derive(Clone, Copy)]
struct Called<'c> {
    name: &'c str,
    arguments: &'c [Span],
    /// Position at which another argument would be inserted.
    at: usize,
}

/// Functions that are called with at most one argument, always or nearly always.
const TAKE_ONE: [&str; 14] = [
    "Boolean",
    "String",
    "Number",
    "abs",
    "charAt",
    "charCodeAt",
    "isArray",
    "isNaN",
    "keys",
    "pop",
    "shift",
    "test",
    "trim",
    "values",
];

/// Functions whose last argument is often left out, with the usual values of that argument and their weights.
const USUAL: &[(&str, &[(&str, f64)])] = &[
    ("parseInt", &[("10", 6.0), ("16", 1.0)]),
    ("toString", &[("16", 1.0), ("10", 0.5), ("2", 0.5), ("36", 0.5)]),
    ("slice", &[("1", 2.0), ("0", 1.5), ("-1", 1.5), ("2", 0.7)]),
    ("substring", &[("1", 2.0), ("0", 1.5), ("2", 0.7)]),
    ("substr", &[("1", 2.0), ("0", 1.5), ("2", 0.7)]),
    ("sort", &[("(a, b) => a - b", 4.0), ("(a, b) => b - a", 1.0)]),
    ("join", &[("''", 3.0), ("' '", 1.0), ("','", 0.7)]),
    ("split", &[("''", 2.0), ("' '", 1.0), ("','", 1.0)]),
    ("reduce", &[("0", 3.0), ("{}", 1.0), ("[]", 1.0), ("''", 1.0)]),
    ("filter", &[("Boolean", 2.0)]),
    ("stringify", &[("null, 2", 1.0)]),
    ("replace", &[("''", 2.0)]),
];

/// Proposes to add an argument: a variable named like the parameter that has no argument, another variable, or
/// a constant.
fn add(changes: &mut Changes, site: &Site<'_>, called: Called<'_>) {
    let Called { name, arguments, at } = called;
    let comma = if arguments.is_empty() { "" } else { ", " };
    for (value, weight) in USUAL.iter().filter(|(usual, _)| *usual == name).flat_map(|(_, values)| values.iter()) {
        changes.insert(*weight, at, format!("{comma}{value}"));
    }
    if (TAKE_ONE.contains(&name) && !arguments.is_empty()) || arguments.len() > 3 {
        return;
    }
    let function = site.file.definition(name);
    let wanted = function.and_then(|function| function.parameters.get(arguments.len()));
    // What takes all that it is given needs no more.
    let known = if wanted.is_some() { 1.0 } else { 0.15 };
    for value in site.names_at(at).iter() {
        let is_it = wanted.is_some_and(|wanted| wanted.name == value.text);
        changes.insert(if is_it { 4.0 } else { known * value.nearness }, at, format!("{comma}{}", value.text));
    }
    for value in ["true", "false", "0", "1", "null", "undefined", "{}", "''"] {
        changes.insert(known * 0.5, at, format!("{comma}{value}"));
    }
    if let [first, ..] = arguments {
        for value in site.names_at(at).iter() {
            changes.insert(known * 0.5 * value.nearness, first.start, format!("{}, ", value.text));
        }
        for value in ["0", "1"] {
            changes.insert(known * 0.3, first.start, format!("{value}, "));
        }
    }
}
