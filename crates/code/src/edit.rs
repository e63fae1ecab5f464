//! Replacements in files, and candidates made of them.

use std::ops::Range;

use autoheal_engine::diagnostics::Category;
use serde::{Deserialize, Serialize};

use crate::span::Span;

/// One replacement: the bytes `range` of the old text become `replacement`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edit {
    /// First byte that is replaced.
    pub start: usize,
    /// One past the last byte replaced; `start` for an insertion.
    pub end: usize,
    /// Text that replaces these bytes.
    pub replacement: String,
}

impl Edit {
    /// Returns an edit that replaces the bytes `range`.
    pub fn replace(range: Range<usize>, replacement: impl Into<String>) -> Self {
        Self { start: range.start, end: range.end, replacement: replacement.into() }
    }

    /// Returns an edit that inserts `text` before the byte `at`.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }

    /// Returns an edit that deletes the bytes `range`.
    pub fn delete(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }

    /// Returns the one replacement that makes `new` of `old`, as short as can be.
    pub fn between(old: &str, new: &str) -> Self {
        let start = old.char_indices().zip(new.chars()).find(|((_, one), other)| one != other);
        let start = start.map_or(old.len().min(new.len()), |((at, _), _)| at);
        let same = |(one, other): &(char, char)| one == other;
        let end: usize = old[start..]
            .chars()
            .rev()
            .zip(new[start..].chars().rev())
            .take_while(same)
            .map(|(one, _)| one.len_utf8())
            .sum();
        Self::replace(start..old.len() - end, &new[start..new.len() - end])
    }
}

/// Edits of one file, sorted and not overlapping.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileEdit {
    /// Relative to the repository's root, with `/`.
    pub file: String,
    /// Edits of the file, in ascending order.
    pub edits: Vec<Edit>,
}

/// Reason edits cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// An edit lies outside the text, or splits a character.
    #[error("the edit of bytes {start}..{end} does not fit the text")]
    OutOfBounds {
        /// First byte of the edit.
        start: usize,
        /// One past the last byte of the edit.
        end: usize,
    },
    /// Two edits overlap or are out of order.
    #[error("edits overlap at byte {at}")]
    Overlap {
        /// Byte at which the edits overlap.
        at: usize,
    },
}

impl FileEdit {
    /// One edit of one file.
    pub fn single(file: impl Into<String>, edit: Edit) -> Self {
        Self { file: file.into(), edits: vec![edit] }
    }

    /// The text after all edits; everything outside them stays byte for byte.
    ///
    /// # Errors
    ///
    /// [`EditError`] when an edit does not fit; the text is not half changed then.
    pub fn apply(&self, text: &str) -> Result<String, EditError> {
        applied(text, &self.edits)
    }
}

/// The text after edits of it; see [`FileEdit::apply`].
pub(crate) fn applied(text: &str, edits: &[Edit]) -> Result<String, EditError> {
    let mut result = String::with_capacity(text.len());
    let mut position = 0;
    for edit in edits {
        if edit.start < position {
            return Err(EditError::Overlap { at: edit.start });
        }
        let out_of_bounds = EditError::OutOfBounds { start: edit.start, end: edit.end };
        let kept = text.get(position..edit.start).ok_or(out_of_bounds.clone())?;
        text.get(edit.start..edit.end).ok_or(out_of_bounds)?;
        result.push_str(kept);
        result.push_str(&edit.replacement);
        position = edit.end;
    }
    result.push_str(text.get(position..).unwrap_or_default());
    Ok(result)
}

/// Returns the new position of the byte `at` of a text after edits of it. If a replacement
/// swallows the byte, returns the position after the replacement.
pub(crate) fn moved(at: usize, edits: &[Edit]) -> usize {
    let (mut grown, mut shrunk) = (0, 0);
    for edit in edits.iter().take_while(|edit| edit.start < at) {
        grown += edit.replacement.len();
        shrunk += edit.end.min(at) - edit.start;
    }
    at + grown - shrunk
}

/// Returns whether two edits of one text concern the same bytes, or put something in the same place.
fn collide(one: &Edit, other: &Edit) -> bool {
    let is_insertion = one.start == one.end || other.start == other.end;
    let (start, end) = (one.start.max(other.start), one.end.min(other.end));
    start < end || (is_insertion && start == end)
}

