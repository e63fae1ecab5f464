//! Values with more than one part.

use std::fmt;

use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

/// An amount of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Amount, with the digits as written; text in JSON, so that none is lost.
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

/// Mean rating by users, with its scale.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rating {
    /// Mean of all ratings; text in JSON.
    pub value: Decimal,
    /// Best possible rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<Decimal>,
    /// Number of users who gave a rating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// Pay of a job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Salary {
    /// Lower end of the range; text in JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Decimal>,
    /// Upper end of the range; text in JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Decimal>,
    /// Currency of the amounts, in the form of [`Price::currency`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Period of the amounts, as the page states it: `HOUR`, `YEAR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<String>,
}

/// A table that holds data.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Caption that the page shows above the table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
    /// Names of the columns; empty without header cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub header: Vec<String>,
    /// Rows of the table, without the header.
    pub rows: Vec<Vec<String>>,
}

/// A list of the main text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct List {
    /// Heading right before the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<String>,
    /// Texts of the list's items.
    pub items: Vec<String>,
}
