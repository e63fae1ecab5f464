//! From thousands of changes to candidates: the likeliest first, each text once, and only what parses.

use std::collections::HashSet;

use autoheal_engine::diagnostics::Category;

use super::NAME;
use super::change::{Change, describe};
use super::file::File;
use crate::edit::{Candidate, Edit, FileEdit};
use crate::python::module::Span;
use crate::python::parse;
use crate::repair::ngram::Model;
use crate::repair::shortlist::{Readings, cost, oddity};

/// A change with how unlikely it is.
#[derive(Debug)]
pub(super) struct Ranked<'a> {
    pub(super) file: &'a File<'a>,
    pub(super) bits: f64,
    pub(super) change: Change,
}

/// So many times as many changes as candidates are wanted are read closely: reading reorders neighbours, no more.
const READ_FOR_EACH: usize = 2;

/// How much naturalness counts beside what it counts for other faults: a fault of LOGIC most often reads as well as its repair.
const READING: f64 = 0.5;

/// The likeliest changes of all that are added; the rest is let go of as soon as it is known to be the rest.
pub(super) struct Likeliest<'a> {
    ranked: Vec<Ranked<'a>>,
    /// So many can still become candidates.
    limit: usize,
    /// What costs as much can not.
    too_much: f64,
}

impl<'a> Likeliest<'a> {
    /// For so many candidates.
    pub(super) const fn new(most: usize) -> Self {
        Self { ranked: Vec::new(), limit: most.saturating_mul(READ_FOR_EACH), too_much: f64::INFINITY }
    }

    pub(super) fn add(&mut self, ranked: Ranked<'a>) {
        if ranked.bits < self.too_much {
            self.ranked.push(ranked);
        }
        if self.ranked.len() >= self.limit.saturating_mul(4).max(1) {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.ranked.sort_by(likeliest_first);
        self.ranked.truncate(self.limit);
        self.too_much = self.ranked.last().map_or(self.too_much, |last| last.bits);
    }

    fn into_ranked(mut self) -> Vec<Ranked<'a>> {
        self.cut();
        self.ranked
    }
}

fn likeliest_first(left: &Ranked<'_>, right: &Ranked<'_>) -> std::cmp::Ordering {
    left.bits.total_cmp(&right.bits)
}

/// The likeliest `most` candidates.
pub(super) fn best(likeliest: Likeliest<'_>, model: &Model, category: Category, most: usize) -> Vec<Candidate> {
    let mut ranked = likeliest.into_ranked();
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
        let Some(difference) = difference(file.text, &edit.edits) else { continue };
        if breaks_a_quote(file, &edit.edits) || !seen.insert((file.name, difference)) || !parses(file, &edit.edits) {
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

/// The first byte and the end of what is replaced, and what stands there instead.
type Difference = (usize, usize, Vec<u8>);

/// The one replacement that makes the new text of the old one: the same for all edits that come to the same. `None` when they
/// change nothing or do not fit.
fn difference(text: &str, edits: &[Edit]) -> Option<Difference> {
    let (mut start, mut end) = (edits.first()?.start, edits.last()?.end);
    let new = apply(text, edits, Span { start, end })?;
    let old = text.as_bytes().get(start..end)?;
    let same = old.iter().zip(new.as_bytes()).take_while(|(left, right)| left == right).count();
    let (old, new) = (old.get(same..)?, new.as_bytes().get(same..)?);
    let same_end = old.iter().rev().zip(new.iter().rev()).take_while(|(left, right)| left == right).count();
    let mut new = new.get(..new.len() - same_end)?.to_vec();
    start += same;
    end -= same_end;
    if start == end && new.is_empty() {
        return None;
    }
    // What is put in, or taken out, may stand some bytes further right and come to the same text.
    let byte = |at: usize| text.as_bytes().get(at).copied();
    if start == end {
        while byte(start).is_some() && byte(start) == new.first().copied() {
            new.rotate_left(1);
            start += 1;
            end += 1;
        }
    } else if new.is_empty() {
        while byte(end).is_some() && byte(start) == byte(end) {
            start += 1;
            end += 1;
        }
    }
    Some((start, end, new))
}

/// A part of the text with the edits, all of which lie in it.
fn apply(text: &str, edits: &[Edit], part: Span) -> Option<String> {
    let moved = edits.iter().map(|edit| {
        let (start, end) = (edit.start.checked_sub(part.start)?, edit.end.checked_sub(part.start)?);
        Some(Edit { start, end, replacement: edit.replacement.clone() })
    });
    let edits = moved.collect::<Option<Vec<Edit>>>()?;
    FileEdit { file: String::new(), edits }.apply(text.get(part.range())?).ok()
}

/// Quotes inside an f-string's own braces end the string before Python 3.12.
fn breaks_a_quote(file: &File<'_>, edits: &[Edit]) -> bool {
    edits.iter().filter(|edit| edit.replacement.contains(['"', '\'', '\\', '\n'])).any(|edit| {
        let is_inside = |span: Span| span.start < edit.start && edit.end < span.end;
        file.texts.iter().any(|text| is_inside(*text))
    })
}

/// Whether the changed text parses. What lies outside of the function, or else the top-level statement, that the edits are in
/// is as it was, and that parsed: parsing the lines of the one is enough.
fn parses(file: &File<'_>, edits: &[Edit]) -> bool {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return false };
    let edited = Span { start: first.start, end: last.end };
    let lines = |span: Span| Span { start: file.line_start(span.start), end: file.line_end(span.end) };
    let functions = file.module.functions.iter().map(|function| function.span);
    // Only what may contain the edits once it is whole lines: finding lines takes time.
    let near = |span: &Span| span.start <= edited.end && edited.start <= file.line_end(span.end);
    let around = functions
        .filter(near)
        .map(lines)
        .filter(|lines| lines.contains(edited))
        .min_by_key(|lines| lines.end - lines.start);
    let statements = || file.module.statements.iter().map(|statement| statement.span).filter(near).map(lines);
    let whole = Span { start: 0, end: file.text.len() };
    let around = around.or_else(|| statements().find(|lines| lines.contains(edited))).unwrap_or(whole);
    let Some(code) = apply(file.text, edits, around) else { return false };
    // An indented function stands in some block; a class is one that says nothing about what surrounds it.
    let block = if code.starts_with([' ', '\t']) { "class _:\n" } else { "" };
    parse::compiles(&format!("{block}{code}"), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_that_come_to_the_same_have_one_difference() {
        let one = |text: &str, edit: Edit| difference(text, &[edit]);
        assert_eq!(one("abc", Edit::replace(0..3, "abc")), None);
        assert_eq!(one("a + b", Edit::insert(4, "1 + ")), Some((4, 4, b"1 + ".to_vec())));
        assert_eq!(one("a + b", Edit::replace(0..5, "a + 1 + b")), one("a + b", Edit::insert(2, "+ 1 ")));
        assert_eq!(one("xaay", Edit::insert(1, "a")), one("xaay", Edit::insert(3, "a")));
        assert_eq!(one("xaay", Edit::delete(1..2)), one("xaay", Edit::delete(2..3)));
        let both = [Edit::replace(0..1, "b"), Edit::replace(4..5, "a")];
        assert_eq!(difference("a + b", &both), one("a + b", Edit::replace(0..5, "b + a")));
        assert_eq!(one("abc", Edit::insert(9, "x")), None);
    }
}
