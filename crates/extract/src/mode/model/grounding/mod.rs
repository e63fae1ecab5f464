//! Check whether a model's values are on the page.
//!
//! - [`words`]: texts that are equal if they say the same
//! - `notation`: the number format of the page
//! - [`pieces`]: the content of the page
//!
//! A value is found if it occurs on the page, perhaps in another spelling. It is not checked whether it is
//! the right one of several.

mod notation;
mod pieces;
mod words;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use autoheal_page::Document;
use autoheal_page::value::date::DateOrder;
use autoheal_page::value::number::DecimalMark;
use autoheal_page::value::{DateValue, date, minutes, money};
use regex::{Captures, Regex};
use rust_decimal::Decimal;
use serde_json::Value;
use url::Url;

use self::notation::notation_of;
use self::pieces::Piece;
use self::words::{Notation, Spaces, has_two_readings, words};
use crate::form::Kind;
use crate::item::Grounding;

/// Maximum length, in bytes, of a piece that may hold a single day, duration or price.
const LONGEST_LABEL: usize = 120;

/// No more labels and years of a page than this are read: a page with more is a list of everything.
const MOST_LABELS: usize = 20_000;
const MOST_YEARS: usize = 20_000;

/// Maximum distance between a year and its time of day, in bytes.
const AROUND_YEAR: usize = 40;

/// Currency signs that may mean several currencies, with those currencies.
const SIGNS: [(&str, &[&str]); 8] = [
    ("$", &["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"]),
    ("£", &["GBP"]),
    ("¥", &["JPY", "CNY"]),
    ("￥", &["JPY", "CNY"]),
    ("₩", &["KRW"]),
    ("₱", &["PHP"]),
    ("kr", &["SEK", "NOK", "DKK", "ISK"]),
    ("lei", &["RON", "MDL"]),
];

/// Parts of values that are words of a form and not of a page.
const JUDGED: [&str; 1] = ["per"];

/// Content of a page, in a form that is fast to search.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// Number format of the page.
    notation: Notation,
    /// Its words, with spaces between digits read in both ways.
    words: [(Spaces, String); 2],
    /// Complete URLs on the page.
    addresses: BTreeSet<String>,
    /// Dates on the page, as ISO 8601.
    days: BTreeSet<String>,
    /// Times of day on the page, with their dates.
    moments: BTreeSet<Moment>,
    /// Durations on the page, in minutes.
    minutes: BTreeSet<u32>,
    /// The currencies of its prices: codes, or signs that could mean several.
    currencies: BTreeSet<String>,
    /// Number of years read so far.
    years: usize,
}

/// A date with a time of day.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Moment {
    /// Date as ISO 8601.
    day: String,
    /// Hours, minutes and seconds.
    time: [i8; 3],
    /// Offset from UTC in seconds, if the page states it.
    offset: Option<i32>,
}

impl Moment {
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method is of a type whose crate is none of this one's dependencies"
    )]
    fn of(value: &DateValue) -> Option<Self> {
        let at = value.time?;
        Some(Self {
            day: value.date.to_string(),
            time: [at.time.hour(), at.time.minute(), at.time.second()],
            offset: at.offset.map(|offset| offset.seconds()),
        })
    }

    /// Returns whether it states everything that the other one states, and perhaps more.
    fn says(&self, other: &Self) -> bool {
        self.day == other.day
            && self.time[..2] == other.time[..2]
            && (other.time[2] == 0 || self.time[2] == other.time[2])
            && (other.offset.is_none() || self.offset == other.offset)
    }
}

impl Evidence {
    /// Reads the content of a page. `url` is the page's URL, the base of its relative URLs.
    pub(crate) fn of(page: &Document, url: Option<&Url>) -> Self {
        let mut evidence = Self {
            notation: notation_of(page.page_text()),
            addresses: url.map(ToString::to_string).into_iter().collect(),
            moments: BTreeSet::new(),
            words: [Spaces::Divide, Spaces::Group].map(|spaces| (spaces, String::new())),
            days: BTreeSet::new(),
            minutes: BTreeSet::new(),
            currencies: BTreeSet::new(),
            years: 0,
        };
        let mut seen: BTreeSet<String> = BTreeSet::new();
        pieces::each(page, &mut |piece| {
            let text = match piece {
                Piece::Shown(text) => text,
                Piece::Own(text) => {
                    evidence.add_words(text);
                    evidence.add_days(text);
                    evidence.add_currencies(text);
                    text
                }
                Piece::Address(text) => {
                    evidence.addresses.insert(absolute(text, url));
                    return;
                }
            };
            if text.len() <= LONGEST_LABEL && seen.len() < MOST_LABELS && seen.insert(text.to_owned()) {
                evidence.add_days(text);
                evidence.add_label(text);
            }
        });
        evidence
    }

