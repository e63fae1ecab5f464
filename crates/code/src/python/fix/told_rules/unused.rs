//! Variables that a linter finds unused, and the `f` of a string without placeholders.

use std::ops::Range;

use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_stmt};
use ruff_python_ast::{ExceptHandler, Expr, FStringPart, InterpolatedStringElement, Stmt};
use ruff_text_size::Ranged;

use super::super::lint_rules::{has_siblings, line_around, statements};
use super::{Repair, Told};
use crate::edit::Edit;

/// Removes the variable that the words name and that the line binds; what computes its value stays if that may do more.
pub(super) fn variable(told: &Told<'_>, body: &[Stmt]) -> Option<Repair> {
    let Told { text, at, words, .. } = *told;
    let name = words.split(['\'', '`']).nth(1)?;
    let line = line_around(text, at);
    if let Some(edit) = bound_by_as(name, text, &line, body) {
        return Some(Repair { edits: vec![edit], description: "remove the unused name" });
    }
    let mut on_line =
        statements(body).into_iter().filter(|statement| line.contains(&statement.range().start().to_usize()));
    let (statement, value) = on_line.find_map(|statement| Some((statement, bound(statement, name)?)))?;
    let whole = statement.range().to_std_range();
    if has_effects(value) {
        // Brackets of the value stand outside of its range.
        let sign = whole.start + text.get(whole.clone())?.find('=')?;
        let kept = text.get(sign + 1..whole.end)?.trim_start();
        let edits = vec![Edit::delete(whole.start..whole.end - kept.len())];
        return statement.is_assign_stmt().then_some(Repair { edits, description: "do not keep the unused value" });
    }
    let edit = if has_siblings(body, statement) {
        Edit::delete(whole_lines(text, statement)?)
    } else {
        Edit::replace(whole, "pass")
    };
    Some(Repair { edits: vec![edit], description: "remove the unused variable" })
}

/// The value that a statement gives a variable of this name alone.
fn bound<'a>(statement: &'a Stmt, name: &str) -> Option<&'a Expr> {
    let is_named = |target: &Expr| matches!(target, Expr::Name(target) if target.id.as_str() == name);
    match statement {
        Stmt::Assign(assign) if matches!(assign.targets.as_slice(), [target] if is_named(target)) => {
            Some(&assign.value)
        }
        Stmt::AnnAssign(assign) if is_named(&assign.target) => assign.value.as_deref(),
        _ => None,
    }
}

/// Removes ` as name` of an `except` or a `with`.
fn bound_by_as(name: &str, text: &str, line: &Range<usize>, body: &[Stmt]) -> Option<Edit> {
    struct Find<'a> {
        name: &'a str,
        line: &'a Range<usize>,
        found: Option<Range<usize>>,
    }
    impl<'a> Visitor<'a> for Find<'_> {
        fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
            let ExceptHandler::ExceptHandler(one) = handler;
            if let (Some(kind), Some(local)) = (&one.type_, &one.name)
                && local.as_str() == self.name
                && self.line.contains(&one.range().start().to_usize())
            {
                self.found = Some(kind.range().end().to_usize()..local.range().end().to_usize());
            }
            walk_except_handler(self, handler);
        }
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            if let Stmt::With(with) = statement {
                for item in &with.items {
                    if let Some(Expr::Name(local)) = item.optional_vars.as_deref()
                        && local.id.as_str() == self.name
                        && self.line.contains(&local.range().start().to_usize())
                    {
                        self.found = Some(item.context_expr.range().end().to_usize()..local.range().end().to_usize());
                    }
                }
            }
            walk_stmt(self, statement);
        }
    }
    let mut find = Find { name, line, found: None };
    find.visit_body(body);
    let found = find.found?;
    // Brackets around the value end behind it.
    let start = found.start + text.get(found.clone())?.rfind(" as ")?;
    Some(Edit::delete(start..found.end))
}

