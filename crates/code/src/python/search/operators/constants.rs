//! Replacements for a wrong literal.

use ruff_python_ast::{Expr, Number, Operator};
use ruff_text_size::Ranged as _;

use crate::python::module::Span;
use crate::python::search::site::{Node, Site};
use crate::python::search::stock::is_short;
use crate::search::change::Changes;
use crate::search::literals::{numbers, owned, texts};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let literal = node.expression;
        let written = site.text(literal);
        let others: Vec<(String, f64)> = match literal {
            Expr::NumberLiteral(number) => {
                let whole = if let Number::Int(integer) = &number.value { integer.as_i64() } else { None };
                numbers(whole, "None", literals(site, &site.file.numbers))
            }
            Expr::StringLiteral(_) => texts(written, literals(site, &site.file.texts)),
            Expr::BooleanLiteral(boolean) => {
                vec![((if boolean.value { "False" } else { "True" }).to_owned(), 6.0), ("None".to_owned(), 1.0)]
            }
            Expr::NoneLiteral(_) => {
                owned(&[("False", 1.0), ("True", 1.0), ("0", 1.0), ("''", 0.7), ("[]", 0.7), ("{}", 0.5)])
            }
            Expr::List(list) if list.elts.is_empty() => owned(&[
                ("{}", 1.0),
                ("None", 1.0),
                ("set()", 1.0),
                ("[[]]", 1.0),
                ("''", 0.5),
                ("0", 0.5),
                ("[0]", 0.5),
            ]),
            Expr::Dict(dict) if dict.items.is_empty() => owned(&[("[]", 1.0), ("set()", 1.0), ("None", 1.0)]),
            _ => continue,
        };
        let is_news = |other: &str| other != written && !is_neutral(node, other);
        for (other, weight) in others.into_iter().filter(|(other, _)| is_news(other)) {
            changes.replace(weight, literal, other);
        }
    }
}

/// Returns whether the operation around the literal would have no effect with this number: other repair operators remove such an
/// operation altogether.
fn is_neutral(node: &Node<'_>, number: &str) -> bool {
    let Some(Expr::BinOp(operation)) = node.parent else { return false };
    let is_right = Span::from(operation.right.range()) == Span::from(node.expression.range());
    match operation.op {
        Operator::Add => number == "0",
        Operator::Sub | Operator::LShift | Operator::RShift => is_right && number == "0",
        Operator::Mult => number == "1",
        Operator::Div | Operator::FloorDiv | Operator::Pow => is_right && number == "1",
        Operator::Mod | Operator::MatMult | Operator::BitOr | Operator::BitXor | Operator::BitAnd => false,
    }
}

/// Maximum number of a file's literals that are tried.
const MOST_LITERALS: usize = 30;

/// The literals that the function itself, or else the file, writes.
fn literals<'a>(site: &Site<'a>, literals: &'a [Span]) -> impl Iterator<Item = &'a str> {
    let around = site.function.map_or(Span { start: 0, end: usize::MAX }, |function| function.span);
    let text = site.file.text;
    let inside = literals.iter().filter(move |literal| around.contains(**literal));
    inside.map(move |literal| literal.text(text)).filter(|code| is_short(code)).take(MOST_LITERALS)
}
