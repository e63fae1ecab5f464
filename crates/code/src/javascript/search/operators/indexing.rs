//! An index, or a piece of a text or an array, with the wrong bounds, missing, or too much.

use crate::javascript::search::site::Site;
use crate::javascript::search::stock::is_short;
use crate::javascript::search::tree::{Place, Shape};
use crate::search::change::Changes;

/// Methods that give a piece.
const PIECES: [&str; 4] = ["slice", "substring", "substr", "subarray"];

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let text = site.file.text;
    for node in site.nodes() {
        match &node.shape {
            Shape::Index { object, index } => {
                let (value, code) = (site.text(*object), site.text(*index));
                changes.replace(1.0, &node.span, value);
                // `grid[y][x]` for `grid[x][y]`.
                let inner = site.nodes().find_map(|inner| match &inner.shape {
                    Shape::Index { index, .. } if inner.span == *object => Some(*index),
                    _ => None,
                });
                if let Some(inner) = inner {
                    changes.swap(2.0, text, &inner, index);
                }
                if node.place != Place::Target && is_short(value) {
                    // From the other end.
                    changes.replace(1.0, index, format!("{value}.length - 1"));
                    changes.replace(0.7, index, format!("{value}.length - {code}"));
                    changes.replace(0.5, index, format!("{value}.length - 1 - {code}"));
                    changes.replace(0.4, &node.span, format!("{value}.slice({code})"));
                }
            }
            Shape::Call { name, arguments, .. } if PIECES.contains(&site.text(*name)) => {
                bounds(changes, site, arguments);
            }
            Shape::Name | Shape::Member { .. } | Shape::Call { .. }
                if matches!(node.place, Place::Value | Place::Iterable) && !site.binds_as_object(node) =>
            {
                let own = site.text(node.span);
                if site.file.uses(own).is_number() {
                    continue;
                }
                for (part, weight) in
                    [(".slice(1)", 0.6), (".slice(0, -1)", 0.4), (".slice()", 0.4), ("[0]", 1.0), ("[1]", 0.5)]
                {
                    changes.insert(weight, node.span.end, part);
                }
                if is_short(own) {
                    changes.insert(0.5, node.span.end, format!("[{own}.length - 1]"));
                }
                for name in site.names_at(node.span.start).iter().filter(|name| name.text != own) {
                    let is_index = !site.file.uses(name.text).is_collection();
                    let weight = if is_index { 0.2 } else { 0.05 };
                    changes.insert(weight * name.nearness, node.span.end, format!("[{}]", name.text));
                }
            }
            _ => {}
        }
    }
}

fn bounds(changes: &mut Changes, site: &Site<'_>, arguments: &[crate::span::Span]) {
    match arguments {
        [only] => {
            let code = site.text(*only);
            changes.insert(2.0, only.start, "0, ");
            changes.insert(0.5, only.start, "1, ");
            changes.insert(1.0, only.end, ", -1");
            if !code.starts_with('-') {
                changes.replace(1.0, only, format!("-{code}"));
                changes.replace(0.7, only, format!("0, -{code}"));
            }
            for name in site.names_at(only.start).iter().filter(|name| name.text != code) {
                changes.insert(0.5 * name.nearness, only.end, format!(", {}", name.text));
                changes.insert(0.5 * name.nearness, only.end, format!(", {code} + {}", name.text));
            }
        }
        [first, last] => {
            let (lower, upper) = (site.text(*first), site.text(*last));
            changes.replace(1.5, last, format!("{lower} + {upper}"));
            if !upper.starts_with('-') {
                changes.replace(1.0, last, format!("-{upper}"));
            }
            if lower != "0" {
                changes.replace(1.5, first, "0");
            }
        }
        _ => {}
    }
}
