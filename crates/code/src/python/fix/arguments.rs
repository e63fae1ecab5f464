//! A call and a definition that do not agree: an argument lost, added, renamed or in the wrong place, a parameter renamed or
//! gone, `self` forgotten, a decorator lost.

use super::blame::{Blame, Place};
use super::call_error::{Fault, Problem};
use super::parameters::{at_definition, definitions};
use super::shortlist::{Shortlist, Suspect};
use super::spelling::slip;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Argument, Call, Module, Role, Span, StatementKind};

/// Repairs the `TypeError`s of calls: `f() missing 1 required positional argument`, `f() takes 2 positional arguments but 3
/// were given`, `f() got an unexpected keyword argument`.
pub(super) struct Arguments;

const NAME: &str = "arguments";

impl Fixer for Arguments {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if blame.error != "TypeError" {
            return Vec::new();
        }
        let Some(problem) = Problem::read(&blame.message) else { return Vec::new() };
        let mut list = Shortlist::new(&blame);
        for (depth, place) in blame.places.iter().take(4).enumerate() {
            let extra = 2.5 * f64::from(u32::try_from(depth).unwrap_or(9));
            if let Some(module) = blame.module(&place.file) {
                for call in calls_at(module, place, &problem.function) {
                    at_call(&mut list, &blame, place, module, call, &problem, extra);
                }
            }
        }
        at_definition(&mut list, &blame, &problem);
        list.finish(NAME, 32)
    }
}

/// The calls at a place, those of the function first; a class is called by its own name for `__init__`.
fn calls_at<'m>(module: &'m Module, place: &Place, function: &str) -> Vec<&'m Call> {
    let mut calls: Vec<&Call> = module.calls.iter().filter(|call| place.span.overlaps(call.span)).collect();
    let is_inside = |call: &Call| place.span.contains(call.span);
    calls.retain(|call| is_inside(call) || call.span.start >= line_floor(module, place));
    calls.sort_by_key(|call| (call.name != function, place.span != call.span, !is_inside(call), call.span));
    calls.truncate(6);
    calls
}

fn line_floor(module: &Module, place: &Place) -> usize {
    module.line_span(place.line).map_or(0, |line| line.start)
}

fn at_call(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    module: &Module,
    call: &Call,
    problem: &Problem,
    extra: f64,
) {
    let text = blame.text(&place.file);
    let named = call.name == problem.function || problem.function.starts_with("__");
    let extra = extra + if named { 0.0 } else { 5.0 };
    match &problem.fault {
        Fault::Missing(names) => {
            for name in names {
                insert_argument(list, blame, place, module, call, Some(name), extra);
            }
        }
        Fault::TooFew => insert_argument(list, blame, place, module, call, None, extra),
        Fault::TooMany => {
            for (number, argument) in call.arguments.iter().enumerate() {
                remove_argument(list, text, place, call, number, argument, extra);
            }
            tuple_argument(list, text, place, call, extra);
        }
        Fault::UnexpectedKeyword(wrong) | Fault::Repeated(wrong) => {
            keyword(list, blame, place, call, problem, wrong, extra);
        }
    }
}

