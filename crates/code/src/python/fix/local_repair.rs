//! The last resort: one token at the failing place put in, taken out, replaced or swapped, in the order in which the project's
//! own style finds the result natural.

use std::collections::BTreeSet;

use super::blame::{Blame, Place};
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer, LOCAL_REPAIR};
use crate::python::module::{Role, Span};
use crate::python::tokens::{Kind, Token, scan};
use crate::repair::region::LONGEST_WINDOW;

/// Repairs any failure of a kind that random slips of single tokens cause.
pub(super) struct LocalRepair;

/// Errors that a slip of one token outside of import statements causes.
const ERRORS: [&str; 7] =
    ["NameError", "UnboundLocalError", "TypeError", "AttributeError", "ValueError", "KeyError", "IndexError"];
/// Maximum number of places of the stack that are searched.
const PLACES: usize = 2;
/// Maximum number of tokens of a place that are changed.
const MAX_TOKENS: usize = 60;
/// Maximum number of names that are tried in one place.
const MAX_NAMES: usize = 60;

impl Fixer for LocalRepair {
    fn name(&self) -> &'static str {
        LOCAL_REPAIR
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if !ERRORS.contains(&blame.error.as_str()) {
            return Vec::new();
        }
        let mut list = Shortlist::new(&blame);
        for (depth, place) in blame.places.iter().take(PLACES).enumerate() {
            let depth = 1.0 + 3.0 * f64::from(u32::try_from(depth).unwrap_or(9));
            repair(&mut list, &blame, place, depth);
        }
        list.finish(LOCAL_REPAIR, 24)
    }
}

fn repair(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, depth: f64) {
    let text = blame.text(&place.file);
    let Some(module) = blame.module(&place.file) else { return };
    let Some(statement) = module.statement_at(text, place.line) else { return };
    // It was meant to be raised: what is wrong lies elsewhere, and not to raise it only hides that.
    let meant = statement.text(text).strip_prefix("raise").is_some_and(|rest| rest.contains(&blame.error));
    if meant || statement.range().len() > LONGEST_WINDOW {
        return;
    }
    let tokens: Vec<Token> = scan(statement.text(text))
        .into_iter()
        .filter(|token| !matches!(token.kind, Kind::Comment | Kind::Newline))
        .map(|token| Token { start: token.start + statement.start, end: token.end + statement.start, ..token })
        .collect();
    let is_marked = |token: &Token| place.is_exact && Span { start: token.start, end: token.end }.overlaps(place.span);
    if module.imports.iter().any(|import| statement.contains(import.span)) {
        return;
    }
    let names = names_in_scope(blame, place);
    for (number, token) in tokens.iter().enumerate().take(MAX_TOKENS) {
        let near = if !place.is_exact || is_marked(token) { 0.0 } else { 2.0 };
        let here = depth + near;
        let what = token.text(text);
        if let Some(next) = tokens.get(number + 1) {
            // Neighbours swapped.
            let swapped =
                vec![Edit::replace(token.start..token.end, next.text(text)), Edit::replace(next.start..next.end, what)];
            list.add(here + 7.0, format!("swap '{what}' and '{}'", next.text(text)), &place.file, swapped);
            if let Some(after) = tokens.get(number + 2) {
                let swapped = vec![
                    Edit::replace(token.start..token.end, after.text(text)),
                    Edit::replace(after.start..after.end, what),
                ];
                list.add(here + 8.0, format!("swap '{what}' and '{}'", after.text(text)), &place.file, swapped);
            }
            // A token too many.
            let to = if text.get(token.end..next.start).is_some_and(|gap| !gap.contains('\n')) {
                next.start
            } else {
                token.end
            };
            list.edit(here + 7.0, format!("remove '{what}'"), &place.file, Edit::delete(token.start..to));
            // Two tokens too many: `x.`, `, x`, `- x`, `()`.
            list.edit(
                here + 8.0,
                format!("remove '{what}{}'", next.text(text)),
                &place.file,
                Edit::delete(token.start..next.end),
            );
        } else if let Some(before) = number.checked_sub(1).and_then(|before| tokens.get(before)) {
            list.edit(here + 7.0, format!("remove '{what}'"), &place.file, Edit::delete(before.end..token.end));
        }
        // A token lost.
        for (put, bits) in PUTS {
            list.edit(
                here + bits + 1.5,
                format!("put '{put}' before '{what}'"),
                &place.file,
                Edit::insert(token.start, spaced(put, false)),
            );
            list.edit(
                here + bits + 1.5,
                format!("put '{put}' after '{what}'"),
                &place.file,
                Edit::insert(token.end, spaced(put, true)),
            );
        }
        if token.kind == Kind::Operator {
            for other in OPERATORS.iter().filter(|other| **other != what) {
                list.edit(
                    here + 9.0,
                    format!("replace '{what}' by '{other}'"),
                    &place.file,
                    Edit::replace(token.start..token.end, *other),
                );
            }
        }
        if token.kind == Kind::Name {
            for name in names.iter().filter(|name| name.as_str() != what) {
                list.edit(
                    here + 9.0,
                    format!("replace '{what}' by '{name}'"),
                    &place.file,
                    Edit::replace(token.start..token.end, name.as_str()),
                );
            }
        }
    }
}