    fn add_words(&mut self, piece: &str) {
        for (spaces, all) in &mut self.words {
            let piece = words(piece, *spaces, self.notation);
            if piece.len() > 1 {
                all.push_str(&piece);
                // Words of two pieces are not adjacent.
                all.push('|');
            }
        }
    }

    /// The days around the years of a piece, also of those with two digits.
    fn add_days(&mut self, piece: &str) {
        static YEAR: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r"\d{4}|\b\d{1,2}([-/.])\d{1,2}[-/.]\d{2}\b").ok());
        static SHORT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"['’](\d\d)\b").ok());
        let (Some(year), Some(short)) = (YEAR.as_ref(), SHORT.as_ref()) else { return };
        let written_out = short.is_match(piece).then(|| {
            // `Dec 28th '05`; the pivot of POSIX: 69 to 99 are the last century.
            short.replace_all(piece, |found: &Captures<'_>| {
                let century = if &found[1] >= "69" { "19" } else { "20" };
                format!("{century}{}", &found[1])
            })
        });
        let piece = written_out.as_deref().unwrap_or(piece);
        for found in year.find_iter(piece).take(MOST_YEARS.saturating_sub(self.years)) {
            self.years += 1;
            let is_whole = found.len() > 4;
            // A day before its year, and one that begins with it; more would be two days.
            let from = if is_whole { found.start() } else { found.start().saturating_sub(24) };
            let before = &piece[piece.floor_char_boundary(from)..found.end()];
            let after = &piece[found.start()..piece.floor_char_boundary((found.end() + 8).min(piece.len()))];
            for part in [before, after] {
                // `10/11/2024` is one of two days, and nothing says which.
                self.days.extend(date::parse(part, DateOrder::Detect).map(|day| day.date.to_string()));
            }
            let start = piece.floor_char_boundary(found.start().saturating_sub(AROUND_YEAR));
            let end = piece.floor_char_boundary((found.end() + AROUND_YEAR).min(piece.len()));
            for part in [&piece[start..end], &piece[found.start()..end]] {
                let moment = date::parse(part, DateOrder::Detect).ok().as_ref().and_then(Moment::of);
                self.moments.extend(moment);
            }
        }
    }

    /// Adds currency codes that are a whole piece or next to a number: on its own, `try` is a word.
    fn add_currencies(&mut self, piece: &str) {
        static CODE: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r"^\s*([A-Z]{3})\s*$|\d\s?([A-Z]{3})\b|\b([A-Z]{3})\s?\d").ok());
        for found in CODE.as_ref().into_iter().flat_map(|code| code.captures_iter(piece)).take(MOST_LABELS) {
            self.currencies.extend(found.iter().skip(1).flatten().map(|code| code.as_str().to_owned()));
        }
    }

    /// Adds the durations and currencies that a short piece and its clauses state.
    fn add_label(&mut self, piece: &str) {
        let clauses = piece.split([',', ';', '|', '•', '·', '–']).filter(|clause| *clause != piece);
        for text in std::iter::once(piece).chain(clauses) {
            if !text.contains(|character: char| character.is_ascii_digit()) {
                continue;
            }
            self.minutes.extend(minutes::parse(text));
            let price = money::parse(text, DecimalMark::Point, None);
            self.currencies.extend(price.map(|price| price.currency.as_str().to_owned()));
        }
    }

    /// Judges whether a value of this kind is on the page, with all its parts.
    pub(crate) fn judge(&self, value: &Value, kind: &Kind) -> Grounding {
        let found = |is_found: bool| if is_found { Grounding::Found } else { Grounding::NotFound };
        match (kind, value) {
            (Kind::Choice(_) | Kind::PageType | Kind::Boolean, _) | (_, Value::Bool(_) | Value::Null) => {
                Grounding::Judgement
            }
            (Kind::Summary, Value::String(text)) if !self.has_text(text) => Grounding::OwnWords,
            // A page writes them in many ways: `by Ada and Bob`.
            (Kind::Names, Value::String(names)) => found(names.split(", ").all(|name| self.has_text(name))),
            (Kind::Date | Kind::Day, Value::String(text)) => found(self.has_day(text)),
            (Kind::Address, Value::String(text)) => found(self.has_address(text)),
            (Kind::Minutes, Value::Number(number)) => {
                let minutes = number.as_u64().and_then(|number| u32::try_from(number).ok());
                found(minutes.is_some_and(|minutes| self.minutes.contains(&minutes)))
            }
            (_, Value::String(text)) => found(self.has_text(text)),
            (_, Value::Number(number)) => found(self.has_number(&number.to_string())),
            (_, Value::Array(items)) => {
                let kind = match kind {
                    Kind::List(items) => items,
                    _ => &Kind::Any,
                };
                items.iter().map(|item| self.judge(item, kind)).max().unwrap_or(Grounding::Judgement)
            }
            (_, Value::Object(members)) => {
                let parts = members.iter().map(|(name, part)| self.judge_part(name, part, kind));
                parts.max().unwrap_or(Grounding::Judgement)
            }
        }
    }

    fn judge_part(&self, name: &str, part: &Value, whole: &Kind) -> Grounding {
        match (whole, name, part) {
            (Kind::Money | Kind::Salary, "currency", Value::String(code)) => {
                if self.has_currency(code) {
                    Grounding::Found
                } else {
                    Grounding::NotFound
                }
            }
            (
                Kind::Money | Kind::Rating | Kind::Salary,
                "amount" | "value" | "best" | "minimum" | "maximum",
                Value::String(number),
            ) => {
                if self.has_number(number) {
                    Grounding::Found
                } else {
                    Grounding::NotFound
                }
            }
            (Kind::Salary, name, _) if JUDGED.contains(&name) => Grounding::Judgement,
            (Kind::Object(parts), name, _) => self.judge(part, parts.get(name).unwrap_or(&Kind::Any)),
            (_, _, _) => self.judge(part, &Kind::Any),
        }
    }

    /// Returns whether the words of a text occur on the page in this order. Each line of the text is searched
    /// for separately.
    fn has_text(&self, text: &str) -> bool {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.all(|line| {
            self.words.iter().any(|(spaces, all)| {
                let line = words(line, *spaces, self.notation);
                line.len() > 1 && all.contains(&line)
            })
        })
    }

    /// Returns whether a number, with or without a decimal point, is on the page. Only the page's own number
    /// format counts.
    fn has_number(&self, number: &str) -> bool {
        let Ok(number) = number.parse::<Decimal>() else { return self.has_text(number) };
        let plain = number.normalize().to_string();
        let is_told = self.notation != Notation::Undecided || !has_two_readings(&plain);
        let word = format!(" {plain} ");
        is_told && self.words.iter().any(|(_, all)| all.contains(&word))
    }

    fn has_day(&self, text: &str) -> bool {
        let Ok(value) = text.parse::<DateValue>() else { return self.has_text(text) };
        let day = value.date.to_string();
        let Some(moment) = Moment::of(&value) else { return self.days.contains(&day) };
        match moment {
            // Midnight is the usual notation for an unknown time.
            Moment { time: [0, 0, 0], offset: None, .. } => self.days.contains(&day),
            // A time that is separate from its day; such times have no seconds or offsets.
            Moment { time: [hour, minute, 0], offset: None, .. } if self.days.contains(&day) => {
                self.moments.iter().any(|on_page| on_page.says(&moment)) || self.has_time(hour, minute)
            }
            Moment { .. } => self.moments.iter().any(|on_page| on_page.says(&moment)),
        }
    }

    /// Returns whether a time of day is on the page: as `21:01`, or with the half of the day (am or pm).
    fn has_time(&self, hour: i8, minute: i8) -> bool {
        let half_hour = if hour % 12 == 0 { 12 } else { hour % 12 };
        let with = |half: &str| {
            let is_whole = minute == 0 && self.has_text(&format!("{half_hour} {half}"));
            is_whole || self.has_text(&format!("{half_hour} {minute} {half}"))
        };
        let (own, other) = if hour < 12 { (["am", "a m"], ["pm", "p m"]) } else { (["pm", "p m"], ["am", "a m"]) };
        let is_other_half = || (1..=12).contains(&hour) && other.into_iter().any(with);
        own.into_iter().any(with) || (self.has_text(&format!("{hour} {minute}")) && !is_other_half())
    }

    /// Whole: another site's is another one.
    fn has_address(&self, text: &str) -> bool {
        self.addresses.contains(text) || self.addresses.contains(&absolute(text, None))
    }

    fn has_currency(&self, code: &str) -> bool {
        let by_sign = SIGNS.iter().filter(|(_, codes)| codes.contains(&code)).map(|(sign, _)| *sign);
        std::iter::once(code).chain(by_sign).any(|known| self.currencies.contains(known))
    }
}

