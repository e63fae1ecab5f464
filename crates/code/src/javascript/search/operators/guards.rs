//! A check that is missing: before a statement, or around it.

use super::returns;
use crate::javascript::search::site::Site;
use crate::javascript::search::tree::Kind;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let Some(block) = site.block() else { return };
    if !site.statement.is_in_function || !site.owns_its_lines() || site.statement.kind == Kind::Definition {
        return;
    }
    let is_first = site.position() == 0;
    let leaves = if site.statement.is_in_loop { vec![("continue", 1.0), ("break", 1.0)] } else { Vec::new() };
    let values = values(site, is_first);
    for (condition, likely) in conditions(site) {
        // Where a function or a loop's turn begins is where its special cases are dealt with.
        let early = if is_first { 1.0 } else { 0.15 };
        for (leave, share) in &leaves {
            site.put_before(changes, likely * share * early * 3.0, &site.branch(&condition, leave));
        }
        if block.is_body {
            for (value, share) in &values {
                let leave = if value == "undefined" { "return".to_owned() } else { format!("return {value}") };
                site.put_before(changes, likely * share * early, &site.branch(&condition, &leave));
            }
        }
        if site.is_movable() && !matches!(site.statement.kind, Kind::Declaration(_)) {
            site.put_under(changes, likely * 0.5, &condition);
        }
    }
    if is_first && block.is_body {
        constructor(changes, site);
    }
    known(changes, site);
}

/// `if (!(this instanceof Shape)) return new Shape(size)`: what functions that make objects begin with, where there are no classes.
fn constructor(changes: &mut Changes, site: &Site<'_>) {
    let Some(function) = site.function else { return };
    let name = function.name.as_str();
    let is_plain = function.parameters.iter().all(|parameter| !parameter.name.is_empty());
    if !name.starts_with(|first: char| first.is_ascii_uppercase()) || !is_plain {
        return;
    }
    let parameters: Vec<&str> = function.parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    let (condition, leave) =
        (format!("!(this instanceof {name})"), format!("return new {name}({})", parameters.join(", ")));
    site.put_before(changes, 4.0, &site.branch(&condition, &leave));
}

/// Total weight of the checks that the file has elsewhere, relative to the checks that are made up.
const KNOWN: f64 = 0.5;

/// Maximum factor by which these checks gain weight: few checks are not much likelier for being few.
const MOST_KNOWN: f64 = 8.0;

/// A check that the file has elsewhere, with the variables of this place.
fn known(changes: &mut Changes, site: &Site<'_>) {
    let checks = &site.file.stock.checks;
    let fitting = checks.iter().filter(|check| site.statement.is_in_loop || !check.leaves_loop);
    let (before, made_up) = (changes.count(), changes.total());
    for donated in site.donated(fitting.map(|check| &check.donor)) {
        let code = donated.indented(site.file.layout, site.indentation());
        site.put_before(changes, donated.weight, &code);
        if site.is_last() && !site.statement.kind.is_jump() {
            site.put_after(changes, donated.weight, &code);
        }
    }
    changes.weigh(before, KNOWN * made_up, MOST_KNOWN);
}

/// Maximum number of conditions that are tried at one place.
const MOST_CONDITIONS: usize = 28;

/// Returns the conditions to check: that variables are empty, and those that the file checks elsewhere.
fn conditions(site: &Site<'_>) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = Vec::new();
    let parameters = site.function.map(|function| function.parameters.as_slice()).unwrap_or_default();
    for parameter in parameters.iter().filter(|parameter| !parameter.name.is_empty()) {
        let name = &parameter.name;
        let uses = site.file.uses(name);
        found.push((format!("!{name}"), 2.0));
        if !uses.is_no_number() {
            found.push((format!("{name} === 0"), 1.0));
            found.push((format!("{name} <= 0"), 0.5));
        }
        if !uses.is_number() {
            found.push((format!("{name}.length === 0"), 1.0));
            found.push((format!("typeof {name} !== 'string'"), 0.3));
            found.push((format!("!Array.isArray({name})"), 0.2));
        }
        found.push((format!("{name} == null"), 0.7));
        found.push((name.to_owned(), 0.4));
    }
    for name in site.names().iter().filter(|name| name.nearness > 0.9) {
        if parameters.iter().all(|parameter| parameter.name != name.text) {
            found.push((name.text.to_owned(), 0.5));
            found.push((format!("!{}", name.text), 0.5));
        }
    }
    let predicates: Vec<&str> =
        site.file.functions_of_one().filter(|name| is_predicate(name)).take(MOST_PREDICATES).collect();
    for name in site.names().iter().filter(|name| name.nearness > 0.9) {
        for predicate in &predicates {
            found.push((format!("{predicate}({})", name.text), 0.6));
            found.push((format!("!{predicate}({})", name.text), 0.6));
        }
        if site.file.uses(name.text).is_number() {
            found.push((format!("isNaN({})", name.text), 0.45));
        }
    }
    for condition in site.conditions() {
        found.push(((*condition).to_owned(), 0.7));
        let negated = if condition.contains(' ') { format!("!({condition})") } else { format!("!{condition}") };
        found.push((negated, 0.2));
    }
    found.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    found.truncate(MOST_CONDITIONS);
    found
}

/// More of the file's own tests are not tried.
const MOST_PREDICATES: usize = 3;

/// Returns whether the name of a function is that of a predicate about its argument (`is...`, `has...`).
fn is_predicate(name: &str) -> bool {
    let rest = name.strip_prefix("is").or_else(|| name.strip_prefix("has"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// Returns the values that the check may return: any value at the beginning of the function, later only those
/// that the function returns elsewhere.
fn values(site: &Site<'_>, is_first: bool) -> Vec<(String, f64)> {
    let mut values = returns::values(site);
    if !is_first {
        let returned = site.returned();
        values.retain(|(value, _)| value == "undefined" || returned.contains(value.as_str()));
    }
    values
}
