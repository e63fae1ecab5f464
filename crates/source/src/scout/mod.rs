//! Proposal of a recipe for a page without one: from examples of the wanted values, from a schema, or from the content of the page.
//! Every proposal rests on evidence; where the evidence is unclear, the error states what to do.
//!
//! # Layout
//!
//! - `example`: from values given as they appear on the page
//! - `pointing`: from elements that the user points at
//! - `statements`: from structured data about the page, and its heading
//! - `shown`: from values that are called so near the heading
//! - `labels`: from values that have a label (`labelled_value`); `text_labels`: in one text with it; `label_rule`: the label of an element, and the element of a label
//! - `known_items`: the items of a list of which values are known
//! - `region`, `item_fields`, `item_selector`: from repetition: the items of a list page, their common fields, their selector
//! - [`schema`], `wanted`: a JSON Schema, and the search for its fields among all of these
//! - `kind`: detection of the kind of a page: one thing or a list
//! - `places`: positions of texts; `zones`: parts of the page that are about the site; `conversion`, `naming`: type and name of a field

mod conversion;
mod example;
mod item_fields;
mod item_selector;
mod kind;
pub(crate) mod known_items;
pub(crate) mod label_rule;
mod labelled_value;
pub(crate) mod labels;
mod naming;
mod places;
mod pointing;
mod region;
pub mod schema;
mod shown;
mod statements;
mod text_labels;
mod wanted;
pub(crate) mod zones;

use autoheal_page::Document;
use autoheal_page::document::normalise;
use autoheal_page::recipe::{Field, FieldName, Recipe, RecipeProblem};
use autoheal_page::structured::{Datum, structured_data};

use self::kind::{Reason, kind_of};
use self::region::{Region, largest_region};
use self::zones::Zones;
use crate::definition::PageKind;

pub use example::by_example;
pub(crate) use item_fields::{cells_of, headers_of};
pub(crate) use item_selector::first_in_items;
pub(crate) use labels::is_by_position;
pub(crate) use naming::field_name;
pub(crate) use places::{is_about_the_same, place_of_known};
pub use pointing::{Pointed, by_pointing};
pub use schema::{Schema, SchemaError};
pub use wanted::by_schema;

/// Reason there is no proposal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ScoutError {
    /// An example is not on the page.
    #[error("{value:?}, the example of `{field}`, is not on the page; copy it from the page")]
    NotOnPage {
        /// Name of the field.
        field: FieldName,
        /// Example value of the user.
        value: String,
    },
    /// The example is on the page, but nothing distinguishes its position.
    #[error(
        "nothing tells {value:?}, the example of `{field}`, apart from the rest of the page: write a recipe and give it with --recipe"
    )]
    NotTellable {
        /// Name of the field.
        field: FieldName,
        /// Example value of the user.
        value: String,
    },
    /// Several examples of one field are not in one list.
    #[error(
        "the examples of `{field}` ({}) are not in items of one list: copy them from items of the same list, or give one example for a single value",
        .values.join(", ")
    )]
    NotOneList {
        /// Name of the field.
        field: FieldName,
        /// Example values of the user.
        values: Vec<String>,
    },
    /// The recipe is for a list, and the element is in none of its items.
    #[error("the element of `{field}` is in no item of the list: point at one within an item")]
    NotInItems {
        /// Name of the field.
        field: FieldName,
    },
    /// Nothing was found to propose.
    #[error(
        "the page states nothing about itself, labels nothing and has no list that a recipe could be made of: teach it with --example FIELD=VALUE"
    )]
    NothingStated,
    /// No part of the page repeats in a recognisable way.
    #[error(
        "no part of the page repeats with a title or a table's columns in each item: teach it with --example FIELD=VALUE, or write a recipe and give it with --recipe"
    )]
    NoList,
    /// It may be the one or the other.
    #[error("the page may be about one thing or a list: {evidence}; say which with --single or --list")]
    Unclear {
        /// Evidence for one thing and for a list.
        evidence: String,
    },
    /// Fields of a schema were not found.
    #[error(
        "{} not found on the page, which has {}: rename them in the schema, or teach them with --example FIELD=VALUE",
        names(.missing),
        if .found.is_empty() { "nothing recognisable".to_owned() } else { .found.join(", ") }
    )]
    Missing {
        /// The required fields that are missing.
        missing: Vec<FieldName>,
        /// Fields found instead, each with the beginning of a value.
        found: Vec<String>,
    },
    /// The fields do not fit together.
    #[error(transparent)]
    Recipe(#[from] RecipeProblem),
}

fn names(fields: &[FieldName]) -> String {
    let all: Vec<String> = fields.iter().map(|name| format!("`{name}`")).collect();
    format!("{} {}", all.join(", "), if all.len() == 1 { "was" } else { "were" })
}

/// A recipe, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Proposed recipe.
    pub recipe: Recipe,
    /// Decisions and omissions, one line each.
    pub notes: Vec<String>,
}

/// Evidence on a page, gathered before anything is proposed.
struct Look<'a> {
    page: &'a Document,
    stated: Vec<Datum>,
    zones: Zones,
    region: Option<Region>,
}

