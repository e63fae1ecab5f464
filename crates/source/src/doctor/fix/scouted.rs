//! The fallback: the page as it would be added today. A field counts if it has the name or the kind of an old one, and its last good
//! value.

use autoheal_page::Document;
use autoheal_page::recipe::{Field, Recipe};
use autoheal_page::relocate::same_kind;
use url::Url;

use super::relocation::Place;
use crate::definition::PageKind;
use crate::scout::schema::{Schema, WantedField};
use crate::scout::{self, known_items::key};

/// What the page would be added with.
pub(super) struct Scouted<'a> {
    page: &'a Document,
    url: Option<&'a Url>,
    fields: Vec<Field>,
}

impl<'a> Scouted<'a> {
    /// Examines a page about one thing.
    pub(super) fn of(page: &'a Document, url: Option<&'a Url>) -> Self {
        let proposal = scout::by_page(page, Some(PageKind::Single));
        Self { page, url, fields: proposal.map(|proposal| proposal.recipe.fields().to_vec()).unwrap_or_default() }
    }

    /// The location of a field, if its last good value confirms it.
    pub(super) fn place(&self, old: &Field) -> Option<Place> {
        let is_it = |field: &&Field| same_kind(field.name.as_str(), old.name.as_str());
        let by_kind = self.fields.iter().filter(is_it).cloned();
        by_kind.chain(self.by_name(old)).find_map(|field| self.confirmed(old, &field))
    }

    /// The field as a schema with it alone finds it.
    fn by_name(&self, old: &Field) -> Vec<Field> {
        let value_type = old.value_type();
        let wanted = WantedField { name: old.name.clone(), value_type, many: old.many, required: true };
        let schema = Schema { kind: PageKind::Single, fields: vec![wanted] };
        let found = self.url.and_then(|url| scout::by_schema(self.page, url, &schema, None).ok());
        found.map(|proposal| proposal.recipe.fields().to_vec()).unwrap_or_default()
    }

    fn confirmed(&self, old: &Field, found: &Field) -> Option<Place> {
        let field = Field { source: found.source.clone(), ..old.clone() };
        let extraction = Recipe::new(vec![field]).ok()?.apply(self.page, self.url);
        let outcome = extraction.records.first()?.field(old.name.as_str())?;
        let texts = outcome.texts();
        let plain = Field { steps: Vec::new(), ..old.clone() };
        let comparable =
            |texts: &[String]| texts.iter().map(|text| key(&plain, text, self.url)).collect::<Option<Vec<_>>>();
        let is_same = !texts.is_empty() && comparable(&texts)? == comparable(&old.example)?;
        let why = || format!("{}: it is called so there, and has the last good value", found.take());
        is_same.then(|| Place::new(found.source.clone(), texts, why()))
    }
}
