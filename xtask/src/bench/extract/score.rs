//! Correctness of an answer.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

/// Values by the names of their fields.
pub(in crate::bench) type Fields = BTreeMap<String, Value>;

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub(in crate::bench) enum Value {
    /// A single text.
    Text(String),
    /// A text for each item.
    List(Vec<String>),
}

impl Value {
    /// Returns whether the value has no items: the tool gave nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.items().is_empty()
    }

    /// Returns its texts.
    pub(in crate::bench) fn items(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::List(items) => items.iter().map(String::as_str).collect(),
        }
    }
}

/// Correctness of an answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Score {
    /// Every item is there, in order, and no other: the same letters and digits, whatever their case, and whatever is between.
    pub(super) is_exact: bool,
    /// The harmonic mean of how many words of the answer are in the truth and the other way round, each word as often as it
    /// occurs.
    pub(super) f1: f64,
}

pub(super) fn score(truth: &Value, answer: Option<&Value>) -> Score {
    let Some(answer) = answer else { return Score { is_exact: false, f1: 0.0 } };
    let (truth, answer) = (truth.items(), answer.items());
    let spelled = |items: &[&str]| items.iter().map(|item| words(item).concat()).collect::<Vec<_>>();
    let all_words = |items: &[&str]| items.iter().flat_map(|item| words(item)).collect::<Vec<_>>();
    Score { is_exact: spelled(&truth) == spelled(&answer), f1: f1(&all_words(&truth), &all_words(&answer)) }
}

/// The words of a text in lower case, compatible characters as one (`½` as `1⁄2`).
fn words(text: &str) -> Vec<String> {
    let text: String = text.nfkc().flat_map(char::to_lowercase).collect();
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

fn f1(truth: &[String], answer: &[String]) -> f64 {
    let mut left: HashMap<&str, usize> = HashMap::new();
    for word in truth {
        *left.entry(word).or_default() += 1;
    }
    let mut common: u32 = 0;
    for word in answer {
        if let Some(count) = left.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    let length = |words: &[String]| f64::from(u32::try_from(words.len()).unwrap_or(u32::MAX));
    let total = length(truth) + length(answer);
    if total > 0.0 { 2.0 * f64::from(common) / total } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Value {
        Value::Text(text.to_owned())
    }

    fn list(items: &[&str]) -> Value {
        Value::List(items.iter().map(|&item| item.to_owned()).collect())
    }

    #[test]
    fn exact_is_letters_and_order() {
        assert!(score(&text("Soup – of “Leeks”"), Some(&text("soup of leeks"))).is_exact);
        assert!(!score(&text("Soup"), Some(&text("Soup | Kitchen"))).is_exact);
        assert!(!score(&text("Soup"), None).is_exact);
        assert!(score(&list(&["½ leek", "salt"]), Some(&list(&["1⁄2 leek", "salt"]))).is_exact);
        assert!(!score(&list(&["leek", "salt"]), Some(&list(&["salt", "leek"]))).is_exact);
        assert!(!score(&list(&["leek", "salt"]), Some(&list(&["leek salt"]))).is_exact);
    }

    #[test]
    fn words_count_as_often_as_they_occur() {
        let f1 = |truth, answer| score(&text(truth), Some(&text(answer))).f1;
        assert!((f1("a b c", "a b c") - 1.0).abs() < 1e-9);
        assert!((f1("a b", "a a") - 0.5).abs() < 1e-9);
        assert!(f1("a b", "c d").abs() < 1e-9);
    }
}
