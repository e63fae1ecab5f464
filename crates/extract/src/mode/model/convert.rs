//! What a model says as what the form wants: types, and nothing else. A value that cannot be read stays what it is, and does not fit.

use std::sync::LazyLock;

use autoheal_page::value::number::DecimalMark;
use autoheal_page::value::{DateValue, boolean, minutes, money, number};
use regex::Regex;
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};
use url::Url;

use crate::form::{Kind, words_of};

/// Members by which an object is meant to be a text: `{"name": "Ada"}`.
const NAMES: [&str; 3] = ["name", "text", "value"];

/// The value as one of this kind, or as it is. `url` is the page's: what its addresses are relative to.
pub(crate) fn converted(value: Value, kind: &Kind, url: Option<&Url>) -> Value {
    let read = match kind {
        Kind::Text | Kind::Summary | Kind::Names => text(&value).map(Value::from),
        Kind::Choice(choices) => choice(&value, choices),
        Kind::Date => day(&value).map(|day| day.to_string().into()),
        Kind::Day => day(&value).map(|day| day.date.to_string().into()),
        Kind::Integer => decimal(&value).and_then(integer),
        Kind::Number => decimal(&value).and_then(number_of),
        Kind::Boolean => text(&value).and_then(|text| boolean::parse(&text, &[], &[]).ok()).map(Value::from),
        Kind::Minutes => minutes_of(&value),
        Kind::Money => price(&value),
        Kind::Rating => rating(&value),
        Kind::Salary => salary(&value),
        Kind::Address => text(&value).map(|text| absolute(&text, url).into()),
        Kind::List(kind) => Some(list(value.clone(), kind, url)),
        Kind::Object(kinds) => match &value {
            Value::Object(members) => Some(object(members, kinds, url)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        },
        Kind::Any => None,
    };
    read.unwrap_or(value)
}

/// The parts of a text with parts, such as a price, that came beside it.
pub(crate) fn with_part(whole: Option<Value>, part: &str, value: Value) -> Value {
    match whole {
        Some(Value::Object(mut members)) => {
            members.entry(part).or_insert(value);
            Value::Object(members)
        }
        // A text has its own parts, if it has some.
        Some(other) => json!({ WHOLE: other, part: value }),
        None => json!({ part: value }),
    }
}

/// Where [`with_part`] puts what was no object.
const WHOLE: &str = "whole";

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Array(items) => {
            let texts: Option<Vec<String>> = items.iter().map(text).collect();
            texts.map(|texts| texts.join(", "))
        }
        Value::Object(members) => match members.get("amount") {
            Some(amount) => {
                let currency = members.get("currency").and_then(text).map(|currency| format!(" {currency}"));
                Some(format!("{}{}", text(amount)?, currency.unwrap_or_default()))
            }
            None => NAMES.iter().find_map(|name| members.get(*name)).and_then(text),
        },
        Value::Null => None,
    }
}

/// The choice that is written so, whatever its case and what stands between its words.
fn choice(value: &Value, choices: &[Value]) -> Option<Value> {
    let said = words_of(&text(value)?);
    let is_it = |choice: &&Value| text(choice).is_some_and(|choice| words_of(&choice) == said);
    let exact = choices.iter().find(is_it);
    // `job posting` is a job where that is one of the choices, and no other is.
    let within = || {
        let mut within = choices
            .iter()
            .filter(|choice| text(choice).is_some_and(|choice| said.split('_').any(|word| word == words_of(&choice))));
        within.next().filter(|_| within.next().is_none())
    };
    exact.or_else(within).cloned()
}

fn day(value: &Value) -> Option<DateValue> {
    text(value)?.parse().ok()
}

