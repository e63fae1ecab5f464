//! Validation of the values that a recipe yields: the spec's baby validator (`doctor-agent.md`, "Schema Signature
//! Validation"), and a check that the values still resemble those of earlier pages. A selector that still matches and gives
//! the wrong value is the failure that otherwise goes unnoticed.

use std::collections::BTreeSet;

use autoheal_page::Document;
use autoheal_page::apply::{Extraction, FieldOutcome, Miss};
use autoheal_page::recipe::{Field, Recipe};
use autoheal_page::value::Value;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::author::other_authors;
use crate::drift::{confusions, drift};
use crate::facts::PageFacts;
use crate::failure::{ErrorType, Failure, Fault};
use crate::price;

/// Verdict on the values that a recipe yields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// True if the values may be accepted.
    pub passed: bool,
    /// Errors found, one line each.
    pub errors: Vec<String>,
    /// The errors with the fields that they are about.
    #[serde(default)]
    pub faults: Vec<Fault>,
    /// 1 minus the number of errors over the number of fields.
    pub score: f64,
    /// True if a required field, or everything, is missing.
    pub critical: bool,
    /// Type of the failure, if there is one.
    pub error_type: Option<ErrorType>,
}

impl Validation {
    /// Adds errors about fields whose values are not what they were.
    pub(crate) fn doubt(&mut self, changed: Vec<(String, String)>) {
        for (name, change) in changed {
            self.passed = false;
            self.error_type.get_or_insert(ErrorType::SchemaMismatch);
            self.errors.push(change.clone());
            self.faults.push(Fault { field: Some(name), error_type: ErrorType::SchemaMismatch, message: change });
        }
    }

    /// Returns the names of the fields that the errors are about.
    pub(crate) fn doubtful(&self) -> BTreeSet<String> {
        self.faults.iter().filter_map(|fault| fault.field.clone()).collect()
    }

    /// The failure of a run with this verdict.
    pub fn failure(&self) -> Option<Failure> {
        let failure = |error_type| Failure::new(error_type, self.errors.join("; "));
        self.error_type.map(|error_type| Failure { faults: self.faults.clone(), ..failure(error_type) })
    }
}

/// The values as data for others: an object, or for a list page an array of them.
pub fn values(recipe: &Recipe, extraction: &Extraction) -> serde_json::Value {
    let record = |record: &autoheal_page::apply::Record| -> serde_json::Value {
        let fields = record.fields.iter().map(|(name, outcome)| {
            let is_list = recipe.field(name.as_str()).is_some_and(|field| field.many);
            let mut values = outcome.values.iter().map(|found| plain(&found.value));
            let value = if is_list { values.collect() } else { values.next().unwrap_or(serde_json::Value::Null) };
            (name.as_str().to_owned(), value)
        });
        serde_json::Value::Object(fields.collect())
    };
    match extraction.records.as_slice() {
        [only] if recipe.items().is_none() => record(only),
        records => records.iter().map(record).collect(),
    }
}

fn plain(value: &Value) -> serde_json::Value {
    match value {
        Value::Boolean(boolean) => json!(boolean),
        Value::Minutes(minutes) => json!(minutes),
        Value::Number(number) => {
            serde_json::from_str(&number.to_string()).unwrap_or_else(|_| json!(number.to_string()))
        }
        Value::Text(_) | Value::Money(_) | Value::Date(_) | Value::Url(_) => json!(value.to_string()),
    }
}

/// Judges what a recipe yielded. Optional fields may be absent; lists are checked item by item.
/// `history` are the facts of earlier good pages.
pub fn validate(recipe: &Recipe, extraction: &Extraction, history: &[PageFacts]) -> Validation {
    let facts = PageFacts::of(extraction);
    let mut faults = Vec::new();
    let any =
        extraction.records.iter().flat_map(|record| &record.fields).any(|(_, outcome)| !outcome.values.is_empty());
    if !any {
        let message = "No data returned".to_owned();
        faults.push(Fault { field: None, error_type: ErrorType::ParseError, message });
    }
    let mut critical = !any;
    for field in recipe.fields() {
        let name = field.name.as_str();
        let outcomes: Vec<&FieldOutcome> = extraction.records.iter().filter_map(|record| record.field(name)).collect();
        let empty = outcomes.iter().filter(|outcome| outcome.values.is_empty()).count();
        critical |= field.required && empty == outcomes.len();
        faults.extend(missing(field, &outcomes, empty));
        faults.extend(drift(recipe, field, &facts, history).map(|change| mismatch(name, change)));
    }
    faults.extend(confusions(recipe, extraction, history).into_iter().map(|(name, change)| mismatch(name, change)));
    let count = |length: usize| f64::from(u32::try_from(length).unwrap_or(u32::MAX));
    Validation {
        passed: faults.is_empty(),
        score: 1.0 - count(faults.len()) / count(recipe.fields().len().max(1)),
        critical,
        error_type: error_type(&faults),
        errors: faults.iter().map(|fault| fault.message.clone()).collect(),
        faults,
    }
}

fn mismatch(name: impl Into<String>, message: String) -> Fault {
    Fault { field: Some(name.into()), error_type: ErrorType::SchemaMismatch, message }
}

