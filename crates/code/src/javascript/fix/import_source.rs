//! A name that is imported from the wrong module: the imported value lacks what the code uses.

use std::collections::BTreeSet;

use super::blame::{Blame, Place};
use super::import_missing::ways;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::module::Role;
use crate::repair::shortlist::Shortlist;

/// Takes the names of the failing lines from where other files take them, or from the module that offers them or is called so.
pub(super) struct ImportSource;

const NAME: &str = "import_source";
/// Extra cost of changing the module, in bits: the name may be imported from there on purpose.
const DOUBT: f64 = 2.0;
/// Maximum number of stack lines that are examined.
const MAX_PLACES: usize = 4;

impl Fixer for ImportSource {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        match &blame.complaint {
            Complaint::UnknownMember { .. } | Complaint::NotCallable { .. } | Complaint::MemberOfNothing { .. } => {}
            Complaint::UnknownName { .. }
            | Complaint::UnknownModule { .. }
            | Complaint::UnknownExport { .. }
            | Complaint::WrongKindOfModule { .. }
            | Complaint::ConstantAssigned { .. }
            | Complaint::Arguments
            | Complaint::Other => return Vec::new(),
        }
        let mut list = Shortlist::new(&blame);
        for Place { file, span, .. } in blame.places.iter().take(MAX_PLACES) {
            let Some(module) = blame.module(file) else { continue };
            let used = module.words.iter().filter(|word| word.role == Role::Use && span.contains(word.span));
            for name in used.map(|word| word.text.as_str()).collect::<BTreeSet<&str>>() {
                let Some((import, one)) = module.imported(name) else { continue };
                for (way, bits) in ways(&blame, file, name) {
                    let is_of_kind = way.kind == one.kind && way.imported == one.name;
                    // What else the statement takes has to be there, too.
                    let is_alone = import.names.len() == 1;
                    if way.specifier != import.specifier && is_of_kind && is_alone {
                        let description = format!("import '{name}' from '{}'", way.specifier);
                        let edit = Edit::replace(import.specifier_span.range(), way.specifier.as_str());
                        list.edit(bits + DOUBT, description, file, edit);
                    }
                }
            }
        }
        list.finish(NAME, 8)
    }
}

#[cfg(test)]
mod tests {
    use super::ImportSource;
    use crate::fix_example::{check_fix, check_no_fix, node};

    #[test]
    fn imports_from_where_other_files_do() {
        check_fix(
            &ImportSource,
            node(
                r"TypeError: total is not a function
    at bill (/repo/src/bill.mjs:4:10)",
            ),
            r"
//- /src/bill.mjs
-import total from './round.mjs';
+import total from './total.mjs';

 export function bill(prices) {
   return total(prices);
 }
//- /src/order.mjs
 import total from './total.mjs';

 export const order = (prices) => total(prices);
//- /src/round.mjs
 export default 2;
//- /src/total.mjs
 export default function total(prices) {
   return prices.length;
 }
",
        );
    }

    /// Nothing says that a value is of the wrong kind.
    #[test]
    fn leaves_wrong_values_alone() {
        check_no_fix(
            &ImportSource,
            node(
                r"AssertionError: '1' == 2
    at bill (/repo/src/bill.mjs:4:10)",
            ),
            r"
//- /src/bill.mjs
 import total from './round.mjs';

 export function bill(prices) {
   return total(prices);
 }
//- /src/round.mjs
 export default 2;
//- /src/total.mjs
 export default function total(prices) {
   return prices.length;
 }
",
        );
    }
}
