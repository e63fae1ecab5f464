//! Numbers in the formats of all countries: `1.234,56`, `1,234.56`, `1 234,56`, `1'234.56`, `12,34,567`.
//!
//! One separator followed by exactly three digits (`1,234`) is a thousand to some and one and a bit to others: that is an error
//! unless the recipe names the decimal mark.

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use super::{Pattern, ValueError, ValueType, pattern};

/// The character between a number's whole part and its fraction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum DecimalMark {
    /// The mark is inferred from the number; ambiguous numbers are an error.
    #[default]
    #[serde(rename = "detect")]
    Detect,
    /// Decimal point: `1,234.56`.
    #[serde(rename = ".")]
    Point,
    /// Decimal comma: `1.234,56`.
    #[serde(rename = ",")]
    Comma,
}

const DECIDE: &str =
    "name the decimal mark in the recipe (`{\"number\": {\"decimal\": \",\"}}`), or cut the text with `regex`";

/// Digits with separators between groups of them. A separator counts only between digits.
static TOKEN: Pattern = Pattern::new(|| pattern(r"\d+(?:[.,'’\u{a0}\u{202f}\u{2009} ]\d+)*"));

/// Words and letters that make a number a thousand or a million times as large.
static SCALE: Pattern = Pattern::new(|| {
    pattern(
        r"(?i)^(?:[km]\b|\s?(?:thousand|tsd|mio|mln|mrd|mill|bn|tn|lakh|crore|тыс|млн|млрд)\b|\s?[mb]illi|\s?mil\b|\s?mille\b|[万億亿千만억])",
    )
});

/// Parses the number in a text. Several equal numbers count as one.
///
/// # Errors
///
/// If the text has no number, several that differ, or one that can be read in several ways.
pub fn parse(text: &str, mark: DecimalMark) -> Result<Decimal, ValueError> {
    let found = numbers_in(text, mark, ValueType::Number)?;
    one_of(&found, text, ValueType::Number)
}

/// Returns the number if all readings are equal; else an error: no number, or an ambiguous one.
pub(super) fn one_of(found: &[Decimal], text: &str, expected: ValueType) -> Result<Decimal, ValueError> {
    let Some(first) = found.first() else {
        return Err(ValueError::absent(expected, text));
    };
    if found.iter().any(|number| number != first) {
        let readings: Vec<String> = found.iter().map(ToString::to_string).collect();
        return Err(ValueError::ambiguous(
            expected,
            text,
            &readings,
            "select a node with only one of them, or cut the text with `regex`",
        ));
    }
    Ok(*first)
}

/// Every number in a text, in order.
pub(super) fn numbers_in(text: &str, mark: DecimalMark, expected: ValueType) -> Result<Vec<Decimal>, ValueError> {
    let mut numbers = Vec::new();
    for token in TOKEN.find_iter(text) {
        let (before, after) = (&text[..token.start()], &text[token.end()..]);
        if before.chars().next_back().is_some_and(char::is_alphabetic) {
            // `A4`, `v2`: a name that ends in digits.
            continue;
        }
        if let Some(scale) = SCALE.find(after) {
            let problem =
                format!("`{}{}` is shortened: its exact value is not on the page", token.as_str(), scale.as_str());
            return Err(ValueError::invalid(expected, text, problem));
        }
        if after.starts_with(is_vulgar_fraction) || before.ends_with(is_vulgar_fraction) || after.starts_with('⁄') {
            return Err(ValueError::invalid(expected, text, "a fraction stands beside it"));
        }
        let negative = is_negative(before);
        for part in parts_of(token.as_str(), mark) {
            let number = read(part, mark, text, expected)?;
            numbers.push(if negative { -number } else { number });
        }
    }
    Ok(numbers)
}

/// A minus sign, and not the dash of a range or a date.
fn is_negative(before: &str) -> bool {
    let mut characters = before.chars().rev();
    matches!(characters.next(), Some('-' | '−'))
        && characters.next().is_none_or(|character| character.is_whitespace() || "($€£¥".contains(character))
}

