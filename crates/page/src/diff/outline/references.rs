//! Character references: `&amp;`, `&#160;`, `&eacute`.

use std::borrow::Cow;

use html5ever::data::{C1_REPLACEMENTS, NAMED_ENTITIES};
use memchr::memchr;

/// The text with its references as characters (HTML, "character reference state").
pub(super) fn decode(text: &str, is_attribute: bool) -> Cow<'_, str> {
    let Some(first) = memchr(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let mut decoded = String::with_capacity(text.len());
    decoded.push_str(&text[..first]);
    let mut rest = &text[first..];
    while let Some(after) = rest.strip_prefix('&') {
        let reference = match after.strip_prefix('#') {
            Some(number) => numeric(number),
            None => named(after, is_attribute),
        };
        if let Some(reference) = reference {
            decoded.extend(reference.characters.into_iter().flatten());
            rest = reference.rest;
        } else {
            decoded.push('&');
            rest = after;
        }
        let next = memchr(b'&', rest.as_bytes()).unwrap_or(rest.len());
        decoded.push_str(&rest[..next]);
        rest = &rest[next..];
    }
    Cow::Owned(decoded)
}

/// Characters that a reference denotes, and the text after it.
struct Reference<'a> {
    characters: [Option<char>; 2],
    rest: &'a str,
}

fn numeric(text: &str) -> Option<Reference<'_>> {
    let (radix, digits) = text.strip_prefix(['x', 'X']).map_or((10, text), |digits| (16, digits));
    let length = digits.find(|character: char| !character.is_digit(radix)).unwrap_or(digits.len());
    if length == 0 {
        return None;
    }
    // A number that is too long is no character either.
    let number = u32::from_str_radix(&digits[..length], radix).unwrap_or(u32::MAX);
    let rest = &digits[length..];
    let character = match number {
        0 => None,
        0x80..=0x9f => usize::try_from(number - 0x80)
            .ok()
            .and_then(|place| C1_REPLACEMENTS.get(place).copied().flatten())
            .or(char::from_u32(number)),
        number => char::from_u32(number),
    };
    let characters = [Some(character.unwrap_or(char::REPLACEMENT_CHARACTER)), None];
    Some(Reference { characters, rest: rest.strip_prefix(';').unwrap_or(rest) })
}

/// The longest name that is one. The table has the beginnings of names as well, with no character.
fn named(text: &str, is_attribute: bool) -> Option<Reference<'_>> {
    let mut found = None;
    for (place, byte) in text.bytes().enumerate() {
        if !byte.is_ascii_alphanumeric() && byte != b';' {
            break;
        }
        match NAMED_ENTITIES.get(&text[..=place]) {
            Some((0, _)) => {}
            Some(characters) => found = Some((place + 1, characters)),
            None => break,
        }
    }
    let (length, (first, second)) = found?;
    let rest = &text[length..];
    let ends = text[..length].ends_with(';');
    // `?a=1&copy=2` in an attribute is a query.
    if is_attribute && !ends && rest.starts_with(|next: char| next == '=' || next.is_ascii_alphanumeric()) {
        return None;
    }
    let second = (*second != 0).then(|| char::from_u32(*second)).flatten();
    Some(Reference { characters: [char::from_u32(*first), second], rest })
}
