//! Candidates in the making: gathered, ranked by how likely the slip is and how natural the repaired text reads in its
//! project, and kept only when they still compile.

use std::collections::{BTreeMap, HashMap};

use super::blame::Blame;
use crate::edit::{Candidate, Edit, FileEdit};
use crate::python::module::Span;
use crate::python::ngram::{self, Model};
use crate::python::parse;
use crate::python::tokens::scan;

/// How much of the n-gram model's opinion counts beside the prior of the slip.
const NATURALNESS: f64 = 0.4;
/// The most that naturalness may take off, and add, in bits: text that reads better than what stands there is no proof that
/// what stands there is wrong.
const NATURALNESS_BOUNDS: (f64, f64) = (-4.0, 8.0);
/// How many proposals are looked at closely.
const MAX_RANKED: usize = 3_000;

struct Entry {
    bits: f64,
    description: String,
    file: String,
    edits: Vec<Edit>,
}

/// What one fixer proposes for one finding.
pub(super) struct Shortlist<'b, 'a> {
    blame: &'b Blame<'a>,
    entries: Vec<Entry>,
    known: BTreeMap<(String, Vec<Edit>), usize>,
}

impl<'b, 'a> Shortlist<'b, 'a> {
    pub(super) fn new(blame: &'b Blame<'a>) -> Self {
        Self { blame, entries: Vec::new(), known: BTreeMap::new() }
    }

    /// Proposes edits of one file. `bits`: how unlikely the slip is before anybody read the text around it.
    pub(super) fn add(&mut self, bits: f64, description: impl Into<String>, file: &str, mut edits: Vec<Edit>) {
        edits.sort();
        let text = self.blame.text(file);
        let changes = edits.iter().any(|edit| text.get(edit.start..edit.end) != Some(edit.replacement.as_str()));
        if !changes || !self.blame.sources().is_editable(file) {
            return;
        }
        let key = (file.to_owned(), edits.clone());
        if let Some(known) = self.known.get(&key).and_then(|number| self.entries.get_mut(*number)) {
            known.bits = known.bits.min(bits);
            return;
        }
        self.known.insert(key, self.entries.len());
        self.entries.push(Entry { bits, description: description.into(), file: file.to_owned(), edits });
    }

    /// Proposes one edit.
    pub(super) fn edit(&mut self, bits: f64, description: impl Into<String>, file: &str, edit: Edit) {
        self.add(bits, description, file, vec![edit]);
    }

    /// The likeliest `limit` candidates that compile.
    pub(super) fn finish(mut self, fixer: &str, limit: usize) -> Vec<Candidate> {
        self.entries.sort_by(|left, right| left.bits.total_cmp(&right.bits));
        self.entries.truncate(MAX_RANKED);
        let mut readings = HashMap::new();
        for entry in &mut self.entries {
            let text = self.blame.text(&entry.file);
            entry.bits += oddity(self.blame.index.model(), &entry.file, text, &entry.edits, &mut readings);
        }
        self.entries.sort_by(|left, right| left.bits.total_cmp(&right.bits));
        let mut candidates = Vec::new();
        for entry in self.entries {
            if candidates.len() >= limit {
                break;
            }
            let text = self.blame.text(&entry.file);
            let file_edit = FileEdit { file: entry.file, edits: entry.edits };
            let Ok(repaired) = file_edit.apply(text) else { continue };
            if repaired == text || !still_compiles(self.blame, &file_edit, &repaired) {
                continue;
            }
            let at = file_edit.edits.first().map_or(0, |edit| edit.start);
            candidates.push(Candidate {
                fixer: fixer.to_owned(),
                category: self.blame.context.finding.category,
                line: self.blame.module(&file_edit.file).map_or(1, |module| module.line_of(at)),
                description: entry.description,
                cost: cost(entry.bits),
                files: vec![file_edit],
            });
        }
        candidates
    }
}