impl<'a> Look<'a> {
    fn at(page: &'a Document) -> Self {
        let zones = Zones::of(page);
        let region = largest_region(page, &zones);
        Self { page, stated: structured_data(page), zones, region }
    }
}

/// Proposes a recipe from the content of the page; `kind` is the kind of page, if the user has specified it.
///
/// # Errors
///
/// [`ScoutError`] if there is nothing to propose, or if the kind of the page is unclear.
pub fn by_page(page: &Document, kind: Option<PageKind>) -> Result<Proposal, ScoutError> {
    let look = Look::at(page);
    let (kind, reason) = match kind {
        Some(kind) => (kind, Reason::Said),
        None => kind_of(&look)?,
    };
    match kind {
        PageKind::List => list(&look, &reason),
        PageKind::Single => single(&look, &reason),
    }
}

fn list(look: &Look<'_>, reason: &Reason) -> Result<Proposal, ScoutError> {
    let region = look.region.as_ref().ok_or(ScoutError::NoList)?;
    let fields = region.fields.iter().map(item_fields::ItemField::field).collect();
    let recipe = Recipe::new(fields)?.with_items(Some(region.select.clone()))?;
    let note = format!("taken as a list of {} items, each a `{}`: {reason}", region.items.len(), region.select);
    let mut notes = vec![note];
    if region.select.source().contains(":nth-") {
        notes.push(
            "only its place tells the table from the rest of the page: a change before it will have to be healed"
                .to_owned(),
        );
    }
    Ok(Proposal { recipe, notes })
}

fn single(look: &Look<'_>, reason: &Reason) -> Result<Proposal, ScoutError> {
    let mut fields = statements::by_statements(look.page, &look.stated);
    fields.extend(shown::by_appearance(look, &fields));
    let labels = labels::by_labels(look.page, &look.zones);
    let mut notes = vec![format!("taken as a page about one thing: {reason}")];
    for field in labels {
        if !says_the_same(&fields, &field) {
            fields.push(field);
        }
    }
    if fields.len() > autoheal_page::recipe::MOST_FIELDS {
        notes.push(format!(
            "more than {} fields were found; the others are left out",
            autoheal_page::recipe::MOST_FIELDS
        ));
        fields.truncate(autoheal_page::recipe::MOST_FIELDS);
    }
    if fields.is_empty() {
        return Err(ScoutError::NothingStated);
    }
    Ok(Proposal { recipe: Recipe::new(fields)?, notes })
}

/// Returns whether a field is present already, by its name or by its value.
fn says_the_same(fields: &[Field], field: &Field) -> bool {
    let texts = |field: &Field| field.example.iter().map(|text| normalise(text)).collect::<Vec<_>>();
    fields.iter().any(|other| other.name == field.name || texts(other) == texts(field))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns whether the proposed recipe works on the page that it was proposed for, as far as its fields are required.
    fn works(html: &str, kind: Option<PageKind>) -> bool {
        let page = Document::parse(html);
        by_page(&page, kind).is_ok_and(|Proposal { recipe, .. }| recipe.apply(&page, None).is_complete(&recipe))
    }

    #[test]
    fn pages_made_to_be_slow_or_odd_end_in_an_answer() {
        let comb = "<div>1<b>a</b><div>2<b>b</b></div><div>3<b>c</b></div>".repeat(3000);
        let lists = format!("{}<dt>Price</dt><dd>1 EUR</dd>", "<dl><dd>".repeat(200));
        let classes =
            format!("<p class='{}'>x", (0..20_000).map(|n| format!("c{n} ")).collect::<Vec<_>>().concat()).repeat(4);
        for html in ["", "<", "\0", "<table><tr><th>", comb.as_str(), &classes] {
            assert!(!works(html, None) && !works(html, Some(PageKind::List)), "{} bytes", html.len());
        }
        assert!(works(&lists, None), "the innermost of them has a value with a label");
    }

    const PIECES: &[&str] = &[
        "<div class=a>",
        "</div>",
        "<ul>",
        "<li>",
        "<h1>Lamp</h1>",
        "<h3>",
        "</h3>",
        "<a href=/x>",
        "</a>",
        "12 EUR",
        "Price: 3",
        "Lamp",
        "<table>",
        "<tr>",
        "<td>",
        "<th>Year</th>",
        "1999",
        "<dl>",
        "<dt>Size</dt>",
        "<dd>40</dd>",
        "<p>",
        "<nav>",
        "2026-03-05",
    ];

    proptest! {
        #[test]
        fn what_is_proposed_works_on_the_page(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..60)) {
            let html = pieces.concat();
            let page = Document::parse(&html);
            for kind in [None, Some(PageKind::List), Some(PageKind::Single)] {
                if let Ok(Proposal { recipe, .. }) = by_page(&page, kind) {
                    // Links may be relative: they need the page's address.
                    let url = url::Url::parse("https://example.org/").unwrap();
                    prop_assert!(recipe.apply(&page, Some(&url)).is_complete(&recipe), "{html}");
                }
            }
        }
    }
}
