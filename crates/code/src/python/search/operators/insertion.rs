//! A simple statement that is missing: like one that the function has elsewhere, or an update of a variable.

use std::collections::BTreeSet;

use crate::python::module::{Span, StatementKind};
use crate::python::search::site::Site;
use crate::python::search::stock::is_short;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    if site.around.function.is_none() || !site.owns_its_lines() {
        return;
    }
    let own = site.text(site.statement);
    let mut statements: Vec<(String, f64)> =
        donors(site).into_iter().map(|donor| (donor.to_owned(), likelihood(donor))).collect();
    let names = site.names();
    for name in names.iter().filter(|name| !site.file.uses(name).is_no_number()) {
        statements.push((format!("{name} += 1"), if site.around.is_in_loop { 1.0 } else { 0.2 }));
        statements.push((format!("{name} -= 1"), 0.2));
    }
    let function = site.function.map_or("", |function| function.span.text(site.file.text));
    for (receiver, method) in updates(site) {
        for name in names.iter().filter(|name| **name != receiver) {
            let update = format!("{receiver}.{method}(");
            // A collection that nothing is ever put into is waiting for it.
            let weight = if function.contains(&update) { 0.3 } else { 8.0 };
            statements.push((format!("{update}{name})"), weight));
        }
    }
    // What begins with a value and never gets another, though a loop reads it.
    for stale in names.iter().filter(|name| site.around.is_in_loop && is_never_updated(site, name)) {
        for name in names.iter().filter(|name| *name != stale) {
            statements.push((format!("{stale} = {name}"), 2.0));
        }
    }
    for (statement, weight) in statements.into_iter().filter(|(statement, _)| statement != own) {
        site.put_before(changes, weight * 0.7, &statement, None);
        site.put_after(changes, weight, &statement);
    }
}

/// Returns whether the variable is bound only once, by an assignment; parameters and loop variables do not count.
fn is_never_updated(site: &Site<'_>, name: &str) -> bool {
    let module = site.file.module;
    let bindings = module.scopes.get(module.scope_at(site.head.start)).and_then(|scope| scope.bindings.get(name));
    let assigned = |binding: &Span| {
        module.statements.iter().any(
            |statement| matches!(&statement.kind, StatementKind::Assign { target, .. } if target.contains(*binding)),
        )
    };
    matches!(bindings.map(Vec::as_slice), Some([only]) if assigned(only))
}

/// Updates are forgotten more often than what begins or ends something, which is needed once.
fn likelihood(statement: &str) -> f64 {
    let is_update = statement.contains("+=") || statement.contains("-=") || statement.ends_with(')');
    if statement.starts_with("return") || !is_update { 0.2 } else { 1.0 }
}

/// The simple statements of the function.
fn donors<'a>(site: &Site<'a>) -> BTreeSet<&'a str> {
    let Some(function) = site.function else { return BTreeSet::new() };
    let inside = site.file.module.statements.iter().filter(|statement| function.span.contains(statement.span));
    let code = inside.map(|statement| statement.span.text(site.file.text));
    code.filter(|code| is_short(code) && !code.ends_with(':') && !code.starts_with(['"', '\'']))
        .take(MOST_DONORS)
        .collect()
}

const MOST_DONORS: usize = 25;

/// Collections of the function that could take a value, by the method that gives it to them.
fn updates<'a>(site: &Site<'a>) -> Vec<(&'a str, &'static str)> {
    let Some(function) = site.function else { return Vec::new() };
    let text = site.file.text;
    // Of the functions around it, too: what an inner one fills begins further out.
    let around = site.file.module.functions.iter().filter(|outer| outer.span.contains(function.span));
    let around: Vec<Span> = around.map(|outer| outer.span).collect();
    let is_inside = |place: Span| around.iter().any(|outer| outer.contains(place));
    let assigned = site.file.module.statements.iter().filter(|statement| is_inside(statement.span));
    let begun = assigned.filter_map(|statement| match &statement.kind {
        StatementKind::Assign { target, value } => Some((target.text(text), value.text(text))),
        _ => None,
    });
    let method = |value: &str| {
        let is_set = value.starts_with("set(") || (value.starts_with('{') && !value.contains(':') && value != "{}");
        let is_list = value.starts_with('[') || value.starts_with("list(");
        if is_set {
            Some("add")
        } else if is_list {
            Some("append")
        } else {
            None
        }
    };
    begun.filter_map(|(target, value)| Some((target, method(value)?))).collect()
}
