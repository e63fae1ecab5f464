//! Arguments in the wrong order, one too many, or one too few; the same of elements and entries.

use crate::search::change::Changes;
use crate::search::idioms::alternatives;
use crate::search::site::Site;
use crate::search::tree::{Call, Shape};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let text = site.file.text;
    for node in site.nodes() {
        match &node.shape {
            Shape::Call(call) => {
                pairs(changes, site, &call.arguments, 3.0);
                // `separator.join(parts)` for `parts.join(separator)`.
                if let (Some(Shape::Member { object, .. }), [only]) =
                    (site.node_in(call.callee).map(|callee| &callee.shape), call.arguments.as_slice())
                {
                    changes.swap(1.0, text, object, only);
                }
                for pair in call.keywords.windows(2) {
                    let [left, right] = pair else { continue };
                    changes.swap(0.5, text, &left.value, &right.value);
                }
                let all: Vec<Span> =
                    call.arguments.iter().copied().chain(call.keywords.iter().map(|keyword| keyword.span)).collect();
                let takes_one = site.file.idioms.take_one.contains(&site.text(call.name));
                if !takes_one || all.len() > 1 {
                    drop(changes, &all, call.arguments.len());
                }
                let at = all.iter().map(|argument| argument.end).max().or(call.open.map(|open| open + 1));
                if let Some(at) = at.filter(|_| !takes_one || all.is_empty()) {
                    let before = changes.count();
                    add(changes, site, call, at);
                    changes.limit(before, 4.0);
                }
            }
            // What is unpacked or returned in pairs is ordered like arguments.
            Shape::Tuple(elements) => pairs(changes, site, elements, 2.0),
            Shape::List(elements) => {
                pairs(changes, site, elements, 0.6);
                if elements.len() < 8 {
                    drop(changes, elements, elements.len());
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

/// Proposes to remove one of the arguments; those behind the first `unnamed` are given by name, and may more likely be left out.
fn drop(changes: &mut Changes, arguments: &[Span], unnamed: usize) {
    for (number, span) in arguments.iter().enumerate() {
        let whole = match (arguments.get(number + 1), number.checked_sub(1).and_then(|before| arguments.get(before))) {
            (Some(next), _) => Span { start: span.start, end: next.start },
            (None, Some(before)) => Span { start: before.end, end: span.end },
            (None, None) => *span,
        };
        changes.delete(if number < unnamed { 0.5 } else { 1.0 }, whole);
    }
}

/// Stand for variables in what is usually passed on.
const COLLECTION: &str = "{collection}";
const NUMBER: &str = "{number}";

/// Proposes to add an argument: a variable named like the parameter that has no argument, another variable, or
/// a constant.
fn add(changes: &mut Changes, site: &Site<'_>, call: &Call, at: usize) {
    let (idioms, name) = (site.file.idioms, site.text(call.name));
    let arguments = &call.arguments;
    let comma = if arguments.is_empty() && call.keywords.is_empty() { "" } else { ", " };
    let names = site.names_at(at);
    for (value, weight) in alternatives(idioms.usual_arguments, name) {
        if value.contains(COLLECTION) {
            for name in names.iter().filter(|name| site.file.uses(name.text).is_collection()) {
                changes.insert(weight * name.nearness, at, format!("{comma}{}", value.replace(COLLECTION, name.text)));
            }
        } else if value.contains(NUMBER) {
            for name in names.iter().filter(|name| !site.file.uses(name.text).is_no_number()) {
                changes.insert(weight * name.nearness, at, format!("{comma}{}", value.replace(NUMBER, name.text)));
            }
        } else {
            changes.insert(*weight, at, format!("{comma}{value}"));
        }
    }
    if !call.keywords.is_empty() || arguments.len() > 3 {
        return;
    }
    let function = site.file.definition(name);
    let wanted = function.and_then(|function| function.parameters.get(arguments.len()));
    // What takes all that it is given needs no more.
    let known = if wanted.is_some() { 1.0 } else { 0.15 };
    for value in names.iter() {
        let is_it = wanted.is_some_and(|wanted| wanted.name == value.text);
        changes.insert(if is_it { 4.0 } else { known * value.nearness }, at, format!("{comma}{}", value.text));
    }
    for (value, weight) in idioms.arguments {
        changes.insert(known * weight, at, format!("{comma}{value}"));
    }
    if let [first, ..] = arguments.as_slice() {
        for value in names.iter() {
            changes.insert(known * 0.5 * value.nearness, first.start, format!("{}, ", value.text));
        }
        for value in ["0", "1"] {
            changes.insert(known * 0.3, first.start, format!("{value}, "));
        }
    }
}
