//! New selectors for a program: those that found its fields again, in the words of the program, each tried on the pages that are kept.

use autoheal_page::Selector;
use autoheal_page::document::normalise;
use autoheal_page::reading::Reading;
use autoheal_page::recipe::{NodeTake, Recipe, Source};
use autoheal_source::{CallSite, SelectorLanguage};
use autoheal_store::Store;

use crate::ScraperError;
use crate::memory::{self, Page, Stored};
use crate::query::{Part, Query};

/// A selector of a program that is broken.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// The source that the program feeds.
    pub source: String,
    /// The place in the program.
    pub site: CallSite,
    /// The new selector as the program would write it, or the reason that it cannot be replaced.
    pub selector: Result<String, Refusal>,
    /// Last value that the program's own selector found.
    pub before: Option<String>,
    /// Value of the new selector on the newest page.
    pub now: Option<String>,
    /// The element that it finds there, as HTML.
    pub html: Option<String>,
}

/// Reason that a selector of a program is not replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A call for XPath takes no CSS.
    #[error("the program asks with XPath, and the field was found again with CSS")]
    XPath,
    /// The new place cannot be written in the words of the program.
    #[error("the new place cannot be written in the words of the program")]
    Words,
    /// The new selector does not give the values on the pages that are kept.
    #[error("the new selector does not give the same values on all pages that are kept")]
    Values,
}

/// The broken selectors of all programs of a store, by source and line.
///
/// # Errors
///
/// If the store cannot be read, or what it holds is not understood.
pub async fn proposals(store: &Store) -> Result<Vec<Proposal>, ScraperError> {
    let mut proposals = Vec::new();
    for row in store.sources().await? {
        if !memory::is_fed(&row.source, row.definition)? {
            continue;
        }
        if let Some(stored) = memory::load(store, &row.source).await? {
            proposals.extend(stored.sites.iter().filter_map(|site| proposal(&row.source, &stored, site)));
        }
    }
    Ok(proposals)
}

/// The proposal for a place of a program; `None` if its selector is not broken.
fn proposal(source: &str, stored: &Stored, site: &CallSite) -> Option<Proposal> {
    let own = Query::parse(&site.selector, site.language).ok()?;
    let outer = site.within.as_ref().and_then(|outer| stored.sites.iter().find(|site| site.field == *outer));
    let outer_query = outer.and_then(|outer| Query::parse(&outer.selector, outer.language).ok());
    let own_selector = match (&site.within, &outer_query) {
        (None, _) => Some(own.selector().clone()),
        (Some(_), Some(outer)) => own.within(outer),
        (Some(_), None) => None,
    }?;
    let (healed, take) = rule(&stored.recipe, site)?;
    if *healed == own_selector {
        return None;
    }
    // Within a list the selector begins at the item.
    let outer_healed = outer.and_then(|outer| rule(&stored.recipe, outer)).map(|(select, _)| select.source());
    let inner = outer_healed.and_then(|outer| healed.source().strip_prefix(outer)).map(str::trim_start);
    let written = match (&site.within, inner) {
        (None, _) => Some(healed.source()),
        (Some(_), inner) => inner.filter(|inner| !inner.is_empty()),
    };
    let pages: Vec<(Reading, &Page)> =
        stored.pages.iter().map(|page| (Reading::new(page.html.as_str().into()), page)).collect();
    let selector = match (site.language, written) {
        (SelectorLanguage::XPath, _) => Err(Refusal::XPath),
        (_, None) => Err(Refusal::Words),
        (SelectorLanguage::Css, Some(written)) => {
            worded(written, own.part(), take).ok_or(Refusal::Words).and_then(|worded| {
                if gives_the_values(&worded, healed, site, &pages) { Ok(worded) } else { Err(Refusal::Values) }
            })
        }
    };
    let newest = |is_old: bool| pages.iter().find(|(page, _)| has(page, &own_selector) == is_old);
    let value = |is_old: bool| newest(is_old).and_then(|(_, page)| page.first_value(&site.field));
    let html = newest(false).and_then(|(page, _)| {
        let document = page.document();
        Some(document.html(*document.try_select(healed).ok()?.first()?))
    });
    let (before, now) = (value(true), value(false));
    Some(Proposal { source: source.to_owned(), site: site.clone(), selector, before, now, html })
}

fn rule<'a>(recipe: &'a Recipe, site: &CallSite) -> Option<(&'a Selector, &'a NodeTake)> {
    match &recipe.field(site.field.as_str())?.source {
        Source::Nodes { select, take } => Some((select, take)),
        Source::Structured(_) => None,
    }
}

/// A selector in the words of parsel.
fn worded(selector: &str, asked: &Part, take: &NodeTake) -> Option<String> {
    match (asked, take) {
        (Part::Element, _) => Some(selector.to_owned()),
        (Part::TextBelow, _) => Some(format!("{selector} ::text")),
        (_, NodeTake::Text | NodeTake::OwnText) => Some(format!("{selector}::text")),
        (_, NodeTake::Attribute(name)) => Some(format!("{selector}::attr({name})")),
        (_, NodeTake::Html) => None,
    }
}

/// Returns whether a selector gives the known value on every kept page on which it finds something, and on one at least.
fn gives_the_values(worded: &str, healed: &Selector, site: &CallSite, pages: &[(Reading, &Page)]) -> bool {
    let Ok(query) = Query::parse(worded, SelectorLanguage::Css) else { return false };
    let mut confirmed = 0;
    for (page, kept) in pages {
        // Within a list, the items are selected too.
        let selector = if site.within.is_some() { healed } else { query.selector() };
        let Ok(nodes) = page.select(selector) else { return false };
        let Some(node) = nodes.first() else { continue };
        let value = match query.part() {
            Part::Element => Some(page.text(*node)),
            part => part.of(page, *node).into_iter().next(),
        };
        let known = kept.first_value(&site.field);
        let plain = |text: Option<String>| text.map(|text| normalise(&text));
        if known.is_none() || plain(value) != plain(known) {
            return false;
        }
        confirmed += 1;
    }
    confirmed > 0
}

fn has(page: &Reading, selector: &Selector) -> bool {
    page.select(selector).is_ok_and(|nodes| !nodes.is_empty())
}
