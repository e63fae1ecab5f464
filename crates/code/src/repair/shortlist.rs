//! Candidates in the making: gathered, ranked by how likely the slip is and how natural the repaired text reads in its
//! project, and kept only when they still compile.

use std::collections::{BTreeMap, HashMap};

use autoheal_engine::diagnostics::Category;

use super::ngram::Model;
use super::pointless::assigns_itself;
use super::region::line_of;
use super::spelling::{number, rarity, slip};
use crate::edit::{Candidate, Edit, FileEdit, apply_within};
use crate::sources::Sources;
use crate::span::Span;

/// Weight of the n-gram model's opinion relative to the prior of the slip.
const NATURALNESS: f64 = 0.4;
/// Bounds on the effect of naturalness, in bits: text that reads better than the present text does not prove
/// that the present text is wrong.
const NATURALNESS_BOUNDS: (f64, f64) = (-4.0, 8.0);
/// Maximum number of bytes that are read before and after an edit: lines are rarely longer, and what is farther away reads the same
/// before and after.
const WINDOW_REACH: usize = 250;
/// Maximum number of proposals that are examined closely.
const MAX_RANKED: usize = 3_000;
/// Maximum number of bytes that are parsed to judge proposals: a bound on the time of a call.
const MAX_PARSED: usize = 24 << 20;
/// Maximum number of proposals for a file that does not parse: these fixers look for other faults, and hit upon that one by chance.
const MAX_FOR_BROKEN: usize = 40;

/// Information about the failure and the language that a shortlist needs.
pub(crate) trait Ground {
    /// Returns the texts of the repository's files.
    fn sources(&self) -> &Sources;

    /// The category of the failure.
    fn category(&self) -> Category;

    /// Returns the model of how natural text reads in this project.
    fn model(&self) -> &Model;

    /// Returns whether a file of that name and text parses.
    fn parses(&self, file: &str, text: &str) -> bool;

    /// The part of a file's text after the edit that has to parse: all of it, unless the rest is unaffected.
    fn affected<'t>(&self, _edit: &FileEdit, repaired: &'t str) -> &'t str {
        repaired
    }

    /// Returns whether the affected part of a file parses after the edit, and does something wherever the edit changes it. Else whatever
    /// ran before runs no more, which hides a fault and repairs none.
    fn is_sound(&self, edit: &FileEdit, affected: &str) -> bool {
        self.parses(&edit.file, affected)
    }
}

/// A word that may be misspelled.
#[derive(Clone, Copy)]
pub(crate) struct Suspect<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
    pub(crate) span: Span,
}

struct Entry {
    bits: f64,
    description: String,
    file: String,
    edits: Vec<Edit>,
}

/// Proposals of one fixer for one finding.
pub(crate) struct Shortlist<'b, 'a> {
    ground: &'b (dyn Ground + 'a),
    entries: Vec<Entry>,
    known: BTreeMap<(String, Vec<Edit>), usize>,
}

