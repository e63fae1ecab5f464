//! A name that is not declared here: misspelled where it is used, or where it is declared.

use std::ops::Range;

use super::blame::{Blame, Place};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::components::{is_component, uses_in_markup};
use crate::javascript::module::{Function, Module, Role, Word};
use crate::javascript::tokens::is_keyword;
use crate::repair::shortlist::{Shortlist, Suspect};
use crate::repair::spelling::{number, slip};
use crate::span::Span;

/// Repairs names that nothing declares by the nearest name in scope, at the use or at the declaration.
pub(super) struct NameSpelling;

const NAME: &str = "name_spelling";
/// Maximum number of uses that are examined.
const MAX_USES: usize = 4;

impl Fixer for NameSpelling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let Complaint::UnknownName { name } = &blame.complaint else { return Vec::new() };
        if blame.is_linted_global(name) {
            return Vec::new();
        }
        let mut list = Shortlist::new(&blame);
        for (file, word) in uses(&blame, name) {
            let Some(module) = blame.module(file) else { continue };
            at_use(&mut list, &blame, file, module, &word);
            at_declaration(&mut list, &blame, file, module, &word);
            as_member(&mut list, &blame, file, module, &word);
            as_parameter(&mut list, &blame, file, module, &word);
        }
        list.finish(NAME, 20)
    }
}

/// The uses of a name that nothing declares: at the places, else in the files that the failure names. What the markup of a component
/// uses is looked up in its outermost scope.
pub(super) fn uses<'a>(blame: &Blame<'a>, name: &str) -> Vec<(&'a str, Word)> {
    let is_it = |word: &&Word| word.text == name && word.role == Role::Use;
    let in_markup = |file: &str, part: Range<usize>| -> Option<Word> {
        let text = Some(blame.text(file)).filter(|_| is_component(file))?;
        let start = uses_in_markup(text, part, name).first().copied()?;
        let span = Span { start, end: start + name.len() };
        Some(Word { span, text: name.to_owned(), role: Role::Use, scope: 0, is_bound: false })
    };
    let mut found: Vec<(&str, Word)> = Vec::new();
    for Place { file, span, .. } in &blame.places {
        let Some((file, module)) = blame.index.modules().find(|(other, _)| other == file) else { continue };
        let words = module.words.iter().filter(is_it).filter(|word| span.contains(word.span)).cloned();
        found.extend(words.chain(in_markup(file, span.range())).map(|word| (file, word)));
    }
    if found.is_empty() {
        for file in blame.files() {
            let words = blame.module(file).map(|module| module.words.as_slice()).unwrap_or_default();
            let words = words.iter().filter(is_it).filter(|word| !word.is_bound).cloned();
            found.extend(words.chain(in_markup(file, 0..blame.text(file).len())).map(|word| (file, word)));
        }
    }
    found.truncate(MAX_USES);
    found
}

fn at_use(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &Module, word: &Word) {
    let suggested = |name: &str| if blame.suggestion() == Some(name) { -1.0 } else { 0.0 };
    let globals = blame.runtime().builtins.iter().map(|name| (name.as_str(), 4));
    let names = module.visible(word.scope).into_iter().chain(globals);
    let names = names.map(|(name, distance)| (name, 0.3 * number(distance) + suggested(name)));
    let suspect = Suspect { file, text: &word.text, span: word.span };
    list.respell_by_use(suspect, "name", 0.5, names, |name| blame.index.count(name));
    // Words of the language are used everywhere.
    let known = number(blame.index.count(&word.text).saturating_sub(1).min(8)) / 2.0;
    let keywords = ["true", "false", "null", "undefined", "this"].into_iter().filter(|word| is_keyword(word));
    let describe = |keyword: &str| format!("replace the name '{}' by '{keyword}'", word.text);
    list.respell(suspect, keywords.map(|keyword| (keyword, known + 1.0)), describe);
}

/// The declaration that is spelled almost like the name, or that nothing uses.
fn at_declaration(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &Module, word: &Word) {
    let name = word.text.as_str();
    let text = blame.text(file);
    let count = |name: &str| {
        let uses = module.words.iter().filter(|other| other.text == name && other.role == Role::Use).count();
        let uses = uses + if is_component(file) { uses_in_markup(text, 0..text.len(), name).len() } else { 0 };
        number(uses.min(12))
    };
    for candidate in module.visible(word.scope).into_keys() {
        let Some(span) = module.declaration(candidate, word.scope) else { continue };
        let uses = count(candidate);
        let bits = match slip(candidate, name) {
            // Who renames a declaration that others use breaks those.
            Some(bits) => bits + 1.0 + (uses - count(name)).max(-2.0) + if uses > 0.5 { 2.0 } else { 0.0 },
            // A linter does not run what it reads: nothing would show that the wrong declaration was renamed.
            None if !blame.is_linted() && uses < 0.5 && span.start + 2_000 > word.span.start => 5.0,
            None => continue,
        };
        // `{ name }` in a pattern names the member too.
        let before = text.get(..span.start).unwrap_or_default().trim_end();
        let bits = if before.ends_with(['{', ',']) { bits + 0.5 } else { bits };
        let description = format!("name '{candidate}' '{name}' where it is declared");
        list.edit(bits, description, file, Edit::replace(span.range(), name));
    }
}

