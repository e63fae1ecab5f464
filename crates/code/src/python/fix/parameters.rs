//! The definition's side of a call that does not fit: `self` forgotten, a decorator, a default, a star or a parameter lost.

use super::blame::Blame;
use super::call_error::{Fault, Problem};
use super::import_statement::line_start;
use super::shortlist::Shortlist;
use super::spelling::slip;
use crate::edit::Edit;
use crate::python::module::{Function, Module, Parameter, ParameterKind, Role, Span};

/// The functions that the message may mean, with their files.
pub(super) fn definitions<'a>(blame: &Blame<'a>, problem: &Problem) -> Vec<(&'a str, &'a Function)> {
    let mut found: Vec<(&str, &Function)> = Vec::new();
    for (file, module) in blame.index.modules() {
        for function in module.functions.iter().filter(|function| function.name == problem.function) {
            let class = function.class.and_then(|class| module.classes.get(class)).map(|class| class.name.as_str());
            if problem.class.is_none() || class == problem.class.as_deref() || class.is_none() {
                found.push((file, function));
            }
        }
    }
    found.truncate(6);
    found
}

/// Repairs of the definition.
pub(super) fn at_definition(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, problem: &Problem) {
    for (file, function) in definitions(blame, problem) {
        let Some(module) = blame.module(file) else { continue };
        receiver(list, blame, file, module, function);
        match &problem.fault {
            Fault::Missing(names) => {
                for parameter in function.parameters.iter().filter(|parameter| names.contains(&parameter.name)) {
                    collect_rest(list, file, parameter);
                    give_default(list, blame, file, parameter);
                    remove_parameter(list, file, module, function, parameter);
                }
            }
            Fault::UnexpectedKeyword(wrong) => {
                for parameter in &function.parameters {
                    if let Some(bits) = slip(&parameter.name, wrong) {
                        let edit = Edit::replace(parameter.name_span.range(), wrong.as_str());
                        list.edit(bits + 0.5, format!("name the parameter '{wrong}'"), file, edit);
                    }
                }
                add_parameter(list, blame, file, module, function, Some(wrong));
            }
            Fault::TooMany => add_parameter(list, blame, file, module, function, None),
            Fault::TooFew | Fault::Repeated(_) => {}
        }
    }
    if problem.fault == Fault::TooMany {
        constructor(list, blame, problem);
    }
}

/// `self` or `cls` that was forgotten, or a decorator that was lost.
fn receiver(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, module: &Module, function: &Function) {
    let text = blame.text(file);
    let at = function.parameters.first().map_or(function.parameters_span.start + 1, |first| first.span.start);
    let comma = if function.parameters.is_empty() { "" } else { ", " };
    let first = function.parameters.first().map(|parameter| parameter.name.as_str());
    if function.class.is_some() {
        for (name, bits) in [("self", 1.0), ("cls", 2.5), ("mcs", 6.0)] {
            let uses = module
                .words
                .iter()
                .any(|word| word.scope == function.scope && word.text == name && word.role == Role::Load);
            if first != Some(name) {
                list.edit(
                    bits + if uses { -1.0 } else { 3.0 },
                    format!("take '{name}' in '{}'", function.name),
                    file,
                    Edit::insert(at, format!("{name}{comma}")),
                );
            }
        }
        let start = line_start(text, function.definition.start);
        let indent = text.get(start..function.definition.start).unwrap_or_default();
        for decorator in ["staticmethod", "classmethod"] {
            let expected = match first {
                Some("cls") => decorator == "classmethod",
                Some("self") => false,
                _ => decorator == "staticmethod",
            };
            list.edit(
                if expected { 1.5 } else { 7.0 },
                format!("decorate '{}' with '{decorator}'", function.name),
                file,
                Edit::insert(start, format!("{indent}@{decorator}\n")),
            );
        }
    }
}

/// `*args` and `**kwargs` that lost their stars.
fn collect_rest(list: &mut Shortlist<'_, '_>, file: &str, parameter: &Parameter) {
    for (star, familiar) in [("**", "kw"), ("*", "arg")] {
        let bits = if parameter.name.contains(familiar) { 1.0 } else { 6.0 };
        list.edit(
            bits,
            format!("take all the rest as '{}'", parameter.name),
            file,
            Edit::insert(parameter.span.start, star),
        );
    }
}

