//! The mode without a model: reads what the page states about itself, then applies rules about the layout of pages.
//!
//! - [`stated`]: statements as JSON-LD, microdata, RDFa and `meta`, in a common form
//! - `about`: the thing that the page is about, and the page type that follows from it
//! - `subject`: that thing with its statements, for questions to a model
//! - `own_form`: extraction in the form of the user's JSON Schema
//! - `title`, `byline`, `dates`, `commerce`, `posting`, `recipe`, `picture`, `main_text`, `tables`: one or several fields each
//! - `lines`: the text of the page as lines
//! - `frame`, `blocks`: what surrounds the content of a page, and the content
//! - `site`, `shown_price`, `shown_recipe`: the names of the page's site, and the price or recipe that it shows

mod about;
mod blocks;
mod byline;
mod commerce;
mod dates;
mod found;
mod frame;
mod labels;
mod lines;
mod main_text;
mod own_form;
mod picture;
mod posting;
mod recipe;
mod recipe_lines;
mod shown_price;
mod shown_recipe;
mod site;
mod stated;
mod subject;
mod summary;
mod tables;
mod title;

use autoheal_page::Document;
use url::Url;

use crate::item::{Field, PageType, Provenance, ScrapedItem};
use about::About;
use found::Found;
pub(crate) use lines::{Line, joined, lines_of};
pub(crate) use own_form::partly_in;
pub use own_form::rule_based_in;
use stated::Stated;
pub(crate) use subject::{Statement, Subject, subject};

/// Limits for reading more than the statements of a page: a page with more elements would take too long, and one with deeper
/// nesting would overflow the stack.
const MOST_ELEMENTS: usize = 60_000;
const DEEPEST: usize = 250;

/// Extracts an item from a page by rules alone. The same page gives the same item. Extraction cannot fail: a
/// page without content gives an item without fields. `url` is the page's URL, the base of its relative
/// links.
pub fn rule_based(page: &Document, url: Option<&Url>) -> ScrapedItem {
    let stated = Stated::of(page);
    let is_readable = is_readable(page);
    let view = View { page, stated: &stated, url, is_readable };
    let title = title::find(&view, None);
    let about = About::of(&view, title.as_ref().map(|title| title.value.as_str()));
    let mut filling = Filling::default();
    filling.item.page_type = about.page_type.value;
    filling.note(Field::PageType, &about.page_type);
    filling.item.url = url.map(Url::to_string).or_else(|| site::canonical(&view));
    let title = title::find(&view, about.thing.as_ref());
    let place = title.as_ref().and_then(|title| title::place(page, &title.value));
    filling.set(Field::Title, title, |item| &mut item.title);
    filling.set(Field::Description, summary::description(&view, &about), |item| &mut item.description);
    filling.set(Field::Image, picture::find(&view, &about), |item| &mut item.image);
    filling.set(Field::Author, byline::find(&view, &about, place), |item| &mut item.author);
    dates::fill(&view, &about, place, &mut filling);
    match about.page_type.value {
        PageType::Product => commerce::fill(&view, &about, place, &mut filling),
        PageType::Job | PageType::Event => posting::fill(&view, &about, &mut filling),
        PageType::Recipe => recipe::fill(&view, &about, &mut filling),
        PageType::Article | PageType::Generic => {}
    }
    if is_readable {
        if let Some(text) = main_text::find(&view, &about) {
            filling.set(Field::Text, Some(text.text), |item| &mut item.text);
            filling.list(Field::Lists, text.lists, |item| &mut item.lists);
        }
        filling.list(Field::Tables, tables::find(page), |item| &mut item.tables);
    }
    filling.item
}

/// Input of every rule.
struct View<'a> {
    page: &'a Document,
    stated: &'a Stated,
    url: Option<&'a Url>,
    /// True if the page is small enough for rules about the nesting of elements.
    is_readable: bool,
}

/// An item on its way.
#[derive(Default)]
struct Filling {
    item: ScrapedItem,
}

impl Filling {
    fn note<T>(&mut self, field: Field, found: &Found<T>) {
        self.item.provenance.insert(field, Provenance::by_rule(found.source, found.confidence));
    }

    fn set<T>(&mut self, field: Field, found: Option<Found<T>>, slot: fn(&mut ScrapedItem) -> &mut Option<T>) {
        if let Some(found) = found {
            self.note(field, &found);
            *slot(&mut self.item) = Some(found.value);
        }
    }

    fn list<T>(&mut self, field: Field, found: Option<Found<Vec<T>>>, slot: fn(&mut ScrapedItem) -> &mut Vec<T>) {
        if let Some(found) = found.filter(|found| !found.value.is_empty()) {
            self.note(field, &found);
            *slot(&mut self.item) = found.value;
        }
    }
}

fn is_readable(page: &Document) -> bool {
    page.len() <= MOST_ELEMENTS && page.nodes().all(|node| page.depth(node) <= DEEPEST)
}
