//! A place in a text.

use std::ops::Range;

use ruff_text_size::TextRange;

/// A place in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte of the span.
    pub start: usize,
    /// One past the last byte of the span.
    pub end: usize,
}

impl Span {
    /// Returns whether `other` lies within.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns whether both share a byte, or one of them is empty and lies inside the other.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns the span as a range, for edits and slices.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns the part of `text` that the span covers; empty if the span does not fit the text.
    pub fn text(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }
}

impl From<TextRange> for Span {
    fn from(range: TextRange) -> Self {
        Self { start: range.start().to_usize(), end: range.end().to_usize() }
    }
}

impl From<oxc_span::Span> for Span {
    fn from(span: oxc_span::Span) -> Self {
        let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        Self { start: size(span.start), end: size(span.end) }
    }
}
