//! An attribute that does not exist: misspelled where it is used, or where the class or module defines it.

use std::collections::{BTreeMap, BTreeSet};

use super::blame::{Blame, Place};
use super::shortlist::{Shortlist, Suspect};
use super::spelling::{rarity, slip};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Role, Word};

/// Repairs `AttributeError` by the nearest attribute of the type or module, at the use or at the definition.
pub(super) struct AttributeSpelling;

const NAME: &str = "attribute_spelling";

impl Fixer for AttributeSpelling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if blame.error != "AttributeError" {
            return Vec::new();
        }
        let Some(missing) = Missing::read(&blame.message) else { return Vec::new() };
        let mut list = Shortlist::new(&blame);
        let owned = owned_attributes(&blame, missing.owner, missing.is_module);
        for (depth, place) in blame.places.iter().enumerate() {
            for word in uses(&blame, place, missing.attribute) {
                at_use(&mut list, &blame, place, depth, word, &owned);
            }
        }
        at_definition(&mut list, &blame, &missing);
        list.finish(NAME, 32)
    }
}

/// Contents of the message of an `AttributeError`.
pub(super) struct Missing<'m> {
    /// The type's or module's name.
    pub(super) owner: &'m str,
    pub(super) attribute: &'m str,
    pub(super) is_module: bool,
}

impl<'m> Missing<'m> {
    /// Reads `'T' object has no attribute 'a'`, `type object 'T' has ...`, `module 'm' has ...`, also `partially
    /// initialized module 'm' has ...`.
    pub(super) fn read(message: &'m str) -> Option<Self> {
        let (before, after) = message.split_once("has no attribute '")?;
        let attribute = after.split('\'').next()?;
        let owner = before.split('\'').nth(1)?;
        Some(Self { owner, attribute, is_module: before.contains("module '") })
    }
}

fn uses<'a>(blame: &Blame<'a>, place: &Place, attribute: &str) -> Vec<&'a Word> {
    let Some(module) = blame.module(&place.file) else { return Vec::new() };
    let named = |word: &&Word| word.text == attribute && matches!(word.role, Role::Attribute | Role::AttributeStore);
    module
        .words
        .iter()
        .filter(named)
        .filter(|word| place.span.start <= word.span.start && word.span.start < place.span.end)
        .collect()
}

/// Returns the known attributes of the owner; empty when nothing is known about it.
fn owned_attributes(blame: &Blame<'_>, owner: &str, is_module: bool) -> BTreeSet<String> {
    let environment = blame.runtime();
    if is_module {
        let mut names = blame.index.exports(owner);
        names.extend(environment.exports.get(owner).into_iter().flatten().cloned());
        return names;
    }
    let mut names: BTreeSet<String> = blame.index.attributes_of(owner).keys().map(|name| (*name).to_owned()).collect();
    for kind in [owner, "object", "type"] {
        names.extend(environment.members.get(kind).into_iter().flatten().cloned());
    }
    names
}

fn at_use(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    depth: usize,
    word: &Word,
    owned: &BTreeSet<String>,
) {
    let wrong = word.text.as_str();
    let depth = f64::from(u32::try_from(depth).unwrap_or(9));
    let known = f64::from(u32::try_from(blame.index.count(wrong).saturating_sub(1).min(8)).unwrap_or(8)) / 2.0;
    let suggestion = blame.suggestion();
    let mut candidates: BTreeMap<&str, f64> = BTreeMap::new();
    // Words that are used as attributes anywhere: for types nobody knows.
    for (_, module) in blame.index.modules() {
        for other in module.words.iter().filter(|word| matches!(word.role, Role::Attribute | Role::AttributeStore)) {
            candidates.insert(&other.text, if owned.is_empty() { 1.0 } else { 5.0 });
        }
    }
    candidates.extend(owned.iter().map(|name| (name.as_str(), 0.0)));
    if let Some(suggestion) = suggestion {
        candidates.insert(suggestion, -1.0);
    }
    let names = candidates.into_iter().map(|(name, strangeness)| (name, depth + strangeness));
    list.respell_by_use(Suspect { file: &place.file, text: wrong, span: word.span }, "attribute", 0.5, names, |name| {
        blame.index.count(name)
    });
    // Nothing alike, and the owner is known: what the text around suggests.
    for candidate in owned.iter().filter(|name| !name.starts_with('_') && blame.index.count(name) > 0) {
        list.edit(
            7.0 + depth + known + rarity(blame.index.count(candidate)),
            format!("replace the attribute '{wrong}' by '{candidate}'"),
            &place.file,
            Edit::replace(word.span.range(), candidate.as_str()),
        );
    }
}

