//! Properties of a language's tokens that repairs depend on.

use super::tokens::{Kind, Token};

/// A token as rules about spaces see it: its kind and text.
pub(crate) type Described<'text> = (Kind, &'text str);

/// A language's tokens, as data.
pub(crate) struct Grammar {
    /// The tokens of any text, broken or not.
    pub(crate) scan: fn(&str) -> Vec<Token>,
    /// Returns the kind of token that a word or sign is.
    pub(crate) kind_of: fn(&str) -> Kind,
    /// Returns whether a space separates two adjacent tokens inside the given number of brackets.
    pub(crate) is_spaced: fn(Described<'_>, Described<'_>, usize) -> bool,
    /// Returns whether an operator after a token is a sign rather than arithmetic.
    pub(crate) is_sign: fn(Option<Described<'_>>, &str) -> bool,
    /// Returns whether line ends inside the bracket have no meaning.
    pub(crate) joins_lines: fn(&str) -> bool,
    /// True if more deeply indented lines form a block.
    pub(crate) has_layout: bool,
    /// The code inside a string token: the fields of a template.
    pub(crate) fields: fn(&str) -> Vec<&str>,
    /// Returns whether a line inside a string reads like a statement.
    pub(crate) looks_like_code: fn(&str) -> bool,
    /// Reserved words of the language.
    pub(crate) keywords: &'static [&'static str],
    /// Reserved words that are values.
    pub(crate) values: &'static [&'static str],
    /// Delimiters that may be missing anywhere.
    pub(crate) delimiters: &'static [&'static str],
    /// Operators that may be missing near the fault.
    pub(crate) operators: &'static [&'static str],
    /// Operands that may replace a missing one.
    pub(crate) operands: &'static [&'static str],
    /// Tokens that no line begins with.
    pub(crate) never_first: &'static [&'static str],
    /// Tokens that are mistaken for one another.
    pub(crate) confused: &'static [&'static [&'static str]],
}

impl Grammar {
    /// Returns a token's kind and text; for no token, the kind of a line end and an empty text.
    pub(crate) fn described<'text>(token: Option<&Token>, text: &'text str) -> Described<'text> {
        token.map_or((Kind::Newline, ""), |token| (token.kind, token.text(text)))
    }

    /// The tokens of `text[from..to]`, with their places in the whole text.
    pub(crate) fn scan_within(&self, text: &str, range: std::ops::Range<usize>) -> Vec<Token> {
        let moved = |token: Token| Token { start: token.start + range.start, end: token.end + range.start, ..token };
        (self.scan)(text.get(range.clone()).unwrap_or_default()).into_iter().map(moved).collect()
    }
}
