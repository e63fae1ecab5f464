//! Oddities of a result: statements without effect, unreachable code, and lines
//! whose indentation contradicts their brackets.

use oxc_ast::AstKind;
use oxc_ast::ast::{Expression, Statement};
use oxc_ast_visit::Visit;
use oxc_span::{GetSpan, Span};

use crate::javascript::{parse, tokens};
use crate::repair::layout::disagreements;

/// An expression statement that does nothing.
const USELESS: f64 = 7.0;
/// A statement after `return`, `throw`, `break` or `continue` in the same block.
const UNREACHABLE: f64 = 7.0;
/// A statement on the line where another one ends.
const CROWDED: f64 = 5.0;
/// A label that nothing jumps to is hardly ever meant.
const LABEL: f64 = 6.0;
/// A name that nothing in the file declares: candidates differ in how many there are.
const UNKNOWN: f64 = 4.0;
/// A place where the indentation disagrees with the brackets.
const ASKEW: f64 = 4.0;
const MAX_ASKEW: usize = 8;

/// Returns the oddity of a file, in bits, and the number of faults left in it;
/// `None` if one of them is not after `focus`.
pub(super) fn of(file: &str, text: &str, focus: usize) -> Option<(f64, usize)> {
    let read = parse::read(file, text, |program, semantic| {
        let mut oddities = Oddities { text, bits: 0.0 };
        oddities.visit_program(program);
        let unknown = semantic.scoping().root_unresolved_references().len();
        UNKNOWN.mul_add(f64::from(u32::try_from(unknown).unwrap_or(u32::MAX)), oddities.bits)
    });
    let (mut bits, left) = match read {
        Ok(bits) => (bits, 0),
        Err(faults) if faults.iter().all(|(_, start, _)| *start > focus) => (0.0, faults.len()),
        Err(_) => return None,
    };
    let askew = disagreements(text, &tokens::scan(text)).len().min(MAX_ASKEW);
    bits += ASKEW * f64::from(u32::try_from(askew).unwrap_or(8));
    Some((bits, left))
}

struct Oddities<'t> {
    text: &'t str,
    bits: f64,
}

impl Oddities<'_> {
    fn statements(&mut self, statements: &[Statement<'_>]) {
        for pair in statements.windows(2) {
            let [one, other] = pair else { continue };
            let leaves = matches!(
                one,
                Statement::ReturnStatement(_)
                    | Statement::ThrowStatement(_)
                    | Statement::BreakStatement(_)
                    | Statement::ContinueStatement(_)
            );
            let is_hoisted = matches!(other, Statement::FunctionDeclaration(_) | Statement::EmptyStatement(_));
            if leaves && !is_hoisted {
                self.bits += UNREACHABLE;
            }
            let bytes = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
            let between = self.text.get(bytes(one.span().end)..bytes(other.span().start));
            if between.is_some_and(|gap| !gap.contains('\n')) {
                self.bits += CROWDED;
            }
        }
    }

    fn expression(&mut self, expression: &Expression<'_>, span: Span) {
        let is_useless = matches!(
            expression.get_inner_expression(),
            Expression::Identifier(_)
                | Expression::BinaryExpression(_)
                | Expression::ArrowFunctionExpression(_)
                | Expression::ObjectExpression(_)
                | Expression::ArrayExpression(_)
                | Expression::NumericLiteral(_)
                | Expression::StringLiteral(_)
                | Expression::TemplateLiteral(_)
                | Expression::RegExpLiteral(_)
                | Expression::StaticMemberExpression(_)
                | Expression::ThisExpression(_)
                | Expression::SequenceExpression(_)
        );
        if is_useless && !span.is_empty() {
            self.bits += USELESS;
        }
    }
}

impl<'a> Visit<'a> for Oddities<'_> {
    fn enter_node(&mut self, kind: AstKind<'a>) {
        match kind {
            AstKind::Program(program) => self.statements(&program.body),
            AstKind::BlockStatement(block) => self.statements(&block.body),
            AstKind::FunctionBody(body) => self.statements(&body.statements),
            AstKind::ExpressionStatement(statement) => self.expression(&statement.expression, statement.span()),
            AstKind::LabeledStatement(_) => self.bits += LABEL,
            _ => {}
        }
    }
}
