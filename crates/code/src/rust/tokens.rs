//! Tokens of Rust text, broken or not, as the compiler's own lexer reads them; operators of several characters are one token.

use ra_ap_rustc_lexer::{FrontmatterAllowed, LiteralKind, TokenKind, tokenize};

pub(crate) use crate::repair::tokens::{Kind, Token};

/// Reserved words, in every edition, and those that begin an item.
pub(crate) const KEYWORDS: [&str; 41] = [
    "as",
    "async",
    "await",
    "break",
    "const",
    "continue",
    "crate",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "fn",
    "for",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "match",
    "mod",
    "move",
    "mut",
    "pub",
    "ref",
    "return",
    "self",
    "Self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "type",
    "union",
    "unsafe",
    "use",
    "where",
    "while",
    "yield",
    "macro_rules",
];

/// Operators of several characters, the longest first.
const OPERATORS: [&str; 24] = [
    "<<=", ">>=", "...", "..=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "..", "+=", "-=", "*=", "/=",
    "%=", "^=", "&=", "|=", "<<", ">>",
];

/// Tokens of a text.
pub(crate) fn scan(text: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    let mut signs_from = 0;
    for token in tokenize(text, FrontmatterAllowed::No) {
        let (start, end) = (at, at + usize::try_from(token.len).unwrap_or(usize::MAX));
        at = end;
        let shown = text.get(start..end).unwrap_or_default();
        match kind(token.kind, shown) {
            Some(Kind::Operator) => {
                // Signs that touch may be one operator.
                let last = tokens
                    .last()
                    .filter(|last| last.kind == Kind::Operator && last.end == start && tokens.len() > signs_from);
                let joined =
                    last.and_then(|last| text.get(last.start..end)).filter(|joined| OPERATORS.contains(joined));
                match tokens.last_mut().filter(|_| joined.is_some()) {
                    Some(last) => last.end = end,
                    None => tokens.push(Token { kind: Kind::Operator, start, end }),
                }
            }
            Some(kind) => {
                tokens.push(Token { kind, start, end });
                signs_from = tokens.len();
            }
            None => {
                for (offset, _) in shown.match_indices('\n') {
                    tokens.push(Token { kind: Kind::Newline, start: start + offset, end: start + offset + 1 });
                }
                signs_from = tokens.len();
            }
        }
    }
    tokens
}

/// The kind of a token; `None` for white space.
fn kind(kind: TokenKind, text: &str) -> Option<Kind> {
    Some(match kind {
        TokenKind::Whitespace | TokenKind::Eof => return None,
        TokenKind::LineComment { .. } | TokenKind::BlockComment { .. } | TokenKind::Frontmatter { .. } => Kind::Comment,
        TokenKind::Ident if KEYWORDS.contains(&text) => Kind::Keyword,
        TokenKind::Ident
        | TokenKind::RawIdent
        | TokenKind::InvalidIdent
        | TokenKind::UnknownPrefix
        | TokenKind::UnknownPrefixLifetime
        | TokenKind::RawLifetime
        | TokenKind::Lifetime { .. } => Kind::Name,
        TokenKind::Literal { kind: LiteralKind::Int { .. } | LiteralKind::Float { .. }, .. } => Kind::Number,
        TokenKind::Literal { .. } | TokenKind::GuardedStrPrefix => Kind::String,
        TokenKind::OpenParen | TokenKind::OpenBrace | TokenKind::OpenBracket => Kind::Open,
        TokenKind::CloseParen | TokenKind::CloseBrace | TokenKind::CloseBracket => Kind::Close,
        TokenKind::Unknown => Kind::Unknown,
        TokenKind::Semi
        | TokenKind::Comma
        | TokenKind::Dot
        | TokenKind::At
        | TokenKind::Pound
        | TokenKind::Tilde
        | TokenKind::Question
        | TokenKind::Colon
        | TokenKind::Dollar
        | TokenKind::Eq
        | TokenKind::Bang
        | TokenKind::Lt
        | TokenKind::Gt
        | TokenKind::Minus
        | TokenKind::And
        | TokenKind::Or
        | TokenKind::Plus
        | TokenKind::Star
        | TokenKind::Slash
        | TokenKind::Caret
        | TokenKind::Percent => Kind::Operator,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operators_are_whole_and_texts_are_one() {
        let text = "let x: &'a str = r#\"a \" b\"#; // c\nif a..=b && c>>=1 { y(1.5, 'c') }";
        let shown: Vec<&str> = scan(text).iter().map(|token| token.text(text)).collect();
        assert_eq!(
            shown,
            [
                "let",
                "x",
                ":",
                "&",
                "'a",
                "str",
                "=",
                "r#\"a \" b\"#",
                ";",
                "// c",
                "\n",
                "if",
                "a",
                "..=",
                "b",
                "&&",
                "c",
                ">>=",
                "1",
                "{",
                "y",
                "(",
                "1.5",
                ",",
                "'c'",
                ")",
                "}"
            ]
        );
    }
}
