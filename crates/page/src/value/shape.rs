//! The shape of a value: what it looks like, without what it says. Two prices have one shape, a price and a headline have not;
//! so a selector that suddenly gives something else shows, although it still gives something.

use serde::{Deserialize, Serialize};

use super::{Value, ValueType};

/// Maximum number of symbols in a pattern. The beginning of a long text is enough to recognize it.
const PATTERN_LENGTH: usize = 24;

/// Shape of a value: its type, its pattern and its length.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Shape {
    /// The type of the value.
    pub kind: ValueType,
    /// Runs of capitals as `A`, of other letters as `a`, of digits as `9`, of white space as one space; everything else as it
    /// is: `Aa 9, 9`. The first few symbols only.
    pub pattern: String,
    /// Length class of the text.
    pub length: LengthClass,
}

/// The length of a text, in classes that ordinary variation does not leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthClass {
    /// Nothing but white space.
    Empty,
    /// Up to 15 characters: a price, a date, a name.
    Word,
    /// Up to 120 characters: a headline.
    Line,
    /// Up to 600 characters: a summary.
    Paragraph,
    /// More than 600 characters: an article.
    Long,
}

impl LengthClass {
    /// The class of a text by its characters.
    pub fn of(text: &str) -> Self {
        match text.trim().chars().take(601).count() {
            0 => Self::Empty,
            1..=15 => Self::Word,
            16..=120 => Self::Line,
            121..=600 => Self::Paragraph,
            _ => Self::Long,
        }
    }
}

impl Shape {
    /// The shape of a value. For typed values it is that of the text on the page, not of the canonical spelling: a price that
    /// loses its cents is worth noticing.
    pub fn of(value: &Value, text: &str) -> Self {
        Self { kind: value.value_type(), pattern: pattern_of(text), length: LengthClass::of(text) }
    }

    /// The shape of text as such.
    pub fn of_text(text: &str) -> Self {
        Self { kind: ValueType::Text, pattern: pattern_of(text), length: LengthClass::of(text) }
    }

    /// Returns the similarity of two shapes, from 0 (nothing in common) to 1 (equal). Patterns of lines and
    /// longer texts mean little and have a low weight.
    pub fn similarity(&self, other: &Self) -> f64 {
        let kind = f64::from(u8::from(self.kind == other.kind));
        let length = 1.0 - f64::from(self.length.rank().abs_diff(other.length.rank())) / 4.0;
        let pattern = strsim::normalized_levenshtein(&self.pattern, &other.pattern);
        let is_short = self.length <= LengthClass::Word || other.length <= LengthClass::Word;
        if is_short { 0.3 * kind + 0.2 * length + 0.5 * pattern } else { 0.3 * kind + 0.5 * length + 0.2 * pattern }
    }
}

impl LengthClass {
    fn rank(self) -> u8 {
        match self {
            Self::Empty => 0,
            Self::Word => 1,
            Self::Line => 2,
            Self::Paragraph => 3,
            Self::Long => 4,
        }
    }
}

/// The pattern of a text: see [`Shape::pattern`].
fn pattern_of(text: &str) -> String {
    let mut pattern = String::new();
    let mut length = 0;
    let mut last = None;
    for character in text.trim().chars() {
        let symbol = if character.is_uppercase() {
            'A'
        } else if character.is_alphabetic() {
            'a'
        } else if character.is_numeric() {
            '9'
        } else if character.is_whitespace() {
            ' '
        } else {
            character
        };
        if last == Some(symbol) {
            continue;
        }
        if length == PATTERN_LENGTH {
            break;
        }
        pattern.push(symbol);
        length += 1;
        last = Some(symbol);
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_one_kind_have_one_shape() {
        let shape = Shape::of_text;
        assert_eq!(shape("12,50 €"), shape("9,99 €"));
        assert_eq!(shape("15 October 2024").pattern, "9 Aa 9");
        assert_ne!(shape("12,50 €"), shape("Add to basket"));
        assert_eq!(shape("  "), Shape { kind: ValueType::Text, pattern: String::new(), length: LengthClass::Empty });
        assert_eq!(shape(&"word. ".repeat(1000)).length, LengthClass::Long);
        assert!(shape(&"a1".repeat(1000)).pattern.len() <= PATTERN_LENGTH);
    }

    #[test]
    fn likeness_orders_shapes() {
        let price = Shape::of_text("12,50 €");
        let other_price = Shape::of_text("1.299,00 €");
        let headline = Shape::of_text("A headline of a story that somebody wrote");
        assert!((price.similarity(&price) - 1.0).abs() < 1e-9);
        assert!(price.similarity(&other_price) > 0.7);
        assert!(price.similarity(&headline) < 0.6);
        assert!((price.similarity(&headline) - headline.similarity(&price)).abs() < 1e-9);
    }
}
