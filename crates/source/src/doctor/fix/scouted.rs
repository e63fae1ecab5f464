//! The fallback: the page as it would be added today. A field counts if it has the name or the kind of an old one, and its last good
//! value.

use autoheal_page::Document;
use autoheal_page::recipe::{Field, Recipe};
use autoheal_page::relocate::same_kind;
use url::Url;

use super::place::Place;
use crate::definition::PageKind;
use crate::scout::schema::{Schema, WantedField};
use crate::scout::{self, known_items::key};

/// Fields that the page would be added with.
pub(super) struct Scouted<'a> {
    page: &'a Document,
    url: Option<&'a Url>,
    fields: Vec<Field>,
}

impl<'a> Scouted<'a> {
    /// Examines a page about one thing, on which these fields are wanted.
    pub(super) fn of(page: &'a Document, url: Option<&'a Url>, wanted: &[Field]) -> Self {
        let wanted = wanted.iter().map(|field| WantedField {
            name: field.name.clone(),
            value_type: field.value_type(),
            many: field.many,
            required: false,
        });
        let schema = Schema { kind: PageKind::Single, fields: wanted.collect() };
        let by_name = url.and_then(|url| scout::by_schema(page, url, &schema, None).ok());
        let by_kind = scout::by_page(page, Some(PageKind::Single)).ok();
        let proposals = by_kind.into_iter().chain(by_name);
        Self { page, url, fields: proposals.flat_map(|proposal| proposal.recipe.fields().to_vec()).collect() }
    }

    /// The location of a field, if its last good value confirms it.
    pub(super) fn place(&self, old: &Field) -> Option<Place> {
        let mut of_kind = self.fields.iter().filter(|field| same_kind(field.name.as_str(), old.name.as_str()));
        of_kind.find_map(|field| self.confirmed(old, field))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn place(html: &str, field: &str) -> Option<String> {
        let recipe = format!(r#"{{"version": 1, "fields": {{{field}}}}}"#);
        let recipe = Recipe::parse(&recipe, "test").unwrap();
        let (page, url) = (Document::parse(html), Url::parse("https://example.org/").unwrap());
        let scouted = Scouted::of(&page, Some(&url), recipe.fields());
        let place = scouted.place(&recipe.fields()[0])?;
        Some(place.select().map_or_else(|| "structured".to_owned(), |select| select.source().to_owned()))
    }

    #[test]
    fn last_good_value_under_the_same_name_confirms_a_field() {
        let page = "<h1>Blue lamp</h1><div class=bar>24.90 EUR</div><p class=item-price>EUR 24.90</p><p>Delivered soon for nothing.</p>";
        let price = |value: &str| format!(r#""price": {{"select": ".old", "type": "money", "example": ["{value}"]}}"#);
        assert_eq!(place(page, &price("24.90 EUR")).as_deref(), Some(".item-price"));
        assert_eq!(place(page, &price("19.90 EUR")), None, "another value confirms nothing");
        assert_eq!(
            place(page, r#""colour": {"select": ".old", "example": ["24.90 EUR"]}"#),
            None,
            "nothing is called so"
        );
        assert_eq!(place(page, r#""name": {"select": ".old", "example": ["Blue lamp"]}"#).as_deref(), Some("h1"));
    }
}