/// An argument that was dropped: under the parameter's name, what a call elsewhere gives, or what is in scope.
fn insert_argument(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    module: &Module,
    call: &Call,
    parameter: Option<&str>,
    extra: f64,
) {
    let text = blame.text(&place.file);
    let mut values: Vec<(String, f64)> = Vec::new();
    let visible = module.visible(module.scope_at(call.span.start));
    if let Some(parameter) = parameter {
        for name in visible.keys() {
            if *name == parameter {
                values.push(((*name).to_owned(), 1.0));
            } else if let Some(bits) = slip(name, parameter) {
                values.push(((*name).to_owned(), 2.0 + bits));
            }
        }
        if let Some(class) = module.class_at(call.span.start)
            && class.attributes.contains_key(parameter)
        {
            values.push((format!("self.{parameter}"), 2.0));
        }
    }
    // What sibling calls give.
    for (other_file, other) in blame.index.modules() {
        for sibling in
            other.calls.iter().filter(|sibling| sibling.name == call.name && sibling.span != call.span).take(20)
        {
            for argument in &sibling.arguments {
                let value = argument.value.text(blame.text(other_file));
                let is_usable = value.len() < 60 && !argument.is_starred && words_visible(value, &visible, blame);
                if is_usable {
                    let same_file = if other_file == place.file { 0.0 } else { 1.0 };
                    values.push((value.to_owned(), 4.0 + same_file));
                }
            }
        }
    }
    // `Name = make("Name")`.
    for statement in &module.statements {
        if let StatementKind::Assign { target, value } = &statement.kind
            && value.contains(call.span)
        {
            values.push((format!("\"{}\"", target.text(text)), 4.5));
            values.push((format!("'{}'", target.text(text)), 4.5));
        }
    }
    let function = module.function_at(call.span.start);
    let locals = function.and_then(|function| module.scopes.get(function.scope));
    for name in locals.into_iter().flat_map(|scope| scope.bindings.keys()) {
        values.push((name.clone(), 5.0));
    }
    for constant in ["None", "0", "1", "True", "False", "''", "()", "[]", "{}"] {
        values.push((constant.to_owned(), 7.0));
    }
    let mut slots: Vec<(usize, String, String)> = Vec::new();
    let open = call.parentheses.start + 1;
    if call.arguments.is_empty() {
        slots.push((open, String::new(), String::new()));
    }
    for argument in &call.arguments {
        slots.push((argument.span.start, String::new(), ", ".to_owned()));
    }
    if let Some(last) = call.arguments.last() {
        slots.push((last.span.end, ", ".to_owned(), String::new()));
    }
    for (value, bits) in &values {
        for (at, before, after) in &slots {
            list.edit(
                bits + extra + 0.5,
                format!("give '{value}' to '{}'", call.callee.text(text)),
                &place.file,
                Edit::insert(*at, format!("{before}{value}{after}")),
            );
        }
        if let Some(parameter) = parameter {
            let last = call.arguments.last().map_or(open, |last| last.span.end);
            let comma = if call.arguments.is_empty() { "" } else { ", " };
            list.edit(
                bits + extra + 2.0,
                format!("give '{parameter}={value}' to '{}'", call.callee.text(text)),
                &place.file,
                Edit::insert(last, format!("{comma}{parameter}={value}")),
            );
        }
    }
    // The keyword that lost its `=`: nothing to see; a star that was lost: `f(*args)`.
    for argument in call.arguments.iter().filter(|argument| !argument.is_starred && argument.keyword.is_none()) {
        for star in ["*", "**"] {
            list.edit(
                6.0 + extra,
                format!("unpack '{}'", argument.value.text(text)),
                &place.file,
                Edit::insert(argument.span.start, star),
            );
        }
    }
}

/// Returns whether every variable that a piece of code reads is visible or built in.
fn words_visible(code: &str, visible: &std::collections::BTreeMap<&str, usize>, blame: &Blame<'_>) -> bool {
    let piece = Module::read(code);
    piece
        .words
        .iter()
        .filter(|word| word.role == Role::Load)
        .all(|word| visible.contains_key(word.text.as_str()) || blame.runtime().builtins.contains(&word.text))
}

fn remove_argument(
    list: &mut Shortlist<'_, '_>,
    text: &str,
    place: &Place,
    call: &Call,
    number: usize,
    argument: &Argument,
    extra: f64,
) {
    let span =
        match (call.arguments.get(number + 1), number.checked_sub(1).and_then(|before| call.arguments.get(before))) {
            (Some(next), _) => Span { start: argument.span.start, end: next.span.start },
            (None, Some(before)) => Span { start: before.span.end, end: argument.span.end },
            (None, None) => argument.span,
        };
    let is_last = number + 1 == call.arguments.len();
    list.edit(
        3.0 + extra + if is_last { 0.0 } else { 1.0 },
        format!("do not give '{}' to '{}'", argument.span.text(text), call.callee.text(text)),
        &place.file,
        Edit::delete(span.range()),
    );
    // `f(a, b)` for `f(a=b)`.
    if let Some(next) = call.arguments.get(number + 1)
        && argument.keyword.is_none()
        && next.keyword.is_none()
    {
        list.edit(
            7.0 + extra,
            "pass the argument by its name",
            &place.file,
            Edit::replace(argument.span.end..next.span.start, "="),
        );
    }
}

