//! A scanner that accepts any text as Python: broken text still has words, brackets and quotes, from which
//! repairs are built. The parser decides what is valid; the scanner only reports the tokens and their
//! positions.

pub(crate) use crate::repair::tokens::{Kind, Token};

/// The reserved words; soft keywords are names.
pub(crate) const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Operators and delimiters of more than one character, longest first.
const LONG_OPERATORS: [&str; 25] = [
    "**=", "//=", ">>=", "<<=", "...", "==", "!=", "<=", ">=", "->", ":=", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "@=", "**", "//", "<<", ">>", "<>",
];

/// Returns whether the word is reserved.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.binary_search(&word).is_ok()
}

/// The tokens of a text that begins outside of any string.
pub(crate) fn scan(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut position = 0;
    while position < text.len() {
        let start = position;
        let Some(kind) = next(text, &mut position) else { continue };
        tokens.push(Token { kind, start, end: position });
    }
    tokens
}

/// Moves over one token or run of white space; `None` for the latter.
fn next(text: &str, position: &mut usize) -> Option<Kind> {
    let bytes = text.as_bytes();
    let start = *position;
    let byte = bytes[start];
    let run = |from: usize, keep: &dyn Fn(u8) -> bool| {
        bytes[from..].iter().position(|byte| !keep(*byte)).map_or(bytes.len(), |length| from + length)
    };
    let (kind, end) = match byte {
        b' ' | b'\t' | b'\x0c' => (None, run(start, &|byte| matches!(byte, b' ' | b'\t' | b'\x0c'))),
        b'\\' if bytes.get(start + 1) == Some(&b'\n') => (None, start + 2),
        b'\\' if bytes.get(start + 1..start + 3) == Some(b"\r\n") => (None, start + 3),
        b'\n' => (Some(Kind::Newline), start + 1),
        b'\r' => (Some(Kind::Newline), start + 1 + usize::from(bytes.get(start + 1) == Some(&b'\n'))),
        b'#' => (Some(Kind::Comment), run(start, &|byte| byte != b'\n' && byte != b'\r')),
        b'"' | b'\'' => (Some(Kind::String), string_end(bytes, start)),
        b'0'..=b'9' => (Some(Kind::Number), number_end(bytes, start)),
        b'.' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => (Some(Kind::Number), number_end(bytes, start)),
        b'(' | b'[' | b'{' => (Some(Kind::Open), start + 1),
        b')' | b']' | b'}' => (Some(Kind::Close), start + 1),
        byte if is_word(byte) => {
            let end = run(start, &is_word);
            let quoted = matches!(bytes.get(end), Some(b'"' | b'\''));
            let word = &bytes[start..end];
            if quoted && word.len() <= 2 && word.iter().all(|byte| b"rRbBuUfFtT".contains(byte)) {
                (Some(Kind::String), string_end(bytes, end))
            } else {
                let keyword = std::str::from_utf8(word).is_ok_and(is_keyword);
                (Some(if keyword { Kind::Keyword } else { Kind::Name }), end)
            }
        }
        _ => {
            let rest = &bytes[start..];
            match LONG_OPERATORS.iter().find(|operator| rest.starts_with(operator.as_bytes())) {
                Some(operator) => (Some(Kind::Operator), start + operator.len()),
                None if b"+-*/%@&|^~<>=.,:;".contains(&byte) => (Some(Kind::Operator), start + 1),
                None => (Some(Kind::Unknown), start + 1),
            }
        }
    };
    *position = end;
    kind
}

fn is_word(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric() || byte >= 0x80
}

fn number_end(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while let Some(byte) = bytes.get(end) {
        let sign_of_exponent = matches!(byte, b'+' | b'-')
            && end > start
            && matches!(bytes[end - 1], b'e' | b'E')
            && bytes[start..].get(1) != Some(&b'x');
        if !(is_word(*byte) || *byte == b'.' || sign_of_exponent) {
            break;
        }
        end += 1;
    }
    end
}

/// One past the end of the string whose opening quote is at `quote`. A string of one line that is not closed ends with its
/// line, a triple-quoted one with the text.
fn string_end(bytes: &[u8], quote: usize) -> usize {
    let mark = bytes[quote];
    let triple = bytes.get(quote..quote + 3) == Some(&[mark; 3]);
    let mut position = quote + if triple { 3 } else { 1 };
    while let Some(byte) = bytes.get(position) {
        match byte {
            b'\\' => position += 1 + usize::from(bytes.get(position + 1..position + 3) == Some(b"\r\n")),
            b'\n' | b'\r' if !triple => return position,
            byte if *byte == mark && !triple => return position + 1,
            byte if *byte == mark && bytes.get(position..position + 3) == Some(&[mark; 3]) => return position + 3,
            _ => {}
        }
        position += 1;
    }
    bytes.len()
}

/// Returns whether the string token is closed.
pub(crate) fn is_closed(token: &str) -> bool {
    let body = token.trim_start_matches(|character: char| character.is_ascii_alphabetic());
    let bytes = body.as_bytes();
    let Some(mark) = bytes.first() else { return false };
    let triple = bytes.get(..3) == Some(&[*mark; 3]);
    let length = if triple { 3 } else { 1 };
    if bytes.len() < 2 * length || !bytes.ends_with(&vec![*mark; length]) {
        return false;
    }
    let content = &bytes[length..bytes.len() - length];
    content.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        scan(text).iter().map(|token| token.text(text)).collect()
    }

    #[test]
    fn keywords_are_sorted() {
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn words_strings_and_operators() {
        assert_eq!(
            texts("x = rb'a\\'b' + f(1.5e-3)  # c\n"),
            ["x", "=", "rb'a\\'b'", "+", "f", "(", "1.5e-3", ")", "# c", "\n"]
        );
        assert_eq!(texts("a **= '''x\n'y'''"), ["a", "**=", "'''x\n'y'''"]);
    }

    #[test]
    fn an_open_string_ends_with_its_line() {
        let text = "x = 'abc\ny = 1";
        assert_eq!(texts(text), ["x", "=", "'abc", "\n", "y", "=", "1"]);
        assert!(!is_closed("'abc") && is_closed("'abc'") && !is_closed("'''abc'") && !is_closed("'a\\'"));
    }
}