/// Returns the bytes of a text from which the byte `at` of the edited text comes: an empty range for a byte
/// that was there before, the replaced bytes for a new one.
pub(crate) fn origin(at: usize, edits: &[Edit]) -> Range<usize> {
    let (mut grown, mut shrunk) = (0, 0);
    for edit in edits {
        let start = edit.start + grown - shrunk;
        if at < start {
            break;
        }
        if at < start + edit.replacement.len() {
            return edit.start..edit.end;
        }
        grown += edit.replacement.len();
        shrunk += edit.end - edit.start;
    }
    let at = at + shrunk - grown;
    at..at
}

/// Returns whether at least one whole line lies between two places of a text.
pub(crate) fn has_lines_between(text: &str, start: usize, end: usize) -> bool {
    text.get(start..end).is_some_and(|between| between.matches('\n').count() >= 2)
}

/// Returns whether edits of a text remove its first fault and add none. The next fault has to be independent of it: whole lines lie between
/// the two. `old` and `new` are the faults before and after the edits, in order: their places and messages.
pub(crate) fn removes_faults(
    before: &str,
    edits: &[Edit],
    old: &[(Range<usize>, String)],
    new: &[(Range<usize>, String)],
) -> bool {
    let (Some((gone, _)), Some((next, _))) = (old.first(), new.first()) else { return false };
    let known = |(place, message): &(Range<usize>, String)| {
        let place = origin(place.start, edits);
        old.iter().skip(1).any(|(old, said)| said == message && place == (old.start..old.start))
    };
    new.iter().all(known) && has_lines_between(before, gone.end, origin(next.start, edits).start)
}

/// Edits of a text that do what `first`, and then `second` on its result, do to it. `result`: the text after both.
pub(crate) fn composed(first: &[Edit], second: &[Edit], result: &str) -> Option<Vec<Edit>> {
    // Of each edit: the bytes of the first text that it concerns, how many it puts in and takes out.
    let mut all: Vec<(Range<usize>, usize, usize)> =
        first.iter().map(|edit| (edit.start..edit.end, edit.replacement.len(), edit.end - edit.start)).collect();
    all.extend(second.iter().map(|edit| {
        let range = origin(edit.start, first).start..origin(edit.end, first).end;
        (range, edit.replacement.len(), edit.end - edit.start)
    }));
    all.sort_by_key(|(range, ..)| (range.start, range.end));
    let mut joined: Vec<(Range<usize>, usize, usize)> = Vec::new();
    for (range, put, taken) in all {
        match joined.last_mut() {
            Some((last, all_put, all_taken)) if range.start <= last.end => {
                last.end = last.end.max(range.end);
                *all_put += put;
                *all_taken += taken;
            }
            Some(_) | None => joined.push((range, put, taken)),
        }
    }
    let (mut grown, mut shrunk) = (0, 0);
    joined
        .into_iter()
        .map(|(range, put, taken)| {
            let start = range.start + grown - shrunk;
            (grown, shrunk) = (grown + put, shrunk + taken);
            let replacement = result.get(start..range.end + grown - shrunk)?;
            Some(Edit::replace(range, replacement))
        })
        .collect()
}

/// A part of the text with the edits, all of which lie in it.
pub(crate) fn apply_within(text: &str, edits: &[Edit], part: Span) -> Option<String> {
    let moved = edits.iter().map(|edit| {
        let (start, end) = (edit.start.checked_sub(part.start)?, edit.end.checked_sub(part.start)?);
        Some(Edit { start, end, replacement: edit.replacement.clone() })
    });
    let edits = moved.collect::<Option<Vec<Edit>>>()?;
    applied(text.get(part.range())?, &edits).ok()
}

/// A proposed fix: edits that belong together, their purpose, and how unlikely they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The fixer that proposes it.
    pub fixer: String,
    /// The category of the fault it repairs: the bug type of its commit.
    pub category: Category,
    /// The line of the first edit, from 1.
    pub line: u32,
    /// Effect of the candidate, as an imperative for the one-line form: `remove the import statement`.
    pub description: String,
    /// Cost of the candidate: candidates are tried in ascending order. About the negative
    /// logarithm of its likelihood, in hundredths of a bit, so that the fixers' costs compare:
    /// 100 for "one of two", 1000 for "one of a thousand".
    pub cost: u32,
    /// The edits, one entry per file.
    pub files: Vec<FileEdit>,
}

