//! A place in a text.

use std::ops::Range;

use ruff_text_size::TextRange;

/// A place in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// Whether `other` lies within.
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether both share a byte, or touch when one of them is empty.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// As a range, for edits and slices.
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// What stands there.
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
