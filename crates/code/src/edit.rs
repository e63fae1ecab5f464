//! Replacements in files, and candidates made of them.

use std::ops::Range;

use autoheal_engine::diagnostics::Category;
use serde::{Deserialize, Serialize};

use crate::span::Span;

/// One replacement: the bytes `range` of the old text become `replacement`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edit {
    /// First byte replaced.
    pub start: usize,
    /// One past the last byte replaced; `start` for an insertion.
    pub end: usize,
    /// What stands there instead.
    pub replacement: String,
}

impl Edit {
    /// Replaces `range`.
    pub fn replace(range: Range<usize>, replacement: impl Into<String>) -> Self {
        Self { start: range.start, end: range.end, replacement: replacement.into() }
    }

    /// Puts `text` before the byte `at`.
    pub fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }

    /// Takes `range` out.
    pub fn delete(range: Range<usize>) -> Self {
        Self::replace(range, "")
    }
}

/// Edits of one file, sorted and not overlapping.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileEdit {
    /// Relative to the repository's root, with `/`.
    pub file: String,
    /// In ascending order.
    pub edits: Vec<Edit>,
}

/// Why edits cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// An edit lies outside the text, or splits a character.
    #[error("the edit of bytes {start}..{end} does not fit the text")]
    OutOfBounds {
        /// First byte.
        start: usize,
        /// One past the last byte.
        end: usize,
    },
    /// Two edits overlap or are out of order.
    #[error("edits overlap at byte {at}")]
    Overlap {
        /// Where.
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
        let mut result = String::with_capacity(text.len());
        let mut position = 0;
        for edit in &self.edits {
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
}

/// A part of the text with the edits, all of which lie in it.
pub(crate) fn apply_within(text: &str, edits: &[Edit], part: Span) -> Option<String> {
    let moved = edits.iter().map(|edit| {
        let (start, end) = (edit.start.checked_sub(part.start)?, edit.end.checked_sub(part.start)?);
        Some(Edit { start, end, replacement: edit.replacement.clone() })
    });
    let edits = moved.collect::<Option<Vec<Edit>>>()?;
    FileEdit { file: String::new(), edits }.apply(text.get(part.range())?).ok()
}

/// A proposed fix: edits that belong together, what they are for, and how far-fetched they are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// The fixer that proposes it.
    pub fixer: String,
    /// The category of the fault it repairs: the bug type of its commit.
    pub category: Category,
    /// The line of the first edit, from 1.
    pub line: u32,
    /// What it does, as an imperative for the one-line form: `remove the import statement`.
    pub description: String,
    /// How far-fetched it is: candidates are tried in ascending order. About the negative logarithm of its likelihood, in
    /// hundredths of a bit, so that the fixers' costs compare: 100 for "one of two", 1000 for "one of a thousand".
    pub cost: u32,
    /// The edits, one entry per file.
    pub files: Vec<FileEdit>,
}
