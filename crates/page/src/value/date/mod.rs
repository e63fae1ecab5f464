//! Days, with or without a time of day: ISO 8601, RFC 2822, numbers in any order that leaves one reading, month names in the
//! languages of [`month`].
//!
//! `10/11/2024` is an error unless the recipe names the order; so is a text with two different days. A zone that is written as
//! letters other than `Z`, `GMT` and `UTC` is left out: most such names mean more than one offset.

pub(crate) mod month;

use std::fmt;
use std::str::FromStr;

use jiff::civil::{Date, Time};
use jiff::tz::Offset;
use regex::Captures;
use serde::{Deserialize, Serialize};

use super::{Pattern, ValueError, ValueType, pattern};

/// A date, with as much of the time of day as the page states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct DateValue {
    /// Year, month and day.
    pub date: Date,
    /// The time of day.
    pub time: Option<TimeOfDay>,
}

/// A time of day, at an offset from UTC if the page says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TimeOfDay {
    /// Hours, minutes and seconds.
    pub time: Time,
    /// Offset from UTC; `None`: local time.
    pub offset: Option<Offset>,
}

/// The order of day, month and year in dates of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    /// The order is inferred from the date; ambiguous dates are an error.
    #[default]
    Detect,
    /// Day first: `31/12/2024`.
    DayMonthYear,
    /// Month first: `12/31/2024`.
    MonthDayYear,
}

/// ISO 8601, which reads back as the same value: `2024-10-15`, `2024-10-15T21:01`, `2024-10-15T21:01:30+02:00`.
impl fmt::Display for DateValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.date)?;
        let Some(TimeOfDay { time, offset }) = self.time else {
            return Ok(());
        };
        write!(f, "T{:02}:{:02}", time.hour(), time.minute())?;
        if time.second() != 0 {
            write!(f, ":{:02}", time.second())?;
        }
        match offset {
            None => Ok(()),
            Some(offset) if offset.seconds() == 0 => f.write_str("Z"),
            Some(offset) => {
                let minutes = offset.seconds() / 60;
                let sign = if minutes < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        }
    }
}

impl FromStr for DateValue {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse(text, DateOrder::Detect)
    }
}

