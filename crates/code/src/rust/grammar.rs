//! Rust's tokens as repairs see them.

use super::tokens::{KEYWORDS, Kind, scan};
use crate::repair::grammar::{Described, Grammar};

/// Reserved words that are values.
const VALUES: [&str; 4] = ["false", "self", "Self", "true"];

/// Token grammar of Rust.
pub(crate) static GRAMMAR: Grammar = Grammar {
    scan,
    kind_of,
    is_spaced,
    is_sign,
    joins_lines: |bracket| matches!(bracket, "(" | ")" | "[" | "]"),
    has_layout: false,
    fields: |_| Vec::new(),
    looks_like_code,
    keywords: &KEYWORDS,
    values: &VALUES,
    delimiters: &["(", ")", "[", "]", "{", "}", ":", ",", "=", ".", ";", "=>", "->", "::"],
    operators: &[
        "+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "&&", "||", "?", "!", "..", "..=", "+=", "-=", "|",
        "&", "<<", ">>",
    ],
    operands: &["0", "1", "\"\""],
    never_first: &[",", ":", "=", ";", "=>"],
    confused: &[
        &["=", "==", ":", "=>", "->", "+=", "-=", "!=", "<=", ">="],
        &["(", "[", "{"],
        &[")", "]", "}"],
        &[":", ";", ",", ".", "::"],
        &["=>", "->", ">=", "=", "-", ">"],
        &["&", "&&"],
        &["|", "||"],
        &["..", "..=", "."],
    ],
};

/// Returns whether most projects write a space between two neighbouring tokens.
fn is_spaced(left: Described<'_>, right: Described<'_>, _depth: usize) -> bool {
    match (left, right) {
        ((Kind::Newline, _) | (_, "." | "::" | "!" | "?" | "&" | "#" | "(" | "[" | ".." | "..=" | "<"), _)
        | (
            _,
            (Kind::Newline, _) | (_, "," | ";" | "." | "?" | ")" | "]" | ":" | "::" | "!" | ".." | "..=" | "<" | ">"),
        )
        | ((_, "{"), (_, "}")) => false,
        ((Kind::Name | Kind::Close | Kind::String, _), (Kind::Open, bracket)) => bracket == "{",
        _ => true,
    }
}

/// Returns whether an operator after a token is a sign rather than arithmetic.
fn is_sign(left: Option<Described<'_>>, operator: &str) -> bool {
    let after_operand = match left {
        None => false,
        Some((Kind::Keyword, word)) => VALUES.contains(&word),
        Some((kind, _)) => matches!(kind, Kind::Name | Kind::Number | Kind::String | Kind::Close),
    };
    matches!(operator, "-" | "&" | "*" | "&&") && !after_operand || operator == "!"
}

/// Returns the kind of token that a word or sign is.
fn kind_of(token: &str) -> Kind {
    match token.chars().next() {
        Some('(' | '[' | '{') => Kind::Open,
        Some(')' | ']' | '}') => Kind::Close,
        Some('"') => Kind::String,
        Some(first) if first.is_ascii_digit() => Kind::Number,
        Some(_) if KEYWORDS.contains(&token) => Kind::Keyword,
        Some(first) if first == '_' || first == '\'' || first.is_alphanumeric() => Kind::Name,
        Some(_) | None => Kind::Operator,
    }
}

/// Returns whether a line begins or ends like a statement, and unlike prose.
fn looks_like_code(line: &str) -> bool {
    let begins = ["let ", "fn ", "pub ", "use ", "impl", "match ", "if ", "for ", "while ", "return", "#[", "} "];
    line.ends_with([';', '{']) || begins.iter().any(|word| line.starts_with(word))
}
