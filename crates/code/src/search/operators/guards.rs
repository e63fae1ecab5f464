//! A check that is missing: before a statement, or around it.

use super::returns;
use crate::search::change::Changes;
use crate::search::idioms::filled;
use crate::search::site::Site;
use crate::search::tree::Kind;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    if !site.statement.is_in_function || !site.owns_its_lines() || site.statement.kind == Kind::Definition {
        return;
    }
    let idioms = site.file.idioms;
    let is_first = site.is_first();
    let leaves = if site.statement.is_in_loop { vec![("continue", 1.0), ("break", 1.0)] } else { Vec::new() };
    let values = values(site, is_first);
    let leave_with = |value: &str| match value {
        value if idioms.is_nothing(value) => idioms.return_nothing.to_owned(),
        value => format!("return {value}"),
    };
    let values: Vec<(&str, String, f64)> =
        values.iter().map(|(value, share)| (value.as_str(), leave_with(value), *share)).collect();
    let gives_name = match &site.statement.kind {
        Kind::Declaration(_) => true,
        Kind::Assign { last, .. } => last.is_some_and(|last| last.operator.is_empty()),
        _ => false,
    };
    for Condition { code: condition, weight: likely, tests } in conditions(site) {
        // Where a function or a loop's turn begins is where its special cases are dealt with.
        let early = if is_first { 1.0 } else { 0.15 };
        for (leave, share) in &leaves {
            site.put_before(changes, likely * share * early * 3.0, site.branch(&condition, leave));
        }
        if site.is_in_body() {
            // Of a variable that is checked, another test gives what is known.
            let known = tests.map(|name| tests_of(site, name)).unwrap_or_default();
            for (_, leave, share) in values.iter().filter(|(value, ..)| known.iter().all(|test| test != value)) {
                site.put_before(changes, likely * share * early, site.branch(&condition, leave));
            }
        }
        if site.is_movable() && !gives_name {
            site.put_under(changes, likely * 0.5, &condition);
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
    let checks = &site.file.stock.checks;
    let fitting = checks.iter().filter(|check| site.statement.is_in_loop || !check.leaves_loop);
    let (before, made_up) = (changes.count(), changes.total());
    for donated in site.donated(fitting.map(|check| &check.donor)) {
        let code = donated.indented(site.file.layout, site.indentation());
        site.put_before(changes, donated.weight, code.as_str());
        if site.is_last() && !site.statement.kind.is_jump() {
            site.put_after(changes, donated.weight, &code);
        }
    }
    changes.weigh(before, KNOWN * made_up, MOST_KNOWN);
}

/// Maximum number of conditions that are tried at one place.
const MOST_CONDITIONS: usize = 28;

/// More of the file's own tests are not tried.
const MOST_PREDICATES: usize = 3;

/// A condition to check.
struct Condition<'a> {
    code: String,
    weight: f64,
    /// The variable that it is a test of.
    tests: Option<&'a str>,
}

/// Returns the tests of a variable that may be returned.
fn tests_of(site: &Site<'_>, name: &str) -> Vec<String> {
    let idioms = site.file.idioms;
    let templates = idioms.results.iter().chain(idioms.collection_results);
    templates.map(|(template, _)| filled(template, name)).filter(|code| code != name).collect()
}

/// Returns the conditions to check: that variables are empty, and those that the function checks elsewhere.
fn conditions<'a>(site: &'a Site<'_>) -> Vec<Condition<'a>> {
    let (file, idioms) = (site.file, site.file.idioms);
    let mut found: Vec<Condition<'_>> = Vec::new();
    let mut add = |template: &str, name: &'a str, weight: f64| {
        found.push(Condition { code: filled(template, name), weight, tests: Some(name) });
    };
    let parameters = site.function.map(|function| function.parameters.as_slice()).unwrap_or_default();
    let negated = format!("{}{{}}", idioms.not);
    for parameter in parameters.iter().filter(|parameter| !parameter.name.is_empty()) {
        let uses = file.uses(parameter.name);
        let lists = [
            (true, idioms.checks),
            (!uses.is_no_number(), idioms.number_checks),
            (!uses.is_number(), idioms.collection_checks),
        ];
        for (template, weight) in lists.iter().filter(|(fits, _)| *fits).flat_map(|(_, list)| *list) {
            add(template, parameter.name, *weight);
        }
    }
    let near = || site.names_before().iter().filter(|name| name.nearness > 0.9);
    for name in near().filter(|name| parameters.iter().all(|parameter| parameter.name != name.text)) {
        add("{}", name.text, 0.5);
        add(&negated, name.text, 0.5);
    }
    let predicates: Vec<&str> =
        file.functions_of_one().filter(|name| is_predicate(name)).take(MOST_PREDICATES).collect();
    let mut add = |code: String, weight: f64| found.push(Condition { code, weight, tests: None });
    for predicate in &predicates {
        for name in near() {
            let call = format!("{predicate}({})", name.text);
            let opposite = filled(&negated, &call);
            add(call, 0.6);
            add(opposite, 0.6);
        }
    }
    for condition in site.conditions() {
        let (before, after) = idioms.not_around;
        let is_plain = !condition.contains(' ');
        add((*condition).to_owned(), 0.7);
        add(if is_plain { filled(&negated, condition) } else { format!("{before}{condition}{after}") }, 0.2);
    }
    found.sort_by(|left, right| right.weight.total_cmp(&left.weight));
    found.truncate(MOST_CONDITIONS);
    found
}

/// Returns whether the name of a function is that of a predicate about its argument (`is...`, `has...`).
fn is_predicate(name: &str) -> bool {
    let rest = name.strip_prefix("is").or_else(|| name.strip_prefix("has"));
    rest.is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase() || first == '_'))
}

/// Returns the values that the check may return: any value at the beginning of the function, later only those
/// that the function returns elsewhere.
fn values(site: &Site<'_>, is_first: bool) -> Vec<(String, f64)> {
    let mut values = returns::values(site).to_vec();
    if !is_first {
        let returned = site.returned();
        values.retain(|(value, _)| site.file.idioms.is_nothing(value) || returned.contains(value.as_str()));
    }
    values
}
