//! A function that computes its result and does not return it: somewhere its caller meets `None`.

use std::collections::BTreeSet;

use super::blame::Blame;
use super::shortlist::Shortlist;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Function, Span};

/// Puts `return` before an expression whose value is lost, where an unexpected `None` may come from it.
pub(super) struct LostReturn;

const NAME: &str = "lost_return";

impl Fixer for LostReturn {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        // Without a `None` in sight only a value that is plainly thrown away is a reason.
        let is_suspected = ["None", "should return", "returned non-"].iter().any(|word| blame.message.contains(word));
        let mut list = Shortlist::new(&blame);
        let called = called_names(&blame);
        for (file, module) in blame.index.modules().filter(|(file, _)| blame.sources().is_editable(file)) {
            let text = blame.text(file);
            for function in &module.functions {
                let class = function.class.and_then(|class| module.classes.get(class));
                let is_called = called.contains(function.name.as_str())
                    || (function.name.starts_with("__")
                        && class.is_some_and(|class| called.contains(class.name.as_str())));
                let on_stack =
                    blame.places.iter().any(|place| place.file == *file && function.span.contains(place.span));
                for statement in &function.tails {
                    let loses = lost_value(text, *statement);
                    if !is_suspected && loses >= 0.0 {
                        continue;
                    }
                    let named = blame.message.contains(&function.name) && function.name.starts_with("__");
                    let base = match (is_called, on_stack) {
                        (_, _) if named => 0.0,
                        (true, _) => 2.0,
                        (false, true) => 4.0,
                        (false, false) => 8.0,
                    };
                    let head = text.get(function.parameters_span.end..statement.start).unwrap_or_default();
                    let promised = head.trim_start().strip_prefix("->").map(str::trim_start);
                    let returns = match promised {
                        Some(kind) if kind.starts_with("None") => 4.0,
                        Some(_) => -1.0,
                        None if function.returns_value => 0.0,
                        None => 0.5,
                    };
                    let yields = if function.is_generator { 4.0 } else { 0.0 };
                    list.edit(
                        base + loses + returns + yields + nesting(function, *statement),
                        format!("return the value in '{}'", function.name),
                        file,
                        Edit::insert(statement.start, "return "),
                    );
                }
            }
        }
        list.finish(NAME, 10)
    }
}

/// The names that are called, or read as attributes (properties), on the way to the error.
fn called_names<'b>(blame: &'b Blame<'_>) -> BTreeSet<&'b str> {
    let mut names = BTreeSet::new();
    for place in blame.all_places() {
        let Some(module) = blame.module(&place.file) else { continue };
        // The value may have been made earlier in the same function.
        let around = module.function_at(place.span.start).map_or(place.span, |function| function.span);
        let around = if around.end - around.start > 20_000 { place.span } else { around };
        names.extend(module.words.iter().filter(|word| around.contains(word.span)).map(|word| word.text.as_str()));
    }
    // `__repr__ returned non-string`, `__iter__() returned non-iterator`.
    names.extend(
        blame.message.split(|char: char| !(char.is_alphanumeric() || char == '_')).filter(|word| word.len() > 3),
    );
    names
}

/// Returns how likely the statement is meant to be evaluated for its effect, in bits: a call may be, an operation is not.
fn lost_value(text: &str, statement: Span) -> f64 {
    let code = statement.text(text);
    let is_call = code.ends_with(')') && !code.starts_with('(');
    let is_await_or_yield = code.starts_with("await") || code.starts_with("yield");
    match (is_call, is_await_or_yield) {
        (_, true) => 3.0,
        (true, false) => 1.0,
        (false, false) => -4.0,
    }
}

/// The end of the function itself is likelier than the end of a branch.
fn nesting(function: &Function, statement: Span) -> f64 {
    if function.body.last() == Some(&statement) { 0.0 } else { 0.7 }
}

#[cfg(test)]
mod tests {
    use super::LostReturn;
    use crate::fix_example::{check_fix, check_no_fix, mypy, pytest};

    #[test]
    fn returns_value_that_is_thrown_away() {
        check_fix(
            &LostReturn,
            pytest(
                r#"File "/repo/a.py", line 7, in report
AttributeError: 'NoneType' object has no attribute 'title'"#,
            ),
            r"
 def largest(shapes):
     by_corners = {shape.corners: shape for shape in shapes}
-    by_corners[max(by_corners)]
+    return by_corners[max(by_corners)]


 def report(shapes):
     return largest(shapes).title
",
        );
    }

    #[test]
    fn answers_type_checker() {
        check_fix(
            &LostReturn,
            mypy("a.py:1:1: error: Missing return statement  [return]"),
            r"
 def area(width: int, height: int) -> int:
-    width * height
+    return width * height
",
        );
    }

    #[test]
    fn leaves_calls_for_their_effect_alone() {
        check_no_fix(
            &LostReturn,
            pytest(
                r#"File "/repo/a.py", line 7, in save
TypeError: can only concatenate str (not \"int\") to str"#,
            ),
            r"
 def write(out, text):
     out.append(text)


 def save(out, count):
     write(out, 'rows')
     write(out, 'rows: ' + count)
",
        );
    }
}
