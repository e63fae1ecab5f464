//! Values with more than one part.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// How much, with the digits that were written; text in JSON, so that none is lost.
    pub amount: Decimal,
    /// An ISO 4217 code, or the sign on the page where it could mean several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

impl fmt::Display for Price {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.amount.fmt(formatter)?;
        self.currency.as_ref().map_or(Ok(()), |currency| write!(formatter, " {currency}"))
    }
}

/// What people think.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// The mean; text in JSON.
    pub value: Decimal,
    /// The best that can be given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Decimal>,
    /// How many people gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// What a job pays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Salary {
    /// The least; text in JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Decimal>,
    /// The most; text in JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Decimal>,
    /// As of a [`Price`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// For how long a time, as the page says it: `HOUR`, `YEAR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<String>,
}

/// A table that holds data.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// What the page says above it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// The names of its columns; empty where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header: Vec<String>,
    /// Its other rows.
    pub rows: Vec<Vec<String>>,
}

/// A list of the main text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// The heading right before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// Its items.
    pub items: Vec<String>,
}
