//! Whether what a recipe yields is what it should yield: the spec's baby validator (`doctor-agent.md`, "Schema Signature
//! Validation"), and on top of it whether the values still look like those of earlier pages. A selector that still matches
//! and gives the wrong thing is the failure that nobody notices.

use std::collections::BTreeMap;

use autoheal_page::apply::{Extraction, FieldOutcome, Miss};
use autoheal_page::recipe::{Field, Recipe};
use autoheal_page::value::Value;
use autoheal_page::value::shape::Shape;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::failure::{ErrorType, Failure};

/// Values less alike than this to every earlier one are something else.
const LEAST_ALIKE: f64 = 0.45;

/// Earlier values that are less alike among themselves say nothing about a shape.
const STEADY: f64 = 0.6;

/// So many earlier values are compared with.
const SAMPLES: usize = 40;

/// A list this many times longer or shorter than ever is another list.
const LIST_FACTOR: usize = 4;

/// The verdict.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Validation {
    /// Whether the values may be accepted.
    pub passed: bool,
    /// What is wrong, one line each.
    pub errors: Vec<String>,
    /// 1 minus the number of errors over the number of fields.
    pub score: f64,
    /// Whether a required field, or everything, is missing.
    pub critical: bool,
    /// How the failure is called, when there is one.
    pub error_type: Option<ErrorType>,
}

impl Validation {
    /// The failure of a run with this verdict.
    pub fn failure(&self) -> Option<Failure> {
        self.error_type.map(|error_type| Failure::new(error_type, self.errors.join("; ")))
    }
}

/// The texts of earlier good pages: for each field what it gave on each of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct History {
    pages: BTreeMap<String, Vec<Vec<String>>>,
}

