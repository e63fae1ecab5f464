//! Search for a page that is gone, among the site's own links and its sitemap; it is recognised by its own values.

use std::collections::BTreeSet;

use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_page::Document;
use autoheal_page::recipe::Recipe;
use url::Url;

use super::relocation::{self, Layout, Optional};
use super::{Change, Thought};
use crate::facts::PageFacts;
use crate::failure::Failure;
use crate::loaded::Loaded;
use crate::services::{SourceServices, WebPage};
use crate::validation::validate;

/// Maximum number of pages to examine.
const MOST_PAGES: usize = 8;

/// The longest sitemap that is read, in bytes and in addresses.
const LONGEST_SITEMAP: usize = 5 << 20;
const MOST_ADDRESSES: usize = 50_000;

pub(super) async fn propose(
    services: &SourceServices,
    loaded: &Loaded,
    failure: &Failure,
    context: &StepContext,
) -> Result<Thought, StepError> {
    match failure.status {
        _ if failure.is_gone() => {}
        Some(status) => return Ok(Err(format!("the site answers {status}: nothing to change here"))),
        None if failure.host_unknown => return Ok(Err("the host's name is unknown".to_owned())),
        None => return Ok(Err(failure.message.clone())),
    }
    let old = &loaded.page;
    let Some(last) = &loaded.last else {
        return Ok(Err("no page is stored by which it could be recognised".to_owned()));
    };
    if !loaded.definition.pages().any(|page| page == old) {
        return Ok(Err("it is a page of a list that the source does not name: nothing to change here".to_owned()));
    }
    let mut seen: Vec<Seen> = Vec::new();
    for url in candidates(services, old).await? {
        context.progress(format!("looking at {url}"));
        let Ok(page) = services.page(&url, &loaded.request()).await? else { continue };
        seen.extend(look(services, loaded, url, &page));
    }
    let Some(place) = seen.iter().position(|page| is_the_page(loaded, last, page, &seen)) else {
        return Ok(Err(format!("no page of the site has the values that {old} had")));
    };
    let Seen { url, facts, rules } = seen.swap_remove(place);
    let (same, known) = facts.same_as(last);
    let mut evidence = vec![format!("{same} of {known} fields have the values they had at {old}")];
    let ask = format!("ask for the page at {url}");
    let (description, change) = match rules {
        Some(change) => (format!("{ask}; {}", change.description), change),
        None => (ask, Change::of(loaded, String::new())),
    };
    evidence.extend_from_slice(&change.evidence);
    let definition = change.definition.moved(old, &url);
    Ok(Ok(Change { description, definition, evidence, try_at: Some(url), ..change }))
}

/// A page of the site on which the fields are found.
struct Seen {
    url: Url,
    facts: PageFacts,
    /// The rules that find them, if the recipe does not: the page has another layout, too.
    rules: Option<Change>,
}

/// Applies the recipe to a page or, if the page has another layout, looks for the fields again.
fn look(services: &SourceServices, loaded: &Loaded, url: Url, page: &WebPage) -> Option<Seen> {
    let document = page.document();
    let facts_by = |recipe: &Recipe, document: &Document| {
        let extraction = recipe.apply(document, Some(&page.url));
        validate(recipe, &extraction, &loaded.history).passed.then(|| PageFacts::of(&extraction))
    };
    let url = page.moved_to.clone().unwrap_or(url);
    if let Some(facts) = facts_by(&loaded.recipe, &document) {
        return Some(Seen { url, facts, rules: None });
    }
    let layout = Layout::of(services, loaded, document, Some(page.url.clone())).ok()?;
    let rules = relocation::propose(loaded, &layout, Optional::Gone).ok()?;
    Some(Seen { url, facts: facts_by(&rules.recipe, layout.page())?, rules: Some(rules) })
}

/// Another article of the site gives values as well, and may share the author. It is the page when it has most of its values, one of
/// them on no other page that was looked at.
fn is_the_page(loaded: &Loaded, last: &PageFacts, page: &Seen, seen: &[Seen]) -> bool {
    let is_its_own = |field: &String, texts: &Vec<String>| {
        !texts.is_empty()
            && page.facts.texts.get(field) == Some(texts)
            && !seen.iter().any(|other| other.url != page.url && other.facts.texts.get(field) == Some(texts))
    };
    loaded.recognises(&page.facts) && last.texts.iter().any(|(field, texts)| is_its_own(field, texts))
}

/// The addresses of the site that resemble the old one most, the most alike first. A page may have moved to an address of other words.
async fn candidates(services: &SourceServices, old: &Url) -> Result<Vec<Url>, StepError> {
    let mut found: Vec<Url> = Vec::new();
    if let Ok(sitemaps) = services.fetcher.sitemaps(old).await {
        for sitemap in sitemaps.into_iter().take(3) {
            found.extend(addresses(services, &sitemap, "loc").await?);
        }
    }
    if let Ok(default) = old.join("/sitemap.xml") {
        found.extend(addresses(services, &default, "loc").await?);
    }
    if let Ok(root) = old.join("/") {
        found.extend(addresses(services, &root, "a").await?);
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
    let mut ranked: Vec<(f64, Url)> = found.into_iter().map(|url| (alike(&url), url)).collect();
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    Ok(ranked.into_iter().take(MOST_PAGES).map(|(_, url)| url).collect())
}

/// The words and numbers of an address's path.
fn words_of(url: &Url) -> BTreeSet<String> {
    let parts = url.path().split(|char: char| !char.is_alphanumeric());
    parts.filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

/// The addresses that a sitemap or a page names.
async fn addresses(services: &SourceServices, url: &Url, tag: &str) -> Result<Vec<Url>, StepError> {
    let Ok(page) = services.page(url, &autoheal_page::recipe::Request::default()).await? else { return Ok(Vec::new()) };
    if page.html.len() > LONGEST_SITEMAP {
        return Ok(Vec::new());
    }
    let document = page.document();
    let named = document.nodes().filter(|node| document.tag(*node) == tag).filter_map(|node| {
        let text = match tag {
            "a" => document.attribute(node, "href")?.to_owned(),
            _ => document.text(node).into_owned(),
        };
        page.url.join(text.trim()).ok()
    });
    Ok(named.take(MOST_ADDRESSES).collect())
}