/// A parameter that lost its default.
fn give_default(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, file: &str, parameter: &Parameter) {
    if parameter.default.is_some() || parameter.kind == ParameterKind::Rest || parameter.kind == ParameterKind::Keywords
    {
        return;
    }
    let mut values: Vec<(String, f64)> = vec![("None".to_owned(), 3.0)];
    // What the same parameter defaults to elsewhere.
    for (other_file, other) in blame.index.modules() {
        for twin in
            other.functions.iter().flat_map(|function| &function.parameters).filter(|twin| twin.name == parameter.name)
        {
            if let Some(default) = twin.default {
                values.push((default.text(blame.text(other_file)).to_owned(), 1.5));
            }
        }
    }
    for value in ["False", "True", "0", "1", "''", "()", "\"\""] {
        values.push((value.to_owned(), 5.0));
    }
    let equals = if parameter.span == parameter.name_span { "=" } else { " = " };
    for (value, bits) in values {
        list.edit(
            bits + 1.0,
            format!("default '{}' to {value}", parameter.name),
            file,
            Edit::insert(parameter.span.end, format!("{equals}{value}")),
        );
    }
}

/// A parameter too many: one that the body does not use goes first.
fn remove_parameter(
    list: &mut Shortlist<'_, '_>,
    file: &str,
    module: &Module,
    function: &Function,
    parameter: &Parameter,
) {
    let Some(position) = function.parameters.iter().position(|other| other == parameter) else { return };
    let used = module
        .words
        .iter()
        .any(|word| word.text == parameter.name && word.role == Role::Load && function.span.contains(word.span));
    let span = match (
        function.parameters.get(position + 1),
        position.checked_sub(1).and_then(|before| function.parameters.get(before)),
    ) {
        (Some(next), _) => Span { start: parameter.span.start, end: next.span.start },
        (None, Some(before)) => Span { start: before.span.end, end: parameter.span.end },
        (None, None) => parameter.span,
    };
    list.edit(
        if used { 7.0 } else { 3.0 },
        format!("do not take '{}' in '{}'", parameter.name, function.name),
        file,
        Edit::delete(span.range()),
    );
}

/// A parameter that is gone: a name that the body reads and nothing binds.
fn add_parameter(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    module: &Module,
    function: &Function,
    wanted: Option<&str>,
) {
    let mut names: Vec<(String, f64)> = Vec::new();
    for word in module.words.iter().filter(|word| word.role == Role::Load && function.span.contains(word.span)) {
        let is_bound =
            module.binding_scope(&word.text, word.scope).is_some() || blame.runtime().builtins.contains(&word.text);
        if !is_bound && !names.iter().any(|(name, _)| *name == word.text) {
            names.push((word.text.clone(), 1.5));
        }
    }
    if let Some(wanted) = wanted
        && !names.iter().any(|(name, _)| name == wanted)
    {
        names.push((wanted.to_owned(), 5.0));
    }
    let open = function.parameters_span.start + 1;
    for (name, bits) in names {
        for parameter in &function.parameters {
            list.edit(
                bits + 1.0,
                format!("take '{name}' in '{}'", function.name),
                file,
                Edit::insert(parameter.span.start, format!("{name}, ")),
            );
        }
        let (at, before) = function.parameters.last().map_or((open, ""), |last| (last.span.end, ", "));
        for default in ["", "=None"] {
            list.edit(
                bits + if default.is_empty() { 0.5 } else { 2.0 },
                format!("take '{name}' in '{}'", function.name),
                file,
                Edit::insert(at, format!("{before}{name}{default}")),
            );
        }
    }
}

/// `Class() takes no arguments`: its `__init__` has another name.
fn constructor(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, problem: &Problem) {
    for (file, module) in blame.index.modules() {
        for function in &module.functions {
            let class = function.class.and_then(|class| module.classes.get(class));
            if class.is_none_or(|class| class.name != problem.function) {
                continue;
            }
            for wanted in ["__init__", "__new__", "__call__"] {
                if let Some(bits) = slip(&function.name, wanted) {
                    let edit = Edit::replace(function.name_span.range(), wanted);
                    list.edit(bits, format!("name '{}' '{wanted}'", function.name), file, edit);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::arguments::Arguments;
    use crate::fix_example::{check_fix, pytest};

    #[test]
    fn takes_forgotten_self() {
        check_fix(
            &Arguments,
            pytest(
                r#"File "/repo/a.py", line 6, in describe
TypeError: Shape.label() takes 0 positional arguments but 1 was given"#,
            ),
            r"
 class Shape:
     def __init__(self, title):
         self.title = title

     def describe(self):
         return self.label() + '!'

-    def label():
+    def label(self):
         return self.title.upper()
",
        );
    }

    #[test]
    fn renames_parameter_as_callers_name_it() {
        check_fix(
            &Arguments,
            pytest(
                r#"File "/repo/test_a.py", line 5, in test_area
TypeError: area() got an unexpected keyword argument 'height'"#,
            ),
            r"
//- /shape.py
-def area(width, hieght):
+def area(width, height):
     return width * height
//- /test_a.py protected
 from shape import area


 def test_area():
     assert area(width=2, height=3) == 6
",
        );
    }
}
