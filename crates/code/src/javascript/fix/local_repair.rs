//! The last resort: one token at the failing place put in, taken out, replaced or swapped, in the order in which the project's own
//! style finds the result natural.

use super::blame::{Blame, Place};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer, LOCAL_REPAIR};
use crate::javascript::complaint::Complaint;
use crate::javascript::grammar::GRAMMAR;
use crate::javascript::module::{Module, Role};
use crate::repair::region::Region;
use crate::repair::shortlist::Shortlist;
use crate::repair::token_edits::TokenEdits;
use crate::span::Span;

/// Repairs any failure of a kind that random slips of single tokens cause.
pub(super) struct LocalRepair;

/// Maximum number of places of the stack that are searched.
const PLACES: usize = 2;
/// Maximum number of names that are tried in one place.
const MAX_NAMES: usize = 40;
/// Bits for a name or member that has another one's place.
const REPLACED: f64 = 8.0;
/// Bits beside those of the slip, for the repairs that look for nothing in particular come after those that do.
const LAST: f64 = 5.0;

impl Fixer for LocalRepair {
    fn name(&self) -> &'static str {
        LOCAL_REPAIR
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let is_runtime = match &blame.complaint {
            Complaint::UnknownName { .. }
            | Complaint::UnknownMember { .. }
            | Complaint::NotCallable { .. }
            | Complaint::MemberOfNothing { .. }
            | Complaint::ConstantAssigned { .. }
            | Complaint::Arguments => true,
            Complaint::UnknownModule { .. } | Complaint::UnknownExport { .. } | Complaint::WrongKindOfModule { .. } => {
                false
            }
            Complaint::Other => ["TypeError", "ReferenceError", "RangeError", "TS2"]
                .iter()
                .any(|error| context.finding.message.contains(error)),
        };
        let mut list = Shortlist::new(&blame);
        for (depth, place) in blame.places.iter().take(PLACES).enumerate().filter(|_| is_runtime) {
            let Some(module) = blame.module(&place.file) else { continue };
            // It was meant to be thrown: what is wrong lies elsewhere, and not to throw it only hides that.
            if place.span.text(blame.text(&place.file)).trim_start().starts_with("throw ") {
                continue;
            }
            let depth = LAST + 2.0 * f64::from(u32::try_from(depth).unwrap_or(9));
            tokens(&mut list, &blame, place, depth);
            names(&mut list, place, module, depth);
        }
        list.finish(LOCAL_REPAIR, 24)
    }
}

fn tokens(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, depth: f64) {
    let text = blame.text(&place.file);
    let window = place.span.range();
    let Some(region) = Region::new(&GRAMMAR, text, window.clone(), window, place.span.end) else { return };
    for proposal in TokenEdits::new(&region, blame.index.model()).proposals(&[]) {
        list.add(depth + proposal.slip, proposal.description, &place.file, proposal.edits);
    }
}

/// Another name or member in the place of each.
fn names(list: &mut Shortlist<'_, '_>, place: &Place, module: &Module, depth: f64) {
    let words = module.words.iter().filter(|word| place.span.contains(word.span));
    let around = module.function_at(place.span.start).map_or(place.span, |function| function.span);
    for word in words {
        let is_near = |span: Span| around.contains(span);
        let others: std::collections::BTreeSet<&str> = match word.role {
            Role::Use => module.visible(word.scope).into_keys().collect(),
            Role::Member => module
                .words
                .iter()
                .filter(|other| matches!(other.role, Role::Member | Role::Key))
                .map(|other| other.text.as_str())
                .collect(),
            Role::Binding | Role::Key => continue,
        };
        let mut others: Vec<&str> = others.into_iter().filter(|other| *other != word.text).collect();
        let used_near = |name: &str| module.words.iter().any(|other| other.text == name && is_near(other.span));
        others.sort_by_key(|name| !used_near(name));
        for other in others.into_iter().take(MAX_NAMES) {
            list.edit(
                depth + REPLACED,
                format!("replace '{}' by '{other}'", word.text),
                &place.file,
                Edit::replace(word.span.range(), other),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LocalRepair;
    use crate::fix_example::{check_fix, check_no_fix, node};

    #[test]
    fn replaces_member() {
        check_fix(
            &LocalRepair,
            node(
                r"TypeError: Cannot read properties of undefined (reading 'length')
    at count (/repo/a.js:6:19)",
            ),
            r"
 function first(cart) {
   return cart.items[0];
 }

 function count(cart) {
-  return cart.rows.length;
+  return cart.items.length;
 }
",
        );
    }

    /// An error that is thrown on purpose is not the fault: not to throw it would only hide that.
    #[test]
    fn leaves_errors_that_are_thrown_on_purpose_alone() {
        check_no_fix(
            &LocalRepair,
            node(
                r"RangeError: no items
    at count (/repo/a.js:3:11)",
            ),
            r"
 function count(cart) {
   if (!cart.items) {
     throw new RangeError('no items');
   }
   return cart.items.length;
 }
",
        );
    }
}
