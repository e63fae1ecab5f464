//! A branch where a loop was meant, a chain of conditions that should not be one, and the other way around.

use ruff_python_ast::Stmt;

use crate::edit::Edit;
use crate::python::search::site::Site;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let start = site.head.start;
    let keyword = |length: usize, other: &str| vec![Edit::replace(start..start + length, other)];
    match (site.clause, site.statement) {
        (Some(_), _) => changes.add(1.0, keyword("elif".len(), "if")),
        (None, Stmt::While(_)) => changes.add(1.0, keyword("while".len(), "if")),
        (None, Stmt::If(branch)) => {
            if branch.elif_else_clauses.is_empty() {
                changes.add(1.0, keyword("if".len(), "while"));
            }
            let position = site.position();
            let follows = position.checked_sub(1).and_then(|before| site.around.block.statements.get(before));
            if matches!(follows, Some(Stmt::If(previous)) if previous.elif_else_clauses.last().is_none_or(|clause| clause.test.is_some()))
            {
                changes.add(1.0, keyword("if".len(), "elif"));
            }
        }
        _ => {}
    }
}
