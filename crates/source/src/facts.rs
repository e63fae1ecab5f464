//! What is remembered of a good page: the texts of its fields, and how much their selectors matched. Later pages are compared with it.

use std::collections::BTreeMap;

use autoheal_page::Document;
use autoheal_page::apply::Extraction;
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
    /// How many records the page had: 1, or the items of a list page.
    pub records: usize,
    /// Where the page was, after all redirects.
    #[serde(default)]
    pub place: Option<Url>,
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

    /// What a recipe gives from the page at a place, and the facts of it.
    pub fn look(recipe: &Recipe, page: &Document, place: &Url) -> (Extraction, Self) {
        let extraction = recipe.apply(page, Some(place));
        let next = recipe.next_page(page, place);
        let facts = Self { place: Some(place.clone()), next, ..Self::of(&extraction) };
        (extraction, facts)
    }

    /// Whether no field has a value.
    pub fn is_empty(&self) -> bool {
        self.texts.values().all(Vec::is_empty)
    }

    /// As a snapshot keeps them.
    pub fn read(stored: &serde_json::Value) -> Option<Self> {
        serde_json::from_value(stored.clone()).ok()
    }

    /// How many fields have the values that they have in `other`, and how many `other` knows.
    pub fn same_as(&self, other: &Self) -> (usize, usize) {
        let known = other.texts.iter().filter(|(_, texts)| !texts.is_empty());
        known.fold((0, 0), |(same, known), (field, texts)| {
            (same + usize::from(self.texts.get(field) == Some(texts)), known + 1)
        })
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