impl<'b, 'a> Shortlist<'b, 'a> {
    pub(crate) fn new(ground: &'b (dyn Ground + 'a)) -> Self {
        Self { ground, entries: Vec::new(), known: BTreeMap::new() }
    }

    fn text(&self, file: &str) -> &'b str {
        self.ground.sources().text(file).unwrap_or_default()
    }

    /// Proposes edits of one file. `bits`: how unlikely the slip is before anybody read the text around it.
    pub(crate) fn add(&mut self, bits: f64, description: impl Into<String>, file: &str, mut edits: Vec<Edit>) {
        edits.sort();
        let text = self.text(file);
        let changes = edits.iter().any(|edit| text.get(edit.start..edit.end) != Some(edit.replacement.as_str()));
        if !changes || !self.ground.sources().is_editable(file) {
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

    /// Proposes a change that consists of one edit.
    pub(crate) fn edit(&mut self, bits: f64, description: impl Into<String>, file: &str, edit: Edit) {
        self.add(bits, description, file, vec![edit]);
    }

    /// Proposes in place of a word each name that it may be a slip of; with the names, the bits in addition to those of the slip.
    pub(crate) fn respell<'n>(
        &mut self,
        word: Suspect<'_>,
        names: impl IntoIterator<Item = (&'n str, f64)>,
        describe: impl Fn(&str) -> String,
    ) {
        for (name, extra) in names {
            if let Some(bits) = slip(word.text, name) {
                self.edit(bits + extra, describe(name), word.file, Edit::replace(word.span.range(), name));
            }
        }
    }

    /// The same, weighed by how often the repository uses the names and, by `known`, the word: one that is used everywhere is hardly the
    /// misspelled one. `kind`: what they name; `count`: number of uses.
    pub(crate) fn respell_by_use<'n>(
        &mut self,
        word: Suspect<'_>,
        kind: &str,
        known: f64,
        names: impl IntoIterator<Item = (&'n str, f64)>,
        count: impl Fn(&str) -> usize,
    ) {
        let known = known * number(count(word.text).saturating_sub(1).min(8));
        let alike = names.into_iter().filter(|(name, _)| slip(word.text, name).is_some());
        let weighed = alike.map(|(name, extra)| (name, known + extra + rarity(count(name)) / 2.0));
        self.respell(word, weighed, |name| format!("replace the {kind} '{}' by '{name}'", word.text));
    }

    /// Returns the number of proposals for a file that are judged.
    fn tries(&self, file: &str) -> usize {
        if self.ground.parses(file, self.text(file)) { MAX_RANKED } else { MAX_FOR_BROKEN }
    }

    /// The likeliest `limit` candidates that compile.
    pub(crate) fn finish(mut self, fixer: &str, limit: usize) -> Vec<Candidate> {
        self.entries.sort_by(|left, right| left.bits.total_cmp(&right.bits));
        self.entries.truncate(MAX_RANKED);
        let mut readings = HashMap::new();
        let (sources, model) = (self.ground.sources(), self.ground.model());
        for entry in &mut self.entries {
            let text = sources.text(&entry.file).unwrap_or_default();
            entry.bits += oddity(model, &entry.file, text, &entry.edits, &mut readings);
        }
        self.entries.sort_by(|left, right| left.bits.total_cmp(&right.bits));
        let mut candidates = Vec::new();
        let mut left = MAX_PARSED;
        let mut tries = HashMap::new();
        for entry in std::mem::take(&mut self.entries) {
            if candidates.len() >= limit {
                break;
            }
            let text = sources.text(&entry.file).unwrap_or_default();
            let file_edit = FileEdit { file: entry.file, edits: entry.edits };
            let tries = tries.entry(file_edit.file.clone()).or_insert_with_key(|file| self.tries(file));
            if *tries == 0 || !sources.is_editable(&file_edit.file) || assigns_itself(text, &file_edit.edits) {
                continue;
            }
            let Ok(repaired) = file_edit.apply(text) else { continue };
            let affected = self.ground.affected(&file_edit, &repaired);
            let Some(shorter) = left.checked_sub(affected.len()) else { break };
            (*tries, left) = (*tries - 1, shorter);
            if repaired == text || !self.ground.is_sound(&file_edit, affected) {
                continue;
            }
            let at = file_edit.edits.first().map_or(0, |edit| edit.start);
            candidates.push(Candidate {
                fixer: fixer.to_owned(),
                category: self.ground.category(),
                line: line_of(text, at),
                description: entry.description,
                cost: cost(entry.bits),
                files: vec![file_edit],
            });
        }
        candidates
    }
}

/// Bits as a candidate's cost.
pub(crate) fn cost(bits: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to what fits")]
    let cost = (bits * 100.0).clamp(1.0, 1_000_000.0) as u32;
    cost
}

/// Readings of the unchanged text, by file, first byte and end, for the next candidate in the same lines.
pub(crate) type Readings = HashMap<(String, usize, usize), Reading>;

/// Returns the cost of the edits in bits due to naturalness: negative when the text reads more naturally with them.
pub(crate) fn oddity(model: &Model, file: &str, text: &str, edits: &[Edit], readings: &mut Readings) -> f64 {
    (NATURALNESS * surprise(model, file, text, edits, readings)).clamp(NATURALNESS_BOUNDS.0, NATURALNESS_BOUNDS.1)
}

/// Returns the additional cost of the lines around the edits, compared to before, in bits.
fn surprise(model: &Model, file: &str, text: &str, edits: &[Edit], readings: &mut Readings) -> f64 {
    let (Some(first), Some(last)) = (edits.first(), edits.last()) else { return 0.0 };
    let windows: Vec<&[Edit]> =
        if last.end.saturating_sub(first.start) < 2_000 { vec![edits] } else { edits.chunks(1).collect() };
    windows
        .into_iter()
        .map(|edits| {
            let Some((start, end)) = window(text, edits) else { return 0.0 };
            let old = text.get(start..end).unwrap_or_default();
            let new = apply_within(text, edits, Span { start, end }).unwrap_or_default();
            let old = *readings.entry((file.to_owned(), start, end)).or_insert_with(|| Reading::of(model, old));
            let new = Reading::of(model, &new);
            // A slip that put a token in chose it among all tokens: taking it out must not win by brevity alone.
            let surplus = old.length.saturating_sub(new.length);
            new.bits - old.bits + BITS_OF_A_TOKEN * f64::from(u32::try_from(surplus).unwrap_or(99))
        })
        .sum()
}

/// Average cost of a token, in bits.
const BITS_OF_A_TOKEN: f64 = 8.0;

/// Cost of a piece of text in bits (how surprising it is), strings counted as one token each, and its length in tokens.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    bits: f64,
    length: usize,
}

impl Reading {
    fn of(model: &Model, text: &str) -> Self {
        let symbols = model.symbols(text);
        Self { bits: model.bits_of(&symbols, 0, symbols.len()), length: symbols.len() }
    }
}

/// The lines that the edits touch, and one more on each side, as far as they are near: what is read would else grow with the square of a line.
fn window(text: &str, edits: &[Edit]) -> Option<(usize, usize)> {
    let first = edits.first()?.start;
    let last = edits.last()?.end;
    let nearest = text.floor_char_boundary(first.saturating_sub(WINDOW_REACH));
    let farthest = text.ceil_char_boundary(last.saturating_add(WINDOW_REACH));
    let line_before = text.get(nearest..first)?.rfind('\n').map_or(nearest, |at| nearest + at);
    let start = text.get(nearest..line_before)?.rfind('\n').map_or(nearest, |at| nearest + at + 1);
    let line_after = text.get(last..farthest)?.find('\n').map_or(farthest, |at| last + at + 1);
    let end = text.get(line_after..farthest)?.find('\n').map_or(farthest, |at| line_after + at + 1);
    Some((start, end))
}
