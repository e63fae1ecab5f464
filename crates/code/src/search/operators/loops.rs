//! A branch where a loop was meant, a chain of conditions that should not be one, and the other way around.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::{Kind, Statement};

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let start = site.statement.span.start;
    let else_if = site.file.idioms.else_if;
    let keyword = |length: usize, other: &str| vec![Edit::replace(start..start + length, other)];
    match &site.statement.kind {
        Kind::While(_) => changes.add(1.0, keyword("while".len(), "if")),
        Kind::If { no, .. } => {
            // A branch that continues another is no statement of a list.
            let is_part = site.statement.block.is_none();
            let before = site.file.text.get(..start).unwrap_or_default();
            if site.text(site.statement.span).starts_with(else_if) {
                changes.add(1.0, vec![Edit::delete(start..start + else_if.len())]);
            } else if is_part && before.trim_end().ends_with(else_if.trim_end()) {
                changes.add(1.0, vec![Edit::delete(before.trim_end().len() - else_if.trim_end().len()..start)]);
            }
            if no.is_none() && site.text(site.statement.span).starts_with("if") {
                changes.add(1.0, keyword("if".len(), "while"));
            }
            if site.previous().is_some_and(|previous| may_go_on(site, previous)) {
                changes.insert(1.0, start, else_if);
            }
        }
        _ => {}
    }
}

/// Returns whether the statement is a branch that has no last `else`.
fn may_go_on(site: &Site<'_>, statement: &Statement) -> bool {
    match statement.kind {
        Kind::If { no: None, .. } => true,
        Kind::If { no: Some(next), .. } => {
            let mut statements = site.file.tree.statements.iter();
            let next = statements.find(|one| one.span == next && one.block.is_none());
            next.is_some_and(|next| may_go_on(site, next))
        }
        _ => false,
    }
}
