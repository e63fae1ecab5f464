//! A scanner that accepts any text as JavaScript or TypeScript: broken text still has words, brackets and
//! quotes, from which repairs are built. The parser decides what is valid; the scanner only reports the tokens
//! and their positions.

use std::ops::Range;

use super::components;
pub(crate) use crate::repair::tokens::{Kind, Token};

/// A part of a text, with templates read through.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Token(Token),
    TemplateBegins,
    TemplateEnds,
    FieldBegins,
}

/// The reserved words, and those that are words of the language in some places.
pub(crate) const KEYWORDS: [&str; 44] = [
    "as",
    "async",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "from",
    "function",
    "if",
    "import",
    "in",
    "instanceof",
    "let",
    "new",
    "null",
    "of",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// Operators of more than one character, longest first.
const LONG_OPERATORS: [&str; 37] = [
    ">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=", "=>", "==", "!=", "<=", ">=", "&&",
    "||", "??", "?.", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<", "**", "->", "<>", "=<", ">>",
    "::",
];

/// Returns whether the word is a keyword of the language.
pub(crate) fn is_keyword(word: &str) -> bool {
    let letter = word.bytes().next().and_then(|first| first.checked_sub(b'a'));
    let range = letter.and_then(|letter| KEYWORDS_OF.get(usize::from(letter)));
    range.is_some_and(|(from, to)| KEYWORDS[*from..*to].contains(&word))
}

/// The range of the keywords that begin with each letter, for nearly every word of a text is looked up.
const KEYWORDS_OF: [(usize, usize); 26] = {
    let (mut ranges, mut at) = ([(0, 0); 26], 0);
    while at < KEYWORDS.len() {
        let letter = (KEYWORDS[at].as_bytes()[0] - b'a') as usize;
        if ranges[letter].1 == 0 {
            ranges[letter].0 = at;
        }
        at += 1;
        ranges[letter].1 = at;
    }
    ranges
};

/// The operator of more than one character that a text begins with.
fn long_operator(rest: &[u8]) -> Option<&'static str> {
    // Most signs are alone.
    if !rest.get(1).is_some_and(|second| b"*+-.:<=>?&|".contains(second)) {
        return None;
    }
    LONG_OPERATORS.into_iter().find(|operator| rest.starts_with(operator.as_bytes()))
}

/// The tokens of a text that begins outside of any string or comment.
pub(crate) fn scan(text: &str) -> Vec<Token> {
    let program = components::program(text);
    let text = program.as_ref();
    let mut scanner = Scanner::new(text);
    let mut tokens = Vec::with_capacity(text.len() / 4);
    while scanner.position < text.len() {
        tokens.extend(scanner.next());
    }
    tokens
}

/// The code between `${` and `}` of a template, without those.
pub(crate) fn fields(string: &str) -> Vec<&str> {
    if !string.starts_with('`') {
        return Vec::new();
    }
    let mut fields = Vec::new();
    Scanner { text: string, position: 1, last: None }.skip_template(|field| fields.extend(string.get(field)));
    fields
}

/// Returns whether a string, template or regular expression is closed.
pub(crate) fn is_closed(token: &str) -> bool {
    let Some(mark) = token.bytes().next() else { return false };
    let body = token.trim_end_matches(|character: char| mark == b'/' && character.is_ascii_alphabetic());
    let escapes = body.get(1..body.len().saturating_sub(1)).unwrap_or_default();
    body.len() > 1
        && body.as_bytes().ends_with(&[mark])
        && escapes.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 0
}

/// Goes through a text token by token.
pub(super) struct Scanner<'text> {
    text: &'text str,
    position: usize,
    /// The last token that is neither a comment nor the end of a line.
    last: Option<Token>,
}

impl<'text> Scanner<'text> {
    /// At the beginning of a text, outside of any string or comment.
    pub(super) const fn new(text: &'text str) -> Self {
        Self { text, position: 0, last: None }
    }

