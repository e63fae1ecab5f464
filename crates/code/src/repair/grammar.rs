//! What repairs need to know of a language's tokens.

use super::tokens::{Kind, Token};

/// A token as rules about spaces see it: its kind and text.
pub(crate) type Described<'text> = (Kind, &'text str);

/// A language's tokens, as data.
pub(crate) struct Grammar {
    /// The tokens of any text, broken or not.
    pub(crate) scan: fn(&str) -> Vec<Token>,
    /// What kind of token a word or sign is.
    pub(crate) kind_of: fn(&str) -> Kind,
    /// Whether a space stands between two neighbours inside of so many brackets.
    pub(crate) is_spaced: fn(Described<'_>, Described<'_>, usize) -> bool,
    /// Whether an operator after a token is a sign rather than arithmetic.
    pub(crate) is_sign: fn(Option<Described<'_>>, &str) -> bool,
    /// Whether ends of lines inside the bracket mean nothing.
    pub(crate) joins_lines: fn(&str) -> bool,
    /// Whether lines that stand deeper are a block.
    pub(crate) has_layout: bool,
    /// The code inside a string token: the fields of a template.
    pub(crate) fields: fn(&str) -> Vec<&str>,
    /// Whether a line inside a string reads like a statement.
    pub(crate) looks_like_code: fn(&str) -> bool,
    /// Reserved words.
    pub(crate) keywords: &'static [&'static str],
    /// Those of them that are values.
    pub(crate) values: &'static [&'static str],
    /// What may be missing anywhere.
    pub(crate) delimiters: &'static [&'static str],
    /// What may be missing near the fault.
    pub(crate) operators: &'static [&'static str],
    /// What may stand for a missing operand.
    pub(crate) operands: &'static [&'static str],
    /// What no line begins with.
    pub(crate) never_first: &'static [&'static str],
    /// Tokens that are mistaken for one another.
    pub(crate) confused: &'static [&'static [&'static str]],
}

impl Grammar {
    /// A token with its text; the end of a line where there is none.
    pub(crate) fn described<'text>(token: Option<&Token>, text: &'text str) -> Described<'text> {
        token.map_or((Kind::Newline, ""), |token| (token.kind, token.text(text)))
    }

    /// The tokens of `text[from..to]`, with their places in the whole text.
    pub(crate) fn scan_within(&self, text: &str, range: std::ops::Range<usize>) -> Vec<Token> {
        let moved = |token: Token| Token { start: token.start + range.start, end: token.end + range.start, ..token };
        (self.scan)(text.get(range.clone()).unwrap_or_default()).into_iter().map(moved).collect()
    }
}
