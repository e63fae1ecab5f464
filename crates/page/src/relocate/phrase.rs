//! A text with everything that comparing it needs, worked out once.

use std::cell::OnceCell;

use super::dates::{self, Day};
use super::number::float;
use super::shape::Shape;
use super::words::{Word, Words, loose, text_words, word};
use crate::value::minutes;

/// Texts longer than this many bytes are compared by their beginning.
const LONGEST: usize = 6000;

/// Kind of a value, which decides how two texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sense {
    Text,
    Date,
    Minutes,
    Number,
    Address,
}

/// A text to compare.
#[derive(Debug, Clone)]
pub(crate) struct Phrase {
    pub(crate) text: String,
    pub(crate) loose: String,
    /// The number of `loose`.
    pub(crate) key: Word,
    pub(crate) characters: usize,
    words: OnceCell<Words>,
    days: OnceCell<Vec<Day>>,
    minutes: OnceCell<Option<u32>>,
    number: OnceCell<Option<String>>,
    file: OnceCell<(String, String)>,
    shape: OnceCell<Box<Shape>>,
}

impl Phrase {
    pub(crate) fn new(text: &str) -> Self {
        let text = crate::document::first_bytes(text, LONGEST);
        let loose = loose(text);
        Self {
            text: text.to_owned(),
            key: word(&loose),
            loose,
            characters: text.chars().count(),
            words: OnceCell::new(),
            days: OnceCell::new(),
            minutes: OnceCell::new(),
            number: OnceCell::new(),
            file: OnceCell::new(),
            shape: OnceCell::new(),
        }
    }

    pub(crate) fn words(&self) -> &Words {
        self.words.get_or_init(|| text_words(&self.text))
    }

    /// The days that it may name.
    pub(crate) fn days(&self) -> &[Day] {
        self.days.get_or_init(|| dates::days_in(&self.text))
    }

    /// Returns the shape of the text.
    pub(crate) fn shape(&self) -> &Shape {
        self.shape.get_or_init(|| Box::new(Shape::of(&self.text, self.characters, !self.days().is_empty())))
    }

    fn minutes(&self) -> Option<u32> {
        *self.minutes.get_or_init(|| {
            let short = crate::document::first_bytes(&self.text, 80);
            minutes::parse(short).ok().or_else(|| first_number(short).filter(|_| short.len() < 12)?.parse().ok())
        })
    }

    fn number(&self) -> Option<&str> {
        self.number.get_or_init(|| first_number(&self.text).map(str::to_owned)).as_deref()
    }

    /// The file that an address ends with, and the same without what image servers add for a size.
    fn file(&self) -> &(String, String) {
        self.file.get_or_init(|| {
            let path = self.text.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
            let file = path.rsplit('/').next().unwrap_or_default().to_owned();
            let plain = without_size(&file);
            (file, plain)
        })
    }

    /// Returns how well this text, as found on a page, shows a value that is stated elsewhere: from 0 to 1,
    /// where 1 means the same words.
    pub(crate) fn shows(&self, stated: &Self, sense: Sense) -> f32 {
        if self.loose.is_empty() || stated.loose.is_empty() {
            return 0.0;
        }
        if self.key == stated.key {
            return 1.0;
        }
        match sense {
            Sense::Date => 0.95 * dates::agreement(self.days(), stated.days()),
            Sense::Minutes => match (self.minutes(), stated.minutes()) {
                (Some(left), Some(right)) if left == right => 0.95,
                _ => 0.0,
            },
            Sense::Number => match (self.number(), stated.number()) {
                (Some(left), Some(right)) if left == right => {
                    if self.characters < 40 {
                        0.9
                    } else {
                        0.4
                    }
                }
                _ => 0.0,
            },
            Sense::Address => {
                let ((file, plain), (other, other_plain)) = (self.file(), stated.file());
                if file.len() > 3 && file == other {
                    0.95
                } else if plain.len() > 3 && plain == other_plain {
                    0.85
                } else {
                    0.0
                }
            }
            Sense::Text => 0.9 * self.likeness(stated),
        }
    }

    /// Shared words (F1), at least .85 when one text is the beginning of the other.
    fn likeness(&self, other: &Self) -> f32 {
        let (left, right) = (self.words(), other.words());
        if left.is_empty() || right.is_empty() {
            return 0.0;
        }
        let shared = 2.0 * float(left.shared(right)) / float(left.len() + right.len());
        let (short, long) = if self.loose.len() < other.loose.len() {
            (&self.loose, &other.loose)
        } else {
            (&other.loose, &self.loose)
        };
        if 2 * short.len() >= long.len() && long.starts_with(short.as_str()) { shared.max(0.85) } else { shared }
    }
}

fn first_number(text: &str) -> Option<&str> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let rest = &text[start..];
    Some(&rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())])
}

/// `photo-300x200.jpg` and `photo-scaled.jpg` are `photo.jpg`.
fn without_size(file: &str) -> String {
    let (name, ending) = file.rsplit_once('.').unwrap_or((file, ""));
    let name = name.strip_suffix("-scaled").unwrap_or(name);
    let plain = match name.rsplit_once('-') {
        Some((plain, size)) if size.contains('x') && size.chars().all(|c| c.is_ascii_digit() || c == 'x') => plain,
        _ => name,
    };
    format!("{plain}.{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(left: &str, right: &str, sense: Sense) -> f32 {
        Phrase::new(left).shows(&Phrase::new(right), sense)
    }

    #[test]
    fn each_sense_has_its_own_equality() {
        assert!(shows("Red soup!", "red soup", Sense::Text) > 0.99);
        assert!(shows("October 5, 2021", "2021-10-05T10:00:00Z", Sense::Date) > 0.9);
        assert!(shows("October 6, 2022", "2021-10-05", Sense::Date) < 0.1);
        assert!(shows("1 h 5 min", "PT65M", Sense::Minutes) > 0.9);
        assert!(shows("Serves 4", "4", Sense::Number) > 0.8);
        assert!(shows("/a/photo-300x200.jpg?x", "http://b/photo.jpg", Sense::Address) > 0.8);
        assert!(shows("The red fox jumps", "The red fox jumps over it", Sense::Text) > 0.7);
        assert!(shows("", "x", Sense::Text) < 0.1);
    }
}
