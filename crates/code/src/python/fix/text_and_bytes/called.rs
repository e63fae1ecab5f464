//! Functions that a failing test calls.

use std::collections::BTreeSet;

use super::super::blame::Blame;
use crate::python::module::{Function, Role, Span};

/// Maximum number of functions of one name: of more, the test does not tell which it calls.
const MOST: usize = 2;

/// The functions that may be changed among those that the failing statement of a test calls.
pub(super) fn called<'a>(blame: &Blame<'a>) -> Vec<(&'a str, &'a Function)> {
    let Some(witness) = blame.witnesses.first() else { return Vec::new() };
    let Some(module) = blame.module(&witness.file) else { return Vec::new() };
    let text = blame.text(&witness.file);
    let statement = module.statement_at(text, witness.line).unwrap_or(witness.span);
    // A line above may have called the function and named its value.
    let loads = module.words.iter().filter(|word| statement.contains(word.span) && word.role == Role::Load);
    let read: BTreeSet<&str> = loads.map(|word| word.text.as_str()).collect();
    let scope = module.scope_at(statement.start);
    let is_above = |target: Span| read.contains(target.text(text)) && module.scope_at(target.start) == scope;
    let above = module.assignments().filter(|(target, _)| is_above(*target)).map(|(_, value)| value);
    let spans: Vec<Span> = std::iter::once(statement).chain(above).collect();
    let calls = module.calls.iter().filter(|call| spans.iter().any(|span| span.contains(call.span)));
    let names: BTreeSet<&str> = calls.map(|call| call.name.as_str()).collect();
    let mut found = Vec::new();
    for name in names {
        let editable = blame.index.modules().filter(|(file, _)| blame.sources().is_editable(file));
        let functions =
            editable.flat_map(|(file, module)| module.functions.iter().map(move |function| (file, function)));
        let own: Vec<(&str, &Function)> = functions.filter(|(_, function)| function.name == name).collect();
        if own.len() <= MOST {
            found.extend(own);
        }
    }
    found
}
