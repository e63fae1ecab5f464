//! An operation that met a value of the wrong type: a conversion lost or added, a call's parentheses lost or added, a constant
//! of the wrong type, an index lost or added.

mod lists;

use super::blame::{Blame, Place};
use super::shortlist::Shortlist;
use super::text_and_bytes;
use crate::edit::{Candidate, Edit};
use crate::fix::{FixContext, Fixer};
use crate::python::module::{Expression, Module, Role, Shape, Span, StatementKind};

use lists::{CHANGED, CHANGES_LIST, LAZY, copied, needs_list};

/// Repairs `TypeError`, `AttributeError` and conversion errors by small changes of the expressions at the failing place.
pub(super) struct Operands;

const NAME: &str = "operands";

impl Fixer for Operands {
    fn name(&self) -> &'static str {
        NAME
    }

    fn candidates(&self, context: &FixContext<'_>) -> Vec<Candidate> {
        let blame = Blame::new(context);
        if blame.error == "RuntimeError" && CHANGED.iter().any(|words| blame.message.contains(words)) {
            let mut list = Shortlist::new(&blame);
            for (depth, place) in blame.places.iter().take(2).enumerate() {
                copied(&mut list, &blame, place, 2.0 * f64::from(u32::try_from(depth).unwrap_or(9)));
            }
            return list.finish(NAME, 4);
        }
        if !matches!(blame.error.as_str(), "TypeError" | "AttributeError" | "ValueError" | "KeyError" | "IndexError") {
            return Vec::new();
        }
        let advice = Advice::read(&blame.message);
        let mut list = Shortlist::new(&blame);
        for (depth, place) in blame.places.iter().take(3).enumerate() {
            let extra = 2.5 * f64::from(u32::try_from(depth).unwrap_or(9));
            at_place(&mut list, &blame, place, &advice, extra);
        }
        // A value of the wrong type is often made a few lines above.
        if let Some(place) = blame.places.first() {
            earlier(&mut list, &blame, place, &advice);
        }
        list.finish(NAME, 30)
    }
}

