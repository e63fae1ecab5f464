//! A call around a value, or something behind it, that is missing or too much.

use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Node, Place, Shape};
use crate::search::change::Changes;
use crate::search::uses::Uses;
use crate::span::Span;

/// Functions that turn a value into a related one, weighted by how often they are missing.
const AROUND: &[(&str, f64)] = &[
    ("String", 1.5),
    ("Number", 1.5),
    ("Math.abs", 1.0),
    ("Math.floor", 1.5),
    ("Math.ceil", 0.5),
    ("Math.round", 0.7),
    ("parseInt", 0.7),
    ("Object.keys", 1.0),
    ("Object.values", 0.3),
    ("Object.entries", 0.3),
    ("Array.from", 0.5),
    ("Boolean", 0.3),
];

/// Suffixes that turn a value into a related value, with their weights.
const BEHIND: &[(&str, f64)] = &[
    (".length", 2.0),
    (".trim()", 1.0),
    (".toLowerCase()", 1.0),
    (".toUpperCase()", 0.5),
    (".toString()", 0.7),
    (".slice()", 0.7),
    (".reverse()", 0.5),
    (".sort()", 0.5),
    (".split('')", 0.4),
    (".join('')", 0.4),
    ("()", 1.0),
];

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match &node.shape {
            Shape::Call { callee, name, arguments, open, .. } => {
                if let [only, ..] = arguments.as_slice() {
                    changes.replace(1.5, &node.span, site.text(*only));
                }
                if callee != name && name.end > name.start {
                    let object = site.text(Span { start: callee.start, end: name.start });
                    changes.replace(1.0, &node.span, object.trim_end().trim_end_matches(['.', '?']));
                }
                if let (true, Some(open)) = (arguments.is_empty(), open) {
                    changes.delete(0.5, Span { start: *open, end: node.span.end });
                }
                wrap(changes, site, node, 0.5);
            }
            Shape::Name | Shape::Index { .. } => wrap(changes, site, node, 1.0),
            Shape::Member { .. } => wrap(changes, site, node, 0.7),
            Shape::Binary { operator: "+" | "-" | "*" | "/" | "%", .. } => wrap(changes, site, node, 0.5),
            // The object at hand is seldom a value of its own.
            Shape::This if matches!(node.place, Place::Value | Place::Condition) && !site.binds_as_object(node) => {
                for member in site.own_members().filter(|member| *member != "constructor") {
                    changes.insert(0.5, node.span.end, format!(".{member}()"));
                    changes.insert(0.5, node.span.end, format!(".{member}"));
                }
            }
            Shape::Await(inner) => changes.replace(2.0, &node.span, site.text(*inner)),
            _ => {}
        }
    }
}

/// Factor for a wrapper that the file uses nowhere else, which is less likely.
const UNUSUAL: f64 = 0.3;

/// Factor by which a call is likelier if the file makes it elsewhere:
/// the same function with the same argument.
const APPLIED: f64 = 5.0;

/// Maximum number of functions of the file that are tried.
const MOST_FUNCTIONS: usize = 8;

fn wrap(changes: &mut Changes, site: &Site<'_>, node: &Node, weight: f64) {
    let code = site.text(node.span);
    if matches!(code, "undefined" | "require" | "module" | "exports") {
        return;
    }
    let parent = site.parent(node).map(|parent| &parent.shape);
    if matches!(parent, Some(Shape::Member { object, .. }) if object.contains(node.span)) {
        // `name.trim().toLowerCase()` for `name.toLowerCase()`.
        behind(changes, site, node, weight * 0.4);
        return;
    }
    let is_plain =
        matches!(node.place, Place::Value | Place::Condition | Place::Index | Place::Bound | Place::Iterable);
    if !is_plain || matches!(parent, Some(Shape::Index { object, .. }) if object.contains(node.span)) {
        return;
    }
    let uses = if node.shape == Shape::Name { site.file.uses(code) } else { Uses::default() };
    for (name, share) in AROUND {
        let fit = match *name {
            "Object.keys" | "Object.values" | "Object.entries" | "Array.from" if uses.is_number() => 0.05,
            "Object.keys" if node.place == Place::Iterable => 4.0,
            "Math.abs" | "Math.floor" | "Math.ceil" | "Math.round" if uses.is_no_number() => 0.1,
            _ => 1.0,
        };
        let usual = if site.file.around.contains_key(name) { 1.0 } else { UNUSUAL };
        around(changes, site, node, weight * share * fit * usual, name);
    }
    // Functions that the file calls with one argument: a recursive call that was forgotten, a conversion of its own.
    let mut own: Vec<(&str, u32)> = site.file.around.iter().map(|(name, count)| (*name, *count)).collect();
    own.sort_by_key(|(name, count)| std::cmp::Reverse((site.file.applied.contains(&(*name, code)), *count)));
    for (name, count) in own.into_iter().take(MOST_FUNCTIONS) {
        if AROUND.iter().all(|(known, _)| *known != name) {
            around(changes, site, node, weight * f64::from(count.min(9)).sqrt(), name);
        }
    }
    for name in site.file.functions_of_one().take(MOST_FUNCTIONS).filter(|name| !site.file.around.contains_key(*name)) {
        around(changes, site, node, weight * 0.7, name);
    }
    for name in &site.file.unused {
        around(changes, site, node, weight * 3.0, name);
    }
    if site.function.is_some_and(|function| function.is_async) && matches!(node.shape, Shape::Call { .. }) {
        changes.insert(4.0 * weight, node.span.start, "await ");
    }
    if !matches!(node.shape, Shape::Binary { .. }) {
        behind(changes, site, node, weight * 0.7);
    }
}

fn around(changes: &mut Changes, site: &Site<'_>, node: &Node, weight: f64, name: &str) {
    let last = name.rsplit('.').next();
    let code = site.text(node.span);
    if site.argument_of(node) != last && !code.starts_with(&format!("{name}(")) && code != name {
        let weight = if site.file.applied.contains(&(name, code)) { APPLIED * weight } else { weight };
        changes.wrap(weight, &node.span, &format!("{name}("), ")");
    }
}

fn behind(changes: &mut Changes, site: &Site<'_>, node: &Node, weight: f64) {
    let code = site.text(node.span);
    let uses = site.file.uses(code);
    for (part, share) in BEHIND.iter().filter(|(part, _)| !code.ends_with(part)) {
        let fit = match *part {
            ".length" if uses.is_collection() => 2.0,
            // What the file never asks for is seldom what it forgot.
            part if part.len() > 2 && !site.file.has_member(part.trim_matches(['.', '(', ')', '\''])) => UNUSUAL,
            "()" if uses.is_called() => 2.0,
            "()" => 0.2,
            _ if uses.is_number() => 0.1,
            _ => 1.0,
        };
        changes.insert(weight * share * fit, node.span.end, *part);
    }
    let known = |name: &str| BEHIND.iter().any(|(part, _)| part.trim_matches(['.', '(', ')']) == name);
    let mut own: Vec<(&str, u32)> = site.file.behind.iter().map(|(name, count)| (*name, *count)).collect();
    own.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (name, count) in own.into_iter().filter(|(name, _)| !known(name)).take(MOST_FUNCTIONS) {
        changes.insert(weight * 0.5 * f64::from(count.min(9)).sqrt(), node.span.end, format!(".{name}()"));
    }
}