impl History {
    /// From what [`texts`] gave for each page.
    pub fn of<'a>(pages: impl IntoIterator<Item = &'a serde_json::Value>) -> Self {
        let mut history = Self::default();
        for page in pages {
            let Ok(fields) = serde_json::from_value::<BTreeMap<String, Vec<String>>>(page.clone()) else { continue };
            for (field, texts) in fields {
                history.pages.entry(field).or_default().push(texts);
            }
        }
        history
    }

    /// What a field gave on each page.
    pub fn field(&self, name: &str) -> &[Vec<String>] {
        self.pages.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The texts of every field, those of all items of a list page together: what [`History`] is made of.
pub fn texts(extraction: &Extraction) -> serde_json::Value {
    let mut fields: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (name, outcome) in extraction.records.iter().flat_map(|record| &record.fields) {
        fields.entry(name.as_str()).or_default().extend(outcome.texts());
    }
    json!(fields)
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
pub fn validate(recipe: &Recipe, extraction: &Extraction, history: &History) -> Validation {
    let mut errors = Vec::new();
    let (mut critical, mut unparsed, mut mismatched) = (false, false, false);
    let any =
        extraction.records.iter().flat_map(|record| &record.fields).any(|(_, outcome)| !outcome.values.is_empty());
    if !any {
        errors.push("No data returned".to_owned());
        (critical, unparsed) = (true, true);
    }
    for field in recipe.fields() {
        let name = field.name.as_str();
        let outcomes: Vec<&FieldOutcome> = extraction.records.iter().filter_map(|record| record.field(name)).collect();
        let empty = outcomes.iter().filter(|outcome| outcome.values.is_empty()).count();
        if field.required && (empty > 0 || outcomes.is_empty()) {
            let reason = outcomes.iter().flat_map(|outcome| &outcome.misses).next();
            let reason_text = reason.map_or(String::new(), |miss| format!(" ({miss})"));
            if empty == outcomes.len() {
                errors.push(format!("Missing field: {name}{reason_text}"));
                critical = true;
            } else {
                errors.push(format!("Empty field: {name} in {empty} of {} items{reason_text}", outcomes.len()));
            }
            match reason {
                Some(Miss::NoValue(_)) => mismatched = true,
                Some(
                    Miss::NoNode { .. }
                    | Miss::NoAttribute { .. }
                    | Miss::NoStructuredData { .. }
                    | Miss::Empty
                    | Miss::Unmatched { .. },
                )
                | None => unparsed = true,
            }
        } else if let Some(miss) = outcomes.iter().flat_map(|outcome| &outcome.misses).find(|_| field.required) {
            errors.push(format!("Empty field: an entry of {name} ({miss})"));
            mismatched = true;
        }
        let texts: Vec<String> = outcomes.iter().flat_map(|outcome| outcome.texts()).collect();
        if let Some(change) = drift(field, &texts, history) {
            errors.push(change);
            mismatched = true;
        }
    }
    for confusion in confusions(recipe, extraction, history) {
        errors.push(confusion);
        mismatched = true;
    }
    let count = |length: usize| f64::from(u32::try_from(length).unwrap_or(u32::MAX));
    let error_type = match (unparsed, mismatched) {
        (true, _) => Some(ErrorType::ParseError),
        (false, true) => Some(ErrorType::SchemaMismatch),
        (false, false) => None,
    };
    Validation {
        passed: errors.is_empty(),
        score: 1.0 - count(errors.len()) / count(recipe.fields().len().max(1)),
        critical,
        error_type,
        errors,
    }
}

/// Fields that give what another field gives, and never did: a rule that lost its own value often finds a neighbour's.
fn confusions(recipe: &Recipe, extraction: &Extraction, history: &History) -> Vec<String> {
    let single: Vec<&Field> = recipe.fields().iter().filter(|field| !field.many).collect();
    let mut found = Vec::new();
    for field in &single {
        for other in single.iter().filter(|other| other.name != field.name) {
            let (name, other_name) = (field.name.as_str(), other.name.as_str());
            let both = extraction.records.iter().find_map(|record| {
                let texts = |name| record.field(name).and_then(|outcome| outcome.texts().into_iter().next());
                texts(name).zip(texts(other_name)).filter(|(text, other)| is_in(other, text))
            });
            let Some((text, other_text)) = both else { continue };
            let is_new = |text: &str| !history.field(name).iter().flatten().any(|known| known == text);
            let were_alike = history
                .field(name)
                .iter()
                .zip(history.field(other_name))
                .any(|(texts, others)| texts.iter().zip(others).any(|(text, other)| is_in(other, text)));
            let is_known = !history.field(name).is_empty() && !history.field(other_name).is_empty();
            // Of two fields with one value, the one that has had it before is right.
            if is_known && !were_alike && is_new(&text) {
                let example: String = other_text.chars().take(60).collect();
                found.push(format!("Changed field: {name} has what {other_name} has: {example:?}"));
            }
        }
    }
    found
}

/// Whether a text is the other, or most of it.
fn is_in(part: &str, whole: &str) -> bool {
    part.chars().count() >= 3 && part.len() * 2 > whole.len() && whole.contains(part)
}

/// How the values of a field differ from what they used to be, if they do.
fn drift(field: &Field, texts: &[String], history: &History) -> Option<String> {
    let name = field.name.as_str();
    let earlier: Vec<&Vec<String>> = history.field(name).iter().filter(|texts| !texts.is_empty()).collect();
    if earlier.is_empty() || texts.is_empty() {
        return None;
    }
    if field.many {
        let longest = earlier.iter().map(|texts| texts.len()).max().unwrap_or_default();
        let shortest = earlier.iter().map(|texts| texts.len()).min().unwrap_or_default();
        if texts.len() > longest.saturating_mul(LIST_FACTOR).max(8)
            || texts.len().saturating_mul(LIST_FACTOR) < shortest
        {
            return Some(format!("Changed field: {name} has {} entries, and had {shortest} to {longest}", texts.len()));
        }
    }
    let known: Vec<&String> = earlier.into_iter().flatten().take(SAMPLES).collect();
    let likeness = Likeness::of(&known);
    let strange: Vec<&String> = texts.iter().filter(|text| likeness.is_strange(text)).collect();
    let example: String = strange.first()?.chars().take(60).collect();
    (strange.len() * 2 > texts.len())
        .then(|| format!("Changed field: {name} looks like nothing it was before: {example:?}"))
}

/// What earlier values have in common.
struct Likeness {
    shapes: Vec<Shape>,
    /// Whether they resemble each other, so that resembling none of them says something.
    steady: bool,
    /// Whether every one has a digit: prices, dates, counts.
    all_with_digits: bool,
}

impl Likeness {
    fn of(texts: &[&String]) -> Self {
        let shapes: Vec<Shape> = texts.iter().map(|text| Shape::of_text(text)).collect();
        let nearest = |index: usize, one: &Shape| {
            let others = shapes.iter().enumerate().filter(|(other, _)| *other != index);
            others.map(|(_, other)| one.similarity(other)).fold(0.0, f64::max)
        };
        let steady = shapes.len() == 1 || shapes.iter().enumerate().all(|(index, one)| nearest(index, one) >= STEADY);
        Self { steady, all_with_digits: texts.iter().all(|text| has_digit(text)), shapes }
    }

    fn is_strange(&self, text: &str) -> bool {
        let shape = Shape::of_text(text);
        let alike = self.shapes.iter().map(|other| shape.similarity(other)).fold(0.0, f64::max);
        (self.steady && alike < LEAST_ALIKE) || (self.all_with_digits && !has_digit(text))
    }
}

fn has_digit(text: &str) -> bool {
    text.chars().any(char::is_numeric)
}

#[cfg(test)]
mod tests {
    use autoheal_page::Document;

    use super::*;

    const RECIPE: &str = r#"{"version": 1, "fields": {
        "price": {"select": ".price", "take": "text"}, "sku": {"select": ".sku", "take": "text"}}}"#;

    fn judged(pages: &[&str], now: &str) -> Validation {
        let recipe = Recipe::parse(RECIPE, "test").unwrap();
        let extraction = |html: &&str| recipe.apply(&Document::parse(html), None);
        let earlier: Vec<serde_json::Value> = pages.iter().map(|html| texts(&extraction(html))).collect();
        validate(&recipe, &extraction(&now), &History::of(&earlier))
    }

    #[test]
    fn a_field_that_takes_its_neighbours_value_is_noticed() {
        let before = "<b class=price>EUR-24.90</b><b class=sku>SKU-13650</b>";
        let taken = judged(&[before], "<b class=sku><i class=price>SKU-13650</i></b>");
        assert_eq!(taken.errors, ["Changed field: price has what sku has: \"SKU-13650\""]);
        let with_label = judged(&[before], "<p class=price>No. <b class=sku>SKU-13650</b></p>");
        assert!(!with_label.passed, "{with_label:?}");
        let other_price = judged(&[before], "<b class=price>EUR-12.00</b><b class=sku>SKU-13650</b>");
        assert!(other_price.passed, "{other_price:?}");
    }

    #[test]
    fn fields_that_have_always_been_alike_may_be() {
        let before = "<b class=price>2024-01-05</b><b class=sku>2024-01-05</b>";
        let now = "<b class=price>2025-02-07</b><b class=sku>2025-02-07</b>";
        assert!(judged(&[before], now).passed);
    }
}
