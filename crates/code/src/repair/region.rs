//! A piece of a file in which repairs are sought.

use std::ops::Range;

use super::grammar::Grammar;
use super::tokens::{Kind, Token};

/// The piece and its tokens.
pub(crate) struct Region<'text> {
    /// Text of the whole file.
    pub(crate) text: &'text str,
    /// Code around the window, which provides names for repairs.
    pub(crate) chunk: Range<usize>,
    /// The lines in which repairs are sought.
    pub(crate) window: Range<usize>,
    /// Position at which the parser noticed the fault: no repair can lie wholly behind it.
    pub(crate) focus: usize,
    /// The tokens of the window.
    pub(crate) tokens: Vec<Token>,
    /// The number of open brackets before each token, of those in which the ends of lines mean nothing.
    pub(crate) depths: Vec<usize>,
}

/// Maximum length of a window, in bytes: each token is replaced by each name, and each result is read, so the
/// work grows with the square of the length. A longer line was generated, and so is its repair.
pub(crate) const LONGEST_WINDOW: usize = 16 << 10;

impl<'text> Region<'text> {
    /// Reads the tokens of a window, which must begin outside of strings and comments; `None` when it is too long to be repaired.
    pub(crate) fn new(
        grammar: &Grammar,
        text: &'text str,
        chunk: Range<usize>,
        window: Range<usize>,
        focus: usize,
    ) -> Option<Self> {
        if window.len() > LONGEST_WINDOW {
            return None;
        }
        let tokens = grammar.scan_within(text, window.clone());
        let mut depth = 0_usize;
        let depths = tokens
            .iter()
            .map(|token| {
                let before = depth;
                let joins = (grammar.joins_lines)(token.text(text));
                match token.kind {
                    Kind::Open if joins => depth += 1,
                    Kind::Close if joins => depth = depth.saturating_sub(1),
                    Kind::Open
                    | Kind::Close
                    | Kind::Name
                    | Kind::Keyword
                    | Kind::Number
                    | Kind::String
                    | Kind::Operator
                    | Kind::Comment
                    | Kind::Newline
                    | Kind::Unknown => {}
                }
                before
            })
            .collect();
        Some(Self { text, chunk, window, focus, tokens, depths })
    }

    /// The line of a byte, from 1.
    pub(crate) fn line(&self, at: usize) -> u32 {
        line_of(self.text, at)
    }
}

/// The line of a byte, from 1.
pub(crate) fn line_of(text: &str, at: usize) -> u32 {
    let newlines = text.get(..at).unwrap_or(text).matches('\n').count();
    u32::try_from(newlines + 1).unwrap_or(u32::MAX)
}

/// Returns the position at which a line begins; lines are counted from 1.
pub(crate) fn line_start(text: &str, line: u32) -> Option<usize> {
    let wanted = usize::try_from(line).ok()?.checked_sub(1)?;
    lines(text).nth(wanted).map(|(start, _)| start)
}

/// The greatest boundary of a character that is not behind `at`.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Each line with its start, without what ends it.
pub(crate) fn lines(text: &str) -> impl DoubleEndedIterator<Item = (usize, &str)> {
    text.split_inclusive('\n').map(move |line| {
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        (start, line.trim_end_matches(['\n', '\r']))
    })
}
