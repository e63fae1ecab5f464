//! A comprehension that lacks a condition; keys and values in each other's place.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Comprehension, Shape};

/// `{value: key}` for `{key: value}`.
pub(super) fn entries(site: &Site<'_>, changes: &mut Changes) {
    let text = site.file.text;
    for node in site.nodes() {
        match &node.shape {
            Shape::Object { entries, .. } => {
                for (key, value) in entries {
                    changes.swap(0.5, text, key, value);
                }
            }
            Shape::Comprehension(Comprehension { entry: Some((key, value)), .. }) => {
                changes.swap(1.0, text, key, value);
            }
            _ => {}
        }
    }
}

/// `for x in xs if x` for `for x in xs`.
pub(super) fn conditions(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let Shape::Comprehension(Comprehension { target, iterable, has_condition: false, .. }) = node.shape else {
            continue;
        };
        let (at, is_name) = (iterable.end, site.node_in(target).is_some_and(|target| target.shape == Shape::Name));
        let target = site.text(target);
        if is_name {
            for (condition, weight) in
                [(target.to_owned(), 1.5), (format!("{target}.strip()"), 0.7), (format!("{target} is not None"), 0.7)]
            {
                changes.insert(weight, at, format!(" if {condition}"));
            }
            for name in site.names().iter().filter(|name| name.text != target) {
                changes.insert(0.3, at, format!(" if {target} != {}", name.text));
                changes.insert(0.3, at, format!(" if {target} not in {}", name.text));
            }
        }
        for condition in site.conditions() {
            changes.insert(0.3, at, format!(" if {condition}"));
        }
    }
}