/// Repairs that the message suggests; each number is the cost of such a repair, in bits.
struct Advice {
    add_call: f64,
    drop_call: f64,
    wrap: Vec<(&'static str, f64)>,
    unwrap: f64,
    constant: f64,
    drop_index: f64,
    items: f64,
    operator: f64,
    add_index: f64,
}

impl Advice {
    fn read(message: &str) -> Self {
        let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
        let any = 7.0;
        let mut advice = Self {
            add_call: any,
            drop_call: any,
            wrap: Vec::new(),
            unwrap: 6.5,
            constant: any,
            drop_index: any,
            items: 7.5,
            operator: 9.0,
            add_index: 9.0,
        };
        if has(&[
            "'method'",
            "'function'",
            "'builtin_function_or_method'",
            "'property'",
            "'type' object",
            "'type'",
            "'partial'",
            "functools",
            "method_descriptor",
            "method-wrapper",
        ]) {
            advice.add_call = 1.5;
        }
        if has(&["unsupported operand", "concatenate", "multiply", "formatting", "not supported between"]) {
            advice.operator = 4.5;
        }
        if has(&["'list' object has no", "'tuple' object has no"]) {
            advice.add_index = 3.5;
        }
        if has(&["not callable"]) {
            advice.drop_call = 1.0;
        }
        if has(&["values to unpack", "cannot unpack"]) {
            advice.items = 2.0;
        }
        // `str()` of bytes is a text that begins with `b'`, and passes weak tests.
        let is_about_bytes = text_and_bytes::is_about(message);
        if has(&["str", "concatenate", "string"]) && !is_about_bytes {
            let wants_text = has(&["concatenate str", "must be str", "expected str", "must be a string"]);
            advice.wrap.push(("str", if wants_text { 0.0 } else { 2.5 }));
            advice.wrap.push(("int", 4.0));
            advice.wrap.push(("repr", 6.0));
        }
        if has(&["int", "float", "number", "index", "range"]) {
            advice.wrap.push(("int", 3.5));
            advice.wrap.push(("len", 3.5));
            advice.wrap.push(("float", 5.0));
        }
        if has(&[
            "list",
            "tuple",
            "iterable",
            "generator",
            "iterator",
            "map",
            "filter",
            "zip",
            "dict_",
            "set",
            "len()",
            "subscriptable",
            "reversible",
            "range",
        ]) {
            for (name, bits) in [
                ("list", 3.0),
                ("tuple", 3.5),
                ("set", 4.5),
                ("iter", 3.5),
                ("dict", 5.0),
                ("range", 4.0),
                ("enumerate", 4.5),
                ("len", 5.0),
            ] {
                advice.wrap.push((name, bits));
            }
        }
        if has(&["hashable"]) {
            advice.wrap.extend([("tuple", 2.0), ("frozenset", 3.0), ("str", 4.0), ("id", 5.0), ("type", 5.0)]);
        }
        if has(&["enumerate", "unpack"]) {
            advice.wrap.extend([("enumerate", 3.5), ("zip", 6.0)]);
        }
        if has(&["callable"]) {
            advice.wrap.push(("callable", 7.0));
        }
        if has(&["must be a class", "must be a type", "arg 1", "arg 2"]) {
            advice.wrap.push(("type", 3.0));
        }
        // Views and iterators of what was a list in Python 2. A list of them changes least: it keeps the order, and asks nothing of the values.
        if has(&LAZY) || has(&["use sorted("]) {
            advice.wrap.retain(|(name, _)| *name != "list");
            advice.wrap.push(("list", 0.0));
        }
        // The message itself advises it. It orders the values, which is more than a conversion: only where a list does not do.
        if has(&["use sorted("]) {
            advice.wrap.push(("sorted", 6.0));
        }
        if has(&["bytes"]) && !is_about_bytes {
            advice.wrap.push(("bytes", 4.0));
        }
        if has(&["'int'", "'str'", "'NoneType'", "integer", "None"]) {
            advice.constant = 4.0;
        }
        if has(&["'list'", "'tuple'", "'len", "has no attribute", "hashable"]) {
            advice.unwrap = 4.5;
        }
        advice
    }
}

fn at_place(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, advice: &Advice, extra: f64) {
    let text = blame.text(&place.file);
    let Some(module) = blame.module(&place.file) else { return };
    let statement = module.statement_at(text, place.line).unwrap_or(place.span);
    for expression in module.expressions.iter().filter(|expression| statement.contains(expression.span)) {
        let near = if !place.is_exact || place.span.contains(expression.span) || expression.span.contains(place.span) {
            0.0
        } else {
            2.0
        };
        change(list, blame, &place.file, module, expression, advice, extra + near);
    }
}

fn change(
    list: &mut Shortlist<'_, '_>,
    blame: &Blame<'_>,
    file: &str,
    module: &Module,
    expression: &Expression,
    advice: &Advice,
    extra: f64,
) {
    let Expression { span, shape } = expression;
    let span = *span;
    let text = blame.text(file);
    let code = span.text(text);
    let is_called = text.get(span.end..).is_some_and(|rest| rest.starts_with('('));
    let is_receiver = code == "self" || code == "cls";
    // What stands beside an operator is what the operator complains about; `can only concatenate str` complains about what stands behind it.
    let is_left_meant = !blame.message.starts_with("can only concatenate");
    let is_operand = module.expressions.iter().any(|other| {
        matches!(&other.shape, Shape::Binary { left, right } if *right == span || is_left_meant && *left == span)
    });
    let beside = if is_operand && advice.operator < 9.0 { 3.0 } else { 0.0 };
    match shape {
        Shape::Name | Shape::Attribute { .. } => {
            if !is_called && !is_receiver {
                let call = advice.add_call + extra - if advice.add_call < 3.0 { beside } else { 0.0 };
                list.edit(call, format!("call '{code}'"), file, Edit::insert(span.end, "()"));
                list.edit(
                    advice.items + extra,
                    format!("go over the items of '{code}'"),
                    file,
                    Edit::insert(span.end, ".items()"),
                );
            }
            if let Shape::Attribute { value, name } = shape {
                for index in ["[0]", "[-1]", "[1]"] {
                    list.edit(
                        advice.add_index + extra + if index == "[0]" { 0.0 } else { 1.5 },
                        format!("take '{}{index}'", value.text(text)),
                        file,
                        Edit::insert(value.end, index),
                    );
                }
                // `a.b.c` for `a.b().c` is another expression of its own; `x` for `x.name`:
                list.edit(
                    7.5 + extra,
                    format!("read '{}' itself, not its '{}'", value.text(text), name.text(text)),
                    file,
                    Edit::delete(value.end..name.end),
                );
            }
        }
        Shape::Call(number) => {
            let Some(call) = module.calls.get(*number) else { return };
            list.edit(
                advice.drop_call + extra + if call.arguments.is_empty() { 0.0 } else { 2.0 },
                format!("do not call '{}'", call.callee.text(text)),
                file,
                Edit::delete(call.parentheses.range()),
            );
            list.edit(
                advice.items + extra,
                format!("go over the items of '{code}'"),
                file,
                Edit::insert(span.end, ".items()"),
            );
            if let [only] = call.arguments.as_slice()
                && only.keyword.is_none()
                && !call.callee.text(text).contains('.')
            {
                list.edit(
                    advice.unwrap + extra,
                    format!("use '{}' itself", only.value.text(text)),
                    file,
                    Edit::replace(span.range(), only.value.text(text)),
                );
            }
            // Two literals side by side: a comma was lost.
            if matches!(call.callee.text(text).chars().next(), Some('(' | '[' | '"' | '\'' | '{' | '0'..='9')) {
                list.edit(1.0 + extra, "put the comma back", file, Edit::insert(call.callee.end, ","));
            }
        }
        Shape::Subscript { value, .. } => {
            list.edit(
                advice.drop_index + extra,
                format!("use '{}' itself", value.text(text)),
                file,
                Edit::replace(span.range(), value.text(text)),
            );
            if matches!(value.text(text).chars().next(), Some('(' | '[' | '"' | '\'' | '{' | '0'..='9')) {
                list.edit(1.5 + extra, "put the comma back", file, Edit::insert(value.end, ","));
            }
        }
        Shape::Text | Shape::Number => constant(list, text, file, span, advice, extra),
        Shape::Tuple(elements) => {
            if let [only] = elements.as_slice() {
                list.edit(4.0 + extra, "take it out of the tuple", file, Edit::replace(span.range(), only.text(text)));
            }
            if let [first, second] = elements.as_slice() {
                let swapped = vec![
                    Edit::replace(first.range(), second.text(text)),
                    Edit::replace(second.range(), first.text(text)),
                ];
                list.add(6.0 + extra, "swap the two", file, swapped);
            }
        }
        Shape::Display => {
            if let Some(inner) = code.strip_prefix('[').and_then(|code| code.strip_suffix(']')) {
                list.edit(5.5 + extra, "take it out of the list", file, Edit::replace(span.range(), inner));
            }
        }
        Shape::Binary { left, right } => {
            let swapped =
                vec![Edit::replace(left.range(), right.text(text)), Edit::replace(right.range(), left.text(text))];
            list.add(8.0 + extra, "swap the operands", file, swapped);
            operator(list, text, file, (*left, *right), advice, extra);
            take_off(list, text, file, span, (*left, *right), advice.operator - 0.5 + extra);
        }
        Shape::Other => {}
    }
    if matches!(
        shape,
        Shape::Name
            | Shape::Attribute { .. }
            | Shape::Call(_)
            | Shape::Subscript { .. }
            | Shape::Number
            | Shape::Binary { .. }
            | Shape::Other
    ) && !is_called
        && !is_receiver
    {
        // A long operand is seldom the one of the wrong type.
        let size = if matches!(shape, Shape::Binary { .. }) { 1.5 } else { 0.0 };
        let size = if matches!(shape, Shape::Call(_)) { 0.7 } else { size };
        let is_module = *shape == Shape::Name
            && module
                .imports
                .iter()
                .any(|import| import.from.is_none() && import.names.iter().any(|one| one.bound() == code));
        let behind = text.get(span.end..).and_then(|rest| rest.strip_prefix('.')).unwrap_or_default();
        let method = behind.split(|char: char| !(char.is_alphanumeric() || char == '_')).next().unwrap_or_default();
        let is_changed = CHANGES_LIST.contains(&method) && blame.message.contains(&format!("no attribute '{method}'"));
        for (conversion, bits) in advice.wrap.iter().filter(|_| !is_changed && !is_module) {
            let is_known = if blame.index.count(conversion) > 0 { 0.0 } else { 2.0 };
            let edits = vec![Edit::insert(span.start, format!("{conversion}(")), Edit::insert(span.end, ")")];
            list.add(
                bits + extra + is_known + size - beside,
                format!("convert '{code}' by {conversion}()"),
                file,
                edits,
            );
        }
    }
}

/// Another operator between the same operands.
fn operator(
    list: &mut Shortlist<'_, '_>,
    text: &str,
    file: &str,
    (left, right): (Span, Span),
    advice: &Advice,
    extra: f64,
) {
    const ARITHMETIC: [&str; 8] = ["+", "-", "*", "/", "//", "%", "**", "|"];
    let between = text.get(left.end..right.start).unwrap_or_default();
    let written = between.trim_matches(|char: char| char.is_whitespace() || char == '(' || char == ')');
    let Some(at) = between.find(written).filter(|_| ARITHMETIC.contains(&written)) else { return };
    let is_format = matches!(left.text(text).chars().next_back(), Some('"' | '\'')) && left.text(text).contains('%');
    // An operation that does nothing is not what was meant.
    let is_idle = |other: &str| match right.text(text) {
        "1" => matches!(other, "*" | "/" | "//" | "**"),
        "0" => matches!(other, "+" | "-" | "|"),
        _ => false,
    };
    for other in ARITHMETIC.iter().filter(|other| **other != written && !is_idle(other)) {
        let fits = if *other == "%" && is_format { -2.5 } else { 0.0 };
        list.edit(
            advice.operator + fits + extra,
            format!("use '{other}' instead of '{written}'"),
            file,
            Edit::replace(left.end + at..left.end + at + written.len(), *other),
        );
    }
}

/// A number that was put beside something, without it.
fn take_off(list: &mut Shortlist<'_, '_>, text: &str, file: &str, span: Span, (left, right): (Span, Span), bits: f64) {
    let is_number = |operand: Span| operand.text(text).parse::<f64>().is_ok();
    let kept = match (is_number(left), is_number(right)) {
        (false, true) => left,
        (true, false) => right,
        (true, true) | (false, false) => return,
    };
    let other = if kept == left { right } else { left };
    let description = format!("take the '{}' off", other.text(text));
    list.edit(bits, description, file, Edit::replace(span.range(), kept.text(text)));
}

/// `"1"` for `1`, and the reverse.
fn constant(list: &mut Shortlist<'_, '_>, text: &str, file: &str, span: Span, advice: &Advice, extra: f64) {
    let code = span.text(text);
    let inner = code.trim_matches(['"', '\'']);
    if inner != code
        && !inner.is_empty()
        && inner.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '.')
    {
        let bits = if inner.parse::<f64>().is_ok() { advice.constant - 2.5 } else { advice.constant + 1.5 };
        list.edit(bits + extra, format!("write {inner} without quotes"), file, Edit::replace(span.range(), inner));
    }
    if code.parse::<f64>().is_ok() {
        for replacement in [format!("'{code}'"), format!("\"{code}\"")] {
            list.edit(
                advice.constant + extra,
                format!("write {code} as text"),
                file,
                Edit::replace(span.range(), replacement),
            );
        }
    }
}

