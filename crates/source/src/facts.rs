//! Facts about a good page: the texts of its fields, and the number of matches of their selectors. Later pages are compared with them.

use std::collections::BTreeMap;

use autoheal_page::Document;
use autoheal_page::apply::Extraction;
use autoheal_page::obstacle::{self, Language};
use autoheal_page::recipe::Recipe;
use serde::{Deserialize, Serialize};
use url::Url;

/// One page's facts, kept with its snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageFacts {
    /// For each field the texts of its values, those of all items of a list page together.
    pub texts: BTreeMap<String, Vec<String>>,
    /// For each field how many nodes its selector gave.
    pub matched: BTreeMap<String, usize>,
    /// Number of records on the page: 1, or the number of items of a list page.
    pub records: usize,
    /// URL of the page, after all redirects.
    #[serde(default)]
    pub place: Option<Url>,
    /// Language of its text; `None`: it is not certain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// The page that it led on to.
    #[serde(default)]
    pub next: Option<Url>,
}

impl PageFacts {
    /// The facts of what a recipe gave.
    pub fn of(extraction: &Extraction) -> Self {
        let mut facts = Self { records: extraction.records.len(), ..Self::default() };
        for (name, outcome) in extraction.records.iter().flat_map(|record| &record.fields) {
            facts.texts.entry(name.to_string()).or_default().extend(outcome.texts());
            *facts.matched.entry(name.to_string()).or_default() += outcome.matched;
        }
        facts
    }

    /// Applies a recipe to the page at `place`; returns the result and its facts.
    pub fn look(recipe: &Recipe, page: &Document, place: &Url) -> (Extraction, Self) {
        let extraction = recipe.apply(page, Some(place));
        let next = recipe.next_page(page, place);
        let (place, language) = (Some(place.clone()), obstacle::language(page));
        let facts = Self { place, language, next, ..Self::of(&extraction) };
        (extraction, facts)
    }

    /// Returns whether a field has a value.
    pub fn has(&self, field: &str) -> bool {
        self.texts.get(field).is_some_and(|texts| !texts.is_empty())
    }

    /// Returns whether no field has a value.
    pub fn is_empty(&self) -> bool {
        self.texts.values().all(Vec::is_empty)
    }

    /// As a snapshot keeps them.
    pub fn read(stored: &serde_json::Value) -> Option<Self> {
        serde_json::from_value(stored.clone()).ok()
    }

    /// Returns the number of fields with the same values as in `other`, and the number of fields with values in `other`.
    pub fn same_as(&self, other: &Self) -> (usize, usize) {
        let known = other.texts.iter().filter(|(_, texts)| !texts.is_empty());
        known.fold((0, 0), |(same, known), (field, texts)| {
            (same + usize::from(self.texts.get(field) == Some(texts)), known + 1)
        })
    }

    /// The facts without those of some fields.
    #[must_use]
    pub fn without(&self, fields: &[String]) -> Self {
        let mut facts = self.clone();
        facts.texts.retain(|name, _| !fields.contains(name));
        facts
    }

    /// The recipe with these texts as the examples of its fields.
    pub fn as_examples_of(&self, recipe: &Recipe) -> Recipe {
        let mut fields = recipe.fields().to_vec();
        for field in &mut fields {
            if let Some(texts) = self.texts.get(field.name.as_str()).filter(|texts| !texts.is_empty()) {
                field.example = texts.iter().take(if field.many { 50 } else { 1 }).cloned().collect();
            }
        }
        recipe.clone().with_fields(fields).unwrap_or_else(|_| recipe.clone())
    }
}
