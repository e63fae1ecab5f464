//! Something is too much: a statement, or the condition around some.

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use crate::edit::Edit;
use crate::python::module::Span;
use crate::python::search::site::Site;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    if site.is_movable() {
        let is_alone = site.around.block.statements.len() == 1;
        if is_alone {
            changes.replace(1.0, site.statement, "pass");
        } else {
            // With its line, a comment behind it included.
            let span = Span::from(site.statement.range());
            let layout = site.file.layout;
            let lines = Span { start: layout.line_start(span.start), end: layout.next_line(span.end) };
            changes.delete(1.0, lines);
        }
    }
    if let (None, Stmt::If(branch)) = (site.clause, site.statement) {
        for always in ["True", "False"] {
            changes.add(0.5, vec![Edit::replace(Span::from(branch.test.range()).range(), always)]);
        }
    }
}
