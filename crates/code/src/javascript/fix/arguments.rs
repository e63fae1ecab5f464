//! Arguments of a call: too few, too many, or in another order than the function of the repository takes them.

use super::blame::{Blame, Place};
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::javascript::complaint::Complaint;
use crate::javascript::module::{Call, Function, Module, Role};
use crate::repair::shortlist::Shortlist;
use crate::repair::spelling::slip;
use crate::span::Span;

/// Repairs calls at the failing places whose arguments do not fit the function that they call.
pub(super) struct Arguments;

const NAME: &str = "arguments";
/// Maximum number of places of the stack that are searched.
const PLACES: usize = 4;
/// A name that more functions have says nothing about which one is meant.
const MOST_NAMESAKES: usize = 4;

impl Fixer for Arguments {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        let certain = match &blame.complaint {
            Complaint::Arguments => true,
            Complaint::MemberOfNothing { .. } | Complaint::NotCallable { .. } => false,
            Complaint::Other => context.finding.message.contains("TypeError"),
            Complaint::UnknownName { .. }
            | Complaint::UnknownMember { .. }
            | Complaint::UnknownModule { .. }
            | Complaint::UnknownExport { .. }
            | Complaint::ConstantAssigned { .. }
            | Complaint::WrongKindOfModule { .. } => return Vec::new(),
        };
        let mut list = Shortlist::new(&blame);
        for (depth, place) in blame.places.iter().take(PLACES).enumerate() {
            let Some(module) = blame.module(&place.file) else { continue };
            let depth = 1.5 * f64::from(u32::try_from(depth).unwrap_or(9)) + if certain { 0.0 } else { 4.0 };
            for call in
                module.calls.iter().filter(|call| place.span.overlaps(Span { end: call.callee.end, ..call.span }))
            {
                repair(&mut list, &blame, place, module, call, depth);
            }
            for origin in blame.origins(place) {
                for call in module.calls.iter().filter(|call| origin.span.contains(call.callee)) {
                    repair(&mut list, &blame, &origin, module, call, depth + 2.0);
                }
            }
        }
        list.finish(NAME, 20)
    }
}

/// Returns the functions that a call may refer to, by the last name of its callee.
fn called<'a>(blame: &Blame<'a>, text: &str, call: &Call) -> Vec<&'a Function> {
    let callee = call.callee.text(text);
    let name = callee.rsplit(['.', ' ', '(']).next().unwrap_or_default();
    if name.is_empty() {
        return Vec::new();
    }
    let functions = blame.index.modules().flat_map(|(_, module)| &module.functions);
    let of_class = |function: &&Function| {
        call.is_new
            && function.name == "constructor"
            && blame.index.modules().any(|(_, module)| {
                module.classes.iter().any(|class| class.name == name && class.span.contains(function.span))
            })
    };
    let found: Vec<&Function> = functions.filter(|function| function.name == name || of_class(function)).collect();
    if found.len() > MOST_NAMESAKES { Vec::new() } else { found }
}

fn repair(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, module: &Module, call: &Call, depth: f64) {
    let text = blame.text(&place.file);
    let arguments: Vec<&str> = call.arguments.iter().map(|span| span.text(text)).collect();
    if arguments.iter().any(|argument| argument.starts_with("...")) {
        return;
    }
    let functions = called(blame, text, call);
    let wanted: Vec<usize> = functions.iter().map(|function| function.parameters.len()).collect();
    let takes_any = functions.iter().any(|function| function.has_rest || function.uses_arguments);
    // Neighbours swapped: likelier when the names say so.
    for (index, pair) in call.arguments.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        let (one, other) = (first.text(text), second.text(text));
        let names_say = functions.iter().any(|function| {
            let names: Vec<&str> =
                function.parameters.iter().skip(index).take(2).map(|parameter| parameter.name.as_str()).collect();
            matches!(names.as_slice(), [left, right] if alike(left, other) && alike(right, one))
        });
        let edits = vec![Edit::replace(first.range(), other), Edit::replace(second.range(), one)];
        let bits = depth + if names_say { 0.5 } else { 5.0 };
        list.add(bits, format!("swap the arguments '{one}' and '{other}'"), &place.file, edits);
    }
    for function in &functions {
        if call.arguments.len() < function.parameters.len() {
            missing(list, blame, place, module, call, function, depth);
        }
    }
    let is_too_many = !takes_any && wanted.iter().any(|wanted| *wanted < call.arguments.len());
    if is_too_many {
        for (index, argument) in call.arguments.iter().enumerate() {
            let range =
                match (call.arguments.get(index + 1), index.checked_sub(1).and_then(|at| call.arguments.get(at))) {
                    (Some(next), _) => argument.start..next.start,
                    (None, Some(before)) => before.end..argument.end,
                    (None, None) => argument.range(),
                };
            let description = format!("remove the argument '{}'", argument.text(text));
            list.edit(depth + 3.0, description, &place.file, Edit::delete(range));
        }
    }
}

