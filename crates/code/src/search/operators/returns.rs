//! The wrong value is returned, or none.

use crate::search::change::Changes;
use crate::search::idioms::filled;
use crate::search::site::Site;
use crate::search::tree::{Kind, Shape};
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
                changes.insert(*weight, at, format!(" {other}"));
            }
        }
        // In the middle of a block, what follows would be dead.
        Kind::Expression(_) if site.is_last() => changes.insert(2.0, site.statement.span.start, "return "),
        Kind::Assign { last: Some(last), .. } if site.is_last() && last.operator.is_empty() => {
            changes.replace(0.3, &site.statement.span, format!("return {}", site.text(last.value)));
        }
        _ => {}
    }
    missing_at_the_end(changes, site);
}

fn wrong(changes: &mut Changes, site: &Site<'_>, value: Span, share: f64) {
    let (own, or) = (site.text(value), site.file.idioms.or);
    for (other, weight) in values(site).iter().filter(|(other, _)| other != own) {
        changes.replace(weight * share, &value, other.as_str());
    }
    // A part of it, or it with more.
    if let Some(Shape::Tuple(elements)) = site.node_in(value).map(|value| &value.shape) {
        for element in elements {
            changes.replace(0.5 * share, &value, site.text(*element));
        }
    }
    for name in site.names_before() {
        let weight = share * name.nearness;
        changes.insert(0.2 * weight, value.end, format!(" + {}", name.text));
        changes.insert(0.1 * weight, value.end, format!(" - {}", name.text));
        changes.insert(0.1 * weight, value.start, format!("{} + ", name.text));
        changes.insert(0.1 * weight, value.end, format!(" {or} {}", name.text));
    }
    for (constant, _) in site.file.idioms.fallbacks {
        changes.insert(0.1 * share, value.end, format!(" {or} {constant}"));
    }
    changes.wrap(0.3 * share, &value, "[", "]");
}

/// Returns the values that a function may return: its variables, the values that it returns elsewhere, and constants.
pub(super) fn values<'s>(site: &'s Site<'_>) -> &'s [(String, f64)] {
    site.results.get_or_init(|| all_values(site))
}

fn all_values(site: &Site<'_>) -> Vec<(String, f64)> {
    let idioms = site.file.idioms;
    let mut values: Vec<(String, f64)> = Vec::new();
    for name in site.names_before() {
        let is_collection = site.file.uses(name.text).is_collection();
        let lists = [idioms.results, if is_collection { idioms.collection_results } else { &[] }];
        let templates = lists.into_iter().flatten();
        values.extend(templates.map(|(template, weight)| (filled(template, name.text), weight * name.nearness)));
    }
    values.extend(site.returned().into_iter().map(|code| (code.to_owned(), 1.0)));
    values.extend(site.other_results().iter().map(|one| (one.code.clone(), one.weight)));
    values.extend(site.calls().into_iter().map(|(code, weight)| (code, 0.7 * weight)));
    values.extend(idioms.constants.iter().map(|(constant, weight)| ((*constant).to_owned(), *weight)));
    values
}

/// A function that returns nothing behind its last statement.
fn missing_at_the_end(changes: &mut Changes, site: &Site<'_>) {
    let is_last_of_function = site.is_in_body() && site.is_last();
    if !is_last_of_function || site.statement.kind.is_jump() || !site.owns_its_lines() {
        return;
    }
    for (value, weight) in values(site) {
        site.put_after(changes, *weight, &format!("return {value}{}", site.file.semicolon));
    }
}