fn is_vulgar_fraction(character: char) -> bool {
    matches!(character, '¼'..='¾' | '⅐'..='⅞')
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// A token with spaces is one number when they divide it into groups of three, and several otherwise.
fn parts_of(token: &str, mark: DecimalMark) -> Vec<&str> {
    if !token.contains(is_space) {
        return vec![token];
    }
    let parts: Vec<&str> = token.split(is_space).collect();
    let whole_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let last = parts.len() - 1;
    let grouped = parts.iter().enumerate().all(|(index, part)| match index {
        0 => whole_digits(part) && part.len() <= 3 && !part.starts_with('0'),
        index if index < last => whole_digits(part) && part.len() == 3,
        _ => {
            let (whole, fraction) = part.split_once(decimal_marks(mark)).unwrap_or((part, "0"));
            whole.len() == 3 && whole_digits(whole) && whole_digits(fraction)
        }
    });
    if grouped { vec![token] } else { parts }
}

fn decimal_marks(mark: DecimalMark) -> &'static [char] {
    match mark {
        DecimalMark::Detect => &['.', ','],
        DecimalMark::Point => &['.'],
        DecimalMark::Comma => &[','],
    }
}

/// Reads one token: digits, at most one kind of group separator, at most one decimal mark.
fn read(token: &str, mark: DecimalMark, text: &str, expected: ValueType) -> Result<Decimal, ValueError> {
    let invalid = |problem: &str| ValueError::invalid(expected, text, format!("`{token}` {problem}"));
    if token.chars().any(|character| character.is_numeric() && !character.is_ascii_digit()) {
        return Err(invalid("has other digits than 0 to 9"));
    }
    let separators: Vec<(usize, char)> =
        token.char_indices().filter(|(_, character)| !character.is_ascii_digit()).collect();
    let decimal_at = match separators.as_slice() {
        [] => None,
        [(at, only)] => single_separator(token, *at, *only, mark, text, expected)?,
        [.., (before_last_at, before_last), (at, last)] => {
            let first = separators[0].1;
            if last != before_last {
                Some(*at)
            } else if matches!(mark, DecimalMark::Point) && *last == '.'
                || matches!(mark, DecimalMark::Comma) && *last == ','
            {
                return Err(invalid("has its decimal mark twice"));
            } else if first == *last && before_last_at < at {
                None
            } else {
                return Err(invalid("mixes its separators"));
            }
        }
    };
    let (whole, fraction) = match decimal_at.map(|at| token.split_at(at)) {
        Some((whole, rest)) => match rest.strip_prefix(decimal_marks(mark)) {
            Some(fraction) => (whole, fraction),
            None => return Err(invalid("has another decimal mark than the recipe names")),
        },
        None => (token, ""),
    };
    if !is_grouped(whole) {
        return Err(invalid("is not divided like a number"));
    }
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let plain = if fraction.is_empty() { digits } else { format!("{digits}.{fraction}") };
    plain.parse::<Decimal>().map_err(|error| invalid(&format!("cannot be held: {error}")))
}

/// Finds the decimal mark in a token with one separator, which may also be a group separator.
fn single_separator(
    token: &str,
    at: usize,
    separator: char,
    mark: DecimalMark,
    text: &str,
    expected: ValueType,
) -> Result<Option<usize>, ValueError> {
    let (whole, fraction) = (&token[..at], &token[at + separator.len_utf8()..]);
    let may_be_group = fraction.len() == 3 && whole.len() <= 3 && !whole.starts_with('0');
    let may_be_decimal = matches!(separator, '.' | ',');
    match mark {
        DecimalMark::Point if separator == '.' => Ok(Some(at)),
        DecimalMark::Comma if separator == ',' => Ok(Some(at)),
        DecimalMark::Point | DecimalMark::Comma => Ok(None),
        DecimalMark::Detect if !may_be_decimal => Ok(None),
        DecimalMark::Detect if may_be_group => {
            let readings = [format!("{whole}{fraction}"), format!("{whole}.{fraction}")];
            Err(ValueError::ambiguous(expected, text, &readings, DECIDE))
        }
        DecimalMark::Detect => Ok(Some(at)),
    }
}