fn at_definition(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, missing: &Missing<'_>) {
    let wanted = missing.attribute;
    if missing.is_module {
        let Some(file) = blame.index.file_of(missing.owner) else { return };
        rename_export(list, blame, file, wanted, 0.0);
        return;
    }
    lost_receivers(list, blame, missing);
    for (name, (file, class)) in blame.index.attributes_of(missing.owner) {
        let Some(bits) = slip(name, wanted) else { continue };
        let uses = f64::from(u32::try_from(blame.index.count(name).min(12)).unwrap_or(12))
            - f64::from(u32::try_from(blame.index.count(wanted).min(12)).unwrap_or(12));
        for span in class.attributes.get(name).into_iter().flatten().take(3) {
            list.edit(
                bits + 1.0 + (uses / 2.0).max(-2.0),
                format!("name the attribute '{name}' '{wanted}' where it is defined"),
                file,
                Edit::replace(span.range(), wanted),
            );
        }
    }
}

/// `self.` that was lost where a method assigns the attribute.
fn lost_receivers(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, missing: &Missing<'_>) {
    for (file, module) in blame.index.modules().filter(|(file, _)| blame.sources().is_editable(file)) {
        let stores = module.words.iter().filter(|word| word.role == Role::Store && word.text == missing.attribute);
        for word in stores {
            let Some(function) = module.function_at(word.span.start) else { continue };
            let Some(first) = function.parameters.first() else { continue };
            let class = function.class.and_then(|class| module.classes.get(class));
            let own = if class.is_some_and(|class| class.name == missing.owner) { 0.0 } else { 2.0 };
            let is_read = module
                .words
                .iter()
                .any(|other| other.role == Role::Load && other.text == word.text && other.scope == word.scope);
            list.edit(
                1.0 + own + if is_read { 3.0 } else { 0.0 },
                format!("assign to '{}.{}'", first.name, word.text),
                file,
                Edit::insert(word.span.start, format!("{}.", first.name)),
            );
        }
    }
}

/// Renames what a module binds under a name almost like `wanted`.
pub(super) fn rename_export(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, wanted: &str, extra: f64) {
    let Some(scope) = blame.module(file).and_then(|module| module.scopes.first()) else { return };
    for (name, spans) in &scope.bindings {
        let Some(bits) = slip(name, wanted) else { continue };
        let uses = f64::from(u32::try_from(blame.index.count(name).min(12)).unwrap_or(12))
            - f64::from(u32::try_from(blame.index.count(wanted).min(12)).unwrap_or(12));
        for span in spans.iter().take(2) {
            list.edit(
                bits + extra + (uses / 2.0).max(-2.0),
                format!("name '{name}' '{wanted}' where it is defined"),
                file,
                Edit::replace(span.range(), wanted),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AttributeSpelling;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn corrects_method_of_built_in_type() {
        check_fix(
            &AttributeSpelling,
            pytest(
                r#"File "/repo/a.py", line 2, in shout
AttributeError: 'str' object has no attribute 'uper'. Did you mean: 'upper'?"#,
            ),
            r"
 def shout(text):
-    return text.uper()
+    return text.upper()
",
        );
    }

    #[test]
    fn renames_misspelt_method_where_it_is_defined() {
        check_fix(
            &AttributeSpelling,
            pytest(
                r#"File "/repo/report.py", line 2, in report
AttributeError: 'Shape' object has no attribute 'describe'"#,
            ),
            r"
//- /shape.py
 class Shape:
-    def descrbe(self):
+    def describe(self):
         return 'a shape'
//- /report.py
 def report(shape):
     return shape.describe()


 def reports(shapes):
     return [shape.describe() for shape in shapes]
",
        );
    }

    #[test]
    fn corrects_name_of_module() {
        check_fix(
            &AttributeSpelling,
            pytest(
                r#"File "/repo/a.py", line 5, in where
AttributeError: module 'os' has no attribute 'getcdw'"#,
            ),
            r"
 import os


 def where():
-    return os.getcdw()
+    return os.getcwd()
",
        );
    }

    #[test]
    fn leaves_other_errors_alone() {
        check_no_fix(
            &AttributeSpelling,
            pytest(
                r#"File "/repo/a.py", line 2, in shout
KeyError: 'uper'"#,
            ),
            r"
 def shout(table):
     return table['uper'].upper()
",
        );
    }
}