/// A parameter that was lost: the more often a function uses the name, the less it is a slip of the pen.
fn as_parameter(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &Module, word: &Word) {
    const LOST: f64 = 5.5;
    let is_it = |other: &&Word| other.text == word.text && other.role == Role::Use && !other.is_bound;
    let uses: Vec<Span> = module.words.iter().filter(is_it).map(|other| other.span).collect();
    let holds_all = |function: &&Function| uses.iter().all(|span| function.span.contains(*span));
    let around =
        module.functions.iter().filter(holds_all).min_by_key(|function| function.span.end - function.span.start);
    // A linter is content with any parameter of that name.
    let Some(function) = around.filter(|_| !blame.is_linted()) else { return };
    let name = word.text.as_str();
    let bits = 0.5f64.mul_add(-number(uses.len().min(7)), LOST);
    let before = function.parameters.iter().map(|one| Edit::insert(one.span.start, format!("{name}, ")));
    let last = function.parameters.last().map(|one| Edit::insert(one.span.end, format!(", {name}")));
    for edit in before.chain(last) {
        list.edit(bits, format!("add the parameter '{name}'"), file, edit);
    }
}

/// `this.` that was lost: only of what the class declares, or, where a test tells right from wrong, of what the file reads from `this`
/// elsewhere.
fn as_member(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &Module, word: &Word) {
    let text = blame.text(file);
    let before = |span: Span| text.get(..span.start).unwrap_or_default().ends_with("this.");
    let is_member =
        |other: &Word| matches!(other.role, Role::Member | Role::Key) && other.text == word.text && before(other.span);
    let bits = match module.class_at(word.span.start) {
        Some(class) if class.members.contains_key(&word.text) => 1.0,
        Some(_) | None if blame.is_linted() => return,
        Some(_) | None if module.words.iter().any(is_member) => 1.0,
        // A method that is defined on the prototype.
        None if module.words.iter().any(|other| other.role == Role::Key && other.text == word.text) => 3.0,
        Some(_) | None => return,
    };
    let description = format!("read '{}' from 'this'", word.text);
    list.edit(bits, description, file, Edit::insert(word.span.start, "this."));
}

#[cfg(test)]
mod tests {
    use super::NameSpelling;
    use crate::fix_example::{check_fix, check_fix_at, check_no_fix, eslint, node};

    #[test]
    fn corrects_misspelt_name() {
        check_fix(
            &NameSpelling,
            node(
                r"ReferenceError: lnies is not defined
    at describe (/repo/a.js:4:3)",
            ),
            r"
 function describe(cart) {
   const lines = cart.items.map((item) => item.name);
   lines.sort();
-  return lnies.join(', ');
+  return lines.join(', ');
 }
",
        );
    }

    #[test]
    fn renames_misspelt_declaration() {
        check_fix(
            &NameSpelling,
            node(
                r"ReferenceError: text is not defined
    at load (/repo/a.js:3:21)",
            ),
            r"
 function load(file, read) {
-  const txet = read(file);
+  const text = read(file);
   return JSON.parse(text) || text;
 }
",
        );
    }

    #[test]
    fn reads_member_that_lost_its_this() {
        check_fix(
            &NameSpelling,
            eslint("a.js:7:5: 'items' is not defined. [Error/no-undef]"),
            r"
 class Cart {
   constructor() {
     this.items = [];
   }

   add(item) {
-    items.push(item);
+    this.items.push(item);
   }
 }
",
        );
    }

    #[test]
    fn takes_lost_parameter() {
        check_fix_at(
            2,
            &NameSpelling,
            node(
                r"ReferenceError: read is not defined
    at parse (/repo/a.js:2:3)",
            ),
            r"
-function parse(file) {
+function parse(file, read) {
   return read(file) || read(file + '.json');
 }

 module.exports = { parse };
",
        );
    }

    /// The linter does not know what Node and browsers declare.
    #[test]
    fn leaves_globals_alone() {
        for name in ["process", "Buffer", "document", "console"] {
            check_no_fix(
                &NameSpelling,
                eslint(&format!("a.js:1:1: '{name}' is not defined. [Error/no-undef]")),
                &format!(" {name}.x;\n"),
            );
        }
    }

    /// A linter is content with any member of `this`; no class declares this one.
    #[test]
    fn leaves_name_that_class_does_not_declare_alone() {
        check_no_fix(
            &NameSpelling,
            eslint("a.js:7:5: 'basket' is not defined. [Error/no-undef]"),
            r"
 class Cart {
   constructor() {
     this.items = [];
   }

   add(item) {
     basket.push(item);
   }
 }
",
        );
    }
}