impl Candidate {
    /// Moves the edits to where their text is after another edit. `text`: the file as it was before. Returns false, and leaves the candidate as
    /// it is, if both concern the same bytes.
    pub fn follow(&mut self, applied: &FileEdit, text: &str) -> bool {
        let of_file = |edit: &&mut FileEdit| edit.file == applied.file;
        let is_first = self.files.first().is_some_and(|first| first.file == applied.file);
        let Some(own) = self.files.iter_mut().find(of_file) else { return true };
        if own.edits.iter().any(|one| applied.edits.iter().any(|other| collide(one, other))) {
            return false;
        }
        let start = own.edits.first().map_or(0, |edit| edit.start);
        for edit in &mut own.edits {
            (edit.start, edit.end) = (moved(edit.start, &applied.edits), moved(edit.end, &applied.edits));
        }
        if is_first {
            let lines = |text: &str| u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX);
            for edit in applied.edits.iter().take_while(|edit| edit.start < start) {
                let taken = lines(text.get(edit.start..edit.end).unwrap_or_default());
                self.line = self.line.saturating_add(lines(&edit.replacement)).saturating_sub(taken);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "abcdefghijklmnopqrstuvwxyz";

    fn apply(text: &str, edits: &[Edit]) -> String {
        applied(text, edits).unwrap()
    }

    #[test]
    fn a_candidate_follows_what_was_applied() {
        let text = "import os\nimport sys\n\nx = 1\ny = 2\n";
        let candidate = |edit: Edit, line| Candidate {
            fixer: String::new(),
            category: Category::Linting,
            line,
            description: String::new(),
            cost: 0,
            files: vec![FileEdit::single("a.py", edit)],
        };
        let applied = FileEdit::single("a.py", Edit::delete(0..10));
        let after = applied.apply(text).unwrap();
        // What lies beside it moves up by a line.
        let mut other = candidate(Edit::delete(10..21), 2);
        assert!(other.follow(&applied, text));
        assert_eq!((other.line, other.files[0].apply(&after).unwrap().as_str()), (1, "\nx = 1\ny = 2\n"));
        // What is of the same bytes, or of the same place, does not follow; what is of another file stays.
        for edit in [Edit::replace(0..9, "import io"), Edit::insert(10, "import re\n"), Edit::insert(0, "import re\n")]
        {
            let mut other = candidate(edit, 1);
            assert!(!other.clone().follow(&applied, text), "{other:?}");
            other.files[0].file = "b.py".to_owned();
            assert!(other.follow(&applied, text));
        }
    }

    /// Edits of a text of that length, in order.
    fn edits(length: usize) -> impl Strategy<Value = Vec<Edit>> {
        prop::collection::vec((0..=length, 0..4_usize, "[A-Z]{0,3}"), 0..4).prop_map(move |wanted| {
            let mut edits: Vec<Edit> = Vec::new();
            let mut wanted = wanted;
            wanted.sort();
            for (start, count, with) in wanted {
                let start = edits.last().map_or(start, |last| start.max(last.end + 1));
                if start + count <= length {
                    edits.push(Edit::replace(start..start + count, with));
                }
            }
            edits
        })
    }

    proptest! {
        #[test]
        fn two_steps_are_one(first in edits(TEXT.len()), second in edits(14)) {
            let between = apply(TEXT, &first);
            let result = apply(&between, &second);
            let both = composed(&first, &second, &result).unwrap();
            prop_assert_eq!(apply(TEXT, &both), result);
        }

        #[test]
        fn what_stays_is_found_on_both_sides(edits in edits(TEXT.len()), at in 0..TEXT.len()) {
            let edited = apply(TEXT, &edits);
            if edits.iter().all(|edit| at < edit.start || at >= edit.end) {
                let is_put_here = |edit: &Edit| edit.start == at && edit.end == at;
                let put: usize = edits.iter().filter(|edit| is_put_here(edit)).map(|edit| edit.replacement.len()).sum();
                let there = moved(at, &edits) + put;
                prop_assert_eq!(&edited[there..=there], &TEXT[at..=at]);
                prop_assert_eq!(origin(there, &edits).end, at);
            }
        }
    }
}
