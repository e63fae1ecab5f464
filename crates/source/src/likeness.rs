//! Likeness of a value to the earlier values of its field.

use std::collections::BTreeSet;

use autoheal_page::obstacle::Notice;
use autoheal_page::relocate::{is_known, same_kind};
use autoheal_page::value::date::{self, DateOrder};
use autoheal_page::value::money;
use autoheal_page::value::number::DecimalMark;
use autoheal_page::value::{Shape, ValueError};

/// Values less alike than this to every earlier one are something else: a word where there was a paragraph.
const LEAST_ALIKE: f64 = 0.46;

/// Factor for the lowest similarity among earlier values: a value less similar than that is something else.
const MARGIN: f64 = 0.75;

/// Longer texts are text, regardless of their content.
const LONGEST_KIND: usize = 60;

/// Properties that earlier values have in common.
pub(crate) struct Likeness {
    shapes: Vec<Shape>,
    /// Kind of all of them; `None`: their kinds differ, or the kind is text.
    kind: Option<Kind>,
    /// Subjects of those that are notices, such as "sold out".
    notices: BTreeSet<Notice>,
    /// Similarity of the two least similar ones; `None` for fewer than two.
    least: Option<f64>,
    is_price: bool,
}

/// Kind of a text, by its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Money,
    Date,
    Number,
    Address,
    /// Digits and capital letters in one word, such as an article number.
    Code,
    Text,
}

impl Kind {
    fn of(text: &str) -> Self {
        let is = |parsed: Result<(), ValueError>| matches!(parsed, Ok(()) | Err(ValueError::Ambiguous { .. }));
        let has_digit = text.chars().any(char::is_numeric);
        let is_bare =
            has_digit && text.chars().all(|char| char.is_numeric() || ".,' +-/%:()\u{a0}\u{202f}".contains(char));
        let is_line = text.len() <= LONGEST_KIND && has_digit;
        if text.starts_with("http://") || text.starts_with("https://") {
            Self::Address
        } else if is_line && is(money::parse(text, DecimalMark::default(), None).map(drop)) {
            Self::Money
        } else if is_line && is(date::parse(text, DateOrder::default()).map(drop)) {
            Self::Date
        } else if is_bare {
            Self::Number
        } else if is_line && !text.contains(|char: char| char.is_whitespace() || char.is_lowercase()) {
            Self::Code
        } else {
            Self::Text
        }
    }

    /// The kind of a text; in the place of a price a number is money too, for some layouts leave the currency out.
    fn of_price(text: &str, is_price: bool) -> Self {
        match Self::of(text) {
            Self::Number if is_price => Self::Money,
            other => other,
        }
    }
}

impl Likeness {
    /// Of a field's values on earlier pages.
    pub(crate) fn of(name: &str, texts: &[&String]) -> Self {
        let is_price = same_kind(name, "price");
        let kinds: Vec<Kind> = texts.iter().map(|text| Kind::of_price(text, is_price)).collect();
        let kind =
            kinds.first().copied().filter(|first| *first != Kind::Text && kinds.iter().all(|kind| kind == first));
        let mut shapes: Vec<Shape> = texts.iter().map(|text| Shape::of_text(text)).collect();
        shapes.sort_unstable();
        shapes.dedup();
        let pairs = shapes
            .iter()
            .enumerate()
            .flat_map(|(index, one)| shapes[index + 1..].iter().map(move |other| (one, other)));
        let least = pairs.map(|(one, other)| one.similarity(other)).reduce(f64::min);
        let mut notices: BTreeSet<Notice> = texts.iter().filter_map(|text| Notice::of(text)).collect();
        // "Sold out" is the value of such a field, and may be that of one whose name says nothing.
        if !is_known(name) || same_kind(name, "availability") {
            notices.insert(Notice::Availability);
        }
        Self { shapes, kind, notices, least, is_price }
    }

    /// Returns whether a value is unlike all earlier ones.
    pub(crate) fn is_strange(&self, text: &str) -> bool {
        if Notice::of(text).is_some_and(|notice| !self.notices.contains(&notice)) {
            return true;
        }
        if let Some(kind) = self.kind {
            return Kind::of_price(text, self.is_price) != kind;
        }
        let shape = Shape::of_text(text);
        let alike = self.shapes.iter().map(|other| shape.similarity(other)).fold(0.0, f64::max);
        // Text is free to vary: only what is far less alike than any two earlier values are among themselves is strange.
        alike < self.least.map_or(LEAST_ALIKE, |least| (least * MARGIN).max(LEAST_ALIKE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_kind_stay_of_that_kind() {
        for (before, other) in [
            ("12,50 €", "3 reviews"),
            ("2026-11-01", "Share"),
            ("4.5", "rate it"),
            ("SKU-12450", "Currently unavailable"),
            ("https://a/b.png", "No image"),
        ] {
            assert_ne!(Kind::of(before), Kind::of(other), "{before} {other}");
        }
        for (one, other) in [
            ("12,50 €", "€1.299"),
            ("1 May 2026", "2026-11-01"),
            ("4.5", "10/10"),
            ("SKU-12450", "B0C1"),
            ("user123", "Ada Moreau"),
        ] {
            assert_eq!(Kind::of(one), Kind::of(other), "{one} {other}");
        }
    }

    #[test]
    fn a_price_may_gain_a_currency_and_another_number_may_not() {
        let is_strange = |name: &str| Likeness::of(name, &[&"140,63".to_owned()]).is_strange("140.63 EUR");
        assert!(!is_strange("sale_price") && is_strange("rating"));
    }

    #[test]
    fn a_notice_is_strange_unless_earlier_values_were_such() {
        let is_strange = |earlier: &str, text: &str| Likeness::of("author", &[&earlier.to_owned()]).is_strange(text);
        assert!(is_strange("Ada Moreau", "Advertisement") && is_strange("Hollow Bicycle 2050", "Are you a robot?"));
        assert!(!is_strange("In stock", "Sold out") && !is_strange("Ada Moreau", "Marta Feldmann"));
        for name in ["availability", "in_stock", "badge"] {
            assert!(!Likeness::of(name, &[&"Only 3 left".to_owned()]).is_strange("Sold out"), "{name}");
        }
    }
}
