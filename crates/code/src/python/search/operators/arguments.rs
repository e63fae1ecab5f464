//! Arguments in the wrong order, one too many, or one too few.

use ruff_python_ast::{Expr, ExprCall};
use ruff_text_size::Ranged;

use crate::python::module::{Function, ParameterKind, Span};
use crate::python::search::site::{Site, called_name};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match node.expression {
            Expr::Call(call) => {
                swap(changes, site, call);
                if called_name(call).is_none_or(|name| !TAKE_ONE.contains(&name)) {
                    drop(changes, call);
                    add(changes, site, call);
                }
            }
            // What is unpacked or returned in pairs is ordered like arguments.
            Expr::Tuple(tuple) => pairs(changes, site, &tuple.elts, 2.0),
            Expr::List(list) => pairs(changes, site, &list.elts, 0.5),
            Expr::Dict(dict) => {
                for item in &dict.items {
                    if let Some(key) = &item.key {
                        changes.swap(0.5, site.file.text, key, &item.value);
                    }
                }
            }
            Expr::DictComp(comprehension) => {
                if let Some(key) = &comprehension.key {
                    changes.swap(1.0, site.file.text, &**key, &*comprehension.value);
                }
            }
            _ => {}
        }
    }
}

/// Functions that are called with one argument, always or nearly always.
const TAKE_ONE: [&str; 19] = [
    "len", "abs", "sum", "list", "set", "tuple", "bool", "float", "str", "repr", "any", "all", "reversed", "iter",
    "chr", "ord", "hash", "type", "append",
];

fn swap(changes: &mut Changes, site: &Site<'_>, call: &ExprCall) {
    pairs(changes, site, &call.arguments.args, 3.0);
    // `separator.join(parts)` for `parts.join(separator)`.
    if let (Expr::Attribute(attribute), [only]) = (&*call.func, &*call.arguments.args) {
        changes.swap(1.0, site.file.text, &*attribute.value, only);
    }
    for pair in call.arguments.keywords.windows(2) {
        if let [left, right] = pair {
            changes.swap(0.5, site.file.text, &left.value, &right.value);
        }
    }
}

fn pairs(changes: &mut Changes, site: &Site<'_>, elements: &[Expr], weight: f64) {
    for (number, left) in elements.iter().enumerate().take(4) {
        for (distance, right) in elements.iter().skip(number + 1).enumerate().take(3) {
            if site.text(left) != site.text(right) {
                changes.swap(if distance == 0 { weight } else { weight / 3.0 }, site.file.text, left, right);
            }
        }
    }
}

/// Takes an argument out.
fn drop(changes: &mut Changes, call: &ExprCall) {
    let spans: Vec<Span> = call.arguments.iter_source_order().map(|argument| argument.range().into()).collect();
    for (number, span) in spans.iter().enumerate() {
        let whole = match (spans.get(number + 1), number.checked_sub(1).and_then(|before| spans.get(before))) {
            (Some(next), _) => Span { start: span.start, end: next.start },
            (None, Some(before)) => Span { start: before.end, end: span.end },
            (None, None) => *span,
        };
        let is_named = number >= call.arguments.args.len();
        changes.delete(if is_named { 1.0 } else { 0.5 }, whole);
    }
}

/// Proposes to add an argument: one for a parameter of the called function that has no argument, or a variable.
fn add(changes: &mut Changes, site: &Site<'_>, call: &ExprCall) {
    let arguments = &call.arguments;
    let inside = Span::from(arguments.range());
    let last = arguments.iter_source_order().last().map(|argument| argument.range().end().to_usize());
    let (at, comma) = last.map_or((inside.start + 1, ""), |end| (end, ", "));
    let function = called_name(call).and_then(|name| site.file.definition(name));
    for parameter in function.map(unbound).unwrap_or_default().into_iter().skip(arguments.args.len()) {
        let name = &parameter.name;
        let is_given =
            arguments.keywords.iter().any(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg.as_str() == name));
        if is_given || !matches!(parameter.kind, ParameterKind::Positional | ParameterKind::KeywordOnly) {
            continue;
        }
        for value in site.names().iter().copied().chain(["True", "False"]) {
            let weight = if value == name { 4.0 } else { 0.7 };
            changes.insert(weight, at, format!("{comma}{name}={value}"));
        }
    }
    if arguments.keywords.is_empty() && arguments.args.len() < 3 {
        let known = if function.is_some() { 0.5 } else { 0.2 };
        for value in site.names().iter().copied().chain(["0", "1", "-1", "None", "True", "False", "''"]) {
            changes.insert(known, at, format!("{comma}{value}"));
        }
        if let [first, ..] = &*arguments.args
            && called_name(call) != Some("print")
        {
            for value in site.names().iter().copied().chain(["0", "1"]) {
                changes.insert(known * 0.7, first.start().to_usize(), format!("{value}, "));
            }
        }
    }
    match called_name(call) {
        Some(name @ ("sorted" | "sort" | "min" | "max")) if arguments.keywords.is_empty() => {
            if name.starts_with("sort") {
                changes.insert(2.0, at, format!("{comma}reverse=True"));
            }
            changes.insert(1.0, at, format!("{comma}key=len"));
            for variable in site.names().iter().copied().filter(|variable| site.file.uses(variable).is_collection()) {
                changes.insert(0.7, at, format!("{comma}key={variable}.get"));
            }
        }
        Some("get") => changes.insert(2.0, at, format!("{comma}0")),
        Some("zip") => changes.insert(0.5, at, format!("{comma}strict=True")),
        _ => {}
    }
}

/// The parameters that a caller gives.
fn unbound(function: &Function) -> Vec<&crate::python::module::Parameter> {
    function.parameters.iter().filter(|parameter| !matches!(parameter.name.as_str(), "self" | "cls")).collect()
}
