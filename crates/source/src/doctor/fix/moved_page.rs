//! The page is not there any more: looked for among the site's own links and its sitemap, and recognised by its own values.

use std::collections::BTreeSet;

use autoheal_engine::workflow::StepContext;
use autoheal_page::Document;
use url::Url;

use super::{Change, Thought};
use crate::definition::{Blueprint, Definition};
use crate::failure::Failure;
use crate::loaded::Loaded;
use crate::services::SourceServices;
use crate::validation::{texts, validate};

/// So many pages are looked at.
const MOST_PAGES: usize = 8;

/// Addresses less alike than this to the old one are not looked at.
const LEAST_ALIKE: f64 = 0.25;

/// The longest sitemap that is read, in addresses.
const MOST_ADDRESSES: usize = 50_000;

pub(super) async fn propose(
    services: &SourceServices,
    loaded: &Loaded,
    failure: &Failure,
    context: &StepContext,
) -> Thought {
    match failure.status {
        Some(404 | 410) => {}
        Some(status) => return Err(format!("the site answers {status}: nothing to change here")),
        None if failure.host_unknown => return Err("the host's name is unknown".to_owned()),
        None => return Err("the site cannot be reached".to_owned()),
    }
    let old = &loaded.definition.url;
    for url in candidates(services, old).await {
        context.progress(format!("looking at {url}"));
        let Ok(answer) = services.page(&url, loaded.recipe.request()).await else { continue };
        let page = Document::parse_bytes(&answer.body);
        let extraction = loaded.recipe.apply(&page, Some(&answer.url));
        if !validate(&loaded.recipe, &extraction, &loaded.history()).passed {
            continue;
        }
        let (same, known) = recognised(loaded, &texts(&extraction));
        // Another article of the site would give values as well: only its own values tell that it is the page.
        if !is_the_page(same, known) {
            continue;
        }
        let url = answer.moved_to().cloned().unwrap_or(url);
        let blueprint = Blueprint { base_url: url.clone(), ..loaded.definition.blueprint.clone() };
        return Ok(Change {
            description: format!("ask for the page at {url}"),
            recipe: loaded.recipe.clone(),
            definition: Definition { url, blueprint, ..loaded.definition.clone() },
            evidence: vec![format!("{same} of {known} fields have the values they had at {old}")],
            try_live: true,
        });
    }
    Err(format!("no page of the site has the values that {old} had"))
}

/// Whether so many of the known fields are enough. Half are not: articles of one day on one subject share their date and their
/// tags.
const fn is_the_page(same: usize, known: usize) -> bool {
    same * 2 > known
}

/// How many fields give what they gave on the last good page, and of how many that is known.
fn recognised(loaded: &Loaded, texts: &serde_json::Value) -> (usize, usize) {
    let Some(before) = loaded.good.first().and_then(|page| page.values.as_ref()).and_then(|values| values.as_object())
    else {
        return (0, 0);
    };
    let known: Vec<_> =
        before.iter().filter(|(_, values)| values.as_array().is_some_and(|values| !values.is_empty())).collect();
    let same = known.iter().filter(|(field, values)| texts.get(field.as_str()) == Some(*values)).count();
    (same, known.len())
}

/// Addresses of the site that resemble the old one, the most alike first.
async fn candidates(services: &SourceServices, old: &Url) -> Vec<Url> {
    let mut found: Vec<Url> = Vec::new();
    if let Ok(sitemaps) = services.fetcher.sitemaps(old).await {
        for sitemap in sitemaps.into_iter().take(3) {
            found.extend(addresses(services, &sitemap, "loc").await);
        }
    }
    if let Ok(default) = old.join("/sitemap.xml") {
        found.extend(addresses(services, &default, "loc").await);
    }
    if let Ok(root) = old.join("/") {
        found.extend(addresses(services, &root, "a").await);
    }
    found.retain(|url| url.origin() == old.origin() && url.path() != old.path());
    found.sort();
    found.dedup();
    let words = words_of(old);
    let alike = |url: &Url| {
        let other = words_of(url);
        let shared = words.intersection(&other).count();
        let all = words.union(&other).count().max(1);
        // The words of the address first: numbers and slugs survive a move, the order of folders does not.
        f64::from(u32::try_from(shared).unwrap_or(0)) / f64::from(u32::try_from(all).unwrap_or(1))
            + strsim::normalized_levenshtein(url.path(), old.path()) / 10.0
    };
    let scored = found.into_iter().map(|url| (alike(&url), url));
    let mut ranked: Vec<(f64, Url)> = scored.filter(|(score, _)| *score >= LEAST_ALIKE).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    ranked.into_iter().take(MOST_PAGES).map(|(_, url)| url).collect()
}

/// The words and numbers of an address's path.
fn words_of(url: &Url) -> BTreeSet<String> {
    let parts = url.path().split(|char: char| !char.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// The addresses that a sitemap or a page names.
async fn addresses(services: &SourceServices, url: &Url, tag: &str) -> Vec<Url> {
    let Ok(answer) = services.page(url, &autoheal_page::recipe::Request::default()).await else { return Vec::new() };
    let page = Document::parse_bytes(&answer.body);
    let named = page.nodes().filter(|node| page.tag(*node) == tag).filter_map(|node| {
        let text = if tag == "a" {
            page.attribute(node, "href").map(str::to_owned)
        } else {
            Some(page.text(node).into_owned())
        };
        answer.url.join(text?.trim()).ok()
    });
    named.take(MOST_ADDRESSES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_half_of_the_values_tell_a_page() {
        assert!(is_the_page(1, 1) && is_the_page(2, 2) && is_the_page(2, 3) && is_the_page(3, 4));
        assert!(!is_the_page(0, 0) && !is_the_page(1, 2) && !is_the_page(2, 4));
    }
}
