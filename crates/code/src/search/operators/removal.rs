//! Something is too much: a statement, or the condition around some.

use crate::search::change::Changes;
use crate::search::site::Site;
use crate::search::tree::Kind;
use crate::span::Span;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let span = site.statement.span;
    let is_alone = site.block().is_some_and(|block| block.statements.len() == 1);
    if site.is_movable() {
        // With its line, as long as no comment behind it is lost.
        let layout = site.file.layout;
        let lines = Span { start: layout.line_start(span.start), end: layout.next_line(span.end) };
        let has_comment =
            !site.file.text.get(span.end..layout.line_end(span.end)).unwrap_or_default().trim().is_empty();
        match site.file.idioms.idle {
            Some(idle) if is_alone => changes.replace(1.0, &span, idle),
            _ => changes.delete(1.0, if has_comment { span } else { lines }),
        }
    } else if site.statement.block.is_none() && matches!(site.statement.kind, Kind::Expression(_)) {
        changes.replace(0.5, &span, "{}");
    }
    if let Kind::If { test, .. } = &site.statement.kind {
        for always in site.file.idioms.booleans {
            changes.replace(0.5, test, always);
        }
    }
}
