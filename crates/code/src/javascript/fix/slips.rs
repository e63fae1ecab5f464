//! One word that was forgotten: `await`, `return`, `new`, `this.`, the parentheses of a call, or those that are too many.

use autoheal_engine::diagnostics::Category;

use super::blame::{Blame, Place};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::module::{Call, Function, Module, Role};
use crate::repair::shortlist::Shortlist;
use crate::span::Span;

/// Repairs values that are a promise, `undefined`, a class or a function instead of what was meant.
pub(super) struct Slips;

const NAME: &str = "slips";
/// Maximum number of places of the stack that are searched.
const PLACES: usize = 4;

impl Fixer for Slips {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        // What does not parse has no values: an edit elsewhere would only hide that.
        if matches!(context.finding.category, Category::Syntax | Category::Indentation) {
            return Vec::new();
        }
        let blame = Blame::new(context);
        let mut list = Shortlist::new(&blame);
        let is_undefined = match &blame.complaint {
            Complaint::NotCallable { needs_new, expression, .. } => {
                for place in blame.places.iter().take(PLACES) {
                    constructors(&mut list, &blame, place, expression, *needs_new);
                }
                true
            }
            Complaint::MemberOfNothing { .. } | Complaint::Other => true,
            Complaint::UnknownMember { .. } | Complaint::Arguments => false,
            Complaint::UnknownName { .. }
            | Complaint::UnknownModule { .. }
            | Complaint::UnknownExport { .. }
            | Complaint::ConstantAssigned { .. }
            | Complaint::WrongKindOfModule { .. } => return Vec::new(),
        };
        for (depth, place) in blame.places.iter().take(PLACES).enumerate() {
            let Some(module) = blame.module(&place.file) else { continue };
            let depth = 1.5 * f64::from(u32::try_from(depth).unwrap_or(9));
            calls(&mut list, &blame, place, module, depth);
            for origin in blame.origins(place) {
                calls(&mut list, &blame, &origin, module, depth + 1.5);
            }
        }
        if is_undefined {
            lost_returns(&mut list, &blame);
        }
        list.finish(NAME, 24)
    }
}

/// The last name of what is called.
fn called<'t>(text: &'t str, call: &Call) -> &'t str {
    call.callee.text(text).rsplit(['.', ' ', '(']).next().unwrap_or_default()
}

fn on_place(place: &Place, span: Span) -> bool {
    place.span.start <= span.start && span.start < place.span.end
}

/// `new` that was lost, or is too much.
fn constructors(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, said: &str, needs_new: bool) {
    let text = blame.text(&place.file);
    let Some(module) = blame.module(&place.file) else { return };
    let name = said.rsplit('.').next().unwrap_or_default();
    for call in module.calls.iter().filter(|call| on_place(place, call.span)) {
        let is_it = called(text, call) == name;
        if call.is_new && is_it {
            let description = format!("call '{name}' without 'new'");
            list.edit(3.0, description, &place.file, Edit::delete(call.span.start..call.callee.start));
        } else if needs_new && is_it {
            list.edit(0.0, format!("make a new '{name}'"), &place.file, Edit::insert(call.span.start, "new "));
        }
    }
}

/// `await` before a call of an asynchronous function, parentheses behind a function that is used as a value, or taken away.
fn calls(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, module: &Module, depth: f64) {
    let text = blame.text(&place.file);
    let functions = |name: &str| -> Vec<&Function> {
        blame
            .index
            .modules()
            .flat_map(|(_, module)| &module.functions)
            .filter(|function| function.name == name)
            .collect()
    };
    let around = module.function_at(place.span.start + place.span.text(text).len() / 2);
    let may_wait = around.map_or(module.is_module, |function| function.is_async);
    // The values that the place uses may have been made above it, in the same function.
    let scope = around.map_or(Span { start: 0, end: text.len() }, |function| function.span);
    for call in module.calls.iter().filter(|call| scope.contains(call.span)) {
        let name = called(text, call);
        let far = if on_place(place, call.span) { 0.0 } else { 2.0 };
        let is_async = functions(name).iter().any(|function| function.is_async);
        if !call.is_awaited && may_wait && (is_async || far < 1.0) {
            let bits = depth + far + if is_async { 1.0 } else { 6.0 };
            let after = text.get(call.span.end..).unwrap_or_default();
            let edits = if after.starts_with(['.', '[']) {
                vec![Edit::insert(call.span.start, "(await "), Edit::insert(call.span.end, ")")]
            } else {
                vec![Edit::insert(call.span.start, "await ")]
            };
            list.add(bits, format!("wait for '{name}'"), &place.file, edits);
        }
        if far < 1.0 && !call.is_new && name.starts_with(char::is_uppercase) {
            let description = format!("make a new '{name}'");
            list.edit(depth + 3.0, description, &place.file, Edit::insert(call.span.start, "new "));
        }
        if far < 1.0 && !call.is_new {
            let description = format!("do not call '{name}'");
            let bits = depth + if call.arguments.is_empty() { 5.0 } else { 8.0 };
            list.edit(bits, description, &place.file, Edit::delete(call.parentheses.range()));
        }
    }
    for word in module.words.iter().filter(|word| on_place(place, word.span)) {
        let after = text.get(word.span.end..).unwrap_or_default();
        let is_called = after.starts_with('(') || after.starts_with('`');
        let is_value = matches!(word.role, Role::Use | Role::Member);
        if is_called || !is_value {
            continue;
        }
        let known = functions(&word.text);
        let takes_none = known.iter().any(|function| function.parameters.is_empty());
        let bits = depth
            + if takes_none {
                1.0
            } else if known.is_empty() {
                7.0
            } else {
                3.0
            };
        list.edit(bits, format!("call '{}'", word.text), &place.file, Edit::insert(word.span.end, "()"));
    }
}