/// Whether the repaired text compiles. Only the top-level statement that the edits lie in is parsed when there is one.
fn still_compiles(blame: &Blame<'_>, edit: &FileEdit, repaired: &str) -> bool {
    let text = blame.text(&edit.file);
    let (Some(first), Some(last)) = (edit.edits.first(), edit.edits.last()) else { return false };
    let edits = Span { start: first.start, end: last.end };
    let statement = blame.module(&edit.file).and_then(|module| {
        let mut statements = module.statements.iter().filter(|statement| statement.span.contains(edits));
        statements.next().map(|statement| statement.span)
    });
    let alone =
        statement.filter(|span| span.start == 0 || text.get(..span.start).is_some_and(|before| before.ends_with('\n')));
    let Some(span) = alone else { return parse::compiles(repaired, None) };
    let end = repaired.len().checked_sub(text.len() - span.end);
    // Unclosed brackets and quotes would reach beyond the statement: they do not parse alone either.
    end.and_then(|end| repaired.get(span.start..end)).is_some_and(|statement| parse::compiles(statement, None))
}

/// Bits as a candidate's cost.
pub(in crate::python) fn cost(bits: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
    let cost = (bits * 100.0).clamp(1.0, 1_000_000.0) as u32;
    cost
}

/// Readings of the unchanged text, by file, first byte and end, for the next candidate in the same lines.
pub(in crate::python) type Readings = HashMap<(String, usize, usize), Reading>;

/// By how many bits naturalness makes the edits less likely, or likelier when below 0.
pub(in crate::python) fn oddity(model: &Model, file: &str, text: &str, edits: &[Edit], readings: &mut Readings) -> f64 {
    (NATURALNESS * surprise(model, file, text, edits, readings)).clamp(NATURALNESS_BOUNDS.0, NATURALNESS_BOUNDS.1)
}

/// How many bits the lines around the edits cost more than they did.
fn surprise(model: &Model, file: &str, text: &str, edits: &[Edit], readings: &mut Readings) -> f64 {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return 0.0 };
    let windows: Vec<&[Edit]> =
        if last.end.saturating_sub(first.start) < 2_000 { vec![edits] } else { edits.chunks(1).collect() };
    windows
        .into_iter()
        .map(|edits| {
            let Some((start, end)) = window(text, edits) else { return 0.0 };
            let old = text.get(start..end).unwrap_or_default();
            let moved = edits.iter().map(|edit| Edit {
                start: edit.start - start,
                end: edit.end - start,
                replacement: edit.replacement.clone(),
            });
            let new = FileEdit { file: String::new(), edits: moved.collect() }.apply(old).unwrap_or_default();
            let old = *readings.entry((file.to_owned(), start, end)).or_insert_with(|| Reading::of(model, old));
            let new = Reading::of(model, &new);
            // A slip that put a token in chose it among all tokens: taking it out must not win by brevity alone.
            let surplus = old.length.saturating_sub(new.length);
            new.bits - old.bits + BITS_OF_A_TOKEN * f64::from(u32::try_from(surplus).unwrap_or(99))
        })
        .sum()
}

/// What a token costs on average.
const BITS_OF_A_TOKEN: f64 = 8.0;

/// How surprising a piece of text is, strings counted as one token each, and its length in tokens.
#[derive(Clone, Copy)]
pub(in crate::python) struct Reading {
    bits: f64,
    length: usize,
}

impl Reading {
    fn of(model: &Model, text: &str) -> Self {
        let symbols = ngram::symbols(text, &scan(text));
        Self { bits: model.bits_of(&symbols, 0, symbols.len()), length: symbols.len() }
    }
}

/// The lines that the edits touch, and one more on each side.
fn window(text: &str, edits: &[Edit]) -> Option<(usize, usize)> {
    let first = edits.first()?.start;
    let last = edits.last()?.end;
    let line_before = text.get(..first)?.rfind('\n').unwrap_or(0);
    let start = text.get(..line_before)?.rfind('\n').map_or(0, |at| at + 1);
    let line_after = text.get(last..)?.find('\n').map_or(text.len(), |at| last + at + 1);
    let end = text.get(line_after..)?.find('\n').map_or(text.len(), |at| line_after + at + 1);
    Some((start, end))
}
