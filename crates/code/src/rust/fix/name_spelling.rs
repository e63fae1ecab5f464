//! A misspelled name of which the compiler knows no similar one: it looks only at what is in scope. And another variable's name, of which it
//! proposes one at most.

use std::collections::{BTreeMap, BTreeSet};

use super::ground::Place;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::language::outline::Outline as _;
use crate::repair::shortlist::{Shortlist, Suspect};
use crate::repair::spelling::rarity;
use crate::rust::module::{Module, Word};

/// Writes a similar name that the package uses elsewhere, or that of another variable.
pub(super) struct NameSpelling;

const NAME: &str = "name_spelling";

/// Bits for another variable of the function, used or not.
const USED: f64 = 6.0;
const UNUSED: f64 = 2.0;

/// Errors about a name that does not exist.
const UNKNOWN: [&str; 14] = [
    "E0405", "E0407", "E0412", "E0422", "E0423", "E0425", "E0432", "E0433", "E0437", "E0531", "E0560", "E0599",
    "E0609", "E0026",
];

impl Fixer for NameSpelling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let finding = context.finding;
        let place = Place::new(context);
        let (Some(file), Some(location)) = (finding.file.as_deref(), finding.location) else { return Vec::new() };
        let is_value = finding.message.starts_with("E0425");
        let is_about_a_name = UNKNOWN.iter().any(|code| finding.message.starts_with(code));
        let Some(module) = place.index.module(file).filter(|_| is_about_a_name) else { return Vec::new() };
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for other in place.index.files_of_package(file) {
            for word in place.index.words(other) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let mut list = Shortlist::new(&place);
        let on_line = module.words.iter().filter(|word| module.line_of(word.span.start) == location.line);
        for word in on_line.filter(|word| finding.message.contains(&format!("`{}`", word.text))) {
            let names = counts.iter().map(|(right, count)| (*right, rarity(*count)));
            let suspect = Suspect { file, text: &word.text, span: word.span };
            list.respell(suspect, names, |right| format!("write `{right}` in place of `{}`", word.text));
            for (bits, right) in variables(module, word).into_iter().filter(|_| is_value) {
                let description = format!("use the variable `{right}` in place of `{}`", word.text);
                list.edit(bits, description, file, Edit::replace(word.span.range(), right));
            }
        }
        list.finish(NAME, 8)
    }
}

/// The variables of the function around a word, with the bits of each: one that is never used was likely meant.
fn variables<'m>(module: &'m Module, word: &Word) -> Vec<(f64, &'m str)> {
    let Some(function) = module.function_at(word.span.start) else { return Vec::new() };
    let is_inside = |other: &&Word| function.definition.contains(other.span);
    let bound = module.bindings.iter().map(|binding| &binding.word).filter(is_inside);
    let bound = bound.filter(|other| other.span.start < word.span.start);
    let uses = |name: &str| module.words.iter().filter(is_inside).filter(|other| other.text == name).count();
    let mut seen = BTreeSet::new();
    let distinct = bound.map(|other| other.text.as_str()).filter(|name| *name != word.text && seen.insert(*name));
    distinct.map(|name| (if uses(name) > 1 { USED } else { UNUSED }, name)).collect()
}

#[cfg(test)]
mod tests {
    use super::NameSpelling;
    use crate::fix_example::{check_fix, check_no_fix, rustc};

    #[test]
    fn corrects_method_of_the_package() {
        check_fix(
            &NameSpelling,
            rustc("src/a.rs:2:10: E0599: no method named `totl` found for reference `&Cart` in the current scope"),
            r#"
//- /Cargo.toml
 [package]
 name = "shop"
//- /src/cart.rs
 impl Cart {
     pub fn total(&self) -> u64 { self.lines.len() as u64 }
 }
//- /src/a.rs
 fn shown(cart: &Cart) -> String {
-    cart.totl().to_string()
+    cart.total().to_string()
 }
"#,
        );
    }

    #[test]
    fn uses_parameter_that_is_unused() {
        check_fix(
            &NameSpelling,
            rustc("a.rs:2:9: E0425: cannot find value `c` in this scope"),
            r"
 fn add(a: u64, b: u64) -> u64 {
-    a + c
+    a + b
 }
",
        );
    }

    #[test]
    fn leaves_other_errors_alone() {
        check_no_fix(
            &NameSpelling,
            rustc("a.rs:2:5: E0308: mismatched types: expected `u8`, found `totl`"),
            r"
 fn total(totl: u16) -> u8 {
     totl
 }
",
        );
    }
}
