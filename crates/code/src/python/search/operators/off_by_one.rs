//! One too many or one too few.

use ruff_python_ast::{Expr, Number, Operator};
use ruff_text_size::Ranged;

use crate::python::search::site::{Node, Place, Site, called_name};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    for node in site.nodes() {
        let weight = likelihood(node);
        match node.expression {
            Expr::BinOp(sum) if matches!(sum.op, Operator::Add | Operator::Sub) => {
                if is_one(&sum.right) {
                    changes.replace(weight + 1.0, sum, site.text(&*sum.left));
                    changes.replace(0.3, sum, format!("{} {} 2", site.text(&*sum.left), sum.op.as_str()));
                } else {
                    step(changes, node, weight);
                }
            }
            Expr::Name(name) => {
                let uses = site.file.uses(&name.id);
                let fit = if uses.is_number() {
                    1.5
                } else if uses.is_no_number() {
                    0.1
                } else {
                    1.0
                };
                step(changes, node, weight * fit);
            }
            Expr::Attribute(_) | Expr::Subscript(_) => step(changes, node, weight),
            Expr::Call(call) if !matches!(called_name(call), Some("range" | "append" | "print")) => {
                let counts =
                    matches!(called_name(call), Some("len" | "index" | "find" | "count" | "int" | "max" | "min"));
                step(changes, node, if counts { weight * 1.5 } else { weight * 0.3 });
            }
            _ => {}
        }
    }
}

/// Returns the weight of the place: indices, bounds and ranges are where off-by-one faults are most common.
fn likelihood(node: &Node<'_>) -> f64 {
    match (node.place, node.parent) {
        (Place::Target | Place::Callee | Place::Iterable, _) => 0.0,
        (Place::Index | Place::Bound, _) => 3.0,
        _ if node.is_argument_of("range") => 3.0,
        (_, Some(Expr::Compare(comparison)))
            if comparison.ops.iter().any(|op| op.as_str().starts_with(['<', '>', '=', '!'])) =>
        {
            1.5
        }
        (_, Some(Expr::Attribute(_) | Expr::Compare(_) | Expr::Subscript(_))) => 0.0,
        (Place::Condition, _) => 0.1,
        (_, None) => 1.0,
        (_, Some(_)) => 0.6,
    }
}

fn step(changes: &mut Changes, node: &Node<'_>, weight: f64) {
    if weight <= 0.0 {
        return;
    }
    let end = node.expression.end().to_usize();
    for (sign, share) in [("+", 0.5), ("-", 0.5)] {
        // `a + x + 1` means the same with and without brackets, `a - x + 1` does not.
        let is_last_of_sum = matches!(node.parent, Some(Expr::BinOp(sum)) if sum.op == Operator::Add);
        if node.binds_tightly() && !is_last_of_sum {
            changes.wrap(weight * share, node.expression, "(", &format!(" {sign} 1)"));
        } else if !is_inside_sum(node) {
            changes.insert(weight * share, end, format!(" {sign} 1"));
        }
    }
}

/// An operand of a sum is as good as the sum, which has its own turn.
fn is_inside_sum(node: &Node<'_>) -> bool {
    matches!(node.parent, Some(Expr::BinOp(sum)) if matches!(sum.op, Operator::Add | Operator::Sub))
}

fn is_one(expression: &Expr) -> bool {
    matches!(expression, Expr::NumberLiteral(literal) if matches!(&literal.value, Number::Int(number) if number.as_u8() == Some(1)))
}
