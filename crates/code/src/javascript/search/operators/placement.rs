//! A statement in the wrong block, or in the wrong order.

use crate::edit::Edit;
use crate::javascript::search::site::{Site, owns_its_lines};
use crate::javascript::search::tree::{Kind, Statement};
use crate::javascript::tokens::is_keyword;
use crate::search::change::Changes;
use crate::search::relation::are_related;
use crate::span::Span;

/// Maximum length of a statement that is swapped, in bytes: longer ones are definitions, whose order is seldom wrong.
const LONGEST_SWAPPED: usize = 200;

pub(super) fn propose(site: &Site<'_>, changes: &mut Changes) {
    let Some(block) = site.block().filter(|_| site.owns_its_lines()) else { return };
    let tree = &site.file.tree;
    let position = site.position();
    // Out of its block, behind what the block belongs to.
    if let Some(owner) = block.owner.and_then(|owner| tree.statements.get(owner))
        && site.is_last()
        && block.has_braces
        && !block.is_body
        && owns_its_lines(site.file.layout, owner.span)
        && block.span.end == owner.span.end
    {
        let layout = site.file.layout;
        let weight = if matches!(site.statement.kind, Kind::Return(_)) { 5.0 } else { 3.0 };
        let at = layout.next_line(owner.span.end);
        shift(changes, site, weight, at, layout.indentation(owner.span.start));
    }
    let Some(previous) = position.checked_sub(1).and_then(|before| site.neighbour(before)) else { return };
    // Into the block that ends before it.
    let ending =
        tree.blocks.iter().filter(|inner| inner.has_braces && !inner.is_body && inner.span.end == previous.span.end);
    for inner in ending {
        let last = inner.statements.last().and_then(|number| tree.statements.get(*number));
        let Some(last) = last.filter(|last| !last.kind.is_jump() && owns_its_lines(site.file.layout, last.span)) else {
            continue;
        };
        let layout = site.file.layout;
        let weight = if matches!(site.statement.kind, Kind::Return(_)) { 2.0 } else { 3.0 };
        shift(changes, site, weight, layout.next_line(last.span.end), layout.indentation(last.span.start));
    }
    let is_plain =
        |statement: &Statement| matches!(statement.kind, Kind::Expression(_) | Kind::If { .. } | Kind::Declaration(_));
    let (code, before) = (site.text(site.statement.span), site.text(previous.span));
    let is_short = code.len().max(before.len()) <= LONGEST_SWAPPED;
    // What uses a variable stands behind its declaration.
    let declares = match &previous.kind {
        Kind::Declaration(declared) => declared.iter().any(|one| are_related(site.text(one.target), code, is_keyword)),
        _ => false,
    };
    if is_plain(previous) && is_plain(site.statement) && is_short && !declares && are_related(before, code, is_keyword)
    {
        changes.swap(2.0, site.file.text, &previous.span, &site.statement.span);
    }
}

/// Puts the statement's lines elsewhere, with another indentation.
fn shift(changes: &mut Changes, site: &Site<'_>, weight: f64, at: usize, indentation: &str) {
    let layout = site.file.layout;
    let span = site.statement.span;
    let lines = Span { start: layout.line_start(span.start), end: layout.next_line(span.end) };
    let code = lines.text(site.file.text);
    if !code.ends_with('\n') || (lines.start < at && at < lines.end) {
        return;
    }
    let old = site.indentation();
    let moved: String = code
        .split_inclusive('\n')
        .map(|line| line.strip_prefix(old).map_or_else(|| line.to_owned(), |rest| format!("{indentation}{rest}")))
        .collect();
    changes.add(weight, vec![Edit::delete(lines.range()), Edit::insert(at, moved)]);
}
