//! Spaces between Python tokens: after a token is inserted or removed, the line reads as if it had been typed by hand.

use super::tokens::{Kind, is_keyword};

/// Returns whether a space separates two adjacent tokens; `depth` is the number of open brackets around them.
pub(super) fn is_spaced(left: (Kind, &str), right: (Kind, &str), depth: usize) -> bool {
    let word = |kind: Kind| matches!(kind, Kind::Name | Kind::Keyword | Kind::Number | Kind::String);
    match (left, right) {
        ((Kind::Newline | Kind::Open, _) | (_, "." | "~" | "@"), _)
        | (_, (Kind::Newline | Kind::Close, _) | (_, "," | ":" | ";" | ".")) => false,
        ((_, "," | ";" | ":"), _) => true,
        ((_, "="), _) | (_, (_, "=")) => depth == 0,
        ((Kind::Keyword, word), (Kind::Open, _)) => !matches!(word, "None" | "True" | "False" | "print"),
        ((Kind::Name | Kind::Close | Kind::String, _), (Kind::Open, bracket)) => bracket == "{",
        ((Kind::Operator | Kind::Keyword, _), _) | (_, (Kind::Operator | Kind::Keyword, _)) => true,
        ((left, _), (right, _)) => word(left) && word(right) || left == Kind::Close,
    }
}

/// Returns whether `operator` after `left` is a sign rather than arithmetic.
pub(super) fn is_sign(left: Option<(Kind, &str)>, operator: &str) -> bool {
    let after_operand = match left {
        None => false,
        Some((Kind::Keyword, word)) => matches!(word, "None" | "True" | "False"),
        Some((kind, _)) => matches!(kind, Kind::Name | Kind::Number | Kind::String | Kind::Close),
    };
    matches!(operator, "-" | "+" | "~" | "*" | "**") && !after_operand
}

/// Returns the kind of token that a word or sign is.
pub(super) fn kind_of(token: &str) -> Kind {
    match token.as_bytes().first() {
        Some(b'(' | b'[' | b'{') => Kind::Open,
        Some(b')' | b']' | b'}') => Kind::Close,
        Some(b'"' | b'\'') => Kind::String,
        Some(byte) if byte.is_ascii_digit() => Kind::Number,
        Some(byte) if byte.is_ascii_alphabetic() || *byte == b'_' || *byte >= 0x80 => {
            if is_keyword(token) {
                Kind::Keyword
            } else {
                Kind::Name
            }
        }
        Some(_) | None => Kind::Operator,
    }
}
