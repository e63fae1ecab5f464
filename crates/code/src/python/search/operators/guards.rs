//! A check that is missing: before a statement, or around it.

use ruff_python_ast::Stmt;

use super::returns;
use crate::python::search::site::Site;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    if site.around.function.is_none()
        || !site.owns_its_lines()
        || matches!(site.statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_))
    {
        return;
    }
    let block = site.around.block;
    let is_in_body = matches!(block.owner, Some(Stmt::FunctionDef(_)));
    let is_first = site.position() == 0 || (site.position() == 1 && is_documentation(block.statements.first()));
    let leaves = leaves(site);
    let values = values(site, is_first);
    for (condition, likely) in conditions(site) {
        // Where a function or a loop's turn begins is where its special cases are dealt with.
        let early = if is_first { 1.0 } else { 0.15 };
        for (leave, share) in &leaves {
            site.put_before(changes, likely * share * early * 3.0, &format!("if {condition}:"), Some(leave));
        }
        if is_in_body {
            for (value, share) in &values {
                site.put_before(
                    changes,
                    likely * share * early,
                    &format!("if {condition}:"),
                    Some(&format!("return {value}")),
                );
            }
        }
        if site.is_movable() && !matches!(site.statement, Stmt::Assign(_)) {
            site.put_under(changes, likely * 0.5, &format!("if {condition}:"));
            site.put_under(changes, likely * 0.3, &format!("if not {condition}:"));
        }
    }
    known(changes, site);
}

/// Total weight of the checks that the file has elsewhere, relative to the weight of those that are made up.
const KNOWN: f64 = 0.5;

/// Maximum factor by which these checks gain weight: few checks are not much likelier for being few.
const MOST_KNOWN: f64 = 8.0;

/// A check that the file has elsewhere, with the variables of this place.
fn known(changes: &mut Changes, site: &Site<'_>) {
    let checks = site.file.stock.checks.iter().filter(|check| site.around.is_in_loop || !check.leaves_loop);
    let (before, made_up) = (changes.count(), changes.total());
    for donated in site.donated(checks.map(|check| &check.donor)) {
        let code = donated.indented(site.file.layout, site.indentation());
        site.put_before(changes, donated.weight, &code, None);
        if site.is_last() && !site.is_jump() {
            site.put_after(changes, donated.weight, &code);
        }
    }
    changes.weigh(before, KNOWN * made_up, MOST_KNOWN);
}

fn is_documentation(statement: Option<&Stmt>) -> bool {
    matches!(statement, Some(Stmt::Expr(inner)) if inner.value.is_string_literal_expr())
}

/// Returns the conditions to check: variables that may be empty, and conditions that the function tests elsewhere.
fn conditions(site: &Site<'_>) -> Vec<(String, f64)> {
    let mut found = Vec::new();
    let parameters = site.function.map(|function| function.parameters.as_slice());
    for parameter in parameters.unwrap_or_default() {
        let name = &parameter.name;
        if matches!(name.as_str(), "self" | "cls") {
            continue;
        }
        let uses = site.file.uses(name);
        found.push((format!("not {name}"), 2.0));
        found.push((format!("{name} is None"), 1.0));
        if !uses.is_no_number() {
            found.push((format!("{name} == 0"), 1.0));
            found.push((format!("{name} <= 0"), 0.5));
        }
        if !uses.is_number() {
            found.push((format!("len({name}) == 1"), 0.3));
        }
    }
    for name in site.names().iter().copied() {
        if parameters.unwrap_or_default().iter().all(|parameter| parameter.name != name) {
            found.push((name.to_owned(), 0.5));
            found.push((format!("not {name}"), 0.5));
        }
    }
    found.extend(site.function_conditions().into_iter().map(|condition| (condition.to_owned(), 0.5)));
    found.truncate(MOST_CONDITIONS);
    found
}

/// Maximum number of conditions that are tried at one place.
const MOST_CONDITIONS: usize = 24;

/// Returns the values that the check may return: any value where the function begins; later only `None` and the values that the
/// function returns elsewhere.
fn values(site: &Site<'_>, is_first: bool) -> Vec<(String, f64)> {
    let mut values = returns::values(site);
    if !is_first {
        let returned = site.returned();
        values.retain(|(value, _)| value == "None" || returned.contains(value.as_str()));
    }
    values
}

fn leaves(site: &Site<'_>) -> Vec<(&'static str, f64)> {
    if site.around.is_in_loop { vec![("continue", 1.0), ("break", 1.0)] } else { Vec::new() }
}
