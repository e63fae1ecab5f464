//! A call around a value, or something behind it, that is missing or too much.

use crate::search::change::Changes;
use crate::search::idioms::Takes;
use crate::search::site::Site;
use crate::search::tree::{Node, Place, Shape};
use crate::search::uses::Uses;
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match &node.shape {
            Shape::Call(call) => {
                if let [first, ..] = call.arguments.as_slice() {
                    changes.replace(1.5, &node.span, site.text(*first));
                }
                if let Some(Shape::Member { object, .. }) = site.node_in(call.callee).map(|callee| &callee.shape) {
                    changes.replace(0.85, &node.span, site.text(*object));
                }
                if let (true, true, Some(open)) = (call.arguments.is_empty(), call.keywords.is_empty(), call.open) {
                    changes.delete(0.6, Span { start: open, end: node.span.end });
                }
                wrap(changes, site, node, 0.45);
            }
            Shape::Name | Shape::Index { .. } => wrap(changes, site, node, 1.0),
            Shape::Member { .. } => wrap(changes, site, node, 0.85),
            Shape::Binary { .. } | Shape::Comprehension(_) => wrap(changes, site, node, 0.4),
            // The object at hand is seldom a value of its own.
            Shape::Owner if matches!(node.place, Place::Value | Place::Condition) && !site.binds_as_object(node) => {
                for member in site.own_members() {
                    changes.insert(0.5, node.span.end, format!(".{member}()"));
                    changes.insert(0.5, node.span.end, format!(".{member}"));
                }
            }
            Shape::Await(inner) => changes.replace(2.0, &node.span, site.text(*inner)),
            _ => {}
        }
    }
}

/// Factor by which a call is likelier if the file makes it elsewhere: the same function with the same argument.
const APPLIED: f64 = 5.0;

/// Maximum number of functions of the file that are tried.
const MOST_FUNCTIONS: usize = 8;

fn wrap(changes: &mut Changes, site: &Site<'_>, node: &Node, weight: f64) {
    let (file, idioms) = (site.file, site.file.idioms);
    let code = site.text(node.span);
    if idioms.not_wrapped.contains(&code) {
        return;
    }
    let parent = site.outer(node);
    if matches!(parent, Some(Shape::Member { object, .. }) if object.contains(node.span)) {
        // `name.strip().lower()` for `name.lower()`.
        behind(changes, site, node, weight * 0.45);
        return;
    }
    let is_plain =
        matches!(node.place, Place::Value | Place::Condition | Place::Index | Place::Bound | Place::Iterable);
    if !is_plain {
        return;
    }
    // What an element is taken of is seldom what lacks a call.
    let weight = if site.binds_as_object(node) { weight * 0.1 } else { weight };
    let uses = if node.shape == Shape::Name { file.uses(code) } else { Uses::default() };
    let is_iterable = node.place == Place::Iterable;
    let list = if is_iterable { idioms.around_iterables } else { idioms.around };
    let is_length = |name: &str| idioms.length.0.strip_suffix('(') == Some(name);
    let bounds_range = site.argument_of(node).is_some_and(|name| idioms.ranges.contains(&name));
    for (name, share, takes) in list {
        let fit = match takes {
            Takes::Elements if uses.is_number() => 0.05,
            Takes::Elements if uses.is_collection() && bounds_range && is_length(name) => 8.0,
            Takes::Elements if uses.is_collection() => 1.5,
            Takes::Number if uses.is_no_number() => 0.05,
            Takes::Anything | Takes::Number | Takes::Elements => 1.0,
        };
        let usual = if file.around.contains_key(name) { 1.0 } else { idioms.unusual };
        around(changes, site, node, weight * share * fit * usual, name);
    }
    // Functions that the file calls with one argument: a recursive call that was forgotten, a conversion of its own.
    let mut own: Vec<(&str, u32)> = file.around.iter().map(|(name, count)| (*name, *count)).collect();
    own.sort_by_key(|(name, count)| std::cmp::Reverse((file.applied.contains(&(*name, code)), *count)));
    for (name, count) in own.into_iter().take(MOST_FUNCTIONS) {
        if list.iter().all(|(known, ..)| *known != name) {
            around(changes, site, node, weight * f64::from(count.min(9)).sqrt(), name);
        }
    }
    let is_new = |name: &&str| !file.around.contains_key(*name);
    for name in file.functions_of_one().take(MOST_FUNCTIONS).filter(is_new) {
        around(changes, site, node, weight * 0.7, name);
    }
    for name in site.names().iter().filter(|name| file.uses(name.text).is_called() && is_new(&name.text)) {
        around(changes, site, node, weight * 0.5 * name.nearness, name.text);
    }
    for name in &file.unused {
        around(changes, site, node, weight * 3.0, name);
    }
    if site.function.is_some_and(|function| function.is_async) && matches!(node.shape, Shape::Call(_)) {
        changes.wrap(4.0 * weight, &node.span, idioms.wait.0, idioms.wait.1);
    }
    if !matches!(node.shape, Shape::Binary { .. } | Shape::Comprehension(_)) {
        behind(changes, site, node, weight * 0.7);
    }
}

fn around(changes: &mut Changes, site: &Site<'_>, node: &Node, weight: f64, name: &str) {
    let last = name.rsplit('.').next();
    let code = site.text(node.span);
    let is_repeated = code.strip_prefix(name).is_some_and(|rest| rest.starts_with('('));
    if site.argument_of(node) != last && !is_repeated && code != name {
        let weight = if site.file.applied.contains(&(name, code)) { APPLIED * weight } else { weight };
        changes.wrap(weight, &node.span, &format!("{name}("), ")");
    }
}

fn behind(changes: &mut Changes, site: &Site<'_>, node: &Node, weight: f64) {
    let (file, idioms) = (site.file, site.file.idioms);
    let code = site.text(node.span);
    let uses = file.uses(code);
    let is_method = code.rsplit('.').next().is_some_and(|last| last != code && file.methods.contains(last));
    for (part, share) in idioms.behind.iter().filter(|(part, _)| !code.ends_with(part)) {
        let name = part.trim_matches(['.', '(', ')', '\'']);
        let fit = match *part {
            part if part == idioms.length.1 && uses.is_collection() => 2.0,
            "()" if uses.is_called() || is_method => 2.0,
            "()" => 0.3,
            // What the file never asks for is seldom what it forgot.
            _ if !file.has_member(name) => idioms.unusual,
            _ if uses.is_number() => 0.1,
            _ => 1.0,
        };
        changes.insert(weight * share * fit, node.span.end, *part);
    }
    let known = |name: &str| idioms.behind.iter().any(|(part, _)| part.trim_matches(['.', '(', ')']) == name);
    let mut own: Vec<(&str, u32)> = file.behind.iter().map(|(name, count)| (*name, *count)).collect();
    own.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (name, count) in own.into_iter().filter(|(name, _)| !known(name)).take(MOST_FUNCTIONS) {
        changes.insert(weight * 0.5 * f64::from(count.min(9)).sqrt(), node.span.end, format!(".{name}()"));
    }
}
