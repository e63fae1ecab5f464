//! A wrong literal.

use std::collections::BTreeMap;

use ruff_python_ast::{Expr, Number, Operator};
use ruff_text_size::Ranged as _;

use super::RepairOperator;
use crate::python::module::Span;
use crate::python::search::site::{Node, Site, is_short};
use crate::search::change::Changes;
use crate::search::priors::Family;

pub(super) struct Constants;

impl RepairOperator for Constants {
    fn family(&self) -> Family {
        Family::Constants
    }

    fn propose(&self, site: &Site<'_>, changes: &mut Changes) {
        for node in site.nodes() {
            let literal = node.expression;
            let written = site.text(literal);
            let others: Vec<(String, f64)> = match literal {
                Expr::NumberLiteral(number) => numbers(site, &number.value),
                Expr::StringLiteral(_) => texts(site, written),
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
}

/// Whether the operation that the literal stands in would do nothing with this number: other operators leave it out altogether.
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

fn owned(list: &[(&str, f64)]) -> Vec<(String, f64)> {
    list.iter().map(|(code, weight)| ((*code).to_owned(), *weight)).collect()
}

/// Neighbours first, then the small numbers that programs begin and end with, then what else the file writes.
fn numbers(site: &Site<'_>, number: &Number) -> Vec<(String, f64)> {
    let mut found = BTreeMap::new();
    let mut add = |code: String, weight: f64| {
        let known: &mut f64 = found.entry(code).or_default();
        *known = known.max(weight);
    };
    if let Number::Int(integer) = number
        && let Some(value) = integer.as_i64()
    {
        for (near, weight) in [
            (value.checked_add(1), 3.0),
            (value.checked_sub(1), 3.0),
            (value.checked_neg(), 1.0),
            (value.checked_add(2), 0.5),
            (value.checked_mul(2), 0.5),
            (value.checked_mul(10), 0.5),
        ] {
            if let Some(near) = near {
                add(near.to_string(), weight);
            }
        }
        if value.abs() >= 10 && value % 10 == 0 {
            add((value / 10).to_string(), 0.5);
        }
    }
    for (small, weight) in [("0", 2.0), ("1", 2.0), ("2", 0.7), ("None", 0.3), ("0.5", 0.1)] {
        add(small.to_owned(), weight);
    }
    for literal in literals(site, &site.file.numbers) {
        add(literal.to_owned(), 0.5);
    }
    found.into_iter().collect()
}

fn texts(site: &Site<'_>, written: &str) -> Vec<(String, f64)> {
    let mut found: Vec<(String, f64)> = literals(site, &site.file.texts).map(|code| (code.to_owned(), 1.0)).collect();
    if let Some(quote) = written.chars().last() {
        found.push((format!("{quote}{quote}"), 1.5));
        found.push((format!("{quote} {quote}"), 1.0));
        let inner = written.trim_matches(quote);
        let plain = !inner.contains('\\') && written.len() == inner.len() + 2;
        for other in [
            inner.trim().to_owned(),
            format!("{inner} "),
            format!(" {inner}"),
            inner.to_lowercase(),
            inner.to_uppercase(),
        ] {
            if plain && !other.is_empty() {
                found.push((format!("{quote}{other}{quote}"), 0.5));
            }
        }
    }
    found
}

/// More of a file's literals are not tried.
const MOST_LITERALS: usize = 30;

/// The literals that the function itself, or else the file, writes.
fn literals<'a>(site: &Site<'a>, literals: &'a [Span]) -> impl Iterator<Item = &'a str> {
    let around = site.function.map_or(Span { start: 0, end: usize::MAX }, |function| function.span);
    let text = site.file.text;
    let inside = literals.iter().filter(move |literal| around.contains(**literal));
    inside.map(move |literal| literal.text(text)).filter(|code| is_short(code)).take(MOST_LITERALS)
}