fn decimal(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => {
            let text = number.to_string();
            text.parse().ok().or_else(|| Decimal::from_scientific(&text).ok())
        }
        // A form wants a number without the sign of its currency or its unit.
        Value::String(text) => number::parse(text, DecimalMark::Detect).ok().or_else(|| text.trim().parse().ok()),
        Value::Object(members) => ["amount", "value"].iter().find_map(|name| members.get(*name)).and_then(decimal),
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

fn integer(number: Decimal) -> Option<Value> {
    let whole = number.normalize();
    (whole.scale() == 0).then(|| whole.to_string().parse::<i64>().ok()).flatten().map(Value::from)
}

fn number_of(number: Decimal) -> Option<Value> {
    integer(number).or_else(|| number.to_string().parse::<f64>().ok().map(Value::from))
}

fn minutes_of(value: &Value) -> Option<Value> {
    match value {
        Value::Number(_) => decimal(value).and_then(integer),
        Value::String(text) => {
            let alone = || text.trim().parse::<u32>().ok();
            minutes::parse(text).ok().or_else(alone).map(Value::from)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// An amount as the item writes it.
fn amount(value: &Value) -> Option<String> {
    decimal(value).map(|amount| amount.to_string())
}

fn price(value: &Value) -> Option<Value> {
    match value {
        Value::String(text) => match money::parse(text, DecimalMark::Detect, None) {
            Ok(price) => Some(json!({ "amount": price.amount.to_string(), "currency": price.currency.as_str() })),
            Err(_) => amount(value).map(|amount| json!({ "amount": amount })),
        },
        Value::Number(_) => amount(value).map(|amount| json!({ "amount": amount })),
        Value::Object(members) => {
            let number = ["amount", "value", "price", WHOLE].iter().find_map(|name| members.get(*name))?;
            let mut price = price(number)?;
            let currency = ["currency", "price_currency", "priceCurrency"].iter().find_map(|name| members.get(*name));
            if let (Some(currency), Some(price)) = (currency.and_then(text), price.as_object_mut()) {
                price.insert("currency".to_owned(), currency_of(&currency).into());
            }
            Some(price)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

/// The code of a currency, where its sign has one.
fn currency_of(text: &str) -> String {
    money::Currency::parse(text).map_or_else(|| text.trim().to_owned(), |currency| currency.as_str().to_owned())
}

fn rating(value: &Value) -> Option<Value> {
    static OUT_OF: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?i)^\D*(?P<value>\d+(?:[.,]\d+)?)(?:\s*(?:/|of|out of|von|sur|de)\s*(?P<best>\d+))?\D*$").ok()
    });
    match value {
        Value::Number(_) => amount(value).map(|value| json!({ "value": value })),
        Value::String(text) => {
            let captures = OUT_OF.as_ref()?.captures(text)?;
            let mut rating = json!({ "value": captures["value"].replace(',', ".") });
            if let Some(best) = captures.name("best") {
                rating["best"] = best.as_str().into();
            }
            Some(rating)
        }
        Value::Object(members) => {
            let named = |names: &[&str]| names.iter().find_map(|name| members.get(*name));
            let mut read = rating(named(&["value", "rating", "average", "ratingValue", WHOLE])?)?;
            if let Some(best) = named(&["best", "bestRating", "max", "scale"]).and_then(amount) {
                read["best"] = best.into();
            }
            let count = named(&["count", "reviewCount", "ratingCount", "review_count", "rating_count"]);
            if let Some(count) = count.and_then(decimal).and_then(integer) {
                read["count"] = count;
            }
            Some(read)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

/// For how long a salary is, by the words for it, as structured data names it.
const PERIODS: [(&str, &[&str]); 5] = [
    ("HOUR", &["hour", "hr", "hourly", "h"]),
    ("DAY", &["day", "daily"]),
    ("WEEK", &["week", "weekly"]),
    ("MONTH", &["month", "monthly", "mo"]),
    ("YEAR", &["year", "yr", "annum", "annual", "annually", "yearly", "pa"]),
];

fn salary(value: &Value) -> Option<Value> {
    match value {
        Value::Number(_) => amount(value).map(|amount| json!({ "minimum": amount, "maximum": amount })),
        Value::String(text) => salary_in(text),
        Value::Object(members) => {
            let mut read = match members.get(WHOLE).or_else(|| members.get("amount")).or_else(|| members.get("value")) {
                Some(whole) => salary(whole)?,
                None => json!({}),
            };
            for (part, names) in [("minimum", ["minimum", "min"]), ("maximum", ["maximum", "max"])] {
                if let Some(amount) = names.iter().find_map(|name| members.get(*name)).and_then(amount) {
                    read[part] = amount.into();
                }
            }
            if let Some(currency) = members.get("currency").and_then(text) {
                read["currency"] = currency_of(&currency).into();
            }
            if let Some(per) = ["per", "period", "unit"].iter().find_map(|name| members.get(*name)).and_then(text) {
                read["per"] = period_in(&per).map_or(per, str::to_owned).into();
            }
            Some(read)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

/// `50,000 - 60,000 EUR per year`.
fn salary_in(text: &str) -> Option<Value> {
    let ends: Vec<&str> = text.split(['-', '–', '—']).flat_map(|part| part.split(" to ")).collect();
    let currency = ends.iter().find_map(|end| Some(money::parse(end, DecimalMark::Point, None).ok()?.currency));
    // Salaries have no thousandths: `50,000` and `50.000` are thousands.
    let amounts: Option<Vec<Decimal>> = ends
        .iter()
        .map(|end| {
            let digits: String = end.chars().filter(|char| char.is_ascii_digit() || ".,' ".contains(*char)).collect();
            let digits = digits.trim();
            let mark = if digits.rsplit('.').next().is_some_and(|tail| tail.len() == 3) && digits.contains('.') {
                DecimalMark::Comma
            } else {
                DecimalMark::Point
            };
            number::parse(digits, mark).ok()
        })
        .collect();
    let amounts = amounts.filter(|amounts| (1..=2).contains(&amounts.len()))?;
    let mut read = json!({ "minimum": amounts.first()?.to_string(), "maximum": amounts.last()?.to_string() });
    if let Some(currency) = currency {
        read["currency"] = currency.as_str().into();
    }
    if let Some(per) = period_in(text) {
        read["per"] = per.into();
    }
    Some(read)
}

fn period_in(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    let mut words = text.split(|character: char| !character.is_alphabetic());
    words.find_map(|word| PERIODS.iter().find(|(_, names)| names.contains(&word)).map(|(name, _)| *name))
}

fn absolute(text: &str, url: Option<&Url>) -> String {
    let joined = url.and_then(|url| url.join(text).ok());
    joined.map_or_else(|| text.to_owned(), |joined| joined.to_string())
}

/// A text is a list of its lines.
fn list(value: Value, kind: &Kind, url: Option<&Url>) -> Value {
    let items = match value {
        Value::Array(items) => items,
        Value::String(text) if matches!(kind, Kind::Text) => {
            let lines = text.lines().map(|line| line.trim().trim_start_matches(['-', '*', '•']).trim());
            lines.filter(|line| !line.is_empty()).map(Value::from).collect()
        }
        other => vec![other],
    };
    items.into_iter().map(|item| converted(item, kind, url)).collect()
}

fn object(members: &Map<String, Value>, kinds: &std::collections::BTreeMap<String, Kind>, url: Option<&Url>) -> Value {
    let named = |name: &String| kinds.keys().find(|known| *known == name || words_of(known) == words_of(name));
    let read = members.iter().map(|(name, value)| match named(name) {
        Some(known) => (known.clone(), converted(value.clone(), kinds.get(known).unwrap_or(&Kind::Any), url)),
        None => (name.clone(), value.clone()),
    });
    Value::Object(read.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_what_the_form_wants() {
        let url = Url::parse("https://shop.example/pots/1").unwrap();
        let objects = Kind::Object([("unitPrice".to_owned(), Kind::Number)].into());
        for (value, kind, wanted) in [
            (json!("  Pot "), Kind::Text, json!("Pot")),
            (json!(["Ada", { "name": "Bob" }]), Kind::Text, json!("Ada, Bob")),
            (json!("Job Posting"), Kind::Choice(vec![json!("product"), json!("job")]), json!("job")),
            (json!("October 5, 2024"), Kind::Date, json!("2024-10-05")),
            (json!("2024-10-05T21:01:00Z"), Kind::Day, json!("2024-10-05")),
            (json!("1,024 votes"), Kind::Integer, json!("1,024 votes")),
            (json!("1,234,567 votes"), Kind::Integer, json!(1_234_567)),
            (json!(3.0), Kind::Integer, json!(3)),
            (json!("12,50 €"), Kind::Number, json!(12.5)),
            (json!({ "amount": "12.5", "currency": "EUR" }), Kind::Number, json!(12.5)),
            (json!({ "amount": "12.5", "currency": "EUR" }), Kind::Text, json!("12.5 EUR")),
            (json!("yes"), Kind::Boolean, json!(true)),
            (json!("1 h 5 min"), Kind::Minutes, json!(65)),
            (json!("PT20M"), Kind::Minutes, json!(20)),
            (json!("30"), Kind::Minutes, json!(30)),
            (json!("12,50 €"), Kind::Money, json!({ "amount": "12.50", "currency": "EUR" })),
            (json!(12), Kind::Money, json!({ "amount": "12" })),
            (json!({ "value": 12, "currency": "€" }), Kind::Money, json!({ "amount": "12", "currency": "EUR" })),
            (
                with_part(Some(json!(12)), "currency", json!("EUR")),
                Kind::Money,
                json!({ "amount": "12", "currency": "EUR" }),
            ),
            (json!("4.5 out of 5"), Kind::Rating, json!({ "value": "4.5", "best": "5" })),
            (json!({ "average": 4, "count": "12" }), Kind::Rating, json!({ "value": "4", "count": 12 })),
            (
                json!("50,000 - 60,000 EUR per year"),
                Kind::Salary,
                json!({ "minimum": "50000", "maximum": "60000", "currency": "EUR", "per": "YEAR" }),
            ),
            (json!({ "min": 10, "per": "hourly" }), Kind::Salary, json!({ "minimum": "10", "per": "HOUR" })),
            (json!("/a.jpg"), Kind::Address, json!("https://shop.example/a.jpg")),
            (json!("- 1 leek\n- salt\n"), Kind::List(Box::new(Kind::Text)), json!(["1 leek", "salt"])),
            (json!([{ "step": 1, "text": "Cut." }]), Kind::List(Box::new(Kind::Text)), json!(["Cut."])),
            (json!({ "unit_price": "12.5" }), objects, json!({ "unitPrice": 12.5 })),
        ] {
            assert_eq!(converted(value.clone(), &kind, Some(&url)), wanted, "{value} as {kind:?}");
        }
    }

    #[test]
    fn what_cannot_be_read_stays_what_it_is() {
        for (value, kind) in [
            (json!("last week"), Kind::Date),
            (json!("10/11/2024"), Kind::Date),
            (json!("cheap"), Kind::Money),
            (json!("poem"), Kind::Choice(vec![json!("job"), json!("recipe")])),
            (json!("many"), Kind::Integer),
            (json!(1.5), Kind::Integer),
            (json!("a while"), Kind::Minutes),
            (json!("good"), Kind::Rating),
            (json!("competitive"), Kind::Salary),
            (json!({ "a": 1 }), Kind::Text),
        ] {
            assert_eq!(converted(value.clone(), &kind, None), value, "{kind:?}");
        }
    }
}