    /// The next token with templates read through, `is_in_template`: from the text of one. `None`: the end.
    pub(super) fn step_into(&mut self, is_in_template: bool) -> Option<Step> {
        while self.position < self.text.len() {
            if is_in_template {
                return Some(self.template_part());
            }
            if self.byte(self.position) == Some(b'`') {
                self.position += 1;
                return Some(Step::TemplateBegins);
            }
            if let Some(token) = self.next() {
                return Some(Step::Token(token));
            }
        }
        None
    }

    /// Moves to the next field of a template, or behind its end.
    fn template_part(&mut self) -> Step {
        if self.field_start().is_some() {
            self.last = None;
            return Step::FieldBegins;
        }
        self.last = Some(Token { kind: Kind::String, start: self.position.saturating_sub(1), end: self.position });
        Step::TemplateEnds
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// The next token; `None`: white space.
    fn next(&mut self) -> Option<Token> {
        let start = self.position;
        let kind = self.step()?;
        let token = Token { kind, start, end: self.position };
        if !matches!(kind, Kind::Comment | Kind::Newline) {
            self.last = Some(token);
        }
        Some(token)
    }

    fn step(&mut self) -> Option<Kind> {
        let start = self.position;
        let rest = &self.text[start..];
        let first = rest.chars().next()?;
        let line_end = || rest.find(['\n', '\r']).map_or(self.text.len(), |length| start + length);
        let (kind, end) = match first {
            '\n' => (Kind::Newline, start + 1),
            '\r' => (Kind::Newline, start + 1 + usize::from(rest.starts_with("\r\n"))),
            '/' if rest.starts_with("//") => (Kind::Comment, line_end()),
            '/' if rest.starts_with("/*") => (
                Kind::Comment,
                rest.get(2..).and_then(|body| body.find("*/")).map_or(self.text.len(), |at| start + at + 4),
            ),
            '#' if start == 0 && rest.starts_with("#!") => (Kind::Comment, line_end()),
            '"' | '\'' => (Kind::String, self.string_end(start)),
            '`' => {
                let mut inner = Scanner { text: self.text, position: start + 1, last: None };
                inner.skip_template(|_| ());
                (Kind::String, inner.position)
            }
            '/' => match self.regular_expression_end(start) {
                Some(end) => (Kind::String, end),
                None => (Kind::Operator, start + if rest.starts_with("/=") { 2 } else { 1 }),
            },
            '0'..='9' => (Kind::Number, self.number_end(start)),
            '.' if self.byte(start + 1).is_some_and(|byte| byte.is_ascii_digit()) => {
                (Kind::Number, self.number_end(start))
            }
            '(' | '[' | '{' => (Kind::Open, start + 1),
            ')' | ']' | '}' => (Kind::Close, start + 1),
            first if is_word(first) || first == '#' && rest[1..].starts_with(is_word) => {
                let end = self.word_end(start + first.len_utf8());
                let is_member = self.last.is_some_and(|last| matches!(last.text(self.text), "." | "?."));
                let is_reserved = !is_member && is_keyword(&self.text[start..end]);
                (if is_reserved { Kind::Keyword } else { Kind::Name }, end)
            }
            ' ' | '\t' => {
                let blanks = rest.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                self.position = start + blanks;
                return None;
            }
            first if first.is_whitespace() || first == '\u{feff}' => {
                self.position = start + first.len_utf8();
                return None;
            }
            first => match long_operator(rest.as_bytes()) {
                Some(operator) => (Kind::Operator, start + operator.len()),
                None if "+-*%&|^~<>=!?.,:;@".contains(first) => (Kind::Operator, start + 1),
                None => (Kind::Unknown, start + first.len_utf8()),
            },
        };
        self.position = end;
        Some(kind)
    }

    /// One past the end of the word that continues at a byte.
    fn word_end(&self, from: usize) -> usize {
        let rest = &self.text[from..];
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let plain = rest.as_bytes().iter().take_while(|byte| is_plain(byte)).count();
        if rest.as_bytes().get(plain).is_none_or(u8::is_ascii) {
            return from + plain;
        }
        from + rest.find(|character| !is_word(character)).unwrap_or(rest.len())
    }

    /// One past the end of a number; a word that follows without a space is another token, as it never belongs there.
    fn number_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let skip = |from: usize, belongs: fn(&u8) -> bool| {
            from + bytes
                .get(from..)
                .unwrap_or_default()
                .iter()
                .take_while(|byte| belongs(byte) || **byte == b'_')
                .count()
        };
        let base = bytes.get(start + 1).filter(|_| bytes.get(start) == Some(&b'0'));
        let has_base = matches!(base, Some(b'x' | b'X' | b'o' | b'O' | b'b' | b'B'));
        let digits = if matches!(base, Some(b'x' | b'X')) { u8::is_ascii_hexdigit } else { u8::is_ascii_digit };
        let mut end = skip(if has_base { start + 2 } else { start }, digits);
        if !has_base && bytes.get(end) == Some(&b'.') {
            end = skip(end + 1, digits);
        }
        if !has_base && matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
                end = skip(end + 1 + sign, digits);
            }
        }
        let is_big =
            bytes.get(end) == Some(&b'n') && !self.text.get(end + 1..).is_some_and(|rest| rest.starts_with(is_word));
        end + usize::from(is_big)
    }

    /// One past the end of a string; one that is not closed ends with its line.
    fn string_end(&self, start: usize) -> usize {
        let bytes = self.text.as_bytes();
        let mark = bytes[start];
        let mut position = start + 1;
        while let Some(byte) = bytes.get(position) {
            match byte {
                b'\\' => position += 1 + usize::from(bytes.get(position + 1..position + 3) == Some(b"\r\n")),
                b'\n' | b'\r' => return position,
                byte if *byte == mark => return position + 1,
                _ => {}
            }
            position += 1;
        }
        bytes.len()
    }

    /// Moves from after a template's opening mark to after its closing mark, and reports its own fields to
    /// `on_field`. An unclosed template ends with the text. Not recursive: templates may be nested to any
    /// depth.
    fn skip_template(&mut self, mut on_field: impl FnMut(Range<usize>)) {
        // For each template that is open, its field's start and how many braces are open in that; `None`: in its text.
        let mut open: Vec<Option<(usize, usize)>> = vec![None];
        while let Some(field) = open.last_mut() {
            let Some((start, braces)) = field else {
                if matches!(self.template_part(), Step::FieldBegins) {
                    *field = Some((self.position, 0));
                } else {
                    open.pop();
                }
                continue;
            };
            let start = *start;
            let mut end = None;
            match self.step_into(false) {
                Some(Step::TemplateBegins) => open.push(None),
                Some(Step::Token(token)) => match token.text(self.text) {
                    "{" => *braces += 1,
                    "}" if *braces == 0 => end = Some(token.start),
                    "}" => *braces -= 1,
                    _ => {}
                },
                Some(Step::FieldBegins | Step::TemplateEnds) => {}
                None => end = Some(self.position),
            }
            if let Some(end) = end {
                open.pop();
                open.push(None);
                if open.len() == 1 {
                    on_field(start..end);
                }
            }
        }
    }

    /// Moves into the next field of a template and returns the field's first byte; `None` after the template's end.
    fn field_start(&mut self) -> Option<usize> {
        while let Some(byte) = self.byte(self.position) {
            match byte {
                b'\\' => self.position += 2,
                b'`' => {
                    self.position += 1;
                    return None;
                }
                b'$' if self.byte(self.position + 1) == Some(b'{') => {
                    self.position += 2;
                    return Some(self.position);
                }
                _ => self.position += 1,
            }
        }
        self.position = self.text.len();
        None
    }

    /// Returns the end of the regular expression that begins here; `None` if none begins.
    fn regular_expression_end(&self, start: usize) -> Option<usize> {
        let after_operand = self.last.is_some_and(|last| match last.kind {
            Kind::Name | Kind::Number | Kind::String | Kind::Close => true,
            Kind::Keyword => matches!(last.text(self.text), "this" | "super" | "null" | "true" | "false" | "undefined"),
            Kind::Operator => matches!(last.text(self.text), "++" | "--"),
            Kind::Open | Kind::Comment | Kind::Newline | Kind::Unknown => false,
        });
        if after_operand {
            return None;
        }
        let bytes = self.text.as_bytes();
        let (mut position, mut in_class) = (start + 1, false);
        loop {
            match bytes.get(position)? {
                b'\n' | b'\r' => return None,
                b'\\' => position += 1,
                b'[' => in_class = true,
                b']' => in_class = false,
                b'/' if !in_class => break,
                _ => {}
            }
            position += 1;
        }
        let flags = bytes[position + 1..].iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        Some(position + 1 + flags)
    }
}

