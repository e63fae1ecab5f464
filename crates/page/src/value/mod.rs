//! Typed values: what the text of a page means.
//!
//! Text that can be read in two ways is an error that says which, and what to write into the recipe to decide it; nothing here
//! guesses.
//!
//! # Layout
//!
//! - [`number`]: `1.234,56`, `1,234.56`, `1 234,56`
//! - [`money`]: a number with a currency's sign or code
//! - [`date`]: ISO 8601, RFC 2822, day and month in numbers or words
//! - [`boolean`]: words for yes and no
//! - [`minutes`]: `1 h 30 min`, `PT1H30M`
//! - [`shape`]: what a value looks like, without what it says

pub mod boolean;
pub mod date;
pub mod minutes;
pub mod money;
pub mod number;
pub mod shape;

use std::fmt;
use std::sync::LazyLock;

use regex::Regex;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use url::Url;

pub use date::DateValue;
pub use money::{Currency, Money};
pub use shape::Shape;

/// The type of a value, as recipes and blueprints name it: `text`, `number`, `money`, `date`, `boolean`, `url`, `minutes`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Text as it stands on the page.
    #[default]
    Text,
    /// A decimal number, with the digits as written.
    Number,
    /// An amount in a currency.
    Money,
    /// A date, with or without a time of day.
    Date,
    /// True or false.
    Boolean,
    /// An absolute URL.
    Url,
    /// A duration in whole minutes.
    Minutes,
}

impl ValueType {
    /// Its name in a recipe.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Money => "money",
            Self::Date => "date",
            Self::Boolean => "boolean",
            Self::Url => "url",
            Self::Minutes => "minutes",
        }
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum Value {
    /// Text as it stands on the page.
    Text(String),
    /// A decimal number, with the digits that were written.
    Number(Decimal),
    /// An amount in a currency.
    Money(Money),
    /// A day, with or without a time of day.
    Date(DateValue),
    /// True or false.
    Boolean(bool),
    /// An absolute URL.
    Url(Url),
    /// A duration in whole minutes.
    Minutes(u32),
}

impl Value {
    /// Returns the type of the value.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Text(_) => ValueType::Text,
            Self::Number(_) => ValueType::Number,
            Self::Money(_) => ValueType::Money,
            Self::Date(_) => ValueType::Date,
            Self::Boolean(_) => ValueType::Boolean,
            Self::Url(_) => ValueType::Url,
            Self::Minutes(_) => ValueType::Minutes,
        }
    }
}

/// The value in one canonical spelling: `12.50 EUR`, `2024-10-15T21:01+02:00`, `true`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Money(money) => money.fmt(f),
            Self::Date(date) => date.fmt(f),
            Self::Boolean(boolean) => boolean.fmt(f),
            Self::Url(url) => f.write_str(url.as_str()),
            Self::Minutes(minutes) => minutes.fmt(f),
        }
    }
}

/// Reason why a text is not a value of the wanted type. Texts are truncated to [`QUOTE_LENGTH`] characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ValueError {
    /// The text holds nothing of the kind.
    #[error("there is no {expected} in {text:?}: select another node, or cut the text with a `regex` transform")]
    Absent {
        /// Type to which the text was converted.
        expected: ValueType,
        /// Text of the node, truncated.
        text: String,
    },
    /// The text holds several that differ, or one that can be read in several ways.
    #[error("{text:?} could be {readings}: {remedy}")]
    Ambiguous {
        /// Type to which the text was converted.
        expected: ValueType,
        /// Text of the node, truncated.
        text: String,
        /// Possible readings, as a list in words: `1234 or 1.234`.
        readings: String,
        /// Change to the recipe that resolves the ambiguity.
        remedy: &'static str,
    },
    /// The text has the right form, but there is no such value: a 31st of June, a number too large.
    #[error("{text:?} is no {expected}: {problem}")]
    Invalid {
        /// Type to which the text was converted.
        expected: ValueType,
        /// Text of the node, truncated.
        text: String,
        /// Description of the problem.
        problem: String,
    },
}

impl ValueError {
    pub(crate) fn absent(expected: ValueType, text: &str) -> Self {
        Self::Absent { expected, text: quote(text) }
    }

    pub(crate) fn ambiguous(expected: ValueType, text: &str, readings: &[String], remedy: &'static str) -> Self {
        let shown = readings.len().min(4);
        let readings = readings[..shown].join(" or ");
        Self::Ambiguous { expected, text: quote(text), readings, remedy }
    }

    pub(crate) fn invalid(expected: ValueType, text: &str, problem: impl Into<String>) -> Self {
        Self::Invalid { expected, text: quote(text), problem: problem.into() }
    }
}

/// Maximum length of the page's text that an error quotes, in characters.
pub const QUOTE_LENGTH: usize = 80;

/// The beginning of a text of a page, for messages.
pub(crate) fn quote(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(QUOTE_LENGTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// An absolute HTTP address, resolved against the page's own when the text is relative.
///
/// # Errors
///
/// When the text is empty, no address, or none of a page or file.
pub fn parse_url(text: &str, page_url: Option<&Url>) -> Result<Url, ValueError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(ValueError::absent(ValueType::Url, text));
    }
    let parsed = match page_url {
        Some(base) => base.join(trimmed),
        None => Url::parse(trimmed),
    };
    match parsed {
        Ok(url) if matches!(url.scheme(), "http" | "https" | "file") => Ok(url),
        Ok(url) => {
            Err(ValueError::invalid(ValueType::Url, text, format!("`{}:` addresses lead to no page", url.scheme())))
        }
        Err(url::ParseError::RelativeUrlWithoutBase) => {
            Err(ValueError::invalid(ValueType::Url, text, "it is relative, and the page's own address is not known"))
        }
        Err(error) => Err(ValueError::invalid(ValueType::Url, text, error.to_string())),
    }
}

/// A pattern of this crate, compiled at its first use.
pub(crate) type Pattern = LazyLock<Regex>;

#[expect(clippy::expect_used, reason = "every pattern is a literal, which the tests use")]
pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a valid pattern")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_absolute() {
        let page = Url::parse("https://example.org/shop/list?page=2").unwrap();
        assert_eq!(parse_url(" ../item/3 ", Some(&page)).unwrap().as_str(), "https://example.org/item/3");
        assert_eq!(
            parse_url("//cdn.example.org/a.png", Some(&page)).unwrap().as_str(),
            "https://cdn.example.org/a.png"
        );
        assert!(matches!(parse_url("/a", None), Err(ValueError::Invalid { .. })));
        assert!(matches!(parse_url("javascript:alert(1)", Some(&page)), Err(ValueError::Invalid { .. })));
        assert!(matches!(parse_url("  ", Some(&page)), Err(ValueError::Absent { .. })));
    }

    #[test]
    fn values_survive_json() {
        let values = [
            Value::Text("a".to_owned()),
            Value::Number("1234.50".parse().unwrap()),
            Value::Money(Money { amount: "12.50".parse().unwrap(), currency: Currency::parse("EUR").unwrap() }),
            Value::Date("2024-10-15T21:01+02:00".parse().unwrap()),
            Value::Boolean(false),
            Value::Url(Url::parse("https://example.org/").unwrap()),
            Value::Minutes(90),
        ];
        for value in values {
            let json = serde_json::to_string(&value).unwrap();
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), value, "{json}");
        }
    }

    #[test]
    fn errors_quote_little() {
        let error = number::parse(&"x".repeat(10_000), number::DecimalMark::Detect).unwrap_err();
        assert!(error.to_string().len() < 300);
    }
}
