//! A member that is not there: misspelled where it is used, or where it is defined.

use std::collections::BTreeMap;

use super::blame::{Blame, Place};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::module::{Call, Module, Role, Word};
use crate::repair::shortlist::{Shortlist, Suspect};
use crate::repair::spelling::{rarity, slip};

/// Repairs members that a value does not have, by the member with the most similar spelling that exists anywhere.
pub(super) struct MemberSpelling;

const NAME: &str = "member_spelling";
/// Maximum number of places of the stack that are searched.
const PLACES: usize = 3;

/// Members of the language's own objects, for a program whose environment was not queried.
pub(crate) const COMMON_MEMBERS: &str = "\
length push pop shift unshift slice splice concat join map filter forEach reduce reduceRight find findIndex \
indexOf lastIndexOf includes some every sort reverse fill flat flatMap keys values entries isArray from of toString valueOf \
hasOwnProperty call apply bind prototype constructor name split replace replaceAll match matchAll test exec trim trimStart trimEnd \
charAt charCodeAt codePointAt startsWith endsWith padStart padEnd repeat substring substr toLowerCase toUpperCase localeCompare \
normalize search assign freeze create defineProperty defineProperties getPrototypeOf setPrototypeOf getOwnPropertyNames stringify \
parse then catch finally resolve reject all allSettled race any get set has delete clear add size next done value min max floor ceil \
round abs random pow sqrt sign trunc toFixed toISOString getTime now isInteger isFinite isNaN parseInt parseFloat message stack \
source flags lastIndex on once off emit exports log error warn info debug env argv cwd exit platform stdout stderr write end";

impl Fixer for MemberSpelling {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        match &blame.complaint {
            Complaint::UnknownMember { name } => missing(&mut list, &blame, name),
            Complaint::NotCallable { expression, .. } => {
                let name = expression.trim_end_matches([')', ']', '\'', '"']).rsplit('.').next().unwrap_or_default();
                missing(&mut list, &blame, name);
                of_nothing(&mut list, &blame, None, 3.0);
                lost(&mut list, &blame, expression);
            }
            Complaint::MemberOfNothing { name } => of_nothing(&mut list, &blame, name.as_deref(), 0.0),
            Complaint::UnknownName { .. }
            | Complaint::UnknownModule { .. }
            | Complaint::UnknownExport { .. }
            | Complaint::WrongKindOfModule { .. }
            | Complaint::ConstantAssigned { .. }
            | Complaint::Arguments
            | Complaint::Other => {}
        }
        list.finish(NAME, 24)
    }
}

/// The member itself is misspelled, at its use or at its definition.
fn missing(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, name: &str) {
    for (depth, place) in blame.places.iter().take(PLACES).enumerate() {
        let Some(module) = blame.module(&place.file) else { continue };
        for word in near(module, place).filter(|word| word.text == name && word.role == Role::Member) {
            // The engine names it: nothing else is as likely.
            at_use(list, blame, place, depth, word, -2.0);
        }
    }
    at_definition(list, blame, name);
}

/// Proposes corrections for a misspelled value of which a member is read: the
/// member or key before it, anywhere on the line.
fn of_nothing(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, read: Option<&str>, extra: f64) {
    for (depth, place) in blame.places.iter().take(PLACES).enumerate() {
        let Some(module) = blame.module(&place.file) else { continue };
        for word in near(module, place).filter(|word| word.role == Role::Member) {
            if Some(word.text.as_str()) == read {
                continue;
            }
            let before = place.at.is_none_or(|at| word.span.end <= at);
            at_use(list, blame, place, depth, word, extra + if before { 1.0 } else { 4.0 });
            at_definition_of(list, blame, &word.text, extra + 4.0);
        }
        for origin in blame.origins(place) {
            for word in near(module, &origin).filter(|word| word.role == Role::Member) {
                at_use(list, blame, &origin, depth, word, extra + 2.0);
            }
        }
    }
}

/// A value is called where one of its members was meant: the member that was lost.
fn lost(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, expression: &str) {
    for (depth, place) in blame.places.iter().take(PLACES).enumerate() {
        let Some(module) = blame.module(&place.file) else { continue };
        let text = blame.text(&place.file);
        // What is called is hardly a member already.
        let depth = f64::from(u32::try_from(depth).unwrap_or(9)) + if expression.contains('.') { 6.0 } else { 1.0 };
        let is_it = |call: &&Call| place.span.contains(call.callee) && call.callee.text(text) == expression;
        for call in module.calls.iter().filter(is_it) {
            let names: BTreeMap<&str, f64> = COMMON_MEMBERS
                .split_whitespace()
                .map(|name| (name, 2.0))
                .chain(blame.index.members().map(|(name, count)| (name, rarity(count))))
                .collect();
            for (name, bits) in names {
                let description = format!("call the member '{name}' of '{expression}'");
                list.edit(
                    4.0 + depth + bits,
                    description,
                    &place.file,
                    Edit::insert(call.callee.end, format!(".{name}")),
                );
            }
        }
    }
}

fn near<'m>(module: &'m Module, place: &Place) -> impl Iterator<Item = &'m Word> {
    let span = place.span;
    module.words.iter().filter(move |word| span.contains(word.span))
}