/// An address as it is written when it is whole.
fn absolute(text: &str, url: Option<&Url>) -> String {
    let whole = url.map_or_else(|| Url::parse(text), |url| url.join(text));
    whole.map_or_else(|_| text.to_owned(), |whole| whole.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn judged(html: &str, kind: &Kind, value: &Value) -> Grounding {
        let url = Url::parse("https://kitchen.example/soup").unwrap();
        Evidence::of(&Document::parse(html), Some(&url)).judge(value, kind)
    }

    #[test]
    fn what_is_on_the_page_is_found_however_it_is_written() {
        for (html, kind, value) in [
            ("<h1>Soup <b>of</b> the Day</h1>", Kind::Text, json!("soup of the day")),
            ("<p>Caf&eacute; &amp; Bar", Kind::Text, json!("Café & Bar")),
            ("<meta name=author content='Ada Byron'>", Kind::Text, json!("Ada Byron")),
            ("<p>By Ada Byron and Charles Babbage", Kind::Names, json!("Ada Byron, Charles Babbage")),
            ("<p>1.299,00 &euro;", Kind::Money, json!({ "amount": "1299.00", "currency": "EUR" })),
            ("<p>$1,299", Kind::Money, json!({ "amount": "1299", "currency": "USD" })),
            ("<p>1 299 zł", Kind::Money, json!({ "amount": "1299", "currency": "PLN" })),
            ("<p>Posted on October 5th, 2024", Kind::Date, json!("2024-10-05")),
            ("<p>From 5 October 2024 to 7 October 2024", Kind::Date, json!("2024-10-07")),
            ("<p>25/10/2024", Kind::Date, json!("2024-10-25T00:00")),
            ("<p>12-28-05 at 10:28 PM", Kind::Date, json!("2005-12-28T22:28")),
            ("<p>Dec 28th '05", Kind::Date, json!("2005-12-28")),
            ("<p>11-19-02, 06:39 PM", Kind::Date, json!("2002-11-19T18:39")),
            ("<p>Posted by Ada, Join Date: 11-25-01. 11-19-02, 06:39 PM", Kind::Date, json!("2002-11-19T18:39")),
            ("<p>$12.50<p>1.299,00 &euro;", Kind::Money, json!({ "amount": "1299.00", "currency": "EUR" })),
            ("<p>Doors 9:01 pm.<p>5 October 2024", Kind::Date, json!("2024-10-05T21:01")),
            ("<time datetime=2024-10-05T21:01:45+09:00>", Kind::Date, json!("2024-10-05T21:01:45+09:00")),
            ("<p>1.500 kg at 12,50 &euro;", Kind::Number, json!(1500)),
            ("<p>1.500 kg at 12.50 &euro;", Kind::Number, json!(1.5)),
            ("<p>\u{2212}5 °C", Kind::Number, json!(-5)),
            ("<p>now 5 TRY", Kind::Money, json!({ "amount": "5", "currency": "TRY" })),
            ("<time datetime=2024-10-05T21:01:00Z>tonight</time>", Kind::Date, json!("2024-10-05T21:01Z")),
            ("<p>October 5, 2024, 9:01 pm", Kind::Date, json!("2024-10-05T21:01")),
            ("<p>Takes 1 hr 5 min", Kind::Minutes, json!(65)),
            ("<time itemprop=totalTime datetime=PT1H5M>", Kind::Minutes, json!(65)),
            ("<p>4.5 of 5 (1,024 votes)", Kind::Rating, json!({ "value": "4.5", "best": "5", "count": 1024 })),
            ("<img src=/a/soup.jpg?w=1>", Kind::Address, json!("https://kitchen.example/a/soup.jpg?w=1")),
            ("<ul><li>1 leek<li>salt</ul>", Kind::List(Box::new(Kind::Text)), json!(["1 leek", "Salt"])),
            (
                r#"<script type="application/ld+json">{"@type":"Recipe","name":"A &amp; B"}</script>"#,
                Kind::Text,
                json!("A & B"),
            ),
            (r#"<script type="application/json">{"props":{"n":[{"t":"Pot"}]}}</script>"#, Kind::Text, json!("Pot")),
            ("<p>東京の天気</p>", Kind::Text, json!("天気")),
            ("<p>First part.<p>Another part.", Kind::Text, json!("First part.\n\nAnother part.")),
        ] {
            assert_eq!(judged(html, &kind, &value), Grounding::Found, "{value} in {html}");
        }
    }

    #[test]
    fn what_is_not_on_the_page_is_not_found() {
        for (html, kind, value) in [
            ("<p>concatenate", Kind::Text, json!("cat")),
            ("<p>15 EUR", Kind::Number, json!(5)),
            ("<p>12.50 EUR", Kind::Money, json!({ "amount": "1250", "currency": "EUR" })),
            ("<p>12.50 EUR", Kind::Money, json!({ "amount": "12.5", "currency": "USD" })),
            ("<p>5 October 2024", Kind::Date, json!("2024-10-06")),
            ("<p>5 October 2024", Kind::Date, json!("2024-10-05T18:30")),
            ("<p>65 EUR", Kind::Minutes, json!(65)),
            ("<p class=secret>x", Kind::Text, json!("secret")),
            ("<p title=one></p><p title=two></p>", Kind::Text, json!("one two")),
            ("<img src=/a/soup.jpg>", Kind::Address, json!("https://kitchen.example/b/soup.jpg")),
            ("<li>1 leek", Kind::List(Box::new(Kind::Text)), json!(["1 leek", "pepper"])),
            ("<p>x", Kind::Text, json!("...")),
            ("<p>1.299 &euro;", Kind::Money, json!({ "amount": "1.299", "currency": "EUR" })),
            ("<p>$1,299", Kind::Money, json!({ "amount": "1.299", "currency": "USD" })),
            ("<p>1.500 kg", Kind::Number, json!(1500)),
            ("<p>1.299 kg", Kind::Number, json!(1.299)),
            ("<p>1.500 kg at 12.50 &euro;", Kind::Number, json!(1500)),
            ("<p>5 October 2024, 9:01 pm", Kind::Date, json!("2024-10-05T21:01:45+09:00")),
            ("<p>5 October 2024, 9:01 pm", Kind::Date, json!("2024-10-05T21:01Z")),
            ("<p>5 October 2024, 9:01 pm", Kind::Date, json!("2024-10-05T09:01")),
            ("<p>10/11/2024", Kind::Date, json!("2024-10-11")),
            ("<p>01/02/03", Kind::Date, json!("2003-02-01")),
            ("<p>12-28-05 at 10:28 PM", Kind::Date, json!("2005-12-28T10:28")),
            ("<p>the '05 of 28 Dec", Kind::Date, json!("2005-12-28")),
            ("<p>10/11/2024", Kind::Date, json!("2024-11-10")),
            ("<img src=/pot><p>Pot", Kind::Address, json!("https://evil.example/pot")),
            ("<p>\u{2212}5 °C", Kind::Number, json!(5)),
            ("<p>5 °C", Kind::Number, json!(-5)),
            ("<p>Try it for 5", Kind::Money, json!({ "amount": "5", "currency": "TRY" })),
            ("<img width=600>", Kind::Number, json!(600)),
            ("<p>No. 0123", Kind::Text, json!("123")),
        ] {
            assert_eq!(judged(html, &kind, &value), Grounding::NotFound, "{value} in {html}");
        }
    }

    #[test]
    fn what_cannot_stand_on_a_page_is_a_judgement_and_a_summary_may_be_in_own_words() {
        let page = "<p>Only two left.";
        assert_eq!(judged(page, &Kind::Boolean, &json!(true)), Grounding::Judgement);
        assert_eq!(judged(page, &Kind::Choice(vec![json!("low")]), &json!("low")), Grounding::Judgement);
        assert_eq!(judged(page, &Kind::Summary, &json!("Nearly sold out")), Grounding::OwnWords);
        assert_eq!(judged(page, &Kind::Summary, &json!("Only two left")), Grounding::Found);
    }
}
