//! Days that a text may name, tolerantly: for telling whether two texts may mean one day, never for a value.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::value::date::month;

/// A day by its number in the month; 0 for what the text leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Day {
    year: u32,
    month: u32,
    number: u32,
}

impl Day {
    /// Returns whether nothing of it is left open.
    pub(crate) fn is_whole(self) -> bool {
        self.year > 0 && self.month > 0 && self.number > 0
    }
}

static MONTHS: LazyLock<HashMap<&'static str, u32>> =
    LazyLock::new(|| month::all_names().map(|(number, name)| (name, u32::from(number.unsigned_abs()))).collect());

/// Every way to read a day out of a text.
pub(crate) fn days_in(text: &str) -> Vec<Day> {
    let text = crate::document::first_bytes(text, 400);
    if !text.contains(|c: char| c.is_ascii_digit()) {
        return Vec::new();
    }
    let parts = parts(text);
    let mut days = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        match part {
            Part::Number { .. } => numeric(&parts[place..], &mut days),
            Part::Word(word) => {
                if let Some(&month) = MONTHS.get(word.as_str()) {
                    named(month, &parts[place.saturating_sub(3)..(place + 4).min(parts.len())], &mut days);
                }
            }
        }
    }
    days
}

/// Returns whether a text has no words but names of months. Words of one or two letters, such as `of`, `th` and `T`, do not count.
pub(crate) fn is_nothing_else(text: &str) -> bool {
    parts(text).iter().all(|part| match part {
        Part::Number { .. } => true,
        Part::Word(word) => word.chars().count() < 3 || MONTHS.contains_key(word.as_str()),
    })
}

/// Returns how well the days of two texts agree: 1 for a common day, less if one text leaves the year open or
/// if the days are one day apart, as they can be across time zones.
pub(crate) fn agreement(left: &[Day], right: &[Day]) -> f32 {
    let mut best = 0.0_f32;
    for one in left {
        for other in right {
            let years_agree = one.year == other.year || one.year == 0 || other.year == 0;
            if one.month != other.month || !years_agree || one.number == 0 || other.number == 0 {
                continue;
            }
            if one.number == other.number {
                best = best.max(if one.year > 0 && other.year > 0 { 1.0 } else { 0.8 });
            } else if one.number.abs_diff(other.number) == 1 {
                best = best.max(0.7);
            }
        }
    }
    best
}

enum Part {
    /// A number, how many digits it has, and the character right after it.
    Number {
        value: u32,
        digits: usize,
        after: char,
    },
    Word(String),
}

fn parts(text: &str) -> Vec<Part> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        rest = &rest[start..];
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let ends = |c: char| if is_number { !c.is_ascii_digit() } else { !c.is_alphabetic() };
        // A character that is neither, such as `½`, is passed over.
        let length = rest.find(ends).unwrap_or(rest.len()).max(rest.chars().next().map_or(1, char::len_utf8));
        let (part, after) = rest.split_at(length);
        found.push(if is_number {
            let after = after.chars().next().unwrap_or(' ');
            Part::Number { value: part.parse().unwrap_or(u32::MAX), digits: part.len(), after }
        } else {
            Part::Word(part.to_lowercase())
        });
        rest = after;
    }
    found
}

/// Adds dates that are written in numbers: `2021-10-05`, `5/10/21`, `2021年10月5日`.
fn numeric(parts: &[Part], days: &mut Vec<Day>) {
    let numbers: Vec<_> = parts
        .iter()
        .filter_map(|part| match part {
            Part::Number { value, digits, after } => Some((*value, *digits, *after)),
            Part::Word(word) => (!matches!(word.as_str(), "年" | "月" | "日")).then_some((0, 0, ' ')),
        })
        .take(3)
        .collect();
    let [first, second, third] = numbers[..] else { return };
    let joined = |after: char| matches!(after, '-' | '.' | '/' | '年' | '月');
    if !joined(first.2) || !joined(second.2) {
        return;
    }
    if first.1 == 4 {
        push(days, first.0, second.0, third.0);
    } else if first.1 <= 2 && (third.1 == 4 || third.1 == 2) {
        let year = if third.1 == 2 { third.0 + 2000 } else { third.0 };
        push(days, year, second.0, first.0);
        push(days, year, first.0, second.0);
    }
}

/// A named month with the numbers around it.
fn named(month: u32, around: &[Part], days: &mut Vec<Day>) {
    let numbers = || {
        around.iter().filter_map(|part| match part {
            Part::Number { value, .. } => Some(*value),
            Part::Word(_) => None,
        })
    };
    let year = numbers().find(|number| (1990..=2040).contains(number)).unwrap_or(0);
    let before = days.len();
    for day in numbers().filter(|number| (1..=31).contains(number)) {
        push(days, year, month, day);
    }
    if days.len() == before && year > 0 {
        days.push(Day { year, month, number: 0 });
    }
}

fn push(days: &mut Vec<Day>, year: u32, month: u32, number: u32) {
    let day = Day { year, month, number };
    if (1..=12).contains(&day.month) && (1..=31).contains(&day.number) && days.len() < 12 && !days.contains(&day) {
        days.push(day);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agree(left: &str, right: &str) -> f32 {
        agreement(&days_in(left), &days_in(right))
    }

    #[test]
    fn days_are_read_in_many_forms() {
        for text in
            ["5 October 2021", "Oct 5, 2021 at 3:15", "05.10.2021", "10/5/21", "2021年10月5日", "5 oktober 2021 08:00"]
        {
            assert!(agree(text, "2021-10-05T08:00:00+02:00") > 0.99, "{text}");
        }
        assert!((agree("Oct 5", "2021-10-05") - 0.8).abs() < 0.01);
        assert!(agree("Oct 7 2021", "2021-10-05") < 0.1);
        assert!(days_in("no day in 3 words").is_empty());
        assert!(days_in("½ cup 99").is_empty());
    }
}
