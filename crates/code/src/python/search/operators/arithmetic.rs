//! A wrong arithmetic operator, operands in the wrong order, a lost or wrong pair of brackets, a wrong sign.

use ruff_python_ast::{Expr, Operator, UnaryOp};
use ruff_text_size::Ranged;

use crate::edit::Edit;
use crate::python::module::Span;
use crate::python::search::site::{Place, Site};
use crate::python::tokens::{Kind, scan};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match node.expression {
            Expr::BinOp(operation) => {
                let (left, right) = (&*operation.left, &*operation.right);
                let joins = [left, right].iter().any(|side| has_order(site, side));
                if let Some(place) = operator_place(site.file.text, left, right, operation.op) {
                    for (other, weight) in alternatives(operation.op) {
                        let weight = if joins { weight * 0.2 } else { *weight };
                        changes.add(weight, vec![Edit::replace(place.range(), other.as_str())]);
                    }
                }
                match operation.op {
                    Operator::Mult | Operator::BitAnd | Operator::BitOr | Operator::BitXor => {}
                    Operator::Add if joins => changes.swap(3.0, site.file.text, left, right),
                    Operator::Add => changes.swap(0.3, site.file.text, left, right),
                    _ => changes.swap(0.7, site.file.text, left, right),
                }
                regroup(changes, site, operation);
                // One of the operands is too much.
                changes.replace(0.3, operation, site.text(left));
                changes.replace(0.2, operation, site.text(right));
            }
            Expr::UnaryOp(unary) if matches!(unary.op, UnaryOp::USub | UnaryOp::Invert) => {
                changes.replace(2.0, unary, site.text(&*unary.operand));
            }
            Expr::Name(_) | Expr::Call(_) | Expr::Attribute(_) | Expr::Subscript(_)
                if matches!(node.place, Place::Value | Place::Index | Place::Bound) && !node.binds_tightly() =>
            {
                let is_number = matches!(node.expression, Expr::Name(name) if site.file.uses(&name.id).is_number());
                changes.insert(if is_number { 0.4 } else { 0.1 }, node.expression.start().to_usize(), "-");
                if !node.expression.is_name_expr() || node.parent.is_none() {
                    lost_operand(changes, site, node.expression);
                }
            }
            _ => {}
        }
    }
}

/// Returns whether the operand is known to be a text or a list, whose sums depend on the order.
fn has_order(site: &Site<'_>, operand: &Expr) -> bool {
    match operand {
        Expr::StringLiteral(_) | Expr::FString(_) | Expr::List(_) | Expr::ListComp(_) => true,
        Expr::Name(name) => site.file.uses(&name.id).is_collection(),
        Expr::Call(call) => {
            matches!(&*call.func, Expr::Name(name) if matches!(name.id.as_str(), "str" | "list" | "repr"))
        }
        Expr::Subscript(subscript) => subscript.slice.is_slice_expr(),
        Expr::BinOp(sum) => has_order(site, &sum.left) || has_order(site, &sum.right),
        _ => false,
    }
}

/// `a + b` for `b`.
fn lost_operand(changes: &mut Changes, site: &Site<'_>, operand: &Expr) {
    let (start, end) = (operand.start().to_usize(), operand.end().to_usize());
    for name in site.names().iter().copied().filter(|name| *name != site.text(operand)) {
        let fit = if site.file.uses(name).is_number() { 1.0 } else { 0.3 };
        changes.insert(0.2 * fit, start, format!("{name} + "));
        changes.insert(0.2 * fit, end, format!(" + {name}"));
        changes.insert(0.2 * fit, end, format!(" - {name}"));
        changes.insert(0.1 * fit, end, format!(" % {name}"));
    }
}

/// `(a + b) * c` for `a + b * c` and the other way around; brackets are put in or taken out.
fn regroup(changes: &mut Changes, site: &Site<'_>, operation: &ruff_python_ast::ExprBinOp) {
    let text = site.file.text;
    let between = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    let (outer_left, outer_right) = (&*operation.left, &*operation.right);
    if let Expr::BinOp(right) = outer_right
        && !between(outer_left.end().to_usize(), right.start().to_usize()).contains('(')
    {
        let edits =
            vec![Edit::insert(outer_left.start().to_usize(), "("), Edit::insert(right.left.end().to_usize(), ")")];
        changes.add(1.5, edits);
    }
    if let Expr::BinOp(left) = outer_left
        && !between(left.end().to_usize(), outer_right.start().to_usize()).contains(')')
    {
        let edits =
            vec![Edit::insert(left.right.start().to_usize(), "("), Edit::insert(outer_right.end().to_usize(), ")")];
        changes.add(1.5, edits);
    }
    for inner in [outer_left, outer_right].into_iter().filter(|inner| inner.is_bin_op_expr()) {
        let span = Span::from(inner.range());
        let is_in_brackets =
            between(span.start.saturating_sub(1), span.start) == "(" && between(span.end, span.end + 1) == ")";
        if is_in_brackets {
            let (open, close) = (span.start - 1..span.start, span.end..span.end + 1);
            changes.add(0.7, vec![Edit::delete(open), Edit::delete(close)]);
        }
    }
}

fn operator_place(text: &str, left: &Expr, right: &Expr, operator: Operator) -> Option<Span> {
    let (from, to) = (left.end().to_usize(), right.start().to_usize());
    let between = text.get(from..to)?;
    let is_it = |token: &&crate::python::tokens::Token| {
        token.kind == Kind::Operator && token.text(between) == operator.as_str()
    };
    let tokens = scan(between);
    let token = tokens.iter().find(is_it)?;
    Some(Span { start: from + token.start, end: from + token.end })
}

/// Returns the operators that may have been meant, with their weights: the one that looks or works most alike first.
pub(super) fn alternatives(written: Operator) -> &'static [(Operator, f64)] {
    use Operator::{Add, BitAnd, BitOr, BitXor, Div, FloorDiv, LShift, MatMult, Mod, Mult, Pow, RShift, Sub};
    match written {
        Add => &[(Sub, 5.0), (Mult, 2.0), (Mod, 0.3), (Div, 0.3), (BitOr, 0.3)],
        Sub => &[(Add, 5.0), (Mod, 1.0), (Div, 0.5), (Mult, 0.5)],
        Mult => &[(Pow, 2.0), (Add, 2.0), (Div, 2.0), (FloorDiv, 1.0), (Sub, 0.5), (Mod, 0.5)],
        MatMult => &[(Mult, 1.0)],
        Div => &[(FloorDiv, 5.0), (Mult, 2.0), (Mod, 1.0), (Sub, 0.5)],
        FloorDiv => &[(Div, 4.0), (Mod, 4.0), (Mult, 1.0), (RShift, 0.3)],
        Mod => &[(FloorDiv, 4.0), (Div, 1.0), (Mult, 0.5), (Sub, 0.5), (Add, 0.3)],
        Pow => &[(Mult, 5.0), (FloorDiv, 0.3), (BitXor, 0.5)],
        LShift => &[(RShift, 5.0)],
        RShift => &[(LShift, 5.0), (FloorDiv, 0.5)],
        BitOr => &[(BitAnd, 4.0), (BitXor, 3.0), (Add, 0.5)],
        BitXor => &[(BitAnd, 4.0), (BitOr, 4.0), (Pow, 1.0)],
        BitAnd => &[(BitOr, 4.0), (BitXor, 4.0), (Sub, 0.5)],
    }
}
