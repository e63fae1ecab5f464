//! A definition that is never used and a use without a definition, with similar spellings: one of them is
//! misspelled, whatever the error message says and wherever the error surfaces.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_engine::diagnostics::Category;

use super::blame::Blame;
use super::import_ways::propose;
use super::shortlist::{Shortlist, Suspect};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Role, Span};
use crate::python::tokens::{Kind, scan};

/// Finds what cannot be meant as it is written, without an error that points at it.
pub(super) struct Orphans;

const NAME: &str = "orphans";

impl Fixer for Orphans {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if matches!(blame.error.as_str(), "SyntaxError" | "IndentationError" | "TabError") {
            return Vec::new();
        }
        let mut list = Shortlist::new(&blame);
        let strange = if blame.context.finding.category == Category::Logic { 2.0 } else { 8.0 };
        unbound_names(&mut list, &blame, strange);
        misspelled_attributes(&mut list, &blame, strange);
        lost_receivers(&mut list, &blame, strange);
        doubled_strings(&mut list, &blame, strange);
        list.finish(NAME, 12)
    }
}

/// Names that nothing binds, in code that may not even have run.
fn unbound_names(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, strange: f64) {
    let builtins = &blame.runtime().builtins;
    if builtins.is_empty() {
        return;
    }
    for (file, module) in blame.index.modules().filter(|(file, _)| blame.sources().is_editable(file)) {
        if module.imports.iter().any(|import| import.names.iter().any(|name| name.name == "*")) {
            continue;
        }
        for word in module.words.iter().filter(|word| word.role == Role::Load && !word.text.starts_with("__")) {
            let globals = module.words.iter().any(|other| other.role == Role::Declared && other.text == word.text);
            if builtins.contains(&word.text) || globals || module.binding_scope(&word.text, word.scope).is_some() {
                continue;
            }
            let names = module.visible(word.scope).into_keys().chain(builtins.iter().map(String::as_str));
            let describe = |name: &str| format!("replace the name '{}' by '{name}'", word.text);
            list.respell(
                Suspect { file, text: &word.text, span: word.span },
                names.map(|name| (name, strange)),
                describe,
            );
            propose(list, blame, file, &word.text, strange);
        }
    }
}

/// Attributes and functions: a word that occurs once, and is spelled almost like one that occurs often.
fn misspelled_attributes(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, strange: f64) {
    let environment = blame.runtime();
    let mut defined: BTreeMap<&str, Vec<(&str, Span)>> = BTreeMap::new();
    let mut used: BTreeMap<&str, Vec<(&str, Span)>> = BTreeMap::new();
    for (file, module) in blame.index.modules() {
        for word in &module.words {
            let table = match word.role {
                Role::Function | Role::Class | Role::AttributeStore | Role::Store | Role::Parameter | Role::Alias => {
                    &mut defined
                }
                Role::Load | Role::Attribute | Role::Imported | Role::Keyword => &mut used,
                Role::Module | Role::Declared => continue,
            };
            table.entry(&word.text).or_default().push((file, word.span));
        }
    }
    let foreign: BTreeSet<&str> = environment
        .members
        .values()
        .chain(environment.exports.values())
        .flatten()
        .chain(&environment.builtins)
        .map(String::as_str)
        .collect();
    let undefined: Vec<&str> =
        used.keys().copied().filter(|name| !defined.contains_key(name) && !foreign.contains(name)).collect();
    for (name, spots) in &defined {
        let [(file, span)] = spots.as_slice() else { continue };
        if used.contains_key(name) || foreign.contains(name) || !blame.sources().is_editable(file) {
            continue;
        }
        let word = Suspect { file, text: name, span: *span };
        let names = undefined.iter().map(|wanted| (*wanted, strange));
        list.respell(word, names, |wanted| format!("name '{name}' '{wanted}' where it is defined"));
        // Special methods are used by the interpreter alone.
        let is_special = name.starts_with('_') && name.ends_with('_');
        let special = ["object", "list", "dict"].iter().filter_map(|kind| environment.members.get(*kind)).flatten();
        let special = special.filter(|wanted| is_special && wanted.starts_with("__"));
        let names = special.map(|wanted| (wanted.as_str(), strange));
        list.respell(word, names, |wanted| format!("name '{name}' '{wanted}'"));
    }
    for wrong in &undefined {
        let Some([(file, span)]) = used.get(wrong).map(Vec::as_slice) else { continue };
        let names = defined.keys().map(|right| (*right, strange));
        let word = Suspect { file, text: wrong, span: *span };
        list.respell(word, names, |right| format!("replace '{wrong}' by '{right}'"));
    }
}

