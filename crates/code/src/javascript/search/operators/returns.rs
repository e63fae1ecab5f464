//! The wrong value is returned, or none.

use crate::javascript::search::site::Site;
use crate::javascript::search::tree::{Kind, Shape};
use crate::search::change::Changes;
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        if let Shape::Function { gives: Some(given) } = &node.shape {
            wrong(changes, site, *given, 0.3);
        }
    }
    if !site.statement.is_in_function {
        return;
    }
    match &site.statement.kind {
        Kind::Return(Some(value)) => wrong(changes, site, *value, 1.0),
        Kind::Return(None) => {
            let at = site.statement.span.start + "return".len();
            for (other, weight) in values(site) {
                changes.insert(weight, at, format!(" {other}"));
            }
        }
        // In the middle of a block, what follows would be dead.
        Kind::Expression(_) if site.is_last() => changes.insert(2.0, site.statement.span.start, "return "),
        _ => {}
    }
    missing_at_the_end(changes, site);
}

fn wrong(changes: &mut Changes, site: &Site<'_>, value: Span, share: f64) {
    let own = site.text(value);
    for (other, weight) in values(site).into_iter().filter(|(other, _)| other != own) {
        changes.replace(weight * share, &value, other);
    }
    for name in site.names().iter() {
        let weight = share * name.nearness;
        changes.insert(0.2 * weight, value.end, format!(" + {}", name.text));
        changes.insert(0.1 * weight, value.end, format!(" - {}", name.text));
        changes.insert(0.1 * weight, value.start, format!("{} + ", name.text));
        changes.insert(0.1 * weight, value.end, format!(" || {}", name.text));
    }
    for constant in ["''", "null", "[]", "{}", "0", "false"] {
        changes.insert(0.1 * share, value.end, format!(" || {constant}"));
    }
    changes.wrap(0.3 * share, &value, "[", "]");
}

/// Returns the values that a function may return: its variables, the values
/// that it returns elsewhere, and constants.
pub(super) fn values(site: &Site<'_>) -> Vec<(String, f64)> {
    let names = site.names();
    let mut values: Vec<(String, f64)> = names.iter().map(|name| (name.text.to_owned(), 1.5 * name.nearness)).collect();
    values.extend(names.iter().map(|name| (format!("!{}", name.text), 0.3 * name.nearness)));
    for name in names.iter().filter(|name| site.file.uses(name.text).is_collection()) {
        values.push((format!("{}.length === 0", name.text), 0.4 * name.nearness));
        values.push((format!("{}.length > 0", name.text), 0.3 * name.nearness));
    }
    values.extend(site.returned().into_iter().map(|code| (code.to_owned(), 1.0)));
    values.extend(site.other_results().iter().map(|one| (one.code.clone(), one.weight)));
    values.extend(site.calls().into_iter().map(|(code, weight)| (code, 0.7 * weight)));
    for (constant, weight) in [
        ("true", 1.0),
        ("false", 1.0),
        ("null", 0.7),
        ("undefined", 0.7),
        ("0", 0.7),
        ("[]", 0.7),
        ("''", 0.7),
        ("this", 0.4),
        ("1", 0.5),
        ("-1", 0.5),
        ("{}", 0.4),
    ] {
        values.push((constant.to_owned(), weight));
    }
    values
}

/// A function that returns nothing behind its last statement.
fn missing_at_the_end(changes: &mut Changes, site: &Site<'_>) {
    let is_last_of_function = site.block().is_some_and(|block| block.is_body) && site.is_last();
    if !is_last_of_function || site.statement.kind.is_jump() || !site.owns_its_lines() {
        return;
    }
    for (value, weight) in values(site) {
        site.put_after(changes, weight, &format!("return {value}{}", site.file.semicolon));
    }
}
