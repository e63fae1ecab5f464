//! A simple statement that is missing: like one that the function has elsewhere, or an update of a variable.

use std::collections::BTreeSet;

use crate::search::change::Changes;
use crate::search::idioms::filled;
use crate::search::relation::are_related;
use crate::search::site::Site;
use crate::search::stock::is_short;
use crate::search::tree::{Kind, Statement};
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    if !site.statement.is_in_function || !site.owns_its_lines() {
        return;
    }
    let (file, idioms) = (site.file, site.file.idioms);
    let own = site.text(site.statement.span);
    let semicolon = file.semicolon;
    let is_in_loop = site.statement.is_in_loop;
    let mut statements: Vec<(String, f64)> = jumps(site).into_iter().map(|jump| (jump.to_owned(), 0.3)).collect();
    let donated = site.donated(file.stock.statements.iter()).into_iter();
    statements
        .extend(donated.map(|one| (likelihood(&one.code) * one.weight, one.code)).map(|(weight, code)| (code, weight)));
    let mut add = |code: String, weight: f64| statements.push((format!("{code}{semicolon}"), weight));
    site.calls().into_iter().for_each(|(code, weight)| add(code, 0.5 * weight));
    let names = site.names();
    let near = || names.iter().filter(|name| name.nearness > 0.4);
    for name in near().filter(|name| !file.uses(name.text).is_no_number()) {
        for (number, (update, weight)) in idioms.updates.iter().enumerate() {
            // What counts counts up, in a loop.
            let weight = if number == 0 && !is_in_loop { 0.2 } else { *weight };
            add(filled(update, name.text), weight);
        }
    }
    let function = site.function.map_or("", |function| site.text(function.span));
    // A parameter that nothing reads is most often to be kept.
    let parameters = site.function.map(|function| function.parameters.as_slice()).unwrap_or_default();
    let has_owner = function.contains(&format!("{}.", idioms.owner));
    for parameter in parameters.iter().filter(|parameter| has_owner && site.is_idle(parameter.name)) {
        add(format!("{}.{1} = {1}", idioms.owner, parameter.name), 4.0);
    }
    let begun = begun(site);
    for (target, value) in &begun {
        let Some(method) = (idioms.collects)(value) else { continue };
        let update = format!("{target}.{method}(");
        // A collection that nothing is ever put into is waiting for it.
        let weight = if function.contains(&update) { 0.3 } else { 7.0 };
        for name in near().filter(|name| name.text != *target) {
            add(format!("{update}{})", name.text), weight);
        }
    }
    for (target, value) in begun.iter().filter(|(target, _)| is_inside(site, target)) {
        // What begins with a value and never gets another, though a loop reads it.
        if is_in_loop && is_never_updated(function, target) {
            for name in near().filter(|name| name.text != *target) {
                add(format!("{target} = {}", name.text), 2.0);
            }
        }
        if *value == idioms.booleans[1] {
            add(format!("{target} = {}", idioms.booleans[0]), 1.0);
        }
    }
    let leaves = site.statement.kind.is_jump();
    for (statement, weight) in statements.into_iter().filter(|(statement, _)| statement != own) {
        // Beside what it has nothing to do with it may stand as well as elsewhere: then at the block's end.
        let matters = are_related(&statement, own, idioms.is_keyword);
        if matters || (leaves && site.is_last()) {
            site.put_before(changes, weight * 0.7, &statement);
        }
        // Behind what leaves the block nothing runs.
        if !leaves && (matters || site.is_last()) {
            site.put_after(changes, weight, &statement);
        }
    }
}

/// Returns whether a variable is one of the function itself.
fn is_inside(site: &Site<'_>, name: &str) -> bool {
    site.names().iter().any(|known| known.text == name)
}

/// Returns whether only one assignment gives the variable a value.
fn is_never_updated(function: &str, name: &str) -> bool {
    let given =
        [" = ", " += ", " -= ", "++", "--", "="].map(|operator| function.matches(&format!("{name}{operator}")).count());
    given.first().is_some_and(|plain| *plain <= 1) && given.iter().skip(1).take(4).all(|count| *count == 0)
}

/// Updates are forgotten more often than what begins or ends something, which is needed once.
fn likelihood(statement: &str) -> f64 {
    let code = statement.trim_end_matches(';');
    let is_update = code.contains("+=") || code.contains("-=") || code.ends_with([')', '+', '-']);
    if is_update { 1.0 } else { 0.5 }
}

const MOST_DONORS: usize = 25;

/// The ways in which the function leaves a block.
fn jumps<'a>(site: &Site<'a>) -> BTreeSet<&'a str> {
    let leaves = |statement: &&Statement| matches!(statement.kind, Kind::Return(_) | Kind::Break | Kind::Continue);
    let jumps = site.statements_of_function().filter(leaves);
    jumps.map(|statement| site.text(statement.span)).filter(|code| is_short(code)).take(MOST_DONORS).collect()
}

/// The variables, and members, that begin with a value in the function or one around it, with the value: what an inner function fills
/// begins further out.
fn begun<'a>(site: &Site<'a>) -> Vec<(&'a str, &'a str)> {
    let Some(own) = site.function else { return Vec::new() };
    let functions = site.file.all_functions.iter().map(|function| function.span);
    let around: Vec<Span> = functions.filter(|outer| outer.contains(own.span)).collect();
    let inside = site.file.tree.statements.iter().filter(|one| around.iter().any(|outer| outer.contains(one.span)));
    let given = inside.flat_map(|statement| match &statement.kind {
        Kind::Declaration(declared) => {
            let named = declared.iter().filter(|declarator| declarator.is_name);
            named.filter_map(|declarator| Some((declarator.target, declarator.value?))).collect()
        }
        Kind::Assign { last: Some(last), .. } if last.operator.is_empty() => vec![(last.target, last.value)],
        _ => Vec::new(),
    });
    let mut found: Vec<(&str, &str)> = Vec::new();
    for (target, value) in given.map(|(target, value)| (site.text(target), site.text(value))).take(MOST_DONORS) {
        if !found.iter().any(|(known, _)| *known == target) {
            found.push((target, value));
        }
    }
    found
}