/// The fault of a required field that has no value in `empty` of its `outcomes`, or that lacks some entries of its value.
fn missing(field: &Field, outcomes: &[&FieldOutcome], empty: usize) -> Option<Fault> {
    if !field.required {
        return None;
    }
    let name = field.name.as_str();
    let reason = outcomes.iter().flat_map(|outcome| &outcome.misses).next();
    if empty == 0 && !outcomes.is_empty() {
        return reason.map(|miss| mismatch(name, format!("Empty field: an entry of {name} ({miss})")));
    }
    let reason_text = reason.map_or(String::new(), |miss| format!(" ({miss})"));
    let message = if empty == outcomes.len() {
        format!("Missing field: {name}{reason_text}")
    } else {
        format!("Empty field: {name} in {empty} of {} items{reason_text}", outcomes.len())
    };
    let error_type = match reason {
        Some(Miss::NoValue(_)) => ErrorType::SchemaMismatch,
        Some(
            Miss::NoNode { .. }
            | Miss::TooMuchWork(_)
            | Miss::NoAttribute { .. }
            | Miss::NoStructuredData { .. }
            | Miss::Empty
            | Miss::Unmatched { .. },
        )
        | None => ErrorType::ParseError,
    };
    Some(Fault { field: Some(name.to_owned()), error_type, message })
}

/// Returns the type of a failure with these faults: a selector that finds nothing takes precedence over values that are not what they were,
/// and both over the page as a whole.
fn error_type(faults: &[Fault]) -> Option<ErrorType> {
    let of_fields = faults.iter().filter(|fault| fault.field.is_some()).map(|fault| fault.error_type).min();
    of_fields.or_else(|| faults.first().map(|fault| fault.error_type))
}

