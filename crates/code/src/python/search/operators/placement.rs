//! A statement in the wrong block, or in the wrong order.

use ruff_python_ast::Stmt;
use ruff_text_size::Ranged;

use crate::edit::Edit;
use crate::python::module::Span;
use crate::python::search::site::Site;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    if site.clause.is_some() || !site.owns_its_lines() {
        return;
    }
    let (block, position) = (site.around.block, site.position());
    // Out of its block: it stands last in it, and behind the block nothing belongs to the block's owner.
    if let Some(owner) = block.owner
        && site.is_last()
        && position > 0
        && !matches!(owner, Stmt::FunctionDef(_) | Stmt::ClassDef(_))
    {
        // A `return` in a loop that belongs behind it is the usual one.
        let weight = if matches!(site.statement, Stmt::Return(_)) { 5.0 } else { 3.0 };
        shift(changes, site, weight, site.file.layout.indentation(owner.start().to_usize()));
    }
    let Some(previous) = position.checked_sub(1).and_then(|before| block.statements.get(before)) else { return };
    // Into the block that ends before it, or the blocks that end there with it.
    let mut above = previous;
    while let Some(last) = last_of_body(above) {
        // Behind what leaves the block nothing runs.
        if !matches!(last, Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_)) {
            let weight = if matches!(site.statement, Stmt::Return(_)) { 2.0 } else { 3.0 };
            shift(changes, site, weight, site.file.layout.indentation(last.start().to_usize()));
        }
        above = last;
    }
    let is_plain =
        |statement: &Stmt| matches!(statement, Stmt::Assign(_) | Stmt::AugAssign(_) | Stmt::Expr(_) | Stmt::If(_));
    if is_plain(previous) && is_plain(site.statement) {
        changes.swap(2.0, site.file.text, previous, site.statement);
    }
}

/// The last statement of the block that ends where the statement ends.
fn last_of_body(statement: &Stmt) -> Option<&Stmt> {
    let body = match statement {
        Stmt::If(inner) => inner.elif_else_clauses.last().map_or(&*inner.body, |clause| &*clause.body),
        Stmt::For(inner) if inner.orelse.is_empty() => &*inner.body,
        Stmt::While(inner) if inner.orelse.is_empty() => &*inner.body,
        Stmt::With(inner) => &*inner.body,
        _ => return None,
    };
    body.last()
}

/// Gives every line of the statement another indentation.
fn shift(changes: &mut Changes, site: &Site<'_>, weight: f64, indentation: &str) {
    let old = site.indentation();
    let span = Span::from(site.statement.range());
    let mut edits = Vec::new();
    let layout = site.file.layout;
    let mut start = layout.line_start(span.start);
    while start < span.end {
        let line = site.file.text.get(start..layout.line_end(start)).unwrap_or_default();
        // Lines inside a string or brackets may be indented less; those stay.
        if line.starts_with(old) && !line.trim().is_empty() {
            edits.push(Edit::replace(start..start + old.len(), indentation));
        }
        start = layout.next_line(start);
    }
    changes.add(weight, edits);
}