/// Tokens to insert where one was lost, each with how unlikely it is, in bits.
const PUTS: [(&str, f64); 14] = [
    ("()", 8.0),
    ("not", 8.0),
    ("-", 8.5),
    ("*", 8.5),
    ("**", 9.0),
    (",", 8.0),
    ("self", 9.0),
    ("self.", 7.0),
    ("[0]", 9.0),
    ("return", 9.0),
    ("await", 9.0),
    ("1", 10.0),
    ("0", 10.0),
    ("None", 10.0),
];

const OPERATORS: [&str; 16] = ["+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", ">", "<=", ">=", "=", "+=", "."];

/// A token as it stands beside another one.
fn spaced(put: &str, is_after: bool) -> String {
    let is_word = put.starts_with(|char: char| char.is_alphanumeric()) && !put.ends_with('.');
    match (is_word, is_after) {
        (true, false) => format!("{put} "),
        (true, true) => format!(" {put}"),
        (false, true) if put == "," => ", ".to_owned(),
        (false, _) => put.to_owned(),
    }
}

/// The names that can be seen at a place, those that the function itself uses first.
fn names_in_scope(blame: &Blame<'_>, place: &Place) -> BTreeSet<String> {
    let Some(module) = blame.module(&place.file) else { return BTreeSet::new() };
    let scope = module.scope_at(place.span.start);
    let mut visible: Vec<(usize, &str)> =
        module.visible(scope).into_iter().map(|(name, distance)| (distance, name)).collect();
    let here: BTreeSet<&str> = module
        .words
        .iter()
        .filter(|word| word.scope == scope && matches!(word.role, Role::Load | Role::Store | Role::Parameter))
        .map(|word| word.text.as_str())
        .collect();
    visible.sort_by_key(|(distance, name)| (!here.contains(name), *distance, *name));
    visible.into_iter().take(MAX_NAMES).map(|(_, name)| name.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::LocalRepair;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn puts_lost_token_back() {
        check_fix(
            &LocalRepair,
            pytest(
                r#"File "/repo/a.py", line 6, in last_name
IndexError: list index out of range"#,
            ),
            r"
 def last_row(rows):
     return rows[-1]


 def last_name(names):
-    return names[1]
+    return names[-1]
",
        );
    }

    /// An error that is raised on purpose is not the fault: not to raise it would only hide that.
    #[test]
    fn leaves_errors_that_are_raised_on_purpose_alone() {
        check_no_fix(
            &LocalRepair,
            pytest(
                r#"File "/repo/a.py", line 3, in largest
ValueError: no shapes"#,
            ),
            r"
 def largest(shapes):
     if not shapes:
         raise ValueError('no shapes')
     return max(shapes)
",
        );
    }
}
