//! A variable that begins with the wrong value.

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::python::search::site::Site;
use crate::search::change::Changes;

/// Values that variables begin with, with their weights.
const BEGINNINGS: [(&str, f64); 12] = [
    ("0", 2.0),
    ("1", 2.0),
    ("None", 1.5),
    ("[]", 1.5),
    ("{}", 1.0),
    ("set()", 1.0),
    ("-1", 1.0),
    ("''", 0.7),
    ("True", 0.7),
    ("False", 0.7),
    ("float('inf')", 0.7),
    ("float('-inf')", 0.7),
];

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let (value, is_simple) = match site.statement {
        Stmt::Assign(statement) => (&*statement.value, is_beginning(&statement.value)),
        Stmt::AnnAssign(statement) => match &statement.value {
            Some(value) => (&**value, is_beginning(value)),
            None => return,
        },
        _ => return,
    };
    if !is_simple {
        return;
    }
    // The values of `a, b = 0, 1` begin one each.
    let values: Vec<&Expr> = match value {
        Expr::Tuple(tuple) => tuple.elts.iter().filter(|element| is_beginning(element)).collect(),
        value => vec![value],
    };
    for value in values {
        let own = site.text(value);
        for (other, weight) in BEGINNINGS.iter().filter(|(other, _)| *other != own) {
            changes.replace(*weight, value, *other);
        }
        for name in site.names().iter().copied().filter(|name| *name != own) {
            changes.replace(1.0, value, name);
            changes.replace(0.5, value, format!("{name}[0]"));
            changes.replace(0.5, value, format!("len({name})"));
            changes.replace(0.5, value, format!("len({name}) - 1"));
            changes.replace(0.3, value, format!("[{name}]"));
            changes.replace(0.2, value, format!("{{{name}}}"));
        }
        if value.is_number_literal_expr() {
            changes.insert(0.3, value.start().to_usize(), "-");
        }
    }
}

fn is_beginning(value: &Expr) -> bool {
    match value {
        Expr::List(list) => list.elts.len() < 2,
        Expr::Dict(dict) => dict.items.is_empty(),
        Expr::Call(call) => call.arguments.len() < 2 && call.func.is_name_expr(),
        Expr::Tuple(tuple) => tuple.elts.iter().any(is_beginning),
        Expr::UnaryOp(unary) => unary.operand.is_number_literal_expr(),
        Expr::Name(_) | Expr::Subscript(_) => true,
        value => value.is_literal_expr(),
    }
}
