//! Pay of a job in the words of a model: `50,000 - 60,000 EUR per year`, `$50k-$60k`, `up to 60.000 €`. A
//! text with anything else in it is not read.

use std::sync::LazyLock;

use autoheal_page::value::money::Currency;
use regex::Regex;
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};

/// Periods of a salary as structured data names them, with the words for them.
const PERIODS: [(&str, &[&str]); 5] = [
    ("HOUR", &["hour", "hr", "hourly", "h", "stunde", "heure", "hora"]),
    ("DAY", &["day", "daily", "tag", "jour"]),
    ("WEEK", &["week", "weekly", "woche", "semaine"]),
    ("MONTH", &["month", "monthly", "mo", "monat", "mois", "mes"]),
    ("YEAR", &["year", "yr", "annum", "annual", "annually", "yearly", "pa", "jahr", "an", "año"]),
];

/// Words for the most, and for the least.
const MOST: [&str; 5] = ["upto", "bis", "max", "maximum", "until"];
const LEAST: [&str; 6] = ["from", "ab", "min", "minimum", "starting", "von"];

/// Words that say nothing about how much.
const AROUND: [&str; 15] =
    ["per", "a", "p", "pro", "par", "por", "the", "at", "and", "between", "salary", "gross", "brutto", "zu", "und"];

/// One end of a range.
struct End {
    amount: Decimal,
    is_in_thousands: bool,
    /// The words around it, in lower case.
    words: Vec<String>,
    currency: Option<Currency>,
}

/// A salary in a text; `None` when it holds anything that is not understood, or says neither a currency nor a period.
pub(super) fn salary_in(text: &str) -> Option<Value> {
    static RANGE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        // `k` and a currency may follow a number, before the separator.
        Regex::new(r"^(?P<from>.*\d.*?)(?:\s*[-–—]\s*|\s+(?:to|bis|and|und)\s+)(?P<to>.*\d.*)$").ok()
    });
    let text = text.replace('\u{a0}', " ").to_lowercase().replace("up to", "upto").replace("p.a.", "pa");
    let mut ends = match RANGE.as_ref()?.captures(&text) {
        Some(range) => vec![end(&range["from"])?, end(&range["to"])?],
        None => vec![end(&text)?],
    };
    let words: Vec<String> = ends.iter().flat_map(|end| end.words.clone()).collect();
    let per = words.iter().find_map(|word| period_of(word));
    let currency = ends.iter().find_map(|end| end.currency.as_ref()).map(|currency| currency.as_str().to_owned());
    if currency.is_none() && per.is_none() {
        return None;
    }
    // `50-60k`: both, as a salary from 50 to 60,000 is implausible.
    let thousand = Decimal::ONE_THOUSAND;
    if ends.last()?.is_in_thousands && ends.iter().all(|end| end.amount < thousand) {
        for end in &mut ends {
            end.amount *= thousand;
        }
    } else if ends.iter().any(|end| end.is_in_thousands) {
        return None;
    }
    let is = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let (least, most) = (ends.first()?.amount.normalize().to_string(), ends.last()?.amount.normalize().to_string());
    let mut read = match (ends.len(), is(&MOST), is(&LEAST)) {
        (1, true, true) => return None,
        (1, true, false) => json!({ "maximum": most }),
        (1, false, true) => json!({ "minimum": least }),
        _ => json!({ "minimum": least, "maximum": most }),
    };
    if let Some(currency) = currency {
        read["currency"] = currency.into();
    }
    if let Some(per) = per {
        read["per"] = per.into();
    }
    Some(read)
}

/// Returns the amount in a text that holds only an amount: `50,000`, `50k`.
pub(super) fn amount_in(text: &str) -> Option<Decimal> {
    let end = end(&text.to_lowercase())?;
    let factor = if end.is_in_thousands { Decimal::ONE_THOUSAND } else { Decimal::ONE };
    end.words.is_empty().then(|| (end.amount * factor).normalize())
}

/// The words of a period in a text, as structured data names it.
pub(super) fn period_in(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let mut words = text.split(|character: char| !character.is_alphabetic());
    words.find_map(period_of)
}

