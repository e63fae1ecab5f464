//! Transformation of a field's text: steps from text to text, then a conversion to the field's type.
//! `document` contains the form in which recipes write them.

mod document;

use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use url::Url;

use crate::document::normalise;
use crate::value::date::{self, DateOrder};
use crate::value::money::{self, Currency};
use crate::value::number::{self, DecimalMark};
use crate::value::{Value, ValueError, ValueType, boolean, minutes, parse_url};

/// The longest pattern, in characters, and the most memory that a compiled one may take.
const LONGEST_PATTERN: usize = 1000;
pub(crate) const PATTERN_MEMORY: usize = 1 << 20;

/// One entry of a recipe's `transforms`: a name (`"trim"`), or a name and what it needs (`{"split": ","}`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transform {
    /// From text to text.
    Step(TextStep),
    /// From text to a value; the last one, if any.
    Conversion(Conversion),
}

/// A step from text to text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextStep {
    /// White space at both ends goes.
    Trim,
    /// Runs of white space become one space, and those at the ends go.
    Collapse,
    /// Keeps only the text that a pattern captures: its first group, or the whole match if it has no group.
    Regex(Capture),
    /// A beginning goes, where it is there.
    StripPrefix(String),
    /// An end goes, where it is there.
    StripSuffix(String),
    /// The text becomes several, without empty ones, white space at their ends removed.
    Split(String),
}

/// A compiled pattern. It runs in time linear in the text.
#[derive(Debug, Clone)]
pub struct Capture(Regex);

impl Capture {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// If the pattern is not valid, or needs too much memory.
    pub fn parse(pattern: &str) -> Result<Self, InvalidPattern> {
        let problem = if pattern.chars().count() > LONGEST_PATTERN {
            format!("it is longer than {LONGEST_PATTERN} characters")
        } else {
            match RegexBuilder::new(pattern).size_limit(PATTERN_MEMORY).build() {
                Ok(regex) => return Ok(Self(regex)),
                Err(regex::Error::CompiledTooBig(_)) => "it takes too much memory: use smaller repetitions".to_owned(),
                // The last line says what is wrong; those before it draw the pattern with a caret.
                Err(error) => {
                    error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
                }
            }
        };
        Err(InvalidPattern { pattern: crate::value::quote(pattern), problem })
    }

    /// The pattern as it was written.
    pub fn source(&self) -> &str {
        self.0.as_str()
    }

    fn apply(&self, text: &str) -> Option<String> {
        let captures = self.0.captures(text)?;
        captures
            .iter()
            .skip(1)
            .flatten()
            .next()
            .or_else(|| captures.get(0).filter(|_| captures.len() == 1))
            .map(|found| found.as_str().to_owned())
    }
}

impl PartialEq for Capture {
    fn eq(&self, other: &Self) -> bool {
        self.source() == other.source()
    }
}

impl Eq for Capture {}

/// A pattern that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{pattern:?} is no pattern: {problem}")]
pub struct InvalidPattern {
    pattern: String,
    problem: String,
}

/// From text to a value, with what decides where the text alone does not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Conversion {
    /// Text without conversion.
    #[default]
    Text,
    /// Conversion to a decimal number.
    Number(NumberOptions),
    /// Conversion to an amount of money.
    Money(MoneyOptions),
    /// Conversion to a date, with or without a time of day.
    Date(DateOptions),
    /// Conversion to true or false.
    Boolean(BooleanOptions),
    /// Conversion to an absolute URL, relative to the URL of the page.
    Url,
    /// A duration in minutes.
    Minutes,
}

/// Options for reading numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NumberOptions {
    /// The decimal mark: `"."` or `","`.
    #[serde(skip_serializing_if = "is_default")]
    pub decimal: DecimalMark,
}

/// Options for reading amounts of money.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MoneyOptions {
    /// The decimal mark: `"."` or `","`.
    #[serde(skip_serializing_if = "is_default")]
    pub decimal: DecimalMark,
    /// The currency that a sign means, or an amount without any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
}

/// Options for reading dates.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DateOptions {
    /// The order of dates in numbers.
    #[serde(skip_serializing_if = "is_default")]
    pub order: DateOrder,
}

