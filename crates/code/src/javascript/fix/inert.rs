//! Statements that do nothing: an expression that is evaluated, changes nothing, and is thrown away; a semicolon alone.

use std::ops::Range;

use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, UnaryOperator};
use oxc_ast_visit::Visit;
use oxc_span::GetSpan;

use crate::edit::{Edit, FileEdit, moved};
use crate::javascript::parse;
use crate::span::Span;

/// Returns whether the text after an edit parses, and each of the statements that the edit touches does something.
pub(super) fn is_sound(edit: &FileEdit, after: &str) -> bool {
    let place = |one: &Edit| {
        let start = moved(one.start, &edit.edits);
        start..start + one.replacement.len()
    };
    let touched: Vec<Range<usize>> = edit.edits.iter().map(place).collect();
    let is_touched = |span: &Span| touched.iter().any(|place| place.start <= span.end && span.start <= place.end);
    statements(&edit.file, after).is_some_and(|inert| !inert.iter().any(is_touched))
}

/// The statements of a text that do nothing; `None` if it does not parse.
fn statements(file: &str, text: &str) -> Option<Vec<Span>> {
    struct Found(Vec<Span>);
    impl<'a> Visit<'a> for Found {
        fn enter_node(&mut self, kind: AstKind<'a>) {
            match kind {
                AstKind::ExpressionStatement(statement) if only_reads(&statement.expression) => {
                    self.0.push(statement.span().into());
                }
                AstKind::EmptyStatement(statement) => self.0.push(statement.span.into()),
                _ => {}
            }
        }
    }
    parse::read(file, text, |program, _| {
        let mut found = Found(Vec::new());
        found.visit_program(program);
        found.0
    })
    .ok()
}

/// Returns whether an expression calls nothing, changes nothing, and waits for nothing.
fn only_reads(expression: &Expression<'_>) -> bool {
    match expression.get_inner_expression() {
        Expression::Identifier(_)
        | Expression::ThisExpression(_)
        | Expression::BooleanLiteral(_)
        | Expression::NullLiteral(_)
        | Expression::NumericLiteral(_)
        | Expression::StringLiteral(_)
        | Expression::RegExpLiteral(_)
        | Expression::FunctionExpression(_)
        | Expression::ArrowFunctionExpression(_) => true,
        Expression::StaticMemberExpression(member) => only_reads(&member.object),
        Expression::ComputedMemberExpression(member) => only_reads(&member.object) && only_reads(&member.expression),
        Expression::PrivateFieldExpression(member) => only_reads(&member.object),
        Expression::BinaryExpression(binary) => only_reads(&binary.left) && only_reads(&binary.right),
        Expression::LogicalExpression(logical) => only_reads(&logical.left) && only_reads(&logical.right),
        Expression::UnaryExpression(unary) => unary.operator != UnaryOperator::Delete && only_reads(&unary.argument),
        Expression::ConditionalExpression(choice) => {
            only_reads(&choice.test) && only_reads(&choice.consequent) && only_reads(&choice.alternate)
        }
        Expression::SequenceExpression(sequence) => sequence.expressions.iter().all(only_reads),
        Expression::TemplateLiteral(template) => template.expressions.iter().all(only_reads),
        // `a?.b`: what it holds is a call, or a member like those above.
        Expression::ChainExpression(chain) => {
            chain.expression.as_member_expression().is_some_and(|member| only_reads(member.object()))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_left_by(file: &str, text: &str, gone: &str, put: &str) -> bool {
        let start = text.find(gone).unwrap();
        let edit = FileEdit::single(file, Edit::replace(start..start + gone.len(), put));
        let after = edit.apply(text).unwrap();
        assert!(parse::compiles(file, &after), "{after}");
        !is_sound(&edit, &after)
    }

    #[test]
    fn a_call_that_is_called_no_more_does_nothing() {
        for file in ["a.js", "a.ts", "a.mjs"] {
            let text = "class A {\n  add(x) {\n    this.history.push(x);\n    return x;\n  }\n}\n";
            assert!(is_left_by(file, text, "(x);", ";"), "{file}");
            assert!(is_left_by(file, text, "this.history.push(x)", "x"), "{file}");
            assert!(is_left_by(file, text, "this.history.push(x)", "this.history?.push && x > 0"), "{file}");
            assert!(!is_left_by(file, text, "push", "unshift"), "{file}");
            assert!(!is_left_by(file, text, "return x", "return this.history"), "{file}");
        }
        assert!(is_left_by("a.ts", "(x as Set<string>).add('a');\n", "('a')", ""));
        assert!(is_left_by("a.js", "add(x);\n", ";", ";;"));
    }

    #[test]
    fn what_does_something_is_allowed() {
        for put in ["f()", "new A", "x = 1", "x++", "delete x.y", "x?.()", "x && f()", "x[f()]", "f`a`"] {
            assert!(!is_left_by("a.js", "function g(x) {\n  old();\n}\n", "old()", put), "{put}");
        }
        assert!(!is_left_by("a.mjs", "old();\n", "old()", "await x"));
        assert!(!is_left_by("a.js", "'use strict';\nold();\n", "old", "other"), "a directive");
        assert!(!is_left_by("a.js", "x;\n\nold();\n", "old", "other"), "it is another statement");
    }
}
