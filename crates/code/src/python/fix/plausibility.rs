//! Oddities of a result: statements without effect, code that is never reached.

use ruff_python_ast::visitor::{Visitor, walk_body, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::edit::Edit;
use crate::python::parse;

use super::site::Site;

/// An expression statement that does nothing.
const USELESS: f64 = 7.0;
/// A statement after `return`, `raise`, `break` or `continue` in the same block.
const UNREACHABLE: f64 = 7.0;

/// Returns how odd the chunk is after the edits, in bits, and the number of faults left in it; `None` when the first of them does
/// not lie beyond the fault that is to be repaired.
pub(super) fn of(site: &Site<'_>, edited: &str, edits: &[Edit]) -> Option<(f64, usize)> {
    let tree = parse::parse(edited, site.version).ok()?;
    let left = parse::all_faults(edited, &tree, site.version);
    if left.first().is_some_and(|fault| fault.start <= site.focus_in_edited(edits)) {
        return None;
    }
    let grown: usize = edits.iter().map(|edit| edit.replacement.len()).sum();
    let from = site.place_in_edited(site.window.start);
    let to = site.place_in_edited(site.window.end) + grown;
    let mut oddities = Oddities { from, to, bits: 0.0 };
    tree.read(|body| oddities.visit_body(body));
    Some((oddities.bits, left.len()))
}

/// Returns whether the lines around the fault show already that [`of`] has nothing to say of the edits, or that they leave more faults
/// than `most_left`: most edits repair nothing, which shows without reading the rest of the file.
pub(super) fn is_still_broken(site: &Site<'_>, edited: &str, edits: &[Edit], most_left: usize) -> bool {
    let focus = site.focus_in_edited(edits);
    let Some(head) = parse::head(edited, focus) else { return false };
    let faults = parse::faults_within(head, site.version);
    faults.first().is_some_and(|fault| fault.start <= focus) || faults.len() > most_left
}

struct Oddities {
    from: usize,
    to: usize,
    bits: f64,
}

impl Oddities {
    fn is_near(&self, node: &impl Ranged) -> bool {
        node.end().to_usize() >= self.from && node.start().to_usize() <= self.to
    }
}

impl<'ast> Visitor<'ast> for Oddities {
    fn visit_body(&mut self, body: &'ast [Stmt]) {
        for pair in body.windows(2) {
            let leaves = matches!(pair[0], Stmt::Return(_) | Stmt::Raise(_) | Stmt::Break(_) | Stmt::Continue(_));
            if leaves && self.is_near(&pair[1]) {
                self.bits += UNREACHABLE;
            }
        }
        walk_body(self, body);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if !self.is_near(statement) {
            return;
        }
        if let Stmt::Expr(expression) = statement {
            let has_effect = matches!(
                &*expression.value,
                Expr::Call(_)
                    | Expr::Await(_)
                    | Expr::Yield(_)
                    | Expr::YieldFrom(_)
                    | Expr::StringLiteral(_)
                    | Expr::EllipsisLiteral(_)
                    | Expr::ListComp(_)
                    | Expr::Named(_)
            );
            if !has_effect {
                self.bits += USELESS;
            }
        }
        walk_stmt(self, statement);
    }
}
