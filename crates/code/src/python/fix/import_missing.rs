//! An import that is gone: a name that is used here and that other files, the standard library or the project can give.

use super::attribute_spelling::Missing;
use super::blame::Blame;
use super::import_statement::insert_import;
use super::import_ways::propose;
use super::shortlist::Shortlist;
use super::spelling::slip;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::Role;

/// Repairs a `NameError` by the import that brings the name, and a module that lost one of its re-exports.
pub(super) struct ImportMissing;

const NAME: &str = "import_missing";

impl Fixer for ImportMissing {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        match blame.error.as_str() {
            "NameError" => {
                if let (Some(name), Some(place)) = (blame.quoted().first(), blame.places.first()) {
                    propose(&mut list, &blame, &place.file, name, 0.0);
                    alias(&mut list, &blame, &place.file, name);
                }
            }
            "AttributeError" => {
                let Some(missing) = Missing::read(&blame.message) else { return Vec::new() };
                if missing.is_module {
                    let owner = missing.owner;
                    if let Some(file) = blame.index.file_of(owner) {
                        propose(&mut list, &blame, file, missing.attribute, 1.0);
                    }
                    submodule(&mut list, &blame, owner, missing.attribute);
                }
            }
            _ => {}
        }
        list.finish(NAME, 12)
    }
}

/// `as name` that was lost: an import that binds another name, which nothing reads.
fn alias(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, name: &str) {
    let Some(module) = blame.module(file) else { return };
    for imported in module.imports.iter().flat_map(|import| &import.names).filter(|imported| imported.name != "*") {
        let bound = imported.bound();
        let is_read = module.words.iter().any(|word| word.role == Role::Load && word.text == bound);
        let resembles =
            name.contains(bound) || bound.contains(name.trim_start_matches('_')) || slip(name, bound).is_some();
        let bits = match (is_read, resembles) {
            (false, true) => 1.5,
            (false, false) => 4.0,
            (true, true) => 5.0,
            (true, false) => continue,
        };
        let edit = match &imported.alias {
            Some((_, span)) => Edit::replace(span.range(), name),
            None => Edit::insert(imported.span.end, format!(" as {name}")),
        };
        list.edit(bits, format!("import '{}' as '{name}'", imported.name), file, edit);
    }
}

/// Proposes `import a.b` where `a.b` is used and only `a` is imported.
fn submodule(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, owner: &str, attribute: &str) {
    let wanted = format!("{owner}.{attribute}");
    for place in &blame.places {
        if let Some(edit) = insert_import(blame, &place.file, &format!("import {wanted}")) {
            list.edit(4.0, format!("import '{wanted}'"), &place.file, edit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ImportMissing;
    use crate::fix_example::{check_fix, check_no_fix, flake8, pytest};

    #[test]
    fn imports_name_of_standard_library() {
        check_fix(
            &ImportMissing,
            pytest(
                r#"File "/repo/a.py", line 2, in table
NameError: name 'OrderedDict' is not defined"#,
            ),
            r"
+from collections import OrderedDict
 def table(rows):
     return OrderedDict(rows)
",
        );
    }

    #[test]
    fn imports_name_as_other_files_do() {
        check_fix(
            &ImportMissing,
            flake8("shop/cart.py:5:12: F821 undefined name 'tax'"),
            r"
//- /shop/__init__.py
//- /shop/cart.py
 from .money import round_up
+from .rates import tax


 def total(price):
     return tax(round_up(price))
//- /shop/order.py
 from .rates import tax

 due = tax(3)
//- /shop/rates.py
 def tax(price):
     return 2 * price
//- /shop/money.py
 def round_up(price):
     return price
",
        );
    }

    #[test]
    fn leaves_name_that_nothing_offers_alone() {
        check_no_fix(
            &ImportMissing,
            pytest(
                r#"File "/repo/a.py", line 2, in total
NameError: name 'prcie' is not defined"#,
            ),
            r"
 def total(price):
     return prcie
",
        );
    }
}