impl TryFrom<String> for DateValue {
    type Error = ValueError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<DateValue> for String {
    fn from(value: DateValue) -> Self {
        value.to_string()
    }
}

static YEAR_FIRST: Pattern = Pattern::new(|| {
    pattern(
        r"(?P<before>^|[^\d./-])(?P<year>\d{4})(?:(?P<first>[-/.])(?P<month>\d{1,2})(?P<second>[-/.])(?P<day>\d{1,2})|[年년]\s?(?P<month2>\d{1,2})[月월]\s?(?P<day2>\d{1,2})[日일])",
    )
});
static NUMBERS: Pattern = Pattern::new(|| {
    pattern(
        r"(?P<before>^|[^\d./-])(?P<a>\d{1,2})(?P<first>[-/.])\s?(?P<b>\d{1,2})(?P<second>[-/.])\s?(?P<year>\d{4}|\d{2})",
    )
});
static DAY_MONTH: Pattern = Pattern::new(|| {
    pattern(
        r"(?i)(?P<before>^|[^\d./-])(?P<day>\d{1,2})(?:st|nd|rd|th|er|[.ºª])?[\s-]*(?:de\s+|of\s+)?(?P<month>\p{L}{3,})\.?,?[\s-]*(?:de\s+|del\s+)?(?P<year>\d{4})",
    )
});
static MONTH_DAY: Pattern = Pattern::new(|| {
    pattern(r"(?i)(?P<before>^|[^\p{L}])(?P<month>\p{L}{3,})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})")
});
/// A time directly after a date.
static TIME: Pattern = Pattern::new(|| {
    pattern(
        r"(?i)^(?:T|[\s,;|·•(–—-]{0,6}(?:(?:at|um|à|a las|alle|às|kl|klo|o|w|в|om|ore|ora)\.?\s+)?)(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d+)?)?|[h.](?P<minute2>\d{2})(?:\s*uhr)?)\s*(?P<half>[ap]\.?m\b\.?)?\s*(?P<offset>Z\b|GMT\b|UTC\b|[+-]\d{2}:?\d{2}\b)?",
    )
});
/// A time directly before a date: `21:01, 15 October 2024`.
static TIME_BEFORE: Pattern = Pattern::new(|| {
    pattern(
        r"(?i)(?:^|[^\d:.])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?\s*(?P<half>[ap]\.?m\b\.?)?[\s,;|·•–—-]{0,6}(?:on\s+)?(?:\p{L}{2,12},?\s+)?$",
    )
});

/// A date in a text.
struct Found {
    readings: Vec<Date>,
    start: usize,
    end: usize,
}

/// Parses the date in a text. Several mentions of one date count as one; the first mention with a time of day is used.
///
/// # Errors
///
/// If the text has no date, several that differ, or one that can be read in several ways.
pub fn parse(text: &str, order: DateOrder) -> Result<DateValue, ValueError> {
    let found = dates_in(text, order)?;
    let Some(first) = found.first() else {
        return Err(ValueError::absent(ValueType::Date, text));
    };
    if let Some(unsure) = found.iter().find(|date| date.readings.len() > 1) {
        let readings: Vec<String> = unsure.readings.iter().map(ToString::to_string).collect();
        let remedy = "name the order in the recipe (`{\"date\": {\"order\": \"day_month_year\"}}`)";
        return Err(ValueError::ambiguous(ValueType::Date, text, &readings, remedy));
    }
    let Some(date) = first.readings.first().copied() else {
        return Err(ValueError::absent(ValueType::Date, text));
    };
    if found.iter().any(|other| other.readings.first() != Some(&date)) {
        let readings: Vec<String> = found.iter().flat_map(|one| &one.readings).map(ToString::to_string).collect();
        let remedy = "select a node with only one of them, or cut the text with `regex`";
        return Err(ValueError::ambiguous(ValueType::Date, text, &readings, remedy));
    }
    let time = found.iter().find_map(|one| time_beside(text, one));
    Ok(DateValue { date, time })
}

/// Function that reads the match of a pattern: returns its possible dates, or `None` if the match is not a date.
type Reader = fn(&Captures<'_>, &str, DateOrder) -> Result<Option<Vec<Date>>, ValueError>;

/// Every date in a text by every way of writing one, without overlaps: the earlier pattern wins.
fn dates_in(text: &str, order: DateOrder) -> Result<Vec<Found>, ValueError> {
    let mut all: Vec<Found> = Vec::new();
    let ways: [(&Pattern, Reader); 4] = [
        (&YEAR_FIRST, |captures, text, _| year_first(captures, text)),
        (&NUMBERS, numbers),
        (&DAY_MONTH, |captures, text, _| day_month(captures, text)),
        (&MONTH_DAY, |captures, text, _| month_day(captures, text)),
    ];
    for (way, read) in ways {
        for captures in way.captures_iter(text) {
            let Some(whole) = captures.get(0) else { continue };
            let start = captures.name("before").map_or(whole.start(), |before| before.end());
            let end = whole.end();
            let continues = text[end..].starts_with(|next: char| next.is_ascii_digit());
            if continues || all.iter().any(|other| start < other.end && other.start < end) {
                continue;
            }
            if let Some(readings) = read(&captures, text, order)? {
                all.push(Found { readings, start, end });
            }
        }
    }
    all.sort_by_key(|found| found.start);
    Ok(all)
}

fn field<'t>(captures: &'t Captures<'_>, name: &str) -> &'t str {
    captures.name(name).map_or("", |found| found.as_str())
}

fn number(captures: &Captures<'_>, name: &str) -> i16 {
    field(captures, name).parse().unwrap_or(-1)
}

fn day_of(year: i16, month: i16, day: i16) -> Option<Date> {
    Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
}

/// Returns the date, or an error if the calendar has no such day.
fn existing(text: &str, year: i16, month: i16, day: i16) -> Result<Option<Vec<Date>>, ValueError> {
    match day_of(year, month, day) {
        Some(date) => Ok(Some(vec![date])),
        None => {
            Err(ValueError::invalid(ValueType::Date, text, format!("there is no day {day} in month {month} of {year}")))
        }
    }
}

fn year_first(captures: &Captures<'_>, text: &str) -> Result<Option<Vec<Date>>, ValueError> {
    if field(captures, "first") != field(captures, "second") {
        return Ok(None);
    }
    let either = |name: &str, other: &str| {
        if captures.name(name).is_some() { number(captures, name) } else { number(captures, other) }
    };
    existing(text, number(captures, "year"), either("month", "month2"), either("day", "day2"))
}

fn numbers(captures: &Captures<'_>, text: &str, order: DateOrder) -> Result<Option<Vec<Date>>, ValueError> {
    if field(captures, "first") != field(captures, "second") {
        return Ok(None);
    }
    let (a, b) = (number(captures, "a"), number(captures, "b"));
    let written_year = number(captures, "year");
    let has_short_year = field(captures, "year").len() == 2;
    // The pivot of POSIX: 69 to 99 are the last century.
    let year = match written_year {
        year if !has_short_year => year,
        year if year >= 69 => 1900 + year,
        year => 2000 + year,
    };
    let mut readings: Vec<Date> = match order {
        DateOrder::DayMonthYear => day_of(year, b, a).into_iter().collect(),
        DateOrder::MonthDayYear => day_of(year, a, b).into_iter().collect(),
        DateOrder::Detect => day_of(year, b, a).into_iter().chain(day_of(year, a, b)).collect(),
    };
    if order == DateOrder::Detect && has_short_year {
        // `01/02/24` may begin with its year as well.
        readings.extend(day_of(if a >= 69 { 1900 + a } else { 2000 + a }, b, written_year));
    }
    readings.dedup();
    if readings.is_empty() {
        let problem = match order {
            DateOrder::Detect => "no order of its numbers gives a day",
            DateOrder::DayMonthYear | DateOrder::MonthDayYear => "in the order that the recipe names it is no day",
        };
        return Err(ValueError::invalid(ValueType::Date, text, problem));
    }
    Ok(Some(readings))
}

fn day_month(captures: &Captures<'_>, text: &str) -> Result<Option<Vec<Date>>, ValueError> {
    in_words(captures, text, &month::months_named(field(captures, "month")))
}

fn month_day(captures: &Captures<'_>, text: &str) -> Result<Option<Vec<Date>>, ValueError> {
    let word = field(captures, "month");
    if !month::is_english(word) {
        return Ok(None);
    }
    in_words(captures, text, &month::months_named(word))
}

fn in_words(captures: &Captures<'_>, text: &str, months: &[i8]) -> Result<Option<Vec<Date>>, ValueError> {
    let (year, day) = (number(captures, "year"), number(captures, "day"));
    match months {
        [] => Ok(None),
        [month] => existing(text, year, i16::from(*month), day),
        several => {
            let readings: Vec<String> = several.iter().map(|month| format!("month {month}")).collect();
            let remedy = "the month's name has several meanings: take the date from an attribute or structured data";
            Err(ValueError::ambiguous(ValueType::Date, text, &readings, remedy))
        }
    }
}

/// The time of day that stands directly after or before a date.
fn time_beside(text: &str, found: &Found) -> Option<TimeOfDay> {
    let captures = TIME.captures(&text[found.end..]).or_else(|| TIME_BEFORE.captures(&text[..found.start]))?;
    let part = |name: &str| captures.name(name).and_then(|found| found.as_str().parse::<i8>().ok());
    let hour = part("hour")?;
    let minute = part("minute").or_else(|| part("minute2"))?;
    let half = captures.name("half").map(|half| half.as_str().to_lowercase());
    let hour = match half.as_deref().and_then(|half| half.chars().next()) {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some('p') if hour < 12 => hour + 12,
        Some('a') if hour == 12 => 0,
        _ => hour,
    };
    let time = Time::new(hour, minute, part("second").unwrap_or(0), 0).ok()?;
    let offset = captures.name("offset").and_then(|offset| offset_of(offset.as_str()));
    Some(TimeOfDay { time, offset })
}

fn offset_of(text: &str) -> Option<Offset> {
    if text.starts_with(char::is_alphabetic) {
        return Some(Offset::UTC);
    }
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let hours: i32 = digits.get(..2)?.parse().ok()?;
    let minutes: i32 = digits.get(2..4)?.parse().ok()?;
    let seconds = hours * 3600 + minutes * 60;
    Offset::from_seconds(if text.starts_with('-') { -seconds } else { seconds }).ok()
}

#[cfg(test)]
mod tests;