/// Assignments, above in the same function, of the names at the failing place.
fn earlier(list: &mut Shortlist<'_, '_>, blame: &Blame<'_>, place: &Place, advice: &Advice) {
    let Some(module) = blame.module(&place.file) else { return };
    let names: Vec<&str> =
        module.words.iter().filter(|word| place.span.overlaps(word.span)).map(|word| word.text.as_str()).collect();
    let scope = module.scope_at(place.span.start);
    let assigned = module.words.iter().filter(|word| {
        word.role == Role::Store
            && word.scope == scope
            && names.contains(&word.text.as_str())
            && !place.span.contains(word.span)
    });
    for word in assigned.take(4) {
        let statement = module
            .statements
            .iter()
            .filter(|statement| statement.span.contains(word.span))
            .min_by_key(|statement| statement.span.end - statement.span.start);
        let Some(statement) = statement else { continue };
        if module.line_of(statement.span.end).saturating_sub(module.line_of(statement.span.start)) > 6 {
            continue;
        }
        // A method that changes a list needs one that has a name.
        if let (StatementKind::Assign { value, .. }, true) = (&statement.kind, needs_list(&blame.message)) {
            let edits = vec![Edit::insert(value.start, "list("), Edit::insert(value.end, ")")];
            list.add(0.0, format!("make a list of '{}'", value.text(blame.text(&place.file))), &place.file, edits);
        }
        for expression in module.expressions.iter().filter(|expression| statement.span.contains(expression.span)) {
            change(list, blame, &place.file, module, expression, advice, 3.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Operands;
    use crate::fix_example::{check_fix, check_no_fix, pytest};

    #[test]
    fn converts_number_to_text() {
        check_fix(
            &Operands,
            pytest(
                r#"File "/repo/a.py", line 2, in describe
TypeError: can only concatenate str (not "int") to str"#,
            ),
            r"
 def describe(name, corners):
-    return name + corners
+    return name + str(corners)
",
        );
    }

    #[test]
    fn calls_method_that_lost_its_parentheses() {
        check_fix(
            &Operands,
            pytest(
                r#"File "/repo/a.py", line 6, in describe
TypeError: unsupported operand type(s) for +: 'method' and 'str'"#,
            ),
            r"
 class Shape:
     def label(self):
         return 'shape'

     def describe(self):
-        return self.label + '!'
+        return self.label() + '!'
",
        );
    }

    #[test]
    fn leaves_other_errors_alone() {
        check_no_fix(
            &Operands,
            pytest(
                r#"File "/repo/a.py", line 2, in describe
ZeroDivisionError: division by zero"#,
            ),
            r"
 def describe(corners):
     return 360 / corners
",
        );
    }
}
