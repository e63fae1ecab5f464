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
}

/// More are not tried at one place.
const MOST_CONDITIONS: usize = 24;

/// What is checked: variables that may be empty, and what the file checks elsewhere.
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
    for condition in site.conditions() {
        found.push(((*condition).to_owned(), 0.7));
        let negated = if condition.contains(' ') { format!("!({condition})") } else { format!("!{condition}") };
        found.push((negated, 0.2));
    }
    found.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    found.truncate(MOST_CONDITIONS);
    found
}

/// What the check returns: anything where the function begins, later what the function returns elsewhere.
fn values(site: &Site<'_>, is_first: bool) -> Vec<(String, f64)> {
    let mut values = returns::values(site);
    if !is_first {
        let returned = site.returned();
        values.retain(|(value, _)| value == "undefined" || returned.contains(value.as_str()));
    }
    values
}
