//! Text as a browser displays it.

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfc_quick};

/// Appends `piece` with runs of white space as one space and without characters that have no width; gives how many
/// characters that are no space it added.
pub(crate) fn append(text: &mut String, piece: &str) -> usize {
    if is_nfc(piece) { append_characters(text, piece.chars()) } else { append_characters(text, piece.nfc()) }
}

fn append_characters(text: &mut String, characters: impl Iterator<Item = char>) -> usize {
    let mut added = 0;
    for character in characters {
        if character.is_whitespace() {
            append_space(text);
        } else if !has_no_width(character) {
            text.push(character);
            added += 1;
        }
    }
    added
}

/// Appends a space unless there is one, or nothing yet.
pub(crate) fn append_space(text: &mut String) {
    if !text.is_empty() && !text.ends_with(' ') {
        text.push(' ');
    }
}

fn is_nfc(text: &str) -> bool {
    text.is_ascii() || is_nfc_quick(text.chars()) == IsNormalized::Yes
}

const fn has_no_width(character: char) -> bool {
    matches!(character, '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// The text in composed form (NFC) with runs of white space as one space, trimmed, and without characters that have no width.
pub fn normalise(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    append(&mut result, text);
    if result.ends_with(' ') {
        result.pop();
    }
    result
}

/// The last `count` characters.
pub(super) fn last_characters(text: &str, count: usize) -> &str {
    match text.char_indices().rev().nth(count.saturating_sub(1)) {
        Some((start, _)) => &text[start..],
        None => text,
    }
}

/// The first `count` characters.
pub(crate) fn first_characters(text: &str, count: usize) -> &str {
    // A character is a byte or more.
    if text.len() <= count {
        return text;
    }
    match text.char_indices().nth(count) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

/// The text up to `length` bytes, cut at a character.
pub(crate) fn first_bytes(text: &str, length: usize) -> &str {
    &text[..text.floor_char_boundary(length)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_collapse_and_what_has_no_width_goes() {
        assert_eq!(normalise(" a\u{a0}\n b\u{200b}c\u{ad} "), "a bc");
        assert_eq!(normalise("e\u{301}"), "é");
        assert_eq!(normalise(" \n"), "");
    }

    #[test]
    fn ends_are_cut_at_characters() {
        assert_eq!(last_characters("äöü", 2), "öü");
        assert_eq!(last_characters("äöü", 9), "äöü");
        assert_eq!(first_characters("äöü", 1), "ä");
    }
}
