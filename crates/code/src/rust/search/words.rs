//! Operators, literals and places of Rust's tree.

use ra_ap_syntax::ast::{self, AstNode as _, LiteralKind};
use ra_ap_syntax::{SyntaxNode, SyntaxToken};

use crate::search::tree::Shape;
use crate::span::Span;

/// Operators of two operands, and of assignments.
pub(super) const OPERATORS: [&str; 29] = [
    "+", "-", "*", "/", "%", "<<", ">>", "|", "&", "^", "&&", "||", "==", "!=", "<", "<=", ">", ">=", "=", "+=", "-=",
    "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=",
];

/// The form of a literal.
pub(super) fn shape_of_literal(literal: &ast::Literal, text: &str) -> Shape {
    match literal.kind() {
        LiteralKind::IntNumber(_) => {
            let digits: String = text.chars().filter(|digit| *digit != '_').take_while(char::is_ascii_digit).collect();
            Shape::Number(digits.parse().ok())
        }
        LiteralKind::FloatNumber(_) => Shape::Number(None),
        LiteralKind::String(_) => Shape::Text,
        LiteralKind::Bool(_) => Shape::Boolean,
        _ => Shape::Other,
    }
}

/// Methods that take the beginning or the end of a piece.
pub(super) const TAKE_BOUNDS: [&str; 7] = ["split_at", "truncate", "take", "skip", "nth", "get", "drain"];

pub(super) fn span_of(node: &SyntaxNode) -> Span {
    let range = node.text_range();
    Span { start: range.start().into(), end: range.end().into() }
}

pub(super) fn span_of_token(token: &SyntaxToken) -> Span {
    let range = token.text_range();
    Span { start: range.start().into(), end: range.end().into() }
}

pub(super) fn span_of_expression(expression: Option<&ast::Expr>) -> Span {
    expression.map(|expression| span_of(expression.syntax())).unwrap_or_default()
}
