//! A condition that is too narrow, too wide, or the wrong way around.

use ruff_python_ast::{BoolOp, CmpOp, Expr, UnaryOp};
use ruff_text_size::Ranged;

use crate::edit::Edit;
use crate::python::module::Span;
use crate::python::search::site::{Node, Place, Site};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        match node.expression {
            Expr::BoolOp(operation) => {
                connective(changes, site, operation);
                drop_operand(changes, site, operation);
            }
            Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {
                changes.replace(5.0, unary, site.text(&*unary.operand));
            }
            _ => {}
        }
        // Whether a value that is returned or passed on is a truth value is not known; a comparison is one.
        let is_condition =
            node.place == Place::Condition || (node.parent.is_none() && node.expression.is_compare_expr());
        if is_condition {
            negate(changes, node);
            extend(changes, site, node);
        }
        if let Expr::If(choice) = node.expression {
            changes.swap(2.0, site.file.text, &*choice.body, &*choice.orelse);
        }
    }
}

fn connective(changes: &mut Changes, site: &Site<'_>, operation: &ruff_python_ast::ExprBoolOp) {
    let (written, other) = match operation.op {
        BoolOp::And => ("and", "or"),
        BoolOp::Or => ("or", "and"),
    };
    let mut edits = Vec::new();
    for pair in operation.values.windows(2) {
        let [left, right] = pair else { continue };
        let (from, to) = (left.end().to_usize(), right.start().to_usize());
        let between = site.file.text.get(from..to).unwrap_or_default();
        let tokens = crate::python::tokens::scan(between);
        let token = tokens.iter().find(|token| token.text(between) == written);
        edits.extend(token.map(|token| Edit::replace(from + token.start..from + token.end, other)));
    }
    if edits.len() > 1 {
        for edit in &edits {
            changes.add(1.0, vec![edit.clone()]);
        }
    }
    changes.add(5.0, edits);
}

/// `a` for `a and b`.
fn drop_operand(changes: &mut Changes, site: &Site<'_>, operation: &ruff_python_ast::ExprBoolOp) {
    if let [left, right] = operation.values.as_slice() {
        changes.replace(2.0, operation, site.text(left));
        changes.replace(2.0, operation, site.text(right));
        return;
    }
    for pair in operation.values.windows(2) {
        let [left, right] = pair else { continue };
        changes.delete(1.0, Span { start: left.start().to_usize(), end: right.start().to_usize() });
        changes.delete(1.0, Span { start: left.end().to_usize(), end: right.end().to_usize() });
    }
}

fn negate(changes: &mut Changes, node: &Node<'_>) {
    match node.expression {
        // Its operator's opposite says the same and reads better; `not in` and `is not` are comparisons too.
        Expr::Compare(comparison) if comparison.ops.len() == 1 => {}
        Expr::UnaryOp(unary) if unary.op == UnaryOp::Not => {}
        Expr::BoolOp(operation) => changes.wrap(0.7, operation, "not (", ")"),
        expression if !matches!(node.parent, Some(Expr::UnaryOp(_))) => {
            changes.insert(4.0, expression.start().to_usize(), "not ");
        }
        _ => {}
    }
}

/// `a and b` and `a or b` for `a`, where `b` is a condition of the same function or made of a variable of it.
fn extend(changes: &mut Changes, site: &Site<'_>, node: &Node<'_>) {
    if matches!(node.parent, Some(Expr::BoolOp(_) | Expr::UnaryOp(_))) {
        return;
    }
    let own = site.text(node.expression);
    let mut others: Vec<(String, f64)> = Vec::new();
    others.extend(
        site.function_conditions().into_iter().filter(|other| *other != own).map(|other| (other.to_owned(), 0.5)),
    );
    for name in site.names() {
        others.push(((*name).to_owned(), 0.4));
        others.push((format!("not {name}"), 0.3));
        others.push((format!("{name} is not None"), 0.2));
        others.push((format!("{name} is None"), 0.1));
    }
    others.extend(boundaries(site, node.expression).into_iter().map(|other| (other, 0.7)));
    for (other, weight) in others {
        for (connective, share) in [("and", 1.0), ("or", 0.8)] {
            // `or` binds less than `and`.
            let has_other = matches!(node.expression, Expr::BoolOp(operation) if operation.op.as_str() != connective);
            let is_loose = has_other || matches!(node.expression, Expr::If(_) | Expr::Lambda(_) | Expr::Named(_));
            let (open, close) = if is_loose { ("(", ")") } else { ("", "") };
            changes.wrap(weight * share, node.expression, open, &format!("{close} {connective} {other}"));
            if weight > 0.35 && !is_loose {
                changes.insert(
                    weight * share * 0.5,
                    node.expression.start().to_usize(),
                    format!("{other} {connective} "),
                );
            }
        }
    }
}

/// The other end of an interval: `x >= 0` and `x < len(xs)` for what is used as an index.
fn boundaries(site: &Site<'_>, condition: &Expr) -> Vec<String> {
    let Expr::Compare(comparison) = condition else { return Vec::new() };
    let mut found = Vec::new();
    if let Expr::Subscript(subscript) = &*comparison.left {
        let (value, index) = (site.text(&*subscript.value), site.text(&*subscript.slice));
        found.extend([format!("{index} < len({value})"), format!("{index} >= 0")]);
    }
    if matches!(&*comparison.ops, [CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE]) {
        found.push(format!("{} >= 0", site.text(&*comparison.left)));
    }
    found
}
