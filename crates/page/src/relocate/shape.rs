//! Shape of a text, regardless of its meaning.

use regex::Regex;

use super::number::{flag, float, ratio};
use super::words::{Word, word};

/// Shape of a text.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    pub(crate) length: f32,
    pub(crate) words: f32,
    /// Shares of its characters.
    pub(crate) digits: f32,
    pub(crate) capitals: f32,
    pub(crate) punctuation: f32,
    /// The share of its words that begin with a capital letter.
    pub(crate) capitalised: f32,
    pub(crate) ends_sentence: f32,
    pub(crate) has_day: f32,
    pub(crate) has_digit: f32,
    /// It begins with a word such as "by".
    pub(crate) begins_by: f32,
    pub(crate) has_colon: f32,
    /// Two or three capitalised words: a name.
    pub(crate) is_name: f32,
    /// Number of sentences that end inside it.
    pub(crate) sentences: f32,
    /// Its first word ends like a label.
    pub(crate) first_is_label: f32,
    /// Class of its first character.
    pub(crate) first_class: u8,
    /// It names a time of day.
    pub(crate) has_time: f32,
    pub(crate) first_word: Word,
    pub(crate) last_word: Word,
    /// The beginning with letters and digits made equal.
    pub(crate) pattern: Word,
}

/// Words before an author's name.
const BY: &[&str] = &["by", "von", "par", "por", "di", "door", "av", "af", "od", "от"];

impl Shape {
    /// Returns the shape of a text of `length` characters.
    pub(crate) fn of(text: &str, length: usize, has_day: bool) -> Self {
        let (mut digits, mut capitals, mut punctuation) = (0, 0, 0);
        for character in text.chars() {
            digits += usize::from(character.is_numeric());
            capitals += usize::from(character.is_uppercase());
            punctuation += usize::from(!character.is_alphanumeric() && !character.is_whitespace());
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        let capitalised = ratio(words.iter().filter(|word| word.starts_with(char::is_uppercase)).count(), words.len());
        let first = words.first().copied().unwrap_or_default();
        let last = words.last().copied().unwrap_or_default();
        let mut characters = text.chars().peekable();
        let mut sentences = 0;
        while let Some(character) = characters.next() {
            let ends = matches!(character, '.' | '!' | '?' | '。');
            sentences += usize::from(ends && characters.peek() == Some(&' '));
        }
        let all_capitalised = words.iter().all(|word| word.starts_with(char::is_uppercase));
        Self {
            length: float(length),
            words: float(words.len()),
            digits: ratio(digits, length),
            capitals: ratio(capitals, length),
            punctuation: ratio(punctuation, length),
            capitalised,
            ends_sentence: flag(text.ends_with(['.', '!', '?', '。', '…', '"', '”'])),
            has_day: flag(has_day),
            has_digit: flag(digits > 0),
            begins_by: flag(BY.contains(&first.to_lowercase().as_str())),
            has_colon: flag(text.contains(':')),
            is_name: flag(matches!(words.len(), 2 | 3) && all_capitalised && digits == 0),
            sentences: float(sentences),
            first_is_label: flag(first.ends_with(['.', ':', ',', '–', '-', '—', '|'])),
            first_class: text.chars().next().map_or(0, class),
            has_time: flag(has_time(text)),
            first_word: word(first),
            last_word: word(last),
            pattern: word(&pattern(text)),
        }
    }
}

/// The kind of a character.
fn class(character: char) -> u8 {
    if character.is_numeric() {
        1
    } else if character.is_uppercase() {
        2
    } else if character.is_alphabetic() {
        3
    } else {
        4
    }
}

/// Returns whether two digits, a separator (`:`, `.` or `h`) and two digits occur near the start.
fn has_time(text: &str) -> bool {
    let bytes = &text.as_bytes()[..text.len().min(120)];
    let is_time = |part: &[u8]| {
        matches!(part[2], b':' | b'.' | b'h') && [part[1], part[3], part[4]].iter().all(u8::is_ascii_digit)
    };
    bytes.windows(5).any(is_time)
}

/// `12 May 2020` becomes `9 a 9`; several words of letters become two.
fn pattern(text: &str) -> String {
    let mut pattern = String::new();
    let mut before = ' ';
    for character in text.chars().take(80) {
        let class = if character.is_ascii_digit() {
            '9'
        } else if character.is_alphabetic() {
            'a'
        } else {
            character
        };
        if !(class == before && matches!(class, '9' | 'a')) {
            pattern.push(class);
        }
        before = class;
    }
    while pattern.contains("a a a") {
        pattern = pattern.replace("a a a", "a a");
    }
    pattern
}

static CHANGED: std::sync::LazyLock<Option<Regex>> = std::sync::LazyLock::new(|| {
    Regex::new("(?i)updat|modif|aktualis|actuali|mis à jour|aggiorn|güncel|bijgewerkt|last |更新|uppdater|opdater").ok()
});

/// Returns whether a text mentions a change: "updated", "aktualisiert", in several languages.
pub(crate) fn speaks_of_change(text: &str) -> bool {
    CHANGED.as_ref().is_some_and(|pattern| pattern.is_match(crate::document::first_bytes(text, 200)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_forget_what_changes() {
        assert_eq!(pattern("12 May 2020"), pattern("3 October 1999"));
        assert_eq!(pattern("one two three four"), pattern("five six"));
        assert_ne!(pattern("12:30"), pattern("12.30"));
        assert!(speaks_of_change("Last updated: May"));
    }
}