fn period_of(word: &str) -> Option<&'static str> {
    PERIODS.iter().find(|(_, names)| names.contains(&word)).map(|(name, _)| *name)
}

/// One number with words around it that are all known.
fn end(text: &str) -> Option<End> {
    static END: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^(?P<before>\D*?)(?P<number>\d+(?:[.,' ]\d+)*)\s?(?P<thousands>k\b)?(?P<after>\D*)$").ok()
    });
    let captures = END.as_ref()?.captures(text.trim())?;
    let mut found = End {
        amount: plain(&captures["number"])?,
        is_in_thousands: captures.name("thousands").is_some(),
        words: Vec::new(),
        currency: None,
    };
    for part in [&captures["before"], &captures["after"]] {
        for word in part.split(|character: char| character.is_whitespace() || "/().,:+".contains(character)) {
            if word.is_empty() {
                continue;
            }
            let is_known = period_of(word).is_some()
                || [&MOST[..], &LEAST[..], &AROUND[..]].iter().any(|known| known.contains(&word));
            if is_known {
                found.words.push(word.to_owned());
            } else {
                found.currency = Some(Currency::parse(&word.to_uppercase()).or_else(|| Currency::parse(word))?);
            }
        }
    }
    Some(found)
}

/// A number; salaries have no thousandths: `50,000` and `50.000` are thousands.
fn plain(number: &str) -> Option<Decimal> {
    let groups: Vec<&str> = number.split(['.', ',', '\'', ' ']).collect();
    let (first, others) = groups.split_first()?;
    let is_thousands = |groups: &[&str]| (1..=3).contains(&first.len()) && groups.iter().all(|group| group.len() == 3);
    match others.split_last() {
        None => first.parse().ok(),
        Some(_) if is_thousands(others) => groups.concat().parse().ok(),
        Some((cents, front)) if (1..=2).contains(&cents.len()) && (front.is_empty() || is_thousands(front)) => {
            format!("{first}{}.{cents}", front.concat()).parse().ok()
        }
        Some(_) => None,
    }
}

/// Adds the two ends of a range from an object that has them. Ends that cannot be parsed stay unchanged, and are invalid.
pub(super) fn add_ends(read: &mut Value, members: &Map<String, Value>) {
    for (part, names) in [("minimum", ["minimum", "min"]), ("maximum", ["maximum", "max"])] {
        let Some(value) = names.iter().find_map(|name| members.get(*name)) else { continue };
        read[part] = match value {
            Value::String(text) => amount_in(text).map_or_else(|| value.clone(), |amount| amount.to_string().into()),
            Value::Number(number) => number.to_string().into(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => value.clone(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn salaries_are_read_whole() {
        for (text, wanted) in [
            ("$50k-$60k per year", json!({ "minimum": "50000", "maximum": "60000", "currency": "$", "per": "YEAR" })),
            ("50-60k EUR", json!({ "minimum": "50000", "maximum": "60000", "currency": "EUR" })),
            ("up to 60.000 €", json!({ "maximum": "60000", "currency": "EUR" })),
            ("bis 60.000 €", json!({ "maximum": "60000", "currency": "EUR" })),
            ("ab 3.500,50 € brutto/Monat", json!({ "minimum": "3500.5", "currency": "EUR", "per": "MONTH" })),
            (
                "15 to 17.50 USD per hour",
                json!({ "minimum": "15", "maximum": "17.5", "currency": "USD", "per": "HOUR" }),
            ),
            ("£45,000 p.a.", json!({ "minimum": "45000", "maximum": "45000", "currency": "£", "per": "YEAR" })),
        ] {
            assert_eq!(salary_in(text), Some(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_salary_is_none() {
        for text in [
            "TVöD E13",
            "50,000",
            "50 to 60",
            "$50k-$60,000",
            "$50,000 plus 10 % bonus",
            "13 salaries a year",
            "competitive",
            "1.2.3 EUR",
        ] {
            assert_eq!(salary_in(text), None, "{text}");
        }
        assert_eq!(amount_in("50k").unwrap().to_string(), "50000");
        assert_eq!(amount_in("50 grand"), None);
    }
}
