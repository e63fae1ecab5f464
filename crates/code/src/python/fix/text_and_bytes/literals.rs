//! Literals of texts and bytes.

use super::To;
use crate::edit::Edit;
use crate::python::tokens::{Kind, scan};

/// The prefixes of the literals of an expression.
pub(super) fn prefixes(code: &str) -> impl Iterator<Item = String> {
    let tokens = scan(code).into_iter().filter(|token| token.kind == Kind::String);
    let prefix = |token: &str| token.split(['"', '\'']).next().unwrap_or_default().to_ascii_lowercase();
    tokens.map(move |token| prefix(token.text(code))).collect::<Vec<_>>().into_iter()
}

/// Puts `b` before the literals of an expression, or takes it away, if each is the same in both types.
pub(super) fn with_prefix(code: &str, at: usize, to: To) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    for token in scan(code).into_iter().filter(|token| token.kind == Kind::String) {
        let written = token.text(code);
        let prefix = written.split(['"', '\'']).next()?;
        let body = written.get(prefix.len()..)?;
        let is_raw = prefix.contains(['r', 'R']);
        // An escape of one character may be several bytes.
        let differs = |escape: &str| !is_raw && body.contains(escape);
        let has_digits = !is_raw
            && body.match_indices('\\').any(|(at, _)| body[at + 1..].starts_with(|char: char| char.is_ascii_digit()));
        let is_bytes = prefix.contains(['b', 'B']);
        if !body.is_ascii() || ["\\x", "\\u", "\\U", "\\N"].iter().any(|escape| differs(escape)) || has_digits {
            return None;
        }
        if prefix.contains(['f', 'F', 't', 'T']) || is_bytes == (to == To::Bytes) {
            return None;
        }
        let other = match (to, is_raw) {
            (To::Bytes, false) => "b",
            (To::Bytes, true) => "rb",
            (To::Text, false) => "",
            (To::Text, true) => "r",
        };
        let start = at + token.start;
        edits.push(Edit::replace(start..start + prefix.len(), other));
    }
    (!edits.is_empty()).then_some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_that_differ_as_bytes_keep_their_prefix() {
        let prefixed =
            |code: &str, to| with_prefix(code, 0, to).map(|edits| crate::edit::applied(code, &edits).unwrap());
        assert_eq!(prefixed("'a' r'b'", To::Bytes).as_deref(), Some("b'a' rb'b'"));
        assert_eq!(prefixed("u'a'", To::Bytes).as_deref(), Some("b'a'"));
        assert_eq!(prefixed("b'a'", To::Text).as_deref(), Some("'a'"));
        assert_eq!(prefixed("Rb'\\d'", To::Text).as_deref(), Some("r'\\d'"));
        for code in ["'\\xe9'", "'é'", "f'{a}'", "'\\351'", "'\\u00e9'", "b'a'"] {
            assert_eq!(prefixed(code, To::Bytes), None, "{code}");
        }
    }
}