fn at_use(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, depth: usize, word: &Word, extra: f64) {
    let wrong = word.text.as_str();
    let depth = f64::from(u32::try_from(depth).unwrap_or(9));
    let mut candidates: BTreeMap<&str, f64> = COMMON_MEMBERS.split_whitespace().map(|name| (name, 1.0)).collect();
    let of_types = blame.runtime().members.values().flatten();
    candidates.extend(of_types.map(|name| (name.as_str(), 1.5)));
    let of_modules = blame.runtime().exports.values().flatten();
    candidates.extend(of_modules.map(|name| (name.as_str(), 1.5)));
    candidates.extend(blame.index.members().map(|(name, _)| (name, 0.5)));
    if let Some(suggestion) = blame.suggestion() {
        candidates.insert(suggestion, -1.5);
    }
    let names = candidates.into_iter().map(|(name, strangeness)| (name, depth + extra + strangeness));
    list.respell_by_use(Suspect { file: &place.file, text: wrong, span: word.span }, "member", 0.5, names, |name| {
        blame.index.count(name)
    });
}

fn at_definition(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, wanted: &str) {
    at_definition_of(list, blame, wanted, 0.0);
}

/// A key that is spelled almost like the member that others look for.
fn at_definition_of(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, wanted: &str, extra: f64) {
    let uses = |name: &str| f64::from(u32::try_from(blame.index.count(name).min(12)).unwrap_or(12));
    for (file, module) in blame.index.modules() {
        for word in module.words.iter().filter(|word| word.role == Role::Key) {
            let Some(bits) = slip(&word.text, wanted) else { continue };
            // `{ wantd: wanted }` is written `{ wanted }`.
            let after = blame.text(file).get(word.span.end..).unwrap_or_default();
            let value = after.strip_prefix(':').map(str::trim_start).and_then(|value| value.strip_prefix(wanted));
            let is_shorthand = value.is_some_and(|rest| rest.trim_start().starts_with([',', '}']));
            let edit = match (is_shorthand, value) {
                (true, Some(rest)) => {
                    let end = word.span.end + after.len() - rest.len();
                    Edit::replace(word.span.start..end, wanted)
                }
                _ => Edit::replace(word.span.range(), wanted),
            };
            list.edit(
                bits + 1.0 + extra + ((uses(&word.text) - uses(wanted)) / 2.0).max(-2.0),
                format!("name the member '{}' '{wanted}' where it is defined", word.text),
                file,
                edit,
            );
        }
        // `{ name }` of a variable that is called almost like the member.
        for export in module.exports.names.iter().filter(|(name, _)| slip(name, wanted).is_some()) {
            let text = export.1.text(blame.text(file));
            if text == export.0 {
                let bits = slip(export.0, wanted).unwrap_or(9.0) + 1.0 + extra;
                let description = format!("export '{}' as '{wanted}'", export.0);
                let after = blame.text(file).get(export.1.end..).unwrap_or_default().trim_start();
                let is_shorthand = after.starts_with([',', '}']);
                let edit = if is_shorthand {
                    Edit::insert(export.1.start, format!("{wanted}: "))
                } else {
                    Edit::replace(export.1.range(), wanted)
                };
                list.edit(bits, description, file, edit);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::MemberSpelling;
    use crate::fix_example::{check_fix, check_no_fix, node, tsc};

    #[test]
    fn corrects_misspelt_method() {
        check_fix(
            &MemberSpelling,
            node(
                r"TypeError: this.items.psuh is not a function
    at Cart.add (/repo/a.js:7:16)",
            ),
            r"
 class Cart {
   constructor() {
     this.items = [];
   }

   add(item) {
-    this.items.psuh(item);
+    this.items.push(item);
   }
 }
",
        );
    }

    #[test]
    fn corrects_member_that_is_undefined() {
        check_fix(
            &MemberSpelling,
            node(
                r"TypeError: Cannot read properties of undefined (reading 'push')
    at Cart.add (/repo/a.js:7:16)",
            ),
            r"
 class Cart {
   constructor() {
     this.items = [];
   }

   add(item) {
-    this.itmes.push(item);
+    this.items.push(item);
   }
 }
",
        );
    }

    #[test]
    fn renames_member_where_it_is_defined() {
        check_fix(
            &MemberSpelling,
            node(
                r"TypeError: cart.add is not a function
    at fill (/repo/fill.js:3:32)",
            ),
            r"
//- /cart.js
 class Cart {
-  ad(item) {
+  add(item) {
     this.items.push(item);
   }
 }
//- /fill.js
 function fill(cart, items) {
   cart.add({ name: 'bag' });
   items.forEach((item) => cart.add(item));
   cart.add({ name: 'receipt' });
 }
",
        );
    }

    #[test]
    fn answers_compiler() {
        check_fix(
            &MemberSpelling,
            tsc(
                "a.ts(2,16): error TS2551: Property 'lenght' does not exist on type 'string[]'. Did you mean 'length'?",
            ),
            r"
 function count(lines: string[]) {
-  return lines.lenght;
+  return lines.length;
 }
",
        );
    }

    #[test]
    fn leaves_names_alone() {
        check_no_fix(
            &MemberSpelling,
            node(
                r"ReferenceError: lenght is not defined
    at count (/repo/a.js:2:3)",
            ),
            r"
 function count(lines) {
   return lenght + lines.length;
 }
",
        );
    }
}
