//! From thousands of changes to candidates: the likeliest first, each text once, and only what parses.

use std::collections::HashSet;

use autoheal_engine::diagnostics::Category;

use super::NAME;
use super::change::{Change, describe};
use super::file::File;
use crate::edit::{Candidate, Edit, FileEdit};
use crate::python::fix::shortlist::{Readings, cost, oddity};
use crate::python::module::{Shape, Span};
use crate::python::ngram::Model;
use crate::python::parse;

/// A change with how unlikely it is.
#[derive(Debug)]
pub(super) struct Ranked<'a> {
    pub(super) file: &'a File<'a>,
    pub(super) bits: f64,
    pub(super) change: Change,
}

/// So many times as many changes as candidates are wanted are read closely: reading reorders neighbours, no more.
const READ_FOR_EACH: usize = 4;

/// How much naturalness counts beside what it counts for other faults: a fault of LOGIC most often reads as well as its repair.
const READING: f64 = 0.5;

/// The likeliest `most` candidates.
pub(super) fn best(mut ranked: Vec<Ranked<'_>>, model: &Model, category: Category, most: usize) -> Vec<Candidate> {
    let likeliest_first = |left: &Ranked<'_>, right: &Ranked<'_>| left.bits.total_cmp(&right.bits);
    ranked.sort_by(likeliest_first);
    ranked.truncate(most.saturating_mul(READ_FOR_EACH));
    let mut readings = Readings::new();
    for one in &mut ranked {
        one.bits += READING * oddity(model, one.file.name, one.file.text, &one.change.edits, &mut readings);
    }
    ranked.sort_by(likeliest_first);
    let mut seen = HashSet::new();
    let mut candidates = Vec::new();
    for Ranked { file, bits, change } in ranked {
        if candidates.len() >= most {
            break;
        }
        let edit = FileEdit { file: file.name.to_owned(), edits: change.edits };
        let Ok(changed) = edit.apply(file.text) else { continue };
        let Some(difference) = difference(file.text, &changed) else { continue };
        if breaks_a_quote(file, &edit.edits)
            || !seen.insert((file.name, difference))
            || !parses(file, &edit.edits, &changed)
        {
            continue;
        }
        candidates.push(Candidate {
            fixer: NAME.to_owned(),
            category,
            line: file.module.line_of(edit.edits.first().map_or(0, |edit| edit.start)),
            description: describe(file.text, &edit.edits),
            cost: cost(bits),
            files: vec![edit],
        });
    }
    candidates
}

/// The one replacement that makes the new text of the old one: the same for all edits that come to the same. `None` when the
/// texts are equal.
fn difference(old: &str, new: &str) -> Option<(usize, usize, String)> {
    let same = old.bytes().zip(new.bytes()).take_while(|(left, right)| left == right).count();
    let room = old.len().min(new.len()) - same;
    let same_end =
        old.bytes().rev().zip(new.bytes().rev()).take(room).take_while(|(left, right)| left == right).count();
    let replacement = new.as_bytes().get(same..new.len() - same_end)?;
    let is_change = same + same_end < old.len() || !replacement.is_empty();
    is_change.then(|| (same, old.len() - same_end, String::from_utf8_lossy(replacement).into_owned()))
}

/// Quotes inside an f-string's own braces end the string before Python 3.12.
fn breaks_a_quote(file: &File<'_>, edits: &[Edit]) -> bool {
    edits.iter().filter(|edit| edit.replacement.contains(['"', '\'', '\\', '\n'])).any(|edit| {
        let is_inside = |span: Span| span.start < edit.start && edit.end < span.end;
        file.module.expressions.iter().any(|expression| expression.shape == Shape::Text && is_inside(expression.span))
    })
}

/// Whether the changed text parses. What lies outside of the function, or else the top-level statement, that the edits are in
/// is as it was, and that parsed: parsing the lines of the one is enough.
fn parses(file: &File<'_>, edits: &[Edit], changed: &str) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return false };
    let lines = |span: Span| Span { start: file.line_start(span.start), end: file.line_end(span.end) };
    let edited = Span { start: first.start, end: last.end };
    let functions = file.module.functions.iter().map(|function| lines(function.span));
    let around = functions.filter(|lines| lines.contains(edited)).min_by_key(|lines| lines.end - lines.start);
    let statements = || file.module.statements.iter().map(|statement| lines(statement.span));
    let Some(around) = around.or_else(|| statements().find(|lines| lines.contains(edited))) else {
        return parse::compiles(changed, None);
    };
    let end = changed.len().saturating_sub(file.text.len().saturating_sub(around.end));
    let Some(code) = changed.get(around.start..end) else { return false };
    // An indented function stands in some block; a class is one that says nothing about what surrounds it.
    let block = if code.starts_with([' ', '\t']) { "class _:\n" } else { "" };
    parse::compiles(&format!("{block}{code}"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_come_to_the_same_have_one_difference() {
        assert_eq!(difference("abc", "abc"), None);
        assert_eq!(difference("a + b", "a + 1 + b"), Some((4, 4, "1 + ".to_owned())));
        assert_eq!(difference("aa", "aaa"), Some((2, 2, "a".to_owned())));
        assert_eq!(difference("aaa", "aa"), Some((2, 3, String::new())));
        assert_eq!(difference("é", "è").map(|(start, end, _)| (start, end)), Some((1, 2)));
    }
}
