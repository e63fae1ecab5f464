//! Bytes and text that an assertion shows.

use std::collections::BTreeSet;

use super::super::blame::Blame;
use super::To;
use super::codecs::Codec;
use crate::python::tokens::{Kind, scan};

/// Bytes and a text that an assertion compared.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Compared {
    text: String,
    /// The codec that makes the one of the other.
    pub(super) codec: Codec,
}

impl Compared {
    /// Reads `assert b'x' == 'x'` of pytest and `b'x' != 'x'` of unittest, if both are the same in some codec.
    pub(super) fn read(message: &str) -> Option<Self> {
        let line = message.lines().next()?;
        let line = line.strip_prefix("assert ").unwrap_or(line);
        let (left, right) = line.split_once(" == ").or_else(|| line.split_once(" != "))?;
        let (bytes, text) = match (left.strip_prefix('b'), right.strip_prefix('b')) {
            (Some(bytes), None) => (bytes, right),
            (None, Some(bytes)) => (bytes, left),
            (Some(_), Some(_)) | (None, None) => return None,
        };
        let (bytes, text) = (shown_bytes(bytes)?, shown_text(text)?);
        let codec = if text.is_ascii() && bytes == text.as_bytes() {
            Codec::Ascii
        } else if bytes == text.as_bytes() {
            Codec::Utf8
        } else if text.chars().map(|char| u8::try_from(u32::from(char))).eq(bytes.iter().copied().map(Ok)) {
            Codec::Other
        } else {
            return None;
        };
        Some(Self { text, codec })
    }

    /// The type that the test expects: that of its literal.
    pub(super) fn expected(&self, blame: &Blame<'_>) -> Option<To> {
        let witness = blame.witnesses.first()?;
        let module = blame.module(&witness.file)?;
        let text = blame.text(&witness.file);
        let around = module.function_at(witness.span.start).map_or(witness.span, |function| function.span);
        let code = around.text(text);
        let mut kinds = BTreeSet::new();
        for token in scan(code).into_iter().filter(|token| token.kind == Kind::String) {
            let written = token.text(code);
            let bare = written.trim_start_matches(|char: char| char.is_ascii_alphabetic());
            let is_bytes = written[..written.len() - bare.len()].contains(['b', 'B']);
            let is_it = if is_bytes {
                shown_bytes(bare).is_some_and(|bytes| bytes == self.text.as_bytes() || self.codec == Codec::Other)
            } else {
                shown_text(bare).as_deref() == Some(self.text.as_str())
            };
            if is_it {
                kinds.insert(is_bytes);
            }
        }
        match kinds.into_iter().collect::<Vec<_>>().as_slice() {
            [true] => Some(To::Bytes),
            [false] => Some(To::Text),
            _ => None,
        }
    }
}

/// The characters of a literal as Python shows it, each escape as one.
pub(super) fn shown(literal: &str) -> Option<Vec<char>> {
    let quote = literal.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let inner = literal.strip_prefix(quote)?.strip_suffix(quote)?;
    let mut found = Vec::new();
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            found.push(char);
            continue;
        }
        let escaped = match chars.clone().next()? {
            'n' => Some('\n'),
            't' => Some('\t'),
            'r' => Some('\r'),
            same @ ('\\' | '\'' | '"') => Some(same),
            _ => None,
        };
        if let Some(escaped) = escaped {
            chars.next();
            found.push(escaped);
            continue;
        }
        let digits = match chars.next()? {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => return None,
        };
        let mut number = |digits: usize| {
            let written: String = chars.by_ref().take(digits).collect();
            u32::from_str_radix(&written, 16).ok().and_then(char::from_u32)
        };
        found.push(number(digits)?);
    }
    Some(found)
}

pub(super) fn shown_text(literal: &str) -> Option<String> {
    shown(literal).map(|chars| chars.into_iter().collect())
}

pub(super) fn shown_bytes(literal: &str) -> Option<Vec<u8>> {
    shown(literal)?.into_iter().map(|char| u8::try_from(u32::from(char)).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_python_shows_them() {
        let codec = |message: &str| Compared::read(message).map(|compared| compared.codec);
        assert_eq!(codec("assert b'a\\n' == 'a\\n'\n  +b"), Some(Codec::Ascii));
        assert_eq!(codec("'é' != b'\\xc3\\xa9'"), Some(Codec::Utf8));
        assert_eq!(codec("b'\\xe9' != 'é'"), Some(Codec::Other));
        assert_eq!(codec("b'a' != 'b'"), None);
        assert_eq!(codec("assert b'a' == b'a'"), None);
        assert_eq!(codec("assert b'a..."), None);
    }
}
