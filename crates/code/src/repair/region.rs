//! A piece of a file in which repairs are sought.

use std::ops::Range;

use super::grammar::Grammar;
use super::layout::{Disagreement, disagreements};
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
/// Lines above the fault in which repairs are sought; more where a bracket is open.
const LINES_ABOVE: usize = 6;
const MAX_LINES_ABOVE: usize = 40;

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
}

/// Returns the regions in which repairs are sought: around what the parser noticed and, if that is
/// elsewhere, around the first place where the brackets and the indentation disagree.
pub(crate) fn regions<'text>(
    grammar: &Grammar,
    text: &'text str,
    tokens: &[Token],
    fault: Range<usize>,
) -> Vec<Region<'text>> {
    let focus = floor(text, fault.end.max(fault.start + 1));
    let near = around(grammar, text, tokens, fault.start, focus);
    let place = match disagreements(text, tokens).first() {
        Some(Disagreement::Unclosed(_, at) | Disagreement::Unopened(at) | Disagreement::Askew(at)) => tokens.get(*at),
        None => None,
    };
    let is_before = |token: &&Token| near.as_ref().is_none_or(|near| token.end < near.window.start);
    let far = place.filter(is_before).and_then(|token| around(grammar, text, tokens, token.start, token.end));
    near.into_iter().chain(far).collect()
}

fn around<'text>(
    grammar: &Grammar,
    text: &'text str,
    tokens: &[Token],
    fault: usize,
    focus: usize,
) -> Option<Region<'text>> {
    let line_begin = |at: usize| text[..floor(text, at)].rfind('\n').map_or(0, |newline| newline + 1);
    let up =
        |from: usize, count: usize| (0..count).fold(line_begin(from), |start, _| line_begin(start.saturating_sub(1)));
    let farthest = up(fault, MAX_LINES_ABOVE);
    let mut start = up(fault, LINES_ABOVE);
    let mut open = Vec::new();
    for token in tokens.iter().take_while(|token| token.start < focus) {
        match token.text(text) {
            "(" | "[" => open.push(token.start),
            ")" | "]" => {
                open.pop();
            }
            _ => {}
        }
    }
    if let Some(opener) = open.into_iter().find(|opener| *opener >= farthest) {
        start = start.min(line_begin(opener));
    }
    // Never begin inside a string or comment.
    if let Some(token) = tokens.iter().find(|token| token.start < start && start < token.end) {
        start = line_begin(token.start);
    }
    let end = text[focus..].find('\n').map_or(text.len(), |newline| focus + newline + 1);
    Region::new(grammar, text, start..end, start..end, focus)
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