/// Judges as [`validate`] does, and by the page itself. The `absent` optional fields may be absent although they were on every earlier page;
/// a value that their rules find nevertheless is compared with the earlier ones.
pub(crate) fn validate_page(
    recipe: &Recipe,
    page: &Document,
    extraction: &Extraction,
    history: &[PageFacts],
    absent: &[String],
) -> Validation {
    let facts = PageFacts::of(extraction);
    let absent: Vec<String> = absent.iter().filter(|name| !facts.has(name)).cloned().collect();
    let earlier: Vec<PageFacts>;
    let history = if absent.is_empty() {
        history
    } else {
        earlier = history.iter().map(|facts| facts.without(&absent)).collect();
        &earlier
    };
    let mut verdict = validate(recipe, extraction, history);
    verdict.doubt(price::leaps(recipe, page, &facts, history));
    verdict.doubt(other_authors(recipe, &facts, history));
    verdict
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recipe(fields: &str) -> Recipe {
        Recipe::parse(&format!("{{\"version\": 1, \"fields\": {{{fields}}}}}"), "test.json").unwrap()
    }

    fn judged(recipe: &Recipe, html: &str, history: &[PageFacts]) -> Validation {
        validate(recipe, &recipe.apply(&Document::parse(html), None), history)
    }

    fn facts(recipe: &Recipe, html: &str) -> PageFacts {
        PageFacts::of(&recipe.apply(&Document::parse(html), None))
    }

    #[test]
    fn what_a_selector_also_matches_is_noticed() {
        let recipe = recipe(r#""author": {"select": ".by span"}"#);
        let history = [facts(&recipe, "<p class=by><span>Jane Doe</span>")];
        let page = format!("<p class=by>{}", "<span>Tag a</span>".repeat(12));
        assert_eq!(judged(&recipe, &page, &history).error_type, Some(ErrorType::SchemaMismatch));
    }

    #[test]
    fn an_optional_field_that_was_always_there_does_not_vanish_unseen() {
        let recipe = recipe(TWO);
        let with = facts(&recipe, "<h1>A</h1><p class=price>3 EUR");
        let without = facts(&recipe, "<h1>A</h1>");
        assert!(!judged(&recipe, "<h1>A</h1>", &[with.clone(), with.clone()]).passed);
        assert!(judged(&recipe, "<h1>A</h1>", &[with, without]).passed, "it comes and goes");
    }

    #[test]
    fn an_absent_field_may_be_missing_and_not_be_something_else() {
        let recipe = recipe(TWO);
        let history = [facts(&recipe, "<h1>A</h1><p class=price>3 EUR")];
        let judged = |html: &str| {
            let page = Document::parse(html);
            validate_page(&recipe, &page, &recipe.apply(&page, None), &history, &["price".to_owned()]).passed
        };
        assert!(judged("<h1>A</h1>") && judged("<h1>A</h1><p class=price>4 EUR"));
        assert!(!judged("<h1>A</h1><p class=price>Ask our people in the shop"));
    }

    const TWO: &str = r#""title": {"select": "h1"}, "price": {"select": ".price", "required": false}"#;

    #[test]
    fn what_is_required_must_be_there() {
        let recipe = recipe(TWO);
        let good = judged(&recipe, "<h1>A</h1>", &[]);
        assert!(good.passed && good.score >= 1.0, "{good:?}");
        let missing = judged(&recipe, "<p class=price>3", &[]);
        assert!(missing.critical && missing.error_type == Some(ErrorType::ParseError), "{missing:?}");
        assert_eq!(missing.errors.len(), 1);
        let nothing = judged(&recipe, "<p>gone", &[]);
        assert!(nothing.errors.iter().any(|error| error == "No data returned"), "{nothing:?}");
    }

    #[test]
    fn a_value_of_another_type_is_a_mismatch() {
        let recipe = recipe(r#""count": {"select": "b", "type": "number"}"#);
        let verdict = judged(&recipe, "<b>many</b>", &[]);
        assert_eq!(verdict.error_type, Some(ErrorType::SchemaMismatch), "{verdict:?}");
    }

    #[test]
    fn a_price_that_becomes_a_sentence_is_noticed() {
        let recipe = recipe(TWO);
        let history = [facts(&recipe, "<h1>A chair</h1><p class=price>12.50 EUR</p>")];
        assert!(judged(&recipe, "<h1>A table</h1><p class=price>1,299.00 EUR</p>", &history).passed);
        let changed = judged(&recipe, "<h1>A table</h1><p class=price>Ask us</p>", &history);
        assert_eq!(changed.error_type, Some(ErrorType::SchemaMismatch), "{changed:?}");
        assert!(!changed.critical);
    }

    #[test]
    fn a_list_that_becomes_another_list_is_noticed() {
        let recipe = recipe(r#""tags": {"select": "li", "many": true}"#);
        let page = |count: usize| format!("<ul>{}</ul>", "<li>word</li>".repeat(count));
        let history = [facts(&recipe, &page(10))];
        assert!(judged(&recipe, &page(7), &history).passed);
        assert!(!judged(&recipe, &page(80), &history).passed);
        assert!(!judged(&recipe, &page(2), &history).passed);
    }

    #[test]
    fn a_list_whose_entries_become_all_the_same_is_noticed() {
        let recipe = recipe(r#""price": {"select": "b", "many": true}"#);
        let page =
            |prices: &[&str]| prices.iter().map(|price| format!("<p><b>{price}</b>")).collect::<Vec<_>>().concat();
        let history = [facts(&recipe, &page(&["3.00 EUR", "4.10 EUR", "5.20 EUR", "6.30 EUR", "7.40 EUR"]))];
        let same = judged(&recipe, &page(&["Shipping 4.90 EUR"; 5]), &history);
        assert_eq!(same.error_type, Some(ErrorType::SchemaMismatch), "{same:?}");
        assert!(judged(&recipe, &page(&["4.90 EUR", "4.90 EUR", "4.90 EUR", "5.90 EUR"]), &history).passed);
        let alike = [facts(&recipe, &page(&["3.00 EUR"; 5]))];
        assert!(judged(&recipe, &page(&["4.00 EUR"; 5]), &alike).passed, "they always were");
    }

    proptest! {
        /// A page is always like itself: its own values never count as drift.
        #[test]
        fn a_page_does_not_drift_from_itself(title in "[ -~]{1,80}", price in "[ -~]{1,20}") {
            let recipe = recipe(TWO);
            let html = format!("<h1>{}</h1><p class=price>{}", title.replace(['<', '&'], "x"), price.replace(['<', '&'], "x"));
            let extraction = recipe.apply(&Document::parse(&html), None);
            let verdict = validate(&recipe, &extraction, &[PageFacts::of(&extraction)]);
            prop_assert!(!verdict.errors.iter().any(|error| error.starts_with("Changed")), "{:?}", verdict);
        }
    }

    const RECIPE: &str = r#"{"version": 1, "fields": {
        "price": {"select": ".price", "take": "text"}, "sku": {"select": ".sku", "take": "text"}}}"#;

    fn judged_after(pages: &[&str], now: &str) -> Validation {
        let recipe = Recipe::parse(RECIPE, "test").unwrap();
        let history: Vec<PageFacts> = pages.iter().map(|html| facts(&recipe, html)).collect();
        judged(&recipe, now, &history)
    }

    #[test]
    fn a_field_that_takes_its_neighbours_value_is_noticed() {
        let before = "<b class=price>EUR-24.90</b><b class=sku>SKU-13650</b>";
        let taken = judged_after(&[before], "<b class=sku><i class=price>SKU-13650</i></b>");
        let confusion = "Changed field: price has what sku has: \"SKU-13650\"";
        assert!(taken.errors.iter().any(|error| error == confusion), "{taken:?}");
        let with_label = judged_after(&[before], "<p class=price>No. <b class=sku>SKU-13650</b></p>");
        assert!(!with_label.passed, "{with_label:?}");
        let other_price = judged_after(&[before], "<b class=price>EUR-12.00</b><b class=sku>SKU-13650</b>");
        assert!(other_price.passed, "{other_price:?}");
    }

    #[test]
    fn fields_that_have_always_been_alike_may_be() {
        let before = "<b class=price>2024-01-05</b><b class=sku>2024-01-05</b>";
        let now = "<b class=price>2025-02-07</b><b class=sku>2025-02-07</b>";
        assert!(judged_after(&[before], now).passed);
    }
}
