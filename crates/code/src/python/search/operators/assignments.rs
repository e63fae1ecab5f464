//! An assignment of the wrong kind: `=` for `+=`, `-=` for `+=`, assignments in the wrong order.

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use super::arithmetic;
use crate::edit::Edit;
use crate::python::search::site::Site;
use crate::python::tokens::{Kind, scan};
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let (target, value, alternatives) = match site.statement {
        Stmt::AugAssign(statement) => {
            let mut list = vec![("=".to_owned(), 2.0)];
            let others = arithmetic::alternatives(statement.op).iter();
            list.extend(others.map(|(other, weight)| (format!("{}=", other.as_str()), *weight)));
            (&*statement.target, &*statement.value, list)
        }
        Stmt::Assign(statement) => match statement.targets.as_slice() {
            // What has no value yet cannot grow.
            [Expr::Name(name)] if site.is_only_binding(&name.id) => return,
            [target] if !target.is_tuple_expr() && !target.is_list_expr() => {
                let list = [("+=", 2.0), ("-=", 0.7), ("*=", 0.5), ("|=", 0.2)];
                (target, &*statement.value, list.map(|(other, weight)| (other.to_owned(), weight)).to_vec())
            }
            _ => return,
        },
        _ => return,
    };
    let (from, to) = (target.end().to_usize(), value.start().to_usize());
    let between = site.file.text.get(from..to).unwrap_or_default();
    let tokens = scan(between);
    let Some(written) = tokens.iter().find(|token| token.kind == Kind::Operator) else { return };
    for (other, weight) in alternatives {
        changes.add(weight, vec![Edit::replace(from + written.start..from + written.end, other)]);
    }
}
