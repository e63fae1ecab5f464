//! `in` for `of`, and the other way around.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Kind;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let Kind::ForEach { target, iterable } = &site.statement.kind else { return };
    let between = site.file.text.get(target.end..iterable.start).unwrap_or_default();
    for (written, other) in [("of", "in"), ("in", "of")] {
        if let Some(at) = between.find(written) {
            let at = target.end + at;
            changes.add(3.0, vec![Edit::replace(at..at + written.len(), other)]);
        }
    }
}
