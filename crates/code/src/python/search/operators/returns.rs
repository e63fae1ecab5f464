//! The wrong value is returned, or none.

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::python::search::site::Site;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    if site.around.function.is_none() || site.clause.is_some() {
        return;
    }
    match site.statement {
        Stmt::Return(statement) => match &statement.value {
            Some(value) => wrong(changes, site, value),
            None => {
                for (other, weight) in values(site) {
                    changes.insert(weight, statement.end().to_usize(), format!(" {other}"));
                }
            }
        },
        Stmt::Expr(statement) => changes.insert(2.0, statement.start().to_usize(), "return "),
        // In the middle of a block, what follows would be dead.
        Stmt::Assign(statement) if site.is_last() => {
            changes.replace(0.3, statement, format!("return {}", site.text(&*statement.value)));
        }
        _ => {}
    }
    missing_at_the_end(changes, site);
}

fn wrong(changes: &mut Changes, site: &Site<'_>, value: &Expr) {
    for (other, weight) in values(site) {
        if other != site.text(value) {
            changes.replace(weight, value, other);
        }
    }
    // A part of it, or it with more.
    if let Expr::Tuple(tuple) = value {
        for element in &tuple.elts {
            changes.replace(0.5, value, site.text(element));
        }
    }
    for name in site.names() {
        changes.insert(0.2, value.end().to_usize(), format!(" + {name}"));
        changes.insert(0.1, value.end().to_usize(), format!(" - {name}"));
        changes.insert(0.1, value.start().to_usize(), format!("{name} + "));
    }
    changes.wrap(0.3, value, "[", "]");
}

/// Returns the values that a function may return, with their weights: its variables, the values it returns elsewhere, and
/// constants.
pub(super) fn values(site: &Site<'_>) -> Vec<(String, f64)> {
    let mut values: Vec<(String, f64)> = site.names().iter().copied().map(|name| (name.to_owned(), 1.5)).collect();
    values.extend(site.names().iter().copied().map(|name| (format!("not {name}"), 0.3)));
    values.extend(site.returned().into_iter().map(|code| (code.to_owned(), 1.0)));
    for (constant, weight) in [
        ("True", 1.0),
        ("False", 1.0),
        ("None", 1.0),
        ("0", 0.7),
        ("[]", 0.7),
        ("1", 0.5),
        ("-1", 0.5),
        ("''", 0.4),
        ("{}", 0.3),
        ("[[]]", 0.3),
    ] {
        values.push((constant.to_owned(), weight));
    }
    values
}

/// A function that returns nothing behind its last statement.
fn missing_at_the_end(changes: &mut Changes, site: &Site<'_>) {
    let block = site.around.block;
    let is_last_of_function = matches!(block.owner, Some(Stmt::FunctionDef(_))) && site.is_last();
    if !is_last_of_function || matches!(site.statement, Stmt::Return(_) | Stmt::Raise(_)) {
        return;
    }
    for (value, weight) in values(site) {
        site.put_after(changes, weight, &format!("return {value}"));
    }
}
