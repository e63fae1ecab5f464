//! Faults of a source's runs, and which of them are the same.

use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::StopReason;
use crate::diagnostics::{Fault, normalize};

/// A fault of a source's run: a field without its value, or a page that the site did not give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFault {
    /// Kind of the failure, such as `PARSE_ERROR`: a reason for which a run of a source ends.
    pub category: StopReason,
    /// Name of the field; `None` if the whole page is at fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Status of the response, if it was an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// Address of the page that showed it last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page: Option<String>,
    /// Message of the fault.
    pub message: String,
}

/// Identity of a fault: it is the same one on every page of its source, whatever values it is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageFaultKey {
    /// Kind of the failure.
    pub category: StopReason,
    /// Name of the field.
    pub field: Option<String>,
    /// Status of the response.
    pub status: Option<u16>,
    /// The message with addresses, quoted texts and numbers normalised.
    pub message: String,
}

impl Fault for PageFault {
    type Key = PageFaultKey;
    type Urgency = StopReason;

    fn key(&self) -> PageFaultKey {
        let (category, field, status) = (self.category, self.field.clone(), self.status);
        PageFaultKey { category, field, status, message: normalize(&without_examples(&self.message)) }
    }

    fn urgency(&self) -> StopReason {
        self.category
    }
}

/// The message without addresses, and without the texts of the page and the selectors of the recipe, which it quotes.
fn without_examples(message: &str) -> String {
    #[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
    static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r#"(?P<quoted>"(?:[^"\\]|\\.)*"|`[^`]*`)|https?://[^\s"'`<>]+"#).expect("a constant pattern")
    });
    let replaced = |found: &regex::Captures<'_>| if found.name("quoted").is_some() { "\"…\"" } else { "URL" };
    EXAMPLE.replace_all(message, replaced).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(message: &str) -> PageFault {
        let (category, field) = (StopReason::SchemaMismatch, Some("price".to_owned()));
        PageFault { category, field, status: None, page: None, message: message.to_owned() }
    }

    #[test]
    fn a_fault_is_the_same_whatever_values_it_is_about() {
        for (one, other) in [
            (r#"price has what sku has: "A \" b""#, r#"price has what sku has: "SKU""#),
            ("Missing field: price (no node matches `.price`)", "Missing field: price (no node matches `td b`)"),
            ("https://a.example/1?x=2 answers 500", "http://b.example/ answers 503"),
            ("price is 12.50 EUR, and was 3 to 4 EUR", "price is 9 EUR, and was 2 to 5.10 EUR"),
        ] {
            assert_eq!(fault(one).key(), fault(other).key());
        }
        assert_ne!(fault("Missing field: price").key(), fault("Vanished field: price").key());
        let gone = PageFault { category: StopReason::PageGone, ..fault("x") };
        let refused = PageFault { status: Some(503), ..fault("x") };
        assert!(gone.key() != fault("x").key() && refused.key() != fault("x").key());
    }
}
