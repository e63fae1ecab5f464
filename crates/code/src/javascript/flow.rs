//! Files with the types of Flow. They are read as TypeScript, which writes most types in the same way; what only Flow has becomes blanks, so that
//! every byte stands where it stood.

use std::ops::Range;

use super::tokens::{self, Kind, Token};

/// Bytes at the beginning of a file in which its pragma is looked for.
const HEAD: usize = 4096;

/// Returns whether a comment at the beginning of the file names Flow: `@flow`, `@noflow`.
pub(super) fn is_flow(text: &str) -> bool {
    let head = text.get(..text.floor_char_boundary(HEAD)).unwrap_or_default();
    let names_flow = |text: &str| text.contains("@flow") || text.contains("@noflow");
    names_flow(head) && {
        let tokens = tokens::scan(head);
        let mut comments = tokens.iter().take_while(|token| matches!(token.kind, Kind::Comment | Kind::Newline));
        comments.any(|token| names_flow(token.text(head)))
    }
}

/// Returns the text as TypeScript, of the same length.
pub(super) fn as_typescript(text: &str) -> String {
    let all = tokens::scan(text);
    let file = File::new(text, all.into_iter().filter(|token| token.kind != Kind::Comment).collect());
    let mut bytes = text.as_bytes().to_vec();
    for range in file.only_flow() {
        for byte in bytes.get_mut(range).into_iter().flatten() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    for (at, word) in file.written_otherwise() {
        if let Some(part) = bytes.get_mut(at..at + word.len()) {
            part.copy_from_slice(word.as_bytes());
        }
    }
    // Whole tokens are replaced by ASCII, so that this never loses a character.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

struct File<'text> {
    text: &'text str,
    /// Without comments, with the ends of lines.
    tokens: Vec<Token>,
    /// Index of the closing bracket for each opening one.
    closes: Vec<Option<usize>>,
}

impl<'text> File<'text> {
    fn new(text: &'text str, tokens: Vec<Token>) -> Self {
        let mut closes = vec![None; tokens.len()];
        let mut open = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            match token.kind {
                Kind::Open => open.push(at),
                Kind::Close => {
                    let opening = open.pop().and_then(|opening: usize| closes.get_mut(opening));
                    if let Some(close) = opening {
                        *close = Some(at);
                    }
                }
                Kind::Name
                | Kind::Keyword
                | Kind::Number
                | Kind::String
                | Kind::Operator
                | Kind::Comment
                | Kind::Newline
                | Kind::Unknown => {}
            }
        }
        Self { text, tokens, closes }
    }

    fn word(&self, at: usize) -> &'text str {
        self.tokens.get(at).map_or("", |token| token.text(self.text))
    }

    fn kind(&self, at: usize) -> Option<Kind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn is_beside(&self, left: usize) -> bool {
        let pair = (self.tokens.get(left), self.tokens.get(left + 1));
        matches!(pair, (Some(left), Some(right)) if left.end == right.start)
    }

    /// The next token after `at` that is no end of a line.
    fn after(&self, at: usize) -> usize {
        (at + 1..self.tokens.len()).find(|at| self.kind(*at) != Some(Kind::Newline)).unwrap_or(self.tokens.len())
    }

    /// The token before `at` that is no end of a line.
    fn before(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|at| self.kind(*at) != Some(Kind::Newline))
    }

    /// The bracket that closes the one at `open`.
    fn close(&self, open: usize) -> Option<usize> {
        self.closes.get(open).copied().flatten()
    }

    fn bytes(&self, tokens: Range<usize>) -> Range<usize> {
        let start = self.tokens.get(tokens.start).map_or(0, |token| token.start);
        let end = tokens.end.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.end);
        start..end.max(start)
    }

    /// The parts that TypeScript has no notation for.
    fn only_flow(&self) -> Vec<Range<usize>> {
        let mut parts = Vec::new();
        for at in 0..self.tokens.len() {
            let part = match self.word(at) {
                // An exact object: `{| a: string |}`.
                "|" | "||" if self.is_exact(at) => Some(at..at + 1),
                "opaque" if self.word(at + 1) == "type" => {
                    parts.extend(self.supertype(at + 2).map(|part| self.bytes(part)));
                    Some(at..at + 1)
                }
                // A property that is only read, or only written: `+name: string`.
                "+" | "-" if self.is_variance(at) => Some(at..at + 1),
                "?" if self.is_maybe(at) => Some(at..at + 1),
                "%" if self.word(at + 1) == "checks" => Some(at..at + 2),
                "(" => self.cast(at),
                "{" if self.is_object_of_types(at) => {
                    parts.extend(self.spreads(at));
                    None
                }
                _ => None,
            };
            parts.extend(part.map(|part| self.bytes(part)));
        }
        parts
    }

    /// Words that TypeScript writes otherwise, in as many bytes.
    fn written_otherwise(&self) -> Vec<(usize, &'static str)> {
        let mut words = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            let is_before = |word: &str| self.before(at).is_some_and(|before| self.word(before) == word);
            match token.text(self.text) {
                "typeof" if is_before("import") => words.push((token.start, "type  ")),
                // Any type at all: `Array<*>`.
                "*" if is_before("<") && self.word(at + 1) == ">" => words.push((token.start, "T")),
                _ => {}
            }
        }
        words
    }

    /// The type that others may take an opaque type for: `: string` in `opaque type Name: string = string`.
    fn supertype(&self, name: usize) -> Option<Range<usize>> {
        let colon = self.after(name);
        let ends = |at: &usize| matches!(self.word(*at), "=" | ";") || self.kind(*at) == Some(Kind::Newline);
        (self.word(colon) == ":").then(|| colon..(colon..self.tokens.len()).find(ends).unwrap_or(self.tokens.len()))
    }

    fn is_exact(&self, at: usize) -> bool {
        let opens = at > 0 && self.word(at - 1) == "{" && self.is_beside(at - 1);
        opens || self.word(at + 1) == "}" && self.is_beside(at)
    }

    fn is_variance(&self, at: usize) -> bool {
        let begins = match self.before(at).map(|before| self.word(before)) {
            Some("{" | "," | ";" | "|") => true,
            Some(_) => self.kind(at.wrapping_sub(1)) == Some(Kind::Newline),
            None => false,
        };
        let is_property = match self.kind(at + 1) {
            Some(Kind::Name | Kind::Keyword) => {
                let is_optional = self.word(at + 2) == "?" && self.word(at + 3) == ":" && self.is_beside(at + 2);
                self.word(at + 2) == ":" || is_optional
            }
            Some(Kind::Open) => {
                self.word(at + 1) == "[" && self.close(at + 1).is_some_and(|close| self.word(close + 1) == ":")
            }
            Some(_) | None => false,
        };
        begins && is_property && self.is_beside(at)
    }

    /// Returns whether it is the mark of a type that may be null: `?string`. In an expression a value stands before it.
    fn is_maybe(&self, at: usize) -> bool {
        let Some(before) = self.before(at) else { return false };
        match self.kind(before) {
            Some(Kind::Operator) => !matches!(self.word(before), "++" | "--" | "!"),
            Some(Kind::Open) => true,
            Some(_) | None => self.word(before) == ",",
        }
    }

    /// The type of a cast: `: Type` in `(value: Type)`.
    fn cast(&self, open: usize) -> Option<Range<usize>> {
        const BEFORE_VALUES: [&str; 14] = [
            "return",
            "typeof",
            "await",
            "yield",
            "case",
            "in",
            "of",
            "delete",
            "void",
            "default",
            "throw",
            "else",
            "do",
            "instanceof",
        ];
        let is_grouping = match self.before(open).map(|before| (self.kind(before), self.word(before))) {
            None | Some((Some(Kind::Open), _)) => true,
            Some((Some(Kind::Operator), word)) => word != "?.",
            Some((Some(Kind::Keyword), word)) => BEFORE_VALUES.contains(&word),
            Some((_, word)) => matches!(word, "," | ";") || self.kind(open.wrapping_sub(1)) == Some(Kind::Newline),
        };
        let close = self.close(open).filter(|_| is_grouping)?;
        if matches!(self.word(self.after(close)), "=>" | ":" | "{") {
            return None;
        }
        let mut choices = 0_usize;
        let mut at = open + 1;
        while at < close {
            match self.word(at) {
                "?" => choices += 1,
                ":" if choices > 0 => choices -= 1,
                ":" => {
                    // What a function returns, whose body follows.
                    let is_arrow = self.word(at - 1) == ")" && (at..close).any(|at| self.word(at) == "=>");
                    return (!is_arrow).then_some(at..close);
                }
                _ => {}
            }
            at = self.close(at).unwrap_or(at) + 1;
        }
        None
    }

    /// Returns whether a brace is that of `type Name = {`.
    fn is_object_of_types(&self, open: usize) -> bool {
        let Some(equals) = self.before(open).filter(|at| self.word(*at) == "=") else { return false };
        let start = (0..equals).rev().take_while(|at| !matches!(self.word(*at), ";" | "{" | "}" | "=")).last();
        start.is_some_and(|start| (start..equals).any(|at| self.word(at) == "type"))
    }

    /// Properties that other objects bring into one: `...Other,`.
    fn spreads(&self, open: usize) -> Vec<Range<usize>> {
        let Some(close) = self.close(open) else { return Vec::new() };
        let mut parts = Vec::new();
        let mut at = open + 1;
        while at < close {
            if self.word(at) != "..." {
                at += 1;
                continue;
            }
            let mut depth = 0_usize;
            let end = (at..close).find(|at| {
                match (self.kind(*at), self.word(*at)) {
                    (Some(Kind::Open), _) | (_, "<") => depth += 1,
                    (Some(Kind::Close), _) | (_, ">") => depth = depth.saturating_sub(1),
                    _ => {}
                }
                depth == 0 && matches!(self.word(*at), "," | ";")
            });
            let is_bar = |at: usize| matches!(self.word(at), "|") && self.word(at + 1) == "}";
            let end = end.map_or_else(|| (at..close).find(|at| is_bar(*at)).unwrap_or(close), |end| end + 1);
            parts.push(self.bytes(at..end));
            at = end;
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::javascript::parse::{check, faults};

    const TEXT: &str = "/**\n * @flow\n */\nimport type { A } from './a';\nimport typeof B from './b';\n\n\
        export opaque type Id: string = string;\ntype Props = {|\n  ...A,\n  +name: ?string,\n  -size?: number,\n  [key: string]: mixed,\n|};\n\
        type Pair<T> = { a: T, ...Other<T, T> };\n\nclass Shop {\n  +items: Array<*> = [];\n  total(): number {\n    \
        return (this.items.length: any);\n  }\n}\n\n\
        export function isText(value: mixed): boolean %checks {\n  return typeof value === 'string';\n}\n\n\
        export default (values: Array<?number>, more?: (string, ?A) => void) =>\n  \
        (values.map((value): number => (value == null ? -1 : value)): Array<number>);\n";

    #[test]
    fn a_file_of_flow_is_read_with_every_byte_in_its_place() {
        assert_eq!(check("shop.js", TEXT), Ok(()));
        let read = as_typescript(TEXT);
        assert_eq!(read.len(), TEXT.len());
        assert!(read.contains("(value == null ? -1 : value)"), "{read}");
        let broken = TEXT.replace("  return typeof value", "  return typeof (value");
        let line = TEXT.lines().position(|line| line.contains("typeof value")).unwrap() + 1;
        assert_eq!(faults("shop.js", &broken).first().map(|fault| fault.line as usize), Some(line));
    }

    #[test]
    fn what_is_no_type_stays() {
        let plain = "// @flow\nconst a = b ? (c) : d;\nf(a, -b, +c ? d : e);\nconst o = { ...p, q: a || {} };\n\
                     const g = (x) => ({ y: x });\nswitch (a) { case (b): break; }\nlabel: for (;;) {}\n";
        assert_eq!(as_typescript(plain), plain);
    }

    #[test]
    fn only_a_comment_at_the_beginning_names_flow() {
        assert!(is_flow("// @flow strict\nf();\n") && is_flow("'use strict';\n").eq(&false));
        assert!(!is_flow("f('@flow');\n") && !is_flow("f();\n// @flow\n"));
    }
}
