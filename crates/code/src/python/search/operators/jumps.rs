//! A statement that leaves the wrong way.

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::python::search::site::Site;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    match site.statement {
        Stmt::Break(statement) => {
            changes.replace(4.0, statement, "continue");
            changes.replace(1.0, statement, "return");
            changes.replace(0.5, statement, "pass");
            for (value, weight) in super::returns::values(site) {
                changes.replace(weight * 0.3, statement, format!("return {value}"));
            }
        }
        Stmt::Continue(statement) => {
            changes.replace(4.0, statement, "break");
            changes.replace(0.5, statement, "pass");
            changes.replace(0.5, statement, "return");
        }
        Stmt::Pass(statement) => {
            for other in ["continue", "break", "return", "raise"] {
                changes.replace(1.0, statement, other);
            }
        }
        Stmt::Return(statement) => {
            if site.around.is_in_loop {
                changes.replace(1.0, statement, "break");
                changes.replace(1.0, statement, "continue");
            }
            if let Some(value) = &statement.value {
                changes.replace(1.0, statement, format!("yield {}", site.text(&**value)));
                changes.replace(0.5, statement, format!("yield from {}", site.text(&**value)));
            }
        }
        Stmt::Expr(statement) => match &*statement.value {
            Expr::Yield(inner) => {
                if let Some(value) = &inner.value {
                    changes.replace(3.0, statement, format!("yield from {}", site.text(&**value)));
                    changes.replace(1.0, statement, format!("return {}", site.text(&**value)));
                }
            }
            Expr::YieldFrom(inner) => {
                changes.replace(3.0, statement, format!("yield {}", site.text(&*inner.value)));
            }
            Expr::Call(call) => changes.insert(1.0, call.start().to_usize(), "yield from "),
            _ => {}
        },
        Stmt::Raise(statement) => changes.replace(1.0, statement, "return"),
        _ => {}
    }
}
