//! Lexer: splits XPath expressions into tokens.

/// A token and where it begins, in characters from 1.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) position: usize,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    /// A name, perhaps with a prefix: `div`, `re:test`, `following-sibling`.
    Name(String),
    Literal(String),
    Number(f64),
    /// Everything else: `//`, `[`, `::`, `!=` and the like.
    Sign(&'static str),
}

/// Longest first: `//` is not two times `/`.
const SIGNS: &[&str] =
    &["//", "::", "!=", "<=", ">=", "..", "/", "[", "]", "(", ")", "@", ",", "|", "=", "<", ">", ".", "*", "$", "+"];

/// The tokens, or where and why there are none.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, (usize, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    let mut position = 1;
    loop {
        let trimmed = rest.trim_start();
        position += rest.chars().count() - trimmed.chars().count();
        rest = trimmed;
        let Some(first) = rest.chars().next() else { return Ok(found) };
        let (kind, length) = if first == '"' || first == '\'' {
            let end = rest[1..].find(first).ok_or_else(|| (position, format!("a closing {first} is missing")))?;
            (Kind::Literal(rest[1..=end].to_owned()), end + 2)
        } else if first.is_ascii_digit() {
            let length = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let number = rest[..length].parse().map_err(|_| (position, "a number is malformed".to_owned()))?;
            (Kind::Number(number), length)
        } else if first.is_alphabetic() || first == '_' {
            let length = name_length(rest);
            (Kind::Name(rest[..length].to_owned()), length)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| (position, format!("`{first}` has no meaning here")))?;
            (Kind::Sign(sign), sign.len())
        };
        found.push(Token { kind, position });
        position += rest[..length].chars().count();
        rest = &rest[length..];
    }
}

/// Returns the length of the name at the start, in bytes. A single colon joins a prefix; two colons belong to
/// an axis.
fn name_length(rest: &str) -> usize {
    let mut length = 0;
    let mut characters = rest.char_indices().peekable();
    while let Some((place, character)) = characters.next() {
        let follows = characters.peek().map(|(_, next)| *next);
        let continues = character.is_alphanumeric()
            || matches!(character, '_' | '-')
            || (character == '.' && follows.is_some_and(char::is_alphanumeric))
            || (character == ':' && follows.is_some_and(char::is_alphabetic) && !rest[..place].ends_with(':'));
        if !continues {
            break;
        }
        length = place + character.len_utf8();
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_and_prefixes_differ() {
        let kinds: Vec<_> =
            tokens("following-sibling::dd[re:test(., 'a')]").unwrap().into_iter().map(|token| token.kind).collect();
        assert_eq!(kinds[0], Kind::Name("following-sibling".to_owned()));
        assert_eq!(kinds[1], Kind::Sign("::"));
        assert_eq!(kinds[4], Kind::Name("re:test".to_owned()));
        assert_eq!(tokens("p['a").unwrap_err().0, 3);
    }
}
