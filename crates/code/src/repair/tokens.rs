//! Tokens of any language.

/// Kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    Name,
    Keyword,
    Number,
    /// A string, template or regular expression, closed or not.
    String,
    Operator,
    Open,
    Close,
    Comment,
    /// The end of a physical line, inside brackets or not.
    Newline,
    /// Anything else, one character.
    Unknown,
}

/// A token and its place in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    pub(crate) fn text<'text>(&self, text: &'text str) -> &'text str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}
