//! Correctness of an answer: the rule at the end of the corpus' own description.

use std::collections::HashMap;

use autoheal_page::Document;
use regex::Regex;
use unicode_normalization::UnicodeNormalization as _;

use super::corpus::{Compare, Field, Side};

/// A list is right from this F1 on.
pub(in crate::bench) const LIST_RIGHT: f64 = 0.9;

/// Boxes to tick, which pages put before ingredients.
const GLYPHS: &str = "▢☐☑✓✔□■";

/// A value without entities, spaces and boxes, in composed form: two values with the same key are equal.
pub(in crate::bench) fn key(value: &str) -> String {
    let decoded = if value.contains('&') { Document::parse(value).page_text().to_owned() } else { value.to_owned() };
    decoded.nfc().filter(|c| !c.is_whitespace() && !GLYPHS.contains(*c) && !has_no_width(*c)).collect()
}

const fn has_no_width(character: char) -> bool {
    matches!(character, '\u{200b}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// Returns the score of values: 1 or 0 for a single value, F1 over the items for a list.
pub(in crate::bench) fn rightness(field: &Field, side: Side, values: &[String]) -> f64 {
    let truth = field.truth(side);
    if field.multi && field.attribute(side).is_none() {
        return f1(values, truth);
    }
    let (Some(value), Some(truth)) = (values.first(), truth.first()) else { return 0.0 };
    let equal = key(value) == key(truth)
        || (field.compare != Compare::Text && first_number(value).is_some_and(|n| first_number(truth) == Some(n)));
    f64::from(u8::from(equal))
}

pub(in crate::bench) fn is_right(field: &Field, side: Side, values: &[String]) -> bool {
    rightness(field, side, values) >= LIST_RIGHT
}

fn f1(values: &[String], truth: &[String]) -> f64 {
    let mut left: HashMap<String, usize> = HashMap::new();
    for value in truth {
        *left.entry(key(value)).or_default() += 1;
    }
    let mut hits = 0_u32;
    for value in values {
        if let Some(count) = left.get_mut(&key(value)).filter(|count| **count > 0) {
            *count -= 1;
            hits += 1;
        }
    }
    let total = u32::try_from(values.len() + truth.len()).unwrap_or(u32::MAX);
    if total == 0 { 0.0 } else { 2.0 * f64::from(hits) / f64::from(total) }
}

fn first_number(text: &str) -> Option<String> {
    static DIGITS: std::sync::LazyLock<Option<Regex>> = std::sync::LazyLock::new(|| Regex::new(r"\d+").ok());
    DIGITS.as_ref()?.find(text).map(|found| found.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_compare_without_spaces_and_boxes() {
        assert_eq!(key("▢ 2 cups &amp; more"), key("2 cups & more"));
        assert_ne!(key("Soup"), key("soup"));
    }

    #[test]
    fn lists_compare_item_by_item() {
        let list = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect::<Vec<_>>();
        assert!((f1(&list(&["a", "b"]), &list(&["a", "b"])) - 1.0).abs() < 1e-9);
        assert!((f1(&list(&["a", "a"]), &list(&["a", "b"])) - 0.5).abs() < 1e-9);
    }
}
