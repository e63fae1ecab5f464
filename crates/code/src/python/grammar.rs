//! Python's tokens as repairs see them.

use super::spacing::{is_sign, is_spaced, kind_of};
use super::tokens::{KEYWORDS, scan};
use crate::repair::grammar::Grammar;

/// Token grammar of Python.
pub(crate) static GRAMMAR: Grammar = Grammar {
    scan,
    kind_of,
    is_spaced,
    is_sign,
    joins_lines: |_| true,
    has_layout: true,
    fields,
    looks_like_code,
    keywords: &KEYWORDS,
    values: &["False", "None", "True"],
    delimiters: &DELIMITERS,
    operators: &OPERATORS,
    operands: &["0", "1", "''"],
    never_first: &[",", ":", "=", "."],
    confused: &CONFUSED,
};

const DELIMITERS: [&str; 10] = ["(", ")", "[", "]", "{", "}", ":", ",", "=", "."];
const OPERATORS: [&str; 20] =
    ["+", "-", "*", "/", "%", "==", "!=", "<", ">", "<=", ">=", "**", "//", "|", "&", "+=", "-=", "@", "->", "..."];

/// Tokens that are mistaken for one another.
const CONFUSED: [&[&str]; 10] = [
    &["=", "==", ":", ":=", "+=", "-=", "!=", "<=", ">="],
    &["(", "[", "{"],
    &[")", "]", "}"],
    &[":", ";", ",", "."],
    &["->", "-", ">", "=", ":"],
    &["<>", "!="],
    &["*", "**"],
    &["/", "//"],
    &["&", "and"],
    &["|", "or"],
];

/// Returns whether a line begins like a statement, in a way in which prose does not begin.
fn looks_like_code(line: &str) -> bool {
    let opens = ["def ", "class ", "if ", "elif ", "else:", "for ", "while ", "try:", "except", "with "];
    let is_header = line.ends_with(':') && opens.iter().any(|word| line.starts_with(word));
    is_header || line.starts_with("return ") || line.starts_with("self.") || line.starts_with("import ")
}

/// Returns whether a string literal is an f-string.
pub(crate) fn is_formatted(string: &str) -> bool {
    let prefix = string.split(['"', '\'']).next().unwrap_or_default();
    prefix.contains(['f', 'F'])
}

/// Returns the replacement fields of an f-string, braces included.
fn fields(string: &str) -> Vec<&str> {
    if !is_formatted(string) {
        return Vec::new();
    }
    let mut fields = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, character) in string.char_indices() {
        match character {
            '{' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    fields.push(&string[start..=at]);
                }
            }
            _ => {}
        }
    }
    fields
}
