//! A statement in the wrong block, or in the wrong order.

use crate::edit::Edit;
use crate::search::change::Changes;
use crate::search::relation::are_related;
use crate::search::site::Site;
use crate::search::tree::{BlockKind, Kind, Statement};
use crate::span::Span;

/// Maximum length of a statement that is swapped, in bytes: longer ones are definitions, whose order is seldom wrong.
const LONGEST_SWAPPED: usize = 200;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let Some(block) = site.block().filter(|_| site.owns_its_lines()) else { return };
    let (tree, layout) = (site.file.tree, site.file.layout);
    let returns = matches!(site.statement.kind, Kind::Return(_));
    let is_nested = |kind: BlockKind| matches!(kind, BlockKind::Braces | BlockKind::Indented);
    // Out of its block, behind what the block belongs to.
    if let Some(owner) = block.owner.and_then(|owner| tree.statements.get(owner))
        && site.is_last()
        && is_nested(block.kind)
        && (block.kind == BlockKind::Braces || site.position() > 0)
        && site.are_own_lines(owner.span)
        && block.span.end == owner.span.end
    {
        // A `return` in a loop that belongs behind it is the usual one.
        let weight = if returns { 5.0 } else { 3.0 };
        shift(changes, site, weight, layout.next_line(owner.span.end), layout.indentation(owner.span.start));
    }
    let Some(previous) = site.previous() else { return };
    // Into the block that ends before it, or the blocks that end there with it.
    for inner in tree.blocks.iter().filter(|inner| is_nested(inner.kind) && inner.span.end == previous.span.end) {
        let last = inner.statements.last().and_then(|number| tree.statements.get(*number));
        // Behind what leaves the block nothing runs.
        let Some(last) = last.filter(|last| !last.kind.is_jump() && site.are_own_lines(last.span)) else { continue };
        let at = match inner.kind {
            BlockKind::Indented => layout.line_start(site.statement.span.start),
            BlockKind::Open | BlockKind::Body | BlockKind::Braces => layout.next_line(last.span.end),
        };
        shift(changes, site, if returns { 2.0 } else { 3.0 }, at, layout.indentation(last.span.start));
    }
    swap(changes, site, previous);
}

fn swap(changes: &mut Changes, site: &Site<'_>, previous: &Statement) {
    let is_plain = |statement: &Statement| {
        matches!(statement.kind, Kind::Expression(_) | Kind::If { .. } | Kind::Declaration(_) | Kind::Assign { .. })
    };
    let are_related = |left: &str, right: &str| are_related(left, right, site.file.idioms.is_keyword);
    let (code, before) = (site.text(site.statement.span), site.text(previous.span));
    let is_short = code.len().max(before.len()) <= LONGEST_SWAPPED;
    // What uses a variable stands behind its declaration.
    let declares = match &previous.kind {
        Kind::Declaration(declared) => declared.iter().any(|one| are_related(site.text(one.target), code)),
        _ => false,
    };
    if is_plain(previous) && is_plain(site.statement) && is_short && !declares && are_related(before, code) {
        changes.swap(2.0, site.file.text, &previous.span, &site.statement.span);
    }
}

/// Puts the statement's lines elsewhere, with another indentation.
fn shift(changes: &mut Changes, site: &Site<'_>, weight: f64, at: usize, indentation: &str) {
    let layout = site.file.layout;
    let (span, old) = (site.statement.span, site.indentation());
    let lines = Span { start: layout.line_start(span.start), end: layout.next_line(span.end) };
    if lines.start <= at && at <= lines.end {
        // They stay where they are. Lines inside a string or brackets may be indented less; those keep their indentation, too.
        let mut edits = Vec::new();
        let mut start = lines.start;
        while start < span.end {
            let line = site.file.text.get(start..layout.line_end(start)).unwrap_or_default();
            if line.starts_with(old) && !line.trim().is_empty() {
                edits.push(Edit::replace(start..start + old.len(), indentation));
            }
            start = layout.next_line(start);
        }
        changes.add(weight, edits);
        return;
    }
    let code = lines.text(site.file.text);
    if !code.ends_with('\n') {
        return;
    }
    let moved: String = code
        .split_inclusive('\n')
        .map(|line| line.strip_prefix(old).map_or_else(|| line.to_owned(), |rest| format!("{indentation}{rest}")))
        .collect();
    changes.add(weight, vec![Edit::delete(lines.range()), Edit::insert(at, moved)]);
}
