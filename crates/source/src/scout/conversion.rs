//! Types of the texts of a field: money, dates, numbers, or plain text. Unless the type is clear in each of them, it is text.

use autoheal_page::transform::{Conversion, DateOptions, MoneyOptions, NumberOptions};
use autoheal_page::value::ValueType;
use autoheal_page::value::date::DateOrder;
use autoheal_page::value::number::DecimalMark;
use url::Url;

/// The longest price and date that are nothing else, in characters.
const LONGEST_PRICE: usize = 40;
const LONGEST_DATE: usize = 60;
/// Maximum number of words next to a price and within a date.
const MOST_PRICE_WORDS: usize = 3;
const MOST_DATE_WORDS: usize = 6;
/// A row of digits that is longer is a number of something, not how many there are.
const LONGEST_COUNT: usize = 8;

/// The conversion that reads every one of the texts, of which there is at least one, and nothing but text when none does.
pub(super) fn conversion_of<'a>(texts: &(impl Iterator<Item = &'a str> + Clone)) -> Conversion {
    if texts.clone().next().is_none() {
        return Conversion::Text;
    }
    let by_shape = [
        (texts.clone().all(is_like_price), &PRICES[..]),
        (texts.clone().all(is_like_date), &DATES[..]),
        (texts.clone().all(is_like_number), &NUMBERS[..]),
    ];
    let mut known = by_shape.into_iter().filter(|(is_like, _)| *is_like);
    known.find_map(|(_, ways)| only_way(ways, texts, None)).unwrap_or_default()
}

/// The conversion to a type that is wanted, if it reads every one of the texts.
pub(super) fn conversion_to<'a>(
    wanted: ValueType,
    texts: &(impl Iterator<Item = &'a str> + Clone),
    page_url: &Url,
) -> Option<Conversion> {
    match wanted {
        ValueType::Text => Some(Conversion::Text),
        ValueType::Number => only_way(&NUMBERS, texts, None),
        ValueType::Money => only_way(&PRICES, texts, None),
        ValueType::Date => only_way(&DATES, texts, None),
        ValueType::Boolean | ValueType::Url | ValueType::Minutes => {
            only_way(&[Conversion::to(wanted)], texts, Some(page_url))
        }
    }
}

/// The first way, which decides nothing, when it reads everything; else the only one that does.
fn only_way<'a>(
    ways: &[Conversion],
    texts: &(impl Iterator<Item = &'a str> + Clone),
    page_url: Option<&Url>,
) -> Option<Conversion> {
    let reads = |way: &&Conversion| texts.clone().all(|text| way.apply(text, page_url).is_ok());
    let (undecided, decided) = ways.split_first()?;
    if reads(&undecided) {
        return Some(undecided.clone());
    }
    let mut reading = decided.iter().filter(reads);
    match (reading.next(), reading.next()) {
        (Some(only), None) => Some(only.clone()),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

static PRICES: [Conversion; 3] = [price(DecimalMark::Detect), price(DecimalMark::Point), price(DecimalMark::Comma)];
static DATES: [Conversion; 3] = [date(DateOrder::Detect), date(DateOrder::DayMonthYear), date(DateOrder::MonthDayYear)];
static NUMBERS: [Conversion; 3] = [number(DecimalMark::Detect), number(DecimalMark::Point), number(DecimalMark::Comma)];

const fn price(decimal: DecimalMark) -> Conversion {
    Conversion::Money(MoneyOptions { decimal, currency: None })
}

const fn date(order: DateOrder) -> Conversion {
    Conversion::Date(DateOptions { order })
}

const fn number(decimal: DecimalMark) -> Conversion {
    Conversion::Number(NumberOptions { decimal })
}

/// Returns whether a text is a price and hardly anything else.
pub(super) fn is_price(text: &str) -> bool {
    is_like_price(text) && PRICES.iter().any(|way| way.apply(text, None).is_ok())
}

/// Returns whether a text is a date and hardly anything else.
pub(super) fn is_date(text: &str) -> bool {
    is_like_date(text) && DATES.iter().any(|way| way.apply(text, None).is_ok())
}

fn is_like_price(text: &str) -> bool {
    is_within(text, LONGEST_PRICE) && has_digit(text) && words(text) <= MOST_PRICE_WORDS
}

fn is_like_date(text: &str) -> bool {
    is_within(text, LONGEST_DATE) && has_digit(text) && words(text) <= MOST_DATE_WORDS
}

/// Returns whether a text is a number and nothing else. A text that begins with a zero, or is very long, is a name made of digits.
pub(super) fn is_like_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+', '−']);
    let is_name = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.") && !digits.starts_with("0,");
    let is_plain = |character: char| character.is_ascii_digit() || ".,'’ \u{a0}\u{202f}".contains(character);
    has_digit(text)
        && !is_name
        && digits.trim_end_matches([' ', '%']).chars().all(is_plain)
        && !(digits.len() > LONGEST_COUNT && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

fn has_digit(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_within(text: &str, longest: usize) -> bool {
    text.chars().nth(longest).is_none()
}

fn words(text: &str) -> usize {
    text.split(|character: char| !character.is_alphabetic()).filter(|word| word.chars().nth(1).is_some()).count()
}

#[cfg(test)]
mod tests {
    use autoheal_page::value::ValueType;

    use super::*;

    fn of(texts: &[&str]) -> ValueType {
        conversion_of(&texts.iter().copied()).value_type()
    }

    #[test]
    fn texts_have_the_type_that_all_of_them_have() {
        assert_eq!(of(&["12,50 €", "from 9,99 €"]), ValueType::Money);
        assert_eq!(of(&["5 March 2026", "Monday, March 6, 2026"]), ValueType::Date);
        assert_eq!(of(&["4.5", "12"]), ValueType::Number);
        for text in ["12,50 €", "2026-03-05", "4"] {
            assert_eq!(of(&[text, "sold out"]), ValueType::Text, "{text}");
        }
        for text in ["0049 30 1234", "4006381333931", "SKU-17", "120 g", "Save 10 EUR on every lamp today", ""] {
            assert_eq!(of(&[text]), ValueType::Text, "{text}");
        }
        assert_eq!(of(&[]), ValueType::Text);
    }

    #[test]
    fn what_one_text_leaves_open_another_decides() {
        assert_eq!(of(&["1,234 €"]), ValueType::Text, "a thousand or one and a bit");
        assert_eq!(conversion_of(&["1,234 €", "12.50 €"].into_iter()), price(DecimalMark::Point));
        assert_eq!(of(&["03/04/2026"]), ValueType::Text, "in March or in April");
        assert_eq!(conversion_of(&["03/04/2026", "25/04/2026"].into_iter()), date(DateOrder::DayMonthYear));
    }
}