/// Groups of three (`1,234,567`), or of two before the last three (`12,34,567`), all divided by the same character.
fn is_grouped(whole: &str) -> bool {
    let mut separators = whole.chars().filter(|character| !character.is_ascii_digit());
    let Some(separator) = separators.next() else {
        return true;
    };
    if separators.any(|other| other != separator && !(is_space(other) && is_space(separator))) {
        return false;
    }
    let groups: Vec<usize> = whole.split(|character: char| !character.is_ascii_digit()).map(str::len).collect();
    let Some((last, groups)) = groups.split_last() else {
        return false;
    };
    let Some((first, middle)) = groups.split_first() else {
        return false;
    };
    let thousands = (1..=3).contains(first) && middle.iter().all(|length| *length == 3);
    let indian = (1..=2).contains(first) && middle.iter().all(|length| *length == 2);
    *last == 3 && (thousands || (indian && separator == ','))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(text: &str) -> String {
        parse(text, DecimalMark::Detect).map_or_else(|error| format!("{error:?}"), |number| number.to_string())
    }

    #[test]
    fn the_ways_of_many_countries() {
        for (text, expected) in [
            ("1.234,56", "1234.56"),
            ("1,234.56", "1234.56"),
            ("1 234,56", "1234.56"),
            ("1\u{a0}234\u{a0}567,5", "1234567.5"),
            ("1'234.56", "1234.56"),
            ("12,34,567.8", "1234567.8"),
            ("1.234.567", "1234567"),
            ("1 234", "1234"),
            ("4.5", "4.5"),
            ("4,5 von 5,0".split(' ').next().unwrap(), "4.5"),
            ("0.234", "0.234"),
            ("1234.567", "1234.567"),
            ("-5", "-5"),
            ("−5,5 °C", "-5.5"),
            ("12 servings", "12"),
            ("85 %", "85"),
            ("Reviews (1,024,000)", "1024000"),
            ("7 7", "7"),
        ] {
            assert_eq!(number(text), expected, "{text}");
        }
    }

    #[test]
    fn two_readings_are_an_error() {
        for text in ["1.234", "1,234", "4 - 6", "1/2", "2024-10-15", "10:30", "4.5 (120)"] {
            assert!(
                matches!(parse(text, DecimalMark::Detect), Err(ValueError::Ambiguous { .. })),
                "{text}: {}",
                number(text)
            );
        }
        for text in ["1.2.3", "1,2.3,4", "1½", "1.2M", "3k", "5 Mio. Euro", "99999999999999999999999999999999999"] {
            assert!(
                matches!(parse(text, DecimalMark::Detect), Err(ValueError::Invalid { .. })),
                "{text}: {}",
                number(text)
            );
        }
        for text in ["", "none", "A4", "½"] {
            assert!(
                matches!(parse(text, DecimalMark::Detect), Err(ValueError::Absent { .. })),
                "{text}: {}",
                number(text)
            );
        }
    }

    #[test]
    fn digits_and_marks_of_other_scripts_are_refused() {
        for text in ["0'\u{1d7ce}", "12٣", "٣٫١٤", "1.234’5"] {
            assert!(
                matches!(parse(text, DecimalMark::Detect), Err(ValueError::Invalid { .. })),
                "{text}: {}",
                number(text)
            );
        }
    }

    #[test]
    fn a_named_mark_decides() {
        assert_eq!(parse("1.234", DecimalMark::Comma).unwrap().to_string(), "1234");
        assert_eq!(parse("1.234", DecimalMark::Point).unwrap().to_string(), "1.234");
        assert_eq!(parse("1.234,5", DecimalMark::Comma).unwrap().to_string(), "1234.5");
        assert!(parse("1.234,5", DecimalMark::Point).is_err());
        assert!(parse("1.5", DecimalMark::Comma).is_err());
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in ".{0,60}") {
            let _ = parse(&text, DecimalMark::Detect);
        }

        #[test]
        fn a_number_in_any_dress_is_that_number(whole in 0_u64..10_000_000_000, cents in 0_u64..100, dress in 0_usize..4) {
            let (group, mark) = [(".", ','), (",", '.'), ("\u{a0}", ','), ("'", '.')][dress];
            let digits = whole.to_string();
            let mut grouped = String::new();
            for (index, digit) in digits.chars().enumerate() {
                if index > 0 && (digits.len() - index) % 3 == 0 {
                    grouped.push_str(group);
                }
                grouped.push(digit);
            }
            let text = format!("{grouped}{mark}{cents:02}");
            prop_assert_eq!(parse(&text, DecimalMark::Detect).unwrap(), Decimal::new(i64::try_from(whole * 100 + cents).unwrap(), 2));
        }
    }
}