/// `return` that was lost, in a function that is called on the way: before the last expression of its body.
fn lost_returns(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>) {
    let mut names: Vec<String> = Vec::new();
    for place in blame.all_places().take(2 * PLACES) {
        let Some(module) = blame.module(&place.file) else { continue };
        let text = blame.text(&place.file);
        names.extend(
            module.calls.iter().filter(|call| on_place(place, call.span)).map(|call| called(text, call).to_owned()),
        );
        for origin in blame.origins(place) {
            let makers = module.calls.iter().filter(|call| on_place(&origin, call.span));
            names.extend(makers.map(|call| called(text, call).to_owned()));
        }
    }
    for (file, module) in blame.index.modules() {
        let text = blame.text(file);
        for function in &module.functions {
            let is_on_place = blame.places.iter().any(|place| {
                place.file == file && function.span.contains(Span { start: place.span.end, end: place.span.end })
            });
            let is_called = names.contains(&function.name) && !function.name.is_empty();
            if !(is_called || is_on_place) || function.braces.is_none() || function.is_generator {
                continue;
            }
            let bits = if is_called { 1.0 } else { 5.0 } + if function.returns_value { 3.0 } else { 0.0 };
            let ends = module.expressions.iter().filter(|one| {
                function.span.contains(**one)
                    && module.function_at(one.start).is_some_and(|inner| inner.span == function.span)
            });
            let last = function.body.last();
            for statement in ends {
                let is_last = last == Some(statement);
                let bits = bits + if is_last { 0.0 } else { 2.5 };
                let shown: String = statement.text(text).chars().take(30).collect();
                list.edit(bits, format!("return '{shown}'"), file, Edit::insert(statement.start, "return "));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Slips;
    use crate::fix_example::{check_fix, check_no_fix, node};

    #[test]
    fn awaits_promise() {
        check_fix(
            &Slips,
            node(
                r"TypeError: Cannot read properties of undefined (reading 'trim')
    at open (/repo/a.js:7:15)",
            ),
            r"
 async function load(file, read) {
   return { owner: await read(file) };
 }

 async function open(file, read) {
-  const data = load(file, read);
+  const data = await load(file, read);
   return data.owner.trim();
 }
",
        );
    }

    #[test]
    fn makes_object_of_class() {
        check_fix(
            &Slips,
            node(
                r"TypeError: Class constructor Cart cannot be invoked without 'new'
    at open (/repo/a.js:8:10)",
            ),
            r"
 class Cart {
   constructor(owner) {
     this.owner = owner;
   }
 }

 function open(owner) {
-  return Cart(owner);
+  return new Cart(owner);
 }
",
        );
    }

    #[test]
    fn returns_value_that_is_thrown_away() {
        check_fix(
            &Slips,
            node(
                r"TypeError: Cannot read properties of undefined (reading 'length')
    at count (/repo/a.js:6:22)",
            ),
            r"
 function names(cart) {
-  cart.items.map((item) => item.name);
+  return cart.items.map((item) => item.name);
 }

 function count(cart) {
   return names(cart).length;
 }
",
        );
    }

    #[test]
    fn leaves_missing_modules_alone() {
        check_no_fix(
            &Slips,
            node(
                r"Error: Cannot find module './cart'
Require stack:
- /repo/a.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)",
            ),
            r"
 const cart = require('./cart');

 cart.open();
",
        );
    }
}
