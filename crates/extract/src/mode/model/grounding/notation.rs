//! Number format of a page, inferred from those of its numbers that can be read in only one way.

use std::sync::LazyLock;

use regex::Regex;

use super::words::Notation;

/// Maximum number of numbers of a page that are examined.
const MOST_NUMBERS: usize = 20_000;

/// Type of evidence that a number gives about the number format, the most reliable first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Witness {
    /// An amount of money with its decimal mark.
    Money,
    /// Another number with its decimal mark, or one with several groups.
    Number,
    /// An amount of money with three digits at its end: they are thousands.
    Thousands,
}

/// Infers the number format of a text. The most reliable witnesses decide, and only if they agree.
pub(super) fn notation_of(text: &str) -> Notation {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let sign = r"[$€£¥₹₽₺₩₪฿]|\b(?:EUR|USD|GBP|CHF|PLN|SEK|NOK|DKK|CZK|BRL|INR|CAD|AUD)\b|\b(?:zł|kr)\b";
        Regex::new(&format!(r"(?P<before>{sign})?\s?\b(?P<number>\d+(?:[.,]\d+)+)\b\s?(?P<after>{sign})?")).ok()
    });
    let mut told: Vec<(Witness, Notation)> = Vec::new();
    for found in NUMBER.as_ref().into_iter().flat_map(|number| number.captures_iter(text)).take(MOST_NUMBERS) {
        let is_money = found.name("before").is_some() || found.name("after").is_some();
        told.extend(witness(&found["number"], is_money));
    }
    for rank in [Witness::Money, Witness::Number, Witness::Thousands] {
        let mut of_rank = told.iter().filter(|(witness, _)| *witness == rank).map(|(_, notation)| *notation);
        if let Some(first) = of_rank.next() {
            return if of_rank.all(|other| other == first) { first } else { Notation::Undecided };
        }
    }
    Notation::Undecided
}

/// Returns the evidence that one number gives about the number format; `None` if it gives none.
fn witness(number: &str, is_money: bool) -> Option<(Witness, Notation)> {
    let decimal = |mark| if mark == '.' { Notation::Point } else { Notation::Comma };
    let group = |mark| if mark == '.' { Notation::Comma } else { Notation::Point };
    let sure = if is_money { Witness::Money } else { Witness::Number };
    let groups: Vec<&str> = number.split(['.', ',']).collect();
    let marks: Vec<char> = number.chars().filter(|character| !character.is_ascii_digit()).collect();
    let (first, last) = (groups.first()?, groups.last()?);
    let begins_group = (1..=3).contains(&first.len()) && !first.starts_with('0');
    let are_threes = |groups: &[&str]| groups.iter().all(|group| group.len() == 3);
    match marks.as_slice() {
        [mark] if last.len() != 3 || !begins_group => Some((sure, decimal(*mark))),
        [mark] => is_money.then_some((Witness::Thousands, group(*mark))),
        // Else a date, a version, an address.
        [mark, others @ ..] if others.iter().all(|other| other == mark) => {
            (begins_group && are_threes(groups.get(1..)?)).then_some((sure, group(*mark)))
        }
        [front @ .., mark] if front.iter().all(|other| other == &front[0]) => {
            (begins_group && are_threes(groups.get(1..groups.len() - 1)?)).then_some((sure, decimal(*mark)))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_tells_how_it_writes_numbers() {
        for (text, notation) in [
            ("12,50 €", Notation::Comma),
            ("$12.50 and 1,024 votes", Notation::Point),
            ("1.299 €", Notation::Comma),
            ("$1,299", Notation::Point),
            ("1.299.000 people", Notation::Comma),
            ("version 2.0, 12,50 €, 3,20 €", Notation::Comma),
            ("1.299,50", Notation::Comma),
            ("0,125 l", Notation::Comma),
            ("1.500 kg", Notation::Undecided),
            ("1,500 kg of 05.10.2024", Notation::Undecided),
            ("12,50 € or $12.50", Notation::Undecided),
            ("no number", Notation::Undecided),
        ] {
            assert_eq!(notation_of(text), notation, "{text}");
        }
    }
}