fn is_word(character: char) -> bool {
    character == '_' || character == '$' || character.is_alphanumeric()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        scan(text).iter().map(|token| token.text(text)).collect()
    }

    #[test]
    fn keywords_and_operators_are_told_by_their_first_bytes() {
        assert!(KEYWORDS.is_sorted());
        assert!(KEYWORDS.into_iter().all(is_keyword));
        assert!(LONG_OPERATORS.into_iter().all(|operator| long_operator(operator.as_bytes()) == Some(operator)));
    }

    #[test]
    fn words_strings_and_operators() {
        assert_eq!(
            texts("x.from = a?.b ?? 'it\\'s'; // c\n"),
            ["x", ".", "from", "=", "a", "?.", "b", "??", "'it\\'s'", ";", "// c", "\n"]
        );
        assert_eq!(texts("#!/bin/x\n/* a\n */#p"), ["#!/bin/x", "\n", "/* a\n */", "#p"]);
        assert_eq!(texts("0xff + 1_000n + 1e-3 + .5"), ["0xff", "+", "1_000n", "+", "1e-3", "+", ".5"]);
        assert_eq!(texts("12gh ,, 1.toFixed 2e 0b1"), ["12", "gh", ",", ",", "1.", "toFixed", "2", "e", "0b1"]);
    }

    #[test]
    fn regular_expressions_are_told_from_divisions() {
        assert_eq!(texts("a / b / c"), ["a", "/", "b", "/", "c"]);
        assert_eq!(texts("x = /[/'\"]\\//gi.test(y)"), ["x", "=", "/[/'\"]\\//gi", ".", "test", "(", "y", ")"]);
        assert_eq!(texts("return /a/"), ["return", "/a/"]);
    }

    #[test]
    fn templates_are_one_token_and_have_fields() {
        let text = "`a${b({c: `}${d}`})}e` + f";
        assert_eq!(texts(text), ["`a${b({c: `}${d}`})}e`", "+", "f"]);
        assert_eq!(fields("`a${b({c: `}${d}`})}e${f}`"), ["b({c: `}${d}`})", "f"]);
        assert!(is_closed("`a`") && !is_closed("`a") && is_closed("/a/g") && !is_closed("'a\\'"));
    }

    #[test]
    fn an_open_string_ends_with_its_line() {
        assert_eq!(texts("x = 'abc\ny"), ["x", "=", "'abc", "\n", "y"]);
    }

    proptest! {
        #[test]
        fn tokens_cover_everything_but_white_space(text in "[ -~\\n\u{e9}\u{2028}`$/{}]{0,60}") {
            let tokens = scan(&text);
            let mut position = 0;
            for token in &tokens {
                let gap = &text[position..token.start];
                prop_assert!(gap.trim().is_empty(), "{gap:?} is in no token");
                prop_assert!(token.end > token.start);
                position = token.end;
            }
            prop_assert!(text[position..].trim().is_empty());
            prop_assert!(fields(&text).iter().all(|field| text.contains(field)));
        }
    }
}
