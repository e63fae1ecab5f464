//! Plain string literals of a Python file: those whose text is their value.

use std::ops::Range;

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};
use ruff_text_size::Ranged as _;

use super::parse::room;
use crate::recursion::deep;

/// A string literal without escapes, that is not part of a concatenation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// Place of its value, without prefix and quotes, in bytes.
    pub value: Range<usize>,
    /// Line of the file, from 1.
    pub line: usize,
    /// The quote on each side.
    quote: &'static str,
}

impl Literal {
    /// Returns whether another value can be written between the same quotes.
    pub fn can_hold(&self, value: &str) -> bool {
        let is_plain = !value.contains(['\\', '\n', '\r']) && !value.contains(self.quote);
        is_plain && !value.ends_with(&self.quote[..1])
    }
}

/// The plain string literals of a file, in its order; of a file with syntax faults as far as it is read, of one that is too deep
/// none.
pub fn plain_literals(text: &str) -> Vec<Literal> {
    room(text).map(|room| deep(room, || literals_of(text))).unwrap_or_default()
}

fn literals_of(text: &str) -> Vec<Literal> {
    let parsed = parse_unchecked(text, ParseOptions::from(Mode::Module));
    let tokens: Vec<_> = parsed.tokens().iter().filter(|token| !token.kind().is_trivia()).collect();
    let is_string = |place: Option<usize>| {
        let kind = place.and_then(|place| tokens.get(place)).map(|token| token.kind());
        matches!(kind, Some(TokenKind::String | TokenKind::FStringStart | TokenKind::FStringEnd))
    };
    let mut literals = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        let is_alone = !is_string(place.checked_sub(1)) && !is_string(Some(place + 1));
        if token.kind() == TokenKind::String && is_alone {
            let range = usize::from(token.start())..usize::from(token.end());
            literals.extend(plain(text, &range));
        }
    }
    literals
}

fn plain(text: &str, range: &Range<usize>) -> Option<Literal> {
    let written = text.get(range.clone())?;
    let bare = written.trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| bare.starts_with(quote))?;
    let start = range.start + (written.len() - bare.len()) + quote.len();
    let value = start..range.end.checked_sub(quote.len())?;
    let is_plain = text.get(value.clone()).is_some_and(|value| !value.contains('\\'));
    let line = text.get(..range.start)?.matches('\n').count() + 1;
    is_plain.then_some(Literal { value, line, quote })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_whose_text_is_their_value() {
        let text = "a = 'one'\nb = r\"two\" + '''three'''\nc = f'four'\nd = 'fi' 've'\ne = 'six\\n'\nf = b'seven'\n";
        let found: Vec<(usize, &str)> =
            plain_literals(text).into_iter().map(|literal| (literal.line, &text[literal.value])).collect();
        assert_eq!(found, [(1, "one"), (2, "two"), (2, "three")]);
    }

    #[test]
    fn a_value_fits_between_the_quotes() {
        let literals = plain_literals("x = 'a'\ny = \"b\"\n");
        assert!(literals[0].can_hold("p[class=\"x\"]") && !literals[0].can_hold("p[class='x']"));
        assert!(literals[1].can_hold("p[class='x']") && !literals[1].can_hold("a\\b"));
    }
}
