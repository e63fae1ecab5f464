//! Words and names as numbers, so that comparing texts is comparing sorted lists.

use std::hash::{Hash as _, Hasher as _};

/// A word, a name part or a whole text as a number; the same in every run and on every page.
pub(crate) type Word = u64;

/// The number of a text.
pub(crate) fn word(text: &str) -> Word {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    text.hash(&mut hasher);
    hasher.finish()
}

/// The number of several numbers, in their order.
pub(crate) fn join(words: impl IntoIterator<Item = Word>) -> Word {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    for word in words {
        word.hash(&mut hasher);
    }
    hasher.finish()
}

/// FNV-1a, because the hasher of the standard library differs between versions.
struct Fnv(u64);

impl std::hash::Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// A set of words: sorted, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Words(Vec<Word>);

impl Words {
    /// The set of some words.
    pub(crate) fn new(mut words: Vec<Word>) -> Self {
        words.sort_unstable();
        words.dedup();
        Self(words)
    }

    pub(crate) const fn as_slice(&self) -> &[Word] {
        self.0.as_slice()
    }

    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of words that both have in common.
    pub(crate) fn shared(&self, other: &Self) -> usize {
        let mut count = 0;
        both(&self.0, &other.0, |_| count += 1);
        count
    }

    /// Returns whether they have a word in common.
    pub(crate) fn meets(&self, other: &Self) -> bool {
        self.shared(other) > 0
    }

    /// Shared words over all words of both; 0 when there are none.
    pub(crate) fn overlap(&self, other: &Self) -> f32 {
        let shared = self.shared(other);
        super::number::ratio(shared, self.len() + other.len() - shared)
    }

    /// Every word of either.
    pub(crate) fn union(&self, other: &Self) -> Self {
        Self::new([self.0.as_slice(), other.0.as_slice()].concat())
    }
}

impl FromIterator<Word> for Words {
    fn from_iter<I: IntoIterator<Item = Word>>(words: I) -> Self {
        Self::new(words.into_iter().collect())
    }
}

/// Calls `each` with the words that two sorted lists share.
pub(crate) fn both(left: &[Word], right: &[Word], mut each: impl FnMut(Word)) {
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
        match first.cmp(second) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                each(**first);
                left.next();
                right.next();
            }
        }
    }
}

/// The parts of a name in a program's spelling: `articleBody-main2` is article, body, main. Parts of one letter are left out.
pub(crate) fn name_parts(name: &str, mut each: impl FnMut(&str)) {
    let mut part = String::new();
    let mut before = ' ';
    for character in name.chars() {
        let begins_part = character.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit());
        if begins_part || !character.is_ascii_alphabetic() {
            if part.len() >= 2 {
                each(&part);
            }
            part.clear();
        }
        if character.is_ascii_alphabetic() {
            part.push(character.to_ascii_lowercase());
        }
        before = character;
    }
    if part.len() >= 2 {
        each(&part);
    }
}

/// The parts of a name as words.
pub(crate) fn name_words(name: &str) -> Words {
    let mut found = Vec::new();
    name_parts(name, |part| found.push(word(part)));
    Words::new(found)
}

/// The words of a text in lower case; of scripts without spaces, pairs of characters.
pub(crate) fn text_words(text: &str) -> Words {
    let mut found = Vec::new();
    let mut part = String::new();
    for piece in text.split(|character: char| !(character.is_alphanumeric() || character == '_')) {
        if piece.is_empty() {
            continue;
        }
        if piece.chars().any(is_unspaced) {
            let characters: Vec<char> = piece.chars().collect();
            if characters.len() > 2 {
                found.extend(characters.windows(2).map(|pair| word(&pair.iter().collect::<String>())));
                continue;
            }
        }
        part.clear();
        for character in piece.chars() {
            if character == '_' { part.push('_') } else { push_lower(&mut part, character) }
        }
        found.push(word(&part));
    }
    Words::new(found)
}

/// Characters of scripts that put no spaces between words.
const fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// The text without case, punctuation and spaces, but with the point or comma inside a number; of a text that has nothing else,
/// without spaces.
pub(crate) fn loose(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = characters.next() {
        let is_inside_number = matches!(character, '.' | ',')
            && before.is_ascii_digit()
            && characters.peek().is_some_and(char::is_ascii_digit);
        if is_inside_number {
            letters.push(character);
        } else {
            push_lower(&mut letters, character);
        }
        before = character;
    }
    if letters.is_empty() { text.chars().filter(|c| !c.is_whitespace()).collect() } else { letters }
}

/// Appends a letter or digit in lower case; nothing else.
fn push_lower(text: &mut String, character: char) {
    if character.is_ascii() {
        if character.is_ascii_alphanumeric() {
            text.push(character.to_ascii_lowercase());
        }
    } else if character.is_alphanumeric() {
        text.extend(character.to_lowercase());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fall_into_parts() {
        let mut parts = Vec::new();
        name_parts("articleBody-main2 x_HTML5Page", |part| parts.push(part.to_owned()));
        assert_eq!(parts, ["article", "body", "main", "html", "page"]);
    }

    #[test]
    fn sets_meet() {
        let (left, right) = (text_words("The red fox"), text_words("red, RED foxes"));
        assert_eq!(left.shared(&right), 1);
        assert!((left.overlap(&right) - 0.25).abs() < 1e-6);
        assert_eq!(loose("A-b, C!"), "abc");
        assert_eq!(loose("★ ★"), "★★");
        assert_ne!(loose("1.0"), loose("10"));
        assert_eq!(text_words("東京都庁").len(), 3);
    }
}
