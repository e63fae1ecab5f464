//! Conversion of a model's values to the types of the form, and nothing else. A value that cannot be read
//! stays as it is, and does not fit.

mod salary;

use std::sync::LazyLock;

use autoheal_page::value::number::DecimalMark;
use autoheal_page::value::{DateValue, boolean, minutes, money, number};
use regex::Regex;
use rust_decimal::Decimal;
use serde_json::{Map, Value, json};
use url::Url;

use crate::form::{Kind, words_of};
use crate::item::PageType;
use salary::{add_ends, amount_in, period_in, salary_in};

/// Members that become part of a text, in this order: `{"name": "leeks", "amount": "500 g"}` becomes `500 g leeks`.
const SPOKEN: [&str; 10] =
    ["quantity", "amount", "value", "unit", "currency", "name", "ingredient", "item", "text", "title"];

/// Members that such an object may have and that are not part of the text; they are reported as left out.
const UNSPOKEN: [&str; 7] = ["@type", "type", "@id", "url", "step", "position", "number"];

/// The members of amounts, as they are called here and elsewhere.
const AMOUNT: [&str; 4] = ["amount", "value", "price", WHOLE];
const CURRENCY: [&str; 3] = ["currency", "price_currency", "priceCurrency"];
const MEAN: [&str; 5] = ["value", "rating", "average", "ratingValue", WHOLE];
const BEST: [&str; 4] = ["best", "bestRating", "max", "scale"];
const COUNT: [&str; 5] = ["count", "reviewCount", "ratingCount", "review_count", "rating_count"];
const PAY: [&str; 7] = ["minimum", "min", "maximum", "max", "amount", "value", WHOLE];
const PAY_TERMS: [&str; 4] = ["currency", "per", "period", "unit"];

/// Returns whether an object lacks its essential part: a price without an amount, a rating without a value.
pub(crate) fn lacks_its_amount(value: &Value, kind: &Kind) -> bool {
    let essential: &[&str] = match kind {
        Kind::Money => &AMOUNT,
        Kind::Rating => &MEAN,
        Kind::Salary => &PAY,
        _ => return false,
    };
    value.as_object().is_some_and(|members| !essential.iter().any(|name| members.contains_key(*name)))
}

/// Returns the names of the members of a value that its kind has no place for.
pub(crate) fn without_place(value: &Value, kind: &Kind) -> Vec<String> {
    let known: Vec<&str> = match kind {
        Kind::List(items) => {
            let all = value.as_array().into_iter().flatten().flat_map(|item| without_place(item, items));
            return all.collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        }
        Kind::Text | Kind::Summary | Kind::Names => SPOKEN.to_vec(),
        Kind::Money => [&AMOUNT[..], &CURRENCY].concat(),
        Kind::Rating => [&MEAN[..], &BEST, &COUNT].concat(),
        Kind::Salary => [&PAY[..], &PAY_TERMS].concat(),
        _ => return Vec::new(),
    };
    let names = value.as_object().into_iter().flat_map(Map::keys);
    names.filter(|name| !known.contains(&name.as_str())).cloned().collect()
}

/// Returns the value as one of this kind, or unchanged. `url` is the page's, the base of its relative addresses.
pub(crate) fn converted(value: Value, kind: &Kind, url: Option<&Url>) -> Value {
    let read = match kind {
        Kind::Text | Kind::Summary | Kind::Names => text(&value).map(Value::from),
        Kind::Choice(choices) => choice(&value, choices),
        Kind::PageType => page_type(&value),
        Kind::Date => moment(&value).or_else(|| day(&value).map(|day| day.to_string().into())),
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

/// Adds a part to a value with parts, such as a price, when the model gave the part separately.
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

/// Name of the member under which [`with_part`] puts a value that was not an object.
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
        Value::Object(members) => {
            let is_known = |name: &String| SPOKEN.contains(&name.as_str()) || UNSPOKEN.contains(&name.as_str());
            if !members.keys().all(is_known) {
                return None;
            }
            let parts = SPOKEN.iter().filter_map(|name| members.get(*name)).filter(|part| !part.is_null());
            let parts: Option<Vec<String>> = parts.map(text).collect();
            parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join(" "))
        }
        Value::Null => None,
    }
}

/// Returns the choice with this text, ignoring case and separators between words. Nothing else matches: `non-vegetarian` is not
/// `vegetarian`.
fn choice(value: &Value, choices: &[Value]) -> Option<Value> {
    let said = words_of(&text(value)?);
    choices.iter().find(|choice| text(choice).is_some_and(|choice| words_of(&choice) == said)).cloned()
}

