//! An argument that is missing and given by its parameter's name.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Call, Shape};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let Shape::Call(call) = &node.shape else { continue };
        let before = changes.count();
        add(changes, site, call);
        changes.limit(before, 4.0);
    }
}

fn add(changes: &mut Changes, site: &Site<'_>, call: &Call) {
    let Some(function) = site.file.definition(site.text(call.name)) else { return };
    let ends = call.arguments.iter().copied().chain(call.keywords.iter().map(|keyword| keyword.span));
    let last = ends.map(|argument| argument.end).max();
    let Some(at) = last.or(call.open.map(|open| open + 1)) else { return };
    let comma = if last.is_some() { ", " } else { "" };
    for parameter in function.parameters.iter().skip(call.arguments.len()).filter(|parameter| !parameter.is_rest) {
        let name = parameter.name;
        if call.keywords.iter().any(|keyword| site.text(keyword.name) == name) {
            continue;
        }
        let names = site.names();
        for value in names.iter().map(|value| value.text).chain(["True", "False"]) {
            let weight = if value == name { 4.0 } else { 0.7 };
            changes.insert(weight, at, format!("{comma}{name}={value}"));
        }
    }
}