/// `f(a, b)` for `f((a, b))`.
fn tuple_argument(list: &mut Shortlist<'_, '_>, text: &str, place: &Place, call: &Call, extra: f64) {
    if let (Some(first), Some(last)) = (call.arguments.first(), call.arguments.last())
        && call.arguments.len() > 1
        && call.arguments.iter().all(|argument| argument.keyword.is_none() && !argument.is_starred)
    {
        let edits = vec![Edit::insert(first.span.start, "("), Edit::insert(last.span.end, ")")];
        list.add(6.0 + extra, format!("give a tuple to '{}'", call.callee.text(text)), &place.file, edits);
    }
}

fn keyword(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    place: &Place,
    call: &Call,
    problem: &Problem,
    wrong: &str,
    extra: f64,
) {
    for (number, argument) in call.arguments.iter().enumerate() {
        let Some((name, span)) = &argument.keyword else { continue };
        if name != wrong {
            continue;
        }
        let word = Suspect { file: &place.file, text: wrong, span: *span };
        for (_, function) in definitions(blame, problem) {
            let names = function.parameters.iter().map(|parameter| (parameter.name.as_str(), extra));
            list.respell(word, names, |name| format!("name the argument '{name}' instead of '{wrong}'"));
        }
        for (_, module) in blame.index.modules() {
            for sibling in module.calls.iter().filter(|sibling| sibling.name == call.name && sibling.span != call.span)
            {
                for (other, _) in sibling.arguments.iter().filter_map(|argument| argument.keyword.as_ref()) {
                    list.edit(
                        3.5 + extra,
                        format!("name the argument '{other}' instead of '{wrong}'"),
                        &place.file,
                        Edit::replace(span.range(), other.as_str()),
                    );
                }
            }
        }
        // The function is unknown (a library's): words used as keywords anywhere.
        for (_, module) in blame.index.modules() {
            let words = module.words.iter().filter(|word| matches!(word.role, Role::Keyword | Role::Parameter));
            let names = words.map(|other| (other.text.as_str(), extra + 1.5));
            list.respell(word, names, |name| format!("name the argument '{name}' instead of '{wrong}'"));
        }
        remove_argument(list, blame.text(&place.file), place, call, number, argument, extra + 2.0);
        list.edit(
            7.0 + extra,
            "pass the argument by its place",
            &place.file,
            Edit::delete(argument.span.start..argument.value.start),
        );
    }
    if let Fault::Repeated(_) = problem.fault {
        for (number, argument) in call.arguments.iter().enumerate() {
            remove_argument(list, blame.text(&place.file), place, call, number, argument, extra + 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Arguments;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn gives_dropped_argument() {
        check_fix(
            &Arguments,
            pytest(
                r#"File "/repo/a.py", line 6, in report
TypeError: largest() missing 1 required positional argument: 'shapes'"#,
            ),
            r"
 def largest(shapes):
     return max(shapes)


 def report(shapes):
-    return largest()
+    return largest(shapes)
",
        );
    }

    #[test]
    fn removes_superfluous_argument() {
        check_fix(
            &Arguments,
            pytest(
                r#"File "/repo/a.py", line 6, in report
TypeError: largest() takes 1 positional argument but 2 were given"#,
            ),
            r"
 def largest(shapes):
     return max(shapes)


 def report(shapes, unit):
-    return largest(shapes, unit)
+    return largest(shapes)
",
        );
    }

    #[test]
    fn renames_keyword() {
        check_fix(
            &Arguments,
            pytest(
                r#"File "/repo/a.py", line 6, in report
TypeError: largest() got an unexpected keyword argument 'revers'"#,
            ),
            r"
 def largest(shapes, reverse):
     return sorted(shapes, reverse=reverse)[0]


 def report(shapes):
-    return largest(shapes, revers=True)
+    return largest(shapes, reverse=True)
",
        );
    }

    #[test]
    fn leaves_errors_inside_of_the_call_alone() {
        check_no_fix(
            &Arguments,
            pytest(
                r#"File "/repo/a.py", line 2, in largest
TypeError: 'NoneType' object is not iterable"#,
            ),
            r"
 def largest(shapes):
     return max(shapes)
",
        );
    }
}