/// The type of page that is named, alone or with other words: `Job posting`.
fn page_type(value: &Value) -> Option<Value> {
    let said = words_of(&text(value)?);
    let exact = PageType::ALL.into_iter().find(|page_type| page_type.name() == said);
    let mut within = PageType::ALL.into_iter().filter(|page_type| said.split('_').any(|word| word == page_type.name()));
    let only = within.next().filter(|_| within.next().is_none());
    exact.or(only).map(|page_type| page_type.name().into())
}

/// A date with its time as RFC 3339 writes them stays as it is.
fn moment(value: &Value) -> Option<Value> {
    static WHOLE_MOMENT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$").ok());
    let is_whole = |text: &str| WHOLE_MOMENT.as_ref().is_some_and(|whole| whole.is_match(text));
    (is_whole(value.as_str()?) && day(value).is_some()).then(|| value.clone())
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
        Value::String(text) => number::parse(text, DecimalMark::Detect).ok(),
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
            let number = AMOUNT.iter().find_map(|name| members.get(*name))?;
            let mut price = price(number)?;
            let currency = CURRENCY.iter().find_map(|name| members.get(*name));
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
            let mut read = rating(named(&MEAN)?)?;
            if let Some(best) = named(&BEST).and_then(amount) {
                read["best"] = best.into();
            }
            if let Some(count) = named(&COUNT) {
                // A count that cannot be parsed makes the value invalid; it is not silently dropped.
                read["count"] = whole_number(count).unwrap_or_else(|| count.clone());
            }
            Some(read)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) => None,
    }
}

/// Returns a whole number, such as a count: `1,024` can have only one meaning here.
fn whole_number(value: &Value) -> Option<Value> {
    static GROUPED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[0-9]{1,3}(?:[.,' ][0-9]{3})+$").ok());
    let text =
        value.as_str().map(str::trim).filter(|text| GROUPED.as_ref().is_some_and(|grouped| grouped.is_match(text)));
    match text {
        Some(text) => {
            text.chars().filter(char::is_ascii_digit).collect::<String>().parse::<i64>().ok().map(Value::from)
        }
        None => decimal(value).and_then(integer),
    }
}

fn salary(value: &Value) -> Option<Value> {
    match value {
        Value::Number(_) => amount(value).map(|amount| json!({ "minimum": amount, "maximum": amount })),
        Value::String(text) => salary_in(text),
        Value::Object(members) => {
            let mut read = match [WHOLE, "amount", "value"].iter().find_map(|name| members.get(*name)) {
                Some(Value::String(text)) if amount_in(text).is_some() => {
                    let amount = amount_in(text)?.to_string();
                    json!({ "minimum": amount, "maximum": amount })
                }
                Some(whole) => salary(whole)?,
                None => json!({}),
            };
            add_ends(&mut read, members);
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
            (json!("Job Posting"), Kind::PageType, json!("job")),
            (json!("Non-vegetarian"), Kind::Choice(vec![json!("non_vegetarian")]), json!("non_vegetarian")),
            (json!("2024-10-05T21:01:00Z"), Kind::Date, json!("2024-10-05T21:01:00Z")),
            (
                json!([{ "name": "leeks", "amount": "500 g" }, { "value": 5, "unit": "kg", "name": "salt" }]),
                Kind::List(Box::new(Kind::Text)),
                json!(["500 g leeks", "5 kg salt"]),
            ),
            (json!({ "value": 4, "count": "1,024" }), Kind::Rating, json!({ "value": "4", "count": 1024 })),
            (json!({ "value": 4, "count": "many" }), Kind::Rating, json!({ "value": "4", "count": "many" })),
            (
                json!({ "minimum": "50,000", "max": "60k" }),
                Kind::Salary,
                json!({ "minimum": "50000", "maximum": "60000" }),
            ),
            (json!({ "minimum": "50 grand" }), Kind::Salary, json!({ "minimum": "50 grand" })),
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
            (json!("poem"), Kind::PageType),
            (json!("non-vegetarian"), Kind::Choice(vec![json!("vegetarian"), json!("vegan")])),
            (json!("1.299"), Kind::Money),
            (json!("1.299"), Kind::Number),
            (json!({ "name": "leeks", "colour": "green" }), Kind::Text),
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
