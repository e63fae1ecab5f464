//! A text with everything that comparing it needs, worked out once.

use std::cell::OnceCell;

use super::dates::{self, Day};
use super::number::float;
use super::shape::Shape;
use super::words::{Word, Words, loose, text_words, word};
use crate::value::minutes;
use crate::value::money::Currency;

/// Texts longer than this many bytes are compared by their beginning.
const LONGEST: usize = 6000;

/// Longer texts say more than an amount or a day.
const LONGEST_PLAIN: usize = 40;

/// Kind of a value, which decides how two texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Sense {
    Text,
    Date,
    Minutes,
    Number,
    Address,
}

/// A value that can be written in several manners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Plain {
    Day(Day),
    /// In hundredths.
    Amount(u64),
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

    /// Returns whether two texts are one value in two manners of writing: the same words, the same day, or the same amount.
    pub(crate) fn means(&self, other: &Self) -> bool {
        let same = |plain: fn(&Self) -> Option<Plain>| plain(self).is_some_and(|one| plain(other) == Some(one));
        self.key == other.key || same(Self::only_day) || same(Self::only_amount)
    }

    /// Returns whether the text is a whole day or an amount of at least three digits, and nothing else: a value that is hardly on a page
    /// by accident.
    pub(crate) fn is_day_or_amount(&self) -> bool {
        self.only_day().is_some()
            || self.only_amount().is_some_and(|_| self.text.chars().filter(char::is_ascii_digit).count() >= 3)
    }

    fn only_day(&self) -> Option<Plain> {
        let [day] = self.days() else { return None };
        let is_date = day.is_whole() && self.characters <= LONGEST_PLAIN && dates::is_nothing_else(&self.text);
        is_date.then_some(Plain::Day(*day))
    }

    fn only_amount(&self) -> Option<Plain> {
        if self.characters > LONGEST_PLAIN { None } else { amount(&self.text).map(Plain::Amount) }
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

/// The hundredths of a text that is one number, with or without a currency. A separator before the last one or two digits is the decimal
/// mark.
fn amount(text: &str) -> Option<u64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let end = text.rfind(|c: char| c.is_ascii_digit())? + 1;
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '\'' | ' ' | '\u{a0}' | '\u{202f}');
    let number = Some(&text[start..end]).filter(|number| number.chars().all(is_part))?;
    let mut around = [&text[..start], &text[end..]].into_iter().map(str::trim).filter(|part| !part.is_empty());
    if !around.all(|part| Currency::parse(part).is_some()) {
        return None;
    }
    let decimals = number.rsplit_once(['.', ',']).map_or(0, |(_, decimals)| decimals.len());
    let scale = match decimals {
        1 => 10,
        2 => 1,
        _ => 100,
    };
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<u64>().ok()?.checked_mul(scale)
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

    #[test]
    fn one_value_in_two_manners_of_writing_means_the_same() {
        let means = |left: &str, right: &str| Phrase::new(left).means(&Phrase::new(right));
        for (left, right) in [
            ("9 September 2022", "Sep. 9, 2022"),
            ("2021-02-18", "February 18, 2021"),
            ("\u{20ac}153.50", "153,50 EUR"),
            ("1.299,00 \u{20ac}", "$1,299"),
            ("12.5", "12,50"),
            ("Red soup!", "red soup"),
        ] {
            assert!(means(left, right) && means(right, left), "{left} {right}");
        }
        for (left, right) in [
            ("9 September 2022", "9 September"),
            ("05/04/2022", "2022-04-05"),
            ("September 2022", "Sep 2022"),
            ("12.99", "1,299"),
            ("153.50", "153.60"),
            ("4.5 of 5", "4.5"),
            ("12", "12 reviews"),
            ("16.04.2022", "Date: 16.04.2022"),
            ("12.99", "RRP 12.99"),
            ("Updated on the ninth, that is on 9 September 2022, in print", "2022-09-09"),
        ] {
            assert!(!means(left, right) && !means(right, left), "{left} {right}");
        }
    }
}