fn alike(parameter: &str, argument: &str) -> bool {
    let last = argument.rsplit('.').next().unwrap_or_default();
    !parameter.is_empty() && (parameter == last || slip(parameter, last).is_some_and(|bits| bits < 2.5))
}

/// An argument put in where one was lost: a name in scope, the parameter's own first.
fn missing(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    module: &Module,
    call: &Call,
    function: &Function,
    depth: f64,
) {
    const MAX_NAMES: usize = 60;
    if call.parentheses.end <= call.parentheses.start {
        return;
    }
    let scope = module
        .words
        .iter()
        .rfind(|word| {
            word.role == Role::Use && word.span.start <= call.callee.end && word.span.end >= call.callee.start
        })
        .map_or(0, |word| word.scope);
    let mut names: Vec<(usize, &str)> = module.visible(scope).into_iter().map(|(name, far)| (far, name)).collect();
    names.sort_unstable();
    let text = blame.text(&place.file);
    for position in 0..=call.arguments.len() {
        let Some(parameter) = function.parameters.get(position) else { continue };
        let is_last = position == call.arguments.len();
        for (far, name) in names.iter().take(MAX_NAMES) {
            let fit = if *name == parameter.name {
                0.0
            } else if alike(&parameter.name, name) {
                1.5
            } else {
                5.0
            };
            let bits =
                depth + 2.0 + fit + 0.3 * f64::from(u32::try_from(*far).unwrap_or(9)) + if is_last { 0.0 } else { 1.0 };
            let edit = match (call.arguments.get(position), call.arguments.last()) {
                (Some(next), _) => Edit::insert(next.start, format!("{name}, ")),
                (None, Some(last)) => Edit::insert(last.end, format!(", {name}")),
                (None, None) => Edit::insert(call.parentheses.start + 1, *name),
            };
            let shown = call.callee.text(text);
            list.edit(bits, format!("give '{shown}' the argument '{name}'"), &place.file, edit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use crate::fix_example::{check_fix, check_no_fix, node, tsc};

    #[test]
    fn swaps_arguments_named_like_each_others_parameters() {
        check_fix(
            &Arguments,
            node(
                r"TypeError: Cannot read properties of undefined (reading 'owner')
    at open (/repo/a.js:6:17)",
            ),
            r"
 function load(file, read) {
   return read(file);
 }

 function open(file, read) {
-  return load(read, file).owner;
+  return load(file, read).owner;
 }
",
        );
    }

    #[test]
    fn gives_dropped_argument() {
        check_fix(
            &Arguments,
            tsc("a.ts(6,10): error TS2554: Expected 2 arguments, but got 1."),
            r"
 function load(file: string, read: Reader) {
   return read(file);
 }

 function open(file: string, read: Reader) {
-  return load(file);
+  return load(file, read);
 }
",
        );
    }

    #[test]
    fn removes_superfluous_argument() {
        check_fix(
            &Arguments,
            tsc("a.ts(6,15): error TS2554: Expected 0 arguments, but got 1."),
            r"
 function now() {
   return Date.now();
 }

 function age(born: number) {
-  return now(born) - born;
+  return now() - born;
 }
",
        );
    }

    #[test]
    fn leaves_calls_that_spread_alone() {
        check_no_fix(
            &Arguments,
            tsc("a.ts(6,20): error TS2556: Expected 1 arguments, but got 2."),
            r"
 function load(file: string) {
   return file.trim();
 }

 function open(...files: string[]) {
   return load(...files);
 }
",
        );
    }
}
