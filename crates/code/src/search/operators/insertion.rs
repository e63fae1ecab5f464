//! A simple statement that is missing: like one that the function has elsewhere, or an update of a variable.

use std::collections::BTreeSet;

use crate::search::change::Changes;
use crate::search::idioms::filled;
use crate::search::relation::Names;
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
    let near = || site.names_before().iter().filter(|name| name.nearness > 0.4);
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
    let given = given(site);
    // Each with the first value: the one that it begins with.
    let begun: Vec<(&str, &str)> = given
        .iter()
        .enumerate()
        .filter(|(number, (target, _))| given.iter().take(*number).all(|(known, _)| known != target))
        .map(|(_, begun)| *begun)
        .collect();
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
        let is_given_once = || given.iter().filter(|(known, _)| known == target).count() == 1;
        if is_in_loop && is_given_once() && is_never_updated(function, target) {
            for name in near().filter(|name| name.text != *target) {
                add(format!("{target} = {}", name.text), 2.0);
            }
        }
        if *value == idioms.booleans[1] {
            add(format!("{target} = {}", idioms.booleans[0]), 1.0);
        }
    }
    let leaves = site.statement.kind.is_jump();
    let is_last = site.is_last();
    let named = Names::of(own, idioms.is_keyword);
    for (statement, weight) in statements.into_iter().filter(|(statement, _)| statement != own) {
        // Beside what it has nothing to do with it may stand as well as elsewhere: then at the block's end.
        let matters = named.are_related(&Names::of(&statement, idioms.is_keyword));
        if matters || (leaves && is_last) {
            site.put_before(changes, weight * 0.7, statement.as_str());
        }
        // Behind what leaves the block nothing runs.
        if !leaves && (matters || is_last) {
            site.put_after(changes, weight, &statement);
        }
    }
}

/// Returns whether a variable is one of the function itself.
fn is_inside(site: &Site<'_>, name: &str) -> bool {
    site.names_before().iter().any(|known| known.text == name)
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

/// The values that variables and members are given in the function or one around it: what an inner function fills begins further out.
fn given<'a>(site: &Site<'a>) -> Vec<(&'a str, &'a str)> {
    let Some(own) = site.function else { return Vec::new() };
    let functions = site.file.all_functions.iter().map(|function| function.span);
    let around: Vec<Span> = functions.filter(|outer| outer.contains(own.span)).collect();
    let given = site.file.given.iter().filter(|given| around.iter().any(|outer| outer.contains(given.target)));
    given.map(|given| (site.text(given.target), given.value)).take(MOST_DONORS).collect()
}
