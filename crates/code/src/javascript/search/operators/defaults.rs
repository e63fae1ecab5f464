//! A parameter, or a part of one, that lacks a value for when it is not given.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Shape;

/// `function f(options = {})` for `function f(options)`.
pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let head = site.statement.head;
    let functions = site.file.all_functions.iter().filter(|function| head.contains(function.parameters_span));
    let lacking = functions.flat_map(|function| &function.parameters);
    for parameter in lacking.filter(|parameter| !parameter.is_optional && !parameter.name.is_empty()) {
        add(changes, parameter.span.end);
    }
    for key in site.nodes().filter(|node| node.shape == Shape::Key { is_shorthand: true }) {
        add(changes, key.span.end);
    }
}

fn add(changes: &mut Changes, at: usize) {
    for (default, weight) in
        [("{}", 1.0), ("[]", 0.5), ("''", 0.5), ("0", 0.5), ("false", 0.5), ("true", 0.3), ("1", 0.5)]
    {
        changes.insert(0.5 * weight, at, format!(" = {default}"));
    }
}