/// A method assigns a variable that it never reads, while its class has an attribute of that name.
fn lost_receivers(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, strange: f64) {
    for (file, module) in blame.index.modules().filter(|(file, _)| blame.sources().is_editable(file)) {
        for word in module.words.iter().filter(|word| word.role == Role::Store) {
            let Some(function) = module.function_at(word.span.start) else { continue };
            let (Some(_), Some(first)) = (function.class, function.parameters.first()) else { continue };
            let is_read = module.words.iter().any(|other| {
                other.text == word.text
                    && matches!(other.role, Role::Load | Role::Declared)
                    && function.span.contains(other.span)
            });
            let is_attribute = blame.index.modules().any(|(_, module)| {
                module.words.iter().any(|other| other.role == Role::Attribute && other.text == word.text)
            });
            if !is_read && is_attribute && !word.text.starts_with("__") && word.text != "_" {
                list.edit(
                    strange + 2.0,
                    format!("assign to '{}.{}'", first.name, word.text),
                    file,
                    Edit::insert(word.span.start, format!("{}.", first.name)),
                );
            }
        }
    }
}

/// The same string twice in a row.
fn doubled_strings(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, strange: f64) {
    for (file, _) in blame.index.modules().filter(|(file, _)| blame.sources().is_editable(file)) {
        let text = blame.text(file);
        let tokens = scan(text);
        for pair in tokens.windows(2) {
            if let [left, right] = pair
                && left.kind == Kind::String
                && right.kind == Kind::String
                && left.text(text) == right.text(text)
            {
                list.edit(strange, format!("write {} once", left.text(text)), file, Edit::delete(left.end..right.end));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Orphans;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn renames_definition_that_nothing_uses() {
        check_fix(
            &Orphans,
            pytest(
                r#"File "/repo/a.py", line 13, in label
AssertionError: no handler"#,
            ),
            r"
 class Visitor:
     def visit(self, kind):
         return self.handlers()[kind]

     def handlers(self):
         return {'row': self.visit_row}

-    def vist_row(self):
+    def visit_row(self):
         return 'row'


 def label(visitor, kind):
     if kind == 'cell':
         raise AssertionError('no handler')
     return visitor.visit(kind)
",
        );
    }

    #[test]
    fn assigns_attribute_that_lost_its_self() {
        check_fix(
            &Orphans,
            pytest(
                r#"File "/repo/test_a.py", line 7, in test_adds
AssertionError: assert 0 == 2"#,
            ),
            r"
//- /counter.py
 class Counter:
     def __init__(self):
         self.total = 0

     def add(self, number):
-        total = self.total + number
+        self.total = self.total + number
//- /test_a.py protected
 from counter import Counter


 def test_adds():
     counter = Counter()
     counter.add(2)
     assert counter.total == 2
",
        );
    }

    #[test]
    fn writes_doubled_string_once() {
        check_fix(
            &Orphans,
            pytest(
                r#"File "/repo/test_a.py", line 5, in test_unit
AssertionError: assert 'cmcm' == 'cm'"#,
            ),
            r"
//- /length.py
 def unit():
-    return 'cm' 'cm'
+    return 'cm'
//- /test_a.py protected
 from length import unit


 def test_unit():
     assert unit() == 'cm'
",
        );
    }

    #[test]
    fn leaves_sound_files_alone() {
        check_no_fix(
            &Orphans,
            pytest(
                r#"File "/repo/test_a.py", line 5, in test_unit
AssertionError: assert 'mm' == 'cm'"#,
            ),
            r"
//- /length.py
 def unit():
     return 'mm'
//- /test_a.py protected
 from length import unit


 def test_unit():
     assert unit() == 'cm'
",
        );
    }
}
