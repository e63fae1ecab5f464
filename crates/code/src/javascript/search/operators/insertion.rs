//! A simple statement that is missing: like one that the function has elsewhere, or an update of a variable.

use std::collections::BTreeSet;

use crate::javascript::search::site::Site;
use crate::javascript::search::stock::is_short;
use crate::javascript::search::tree::Kind;
use crate::javascript::tokens::is_keyword;
use crate::search::change::Changes;
use crate::search::relation::are_related;
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    if !site.statement.is_in_function || !site.owns_its_lines() {
        return;
    }
    let own = site.text(site.statement.span);
    let semicolon = site.file.semicolon;
    let mut statements: Vec<(String, f64)> = jumps(site).into_iter().map(|jump| (jump.to_owned(), 0.3)).collect();
    let donated = site.donated(site.file.stock.statements.iter()).into_iter();
    statements
        .extend(donated.map(|one| (likelihood(&one.code) * one.weight, one.code)).map(|(weight, code)| (code, weight)));
    let semicolon_behind = |(code, weight): (String, f64)| (format!("{code}{semicolon}"), 0.5 * weight);
    statements.extend(site.calls().into_iter().map(semicolon_behind));
    let names = site.names();
    let near = || names.iter().filter(|name| name.nearness > 0.4);
    for name in near().filter(|name| !site.file.uses(name.text).is_no_number()) {
        let name = name.text;
        statements.push((format!("{name}++{semicolon}"), if site.statement.is_in_loop { 1.0 } else { 0.2 }));
        statements.push((format!("{name}--{semicolon}"), 0.2));
    }
    let function = site.function.map_or("", |function| site.text(function.span));
    // A parameter that nothing reads is most often to be kept.
    let parameters = site.function.map(|function| function.parameters.as_slice()).unwrap_or_default();
    for parameter in parameters.iter().filter(|parameter| function.contains("this.") && site.is_idle(&parameter.name)) {
        statements.push((format!("this.{0} = {0}{semicolon}", parameter.name), 4.0));
    }
    for list in lists(site) {
        let update = format!("{list}.push(");
        // A collection that nothing is ever put into is waiting for it.
        let weight = if function.contains(&update) { 0.3 } else { 6.0 };
        for name in near().filter(|name| name.text != list) {
            statements.push((format!("{update}{}){semicolon}", name.text), weight));
        }
    }
    // What begins with a value and never gets another, though a loop reads it.
    if site.statement.is_in_loop {
        for stale in begun(site).into_iter().filter(|name| is_never_updated(function, name)) {
            for name in near().filter(|name| name.text != stale) {
                statements.push((format!("{stale} = {}{semicolon}", name.text), 2.0));
            }
        }
    }
    for name in declared(site, |value| value == "false") {
        statements.push((format!("{name} = true{semicolon}"), 1.0));
    }
    let leaves = site.statement.kind.is_jump();
    for (statement, weight) in statements.into_iter().filter(|(statement, _)| statement != own) {
        // Beside what it has nothing to do with it may stand as well as elsewhere: then at the block's end.
        let matters = are_related(&statement, own, is_keyword);
        if matters || (leaves && site.is_last()) {
            site.put_before(changes, weight * 0.7, &statement);
        }
        // Behind what leaves the block nothing runs.
        if !leaves && (matters || site.is_last()) {
            site.put_after(changes, weight, &statement);
        }
    }
}

/// Returns whether only its declaration gives the variable a value.
fn is_never_updated(function: &str, name: &str) -> bool {
    let given =
        [" = ", " += ", " -= ", "++", "--", "="].map(|operator| function.matches(&format!("{name}{operator}")).count());
    given.first().is_some_and(|plain| *plain <= 1) && given.iter().skip(1).take(4).all(|count| *count == 0)
}

/// Updates are forgotten more often than what begins or ends something, which is needed once.
fn likelihood(statement: &str) -> f64 {
    let code = statement.trim_end_matches(';');
    let is_update = code.contains("+=") || code.contains("-=") || code.ends_with([')', '+', '-']);
    if is_update { 1.0 } else { 0.6 }
}

const MOST_DONORS: usize = 25;

/// The ways in which the function leaves a block.
fn jumps<'a>(site: &Site<'a>) -> BTreeSet<&'a str> {
    let Some(function) = site.function else { return BTreeSet::new() };
    let inside = site.file.tree.statements.iter().filter(|statement| function.span.contains(statement.span));
    let jumps = inside.filter(|statement| matches!(statement.kind, Kind::Return(_) | Kind::Break | Kind::Continue));
    jumps.map(|statement| site.text(statement.span)).filter(|code| is_short(code)).take(MOST_DONORS).collect()
}

/// The variables of the function that begin with a value.
fn begun<'a>(site: &Site<'a>) -> Vec<&'a str> {
    declared(site, |_| true)
}

/// The variables of the function that begin with an array.
fn lists<'a>(site: &Site<'a>) -> Vec<&'a str> {
    declared(site, |value| value.starts_with('['))
}

fn declared<'a>(site: &Site<'a>, is_it: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let around = site.function.map_or(Span::default(), |function| function.span);
    let inside = site.file.tree.statements.iter().filter(|statement| around.contains(statement.span));
    let declarators = inside.filter_map(|statement| match &statement.kind {
        Kind::Declaration(declared) => Some(declared),
        _ => None,
    });
    let named = declarators.flatten().filter(|declarator| declarator.is_name);
    let begun = named.filter(|declarator| declarator.value.is_some_and(|value| is_it(site.text(value))));
    begun.map(|declarator| site.text(declarator.target)).take(MOST_DONORS).collect()
}