/// Options for reading booleans.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BooleanOptions {
    /// Texts that mean yes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub yes: Vec<String>,
    /// Texts that mean no.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub no: Vec<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Conversion {
    /// The conversion to a type with nothing decided.
    pub fn to(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Text => Self::Text,
            ValueType::Number => Self::Number(NumberOptions::default()),
            ValueType::Money => Self::Money(MoneyOptions::default()),
            ValueType::Date => Self::Date(DateOptions::default()),
            ValueType::Boolean => Self::Boolean(BooleanOptions::default()),
            ValueType::Url => Self::Url,
            ValueType::Minutes => Self::Minutes,
        }
    }

    /// The type it gives.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::Text => ValueType::Text,
            Self::Number(_) => ValueType::Number,
            Self::Money(_) => ValueType::Money,
            Self::Date(_) => ValueType::Date,
            Self::Boolean(_) => ValueType::Boolean,
            Self::Url => ValueType::Url,
            Self::Minutes => ValueType::Minutes,
        }
    }

    /// Converts a text. `page_url` is the base of relative URLs.
    ///
    /// # Errors
    ///
    /// If the text is not a value of the type, or is ambiguous.
    pub fn apply(&self, text: &str, page_url: Option<&Url>) -> Result<Value, ValueError> {
        match self {
            Self::Text => Ok(Value::Text(text.to_owned())),
            Self::Number(options) => number::parse(text, options.decimal).map(Value::Number),
            Self::Money(options) => money::parse(text, options.decimal, options.currency.as_ref()).map(Value::Money),
            Self::Date(options) => date::parse(text, options.order).map(Value::Date),
            Self::Boolean(options) => boolean::parse(text, &options.yes, &options.no).map(Value::Boolean),
            Self::Url => parse_url(text, page_url).map(Value::Url),
            Self::Minutes => minutes::parse(text).map(Value::Minutes),
        }
    }
}

/// A pattern that found nothing in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmatched {
    /// Pattern without a match, as the recipe writes it.
    pub pattern: String,
}

impl TextStep {
    /// Applies it to a text; several texts come back from [`TextStep::Split`] only.
    ///
    /// # Errors
    ///
    /// When a pattern finds nothing.
    pub fn apply(&self, text: &str) -> Result<Vec<String>, Unmatched> {
        let one = |text: &str| Ok(vec![text.to_owned()]);
        match self {
            Self::Trim => one(text.trim()),
            Self::Collapse => one(&normalise(text)),
            Self::Regex(capture) => match capture.apply(text) {
                Some(found) => Ok(vec![found]),
                None => Err(Unmatched { pattern: capture.source().to_owned() }),
            },
            Self::StripPrefix(prefix) => one(text.strip_prefix(prefix.as_str()).unwrap_or(text)),
            Self::StripSuffix(suffix) => one(text.strip_suffix(suffix.as_str()).unwrap_or(text)),
            Self::Split(separator) => Ok(text
                .split(separator.as_str())
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect()),
        }
    }
}

/// Applies steps one after the other to a text.
///
/// # Errors
///
/// When a pattern finds nothing in one of the texts.
pub fn apply_steps(steps: &[TextStep], text: String) -> Result<Vec<String>, Unmatched> {
    let mut texts = vec![text];
    for step in steps {
        let mut next = Vec::with_capacity(texts.len());
        for text in &texts {
            next.extend(step.apply(text)?);
        }
        texts = next;
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(json: &str) -> Vec<TextStep> {
        let transforms: Vec<Transform> = serde_json::from_str(json).unwrap();
        transforms
            .into_iter()
            .map(|transform| match transform {
                Transform::Step(step) => step,
                Transform::Conversion(_) => unreachable!("only steps"),
            })
            .collect()
    }

    #[test]
    fn steps_follow_each_other() {
        let steps = steps(r#"["collapse", {"strip_prefix": "Tags: "}, {"split": ","}, {"regex": "(\\w+)!?"}, "trim"]"#);
        assert_eq!(apply_steps(&steps, "Tags:  a , b!, ,c".to_owned()).unwrap(), ["a", "b", "c"]);
        assert_eq!(apply_steps(&steps, "Tags: a, !!".to_owned()), Err(Unmatched { pattern: r"(\w+)!?".to_owned() }));
    }

    #[test]
    fn a_pattern_gives_its_first_group_that_took_part() {
        let capture = |pattern: &str, text: &str| Capture::parse(pattern).unwrap().apply(text);
        assert_eq!(capture(r"\d+", "a 12 b"), Some("12".to_owned()));
        assert_eq!(capture(r"(\d+) b|(a)", "a 12 b"), Some("a".to_owned()));
        assert_eq!(capture(r"x(y)?", "x"), None, "the group that was asked for is not there");
    }
}