/// Removes the `f` of the strings on the line that have no placeholders.
pub(super) fn placeholders(told: &Told<'_>, body: &[Stmt]) -> Option<Repair> {
    struct Find<'a> {
        line: Range<usize>,
        found: Vec<Range<usize>>,
        text: &'a str,
    }
    impl<'a> Visitor<'a> for Find<'_> {
        fn visit_expr(&mut self, expression: &'a Expr) {
            if let Expr::FString(string) = expression
                && self.line.contains(&string.range().start().to_usize())
                && !string
                    .value
                    .f_strings()
                    .any(|part| part.elements.iter().any(InterpolatedStringElement::is_interpolation))
            {
                let parts = string.value.iter().filter_map(|part| match part {
                    FStringPart::FString(part) => Some(part.range().to_std_range()),
                    FStringPart::Literal(_) => None,
                });
                // Doubled brackets mean single ones in an f-string only.
                let is_plain =
                    |part: &Range<usize>| self.text.get(part.clone()).is_some_and(|own| !own.contains(['{', '}']));
                let parts: Vec<Range<usize>> = parts.collect();
                if parts.iter().all(is_plain) {
                    self.found.extend(parts);
                }
            }
            walk_expr(self, expression);
        }
    }
    let Told { text, at, .. } = *told;
    let mut find = Find { line: line_around(text, at), found: Vec::new(), text };
    find.visit_body(body);
    let signs = find.found.iter().filter_map(|part| {
        let sign = part.start + text.get(part.clone())?.find(['f', 'F'])?;
        Some(Edit::delete(sign..sign + 1))
    });
    let edits: Vec<Edit> = signs.collect();
    (!edits.is_empty()).then_some(Repair { edits, description: "make it a plain text" })
}

/// Returns whether the evaluation of an expression may do more than give a value.
fn has_effects(expression: &Expr) -> bool {
    struct Find(bool);
    impl<'a> Visitor<'a> for Find {
        fn visit_expr(&mut self, expression: &'a Expr) {
            let is_plain = expression.is_literal_expr()
                || matches!(
                    expression,
                    Expr::Name(_) | Expr::List(_) | Expr::Tuple(_) | Expr::Dict(_) | Expr::Set(_) | Expr::Attribute(_)
                );
            if expression.is_lambda_expr() {
                return;
            }
            self.0 |= !is_plain;
            walk_expr(self, expression);
        }
    }
    let mut find = Find(false);
    find.visit_expr(expression);
    find.0
}

/// The lines of a statement; `None` when they hold anything else but a comment.
fn whole_lines(text: &str, statement: &Stmt) -> Option<Range<usize>> {
    let own = statement.range().to_std_range();
    let lines = line_around(text, own.start).start..line_around(text, own.end).end;
    let after = text.get(own.end..lines.end)?.trim();
    let is_whole = text.get(lines.start..own.start)?.trim().is_empty() && (after.is_empty() || after.starts_with('#'));
    is_whole.then_some(lines)
}

#[cfg(test)]
mod tests {
    use crate::fix_example::{check_lint_fix, check_no_lint_fix, flake8};

    #[test]
    fn removes_unused_variable() {
        check_lint_fix(
            flake8("a.py:2:5: F841 local variable 'unit' is assigned to but never used"),
            r"
 def area(width, height):
-    unit = 'cm'
     return width * height
",
        );
    }

    #[test]
    fn keeps_effect_of_unused_value() {
        check_lint_fix(
            flake8("a.py:2:5: F841 local variable 'done' is assigned to but never used"),
            r"
 def save(file, text):
-    done = file.write(text)
+    file.write(text)
     file.close()
",
        );
    }

    #[test]
    fn writes_text_without_placeholders_plainly() {
        check_lint_fix(
            flake8("a.py:1:7: F541 f-string is missing placeholders"),
            r"
-print(f'done')
+print('done')
",
        );
    }

    #[test]
    fn leaves_unpacked_names_alone() {
        check_no_lint_fix(
            flake8("a.py:2:5: F841 local variable 'head' is assigned to but never used"),
            r"
 def last(rows):
     head, tail = rows
     return tail
",
        );
    }
}
