//! A branch where a loop was meant, a chain of conditions that should not be one, the wrong kind of loop, and the other way around.

use crate::edit::Edit;
use crate::javascript::search::site::Site;
use crate::javascript::search::tree::Kind;
use crate::search::change::Changes;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let start = site.statement.span.start;
    let keyword = |length: usize, other: &str| vec![Edit::replace(start..start + length, other)];
    match &site.statement.kind {
        Kind::While(_) => changes.add(1.0, keyword("while".len(), "if")),
        Kind::If { no, .. } => {
            if no.is_none() {
                changes.add(1.0, keyword("if".len(), "while"));
            }
            let follows = site.position().checked_sub(1).and_then(|before| site.neighbour(before));
            if matches!(follows.map(|statement| &statement.kind), Some(Kind::If { no: None, .. })) {
                changes.insert(1.0, start, "else ");
            }
            // `else if`: the branch is no statement of a list.
            if site.statement.block.is_none() {
                let before = site.file.text.get(..start).unwrap_or_default();
                let trimmed = before.trim_end();
                if trimmed.ends_with("else") {
                    changes.add(1.0, vec![Edit::delete(trimmed.len() - "else".len()..start)]);
                }
            }
        }
        Kind::ForEach { is_of, target, iterable } => {
            let (written, other) = if *is_of { ("of", "in") } else { ("in", "of") };
            let between = site.file.text.get(target.end..iterable.start).unwrap_or_default();
            if let Some(at) = between.find(written) {
                let at = target.end + at;
                changes.add(3.0, vec![Edit::replace(at..at + written.len(), other)]);
            }
        }
        _ => {}
    }
}
