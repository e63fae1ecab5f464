//! A page as the index stores it.

use std::collections::HashSet;

use autoheal_store::manual_index::{Abbreviation, FoundUnit, IndexUnit, PageContent};
use percent_encoding::percent_decode_str;
use url::Url;

use super::scope::Scope;
use crate::address::without_fragment;
use crate::page_state::{PageState, Passage, PassageKind};
use crate::pages::{Page, Pages};
use crate::words::words;

/// Number of letters of an abbreviation.
const SHORTEST: usize = 2;
const LONGEST: usize = 6;

/// Returns what the index stores of a page, with all its links.
pub(super) fn content(page: Page) -> PageContent {
    let state = PageState::parse(&page.body, &page.url);
    let place = words(&format!("{} {} {}", state.breadcrumb.join(" "), state.title, path_text(&state.url)));
    let mut abbreviations = Vec::new();
    let mut units = Vec::with_capacity(state.passages.len());
    for passage in &state.passages {
        find_abbreviations(&passage.own, &mut abbreviations);
        units.push(unit(passage, &place));
    }
    let mut seen = HashSet::new();
    let links = state.links.iter().map(|link| without_fragment(&link.href));
    let links = links.filter(|url| seen.insert(url.clone()));
    PageContent {
        links: links.map(String::from).collect(),
        etag: page.validators.etag,
        last_modified: page.validators.last_modified,
        body: page.body.to_vec(),
        title: state.title,
        breadcrumb: state.breadcrumb,
        units,
        abbreviations,
    }
}

/// Replaces the addresses of links by those under which the pages are requested, and removes those that leave the manual.
pub(super) fn resolve_links(content: &mut PageContent, pages: &dyn Pages, scope: &Scope) {
    let resolved = content.links.iter().filter_map(|link| Url::parse(link).ok()).map(|url| pages.address(&url));
    content.links = resolved.filter(|url| scope.contains(url)).map(String::from).collect();
}

/// Returns a page with only the texts that a query found on it.
pub(super) fn partial_page(url: Url, units: &[FoundUnit]) -> Option<PageState> {
    let first = units.first()?;
    Some(PageState {
        url,
        title: first.title.clone(),
        breadcrumb: first.breadcrumb.clone(),
        links: Vec::new(),
        content_text: String::new(),
        tables: Vec::new(),
        has_data: true,
        passages: units.iter().map(passage).collect(),
    })
}

fn unit(passage: &Passage, place: &[String]) -> IndexUnit {
    let mut own = words(&passage.own);
    own.extend(passage.keys.iter().flat_map(|key| words(key)));
    let mut around: Vec<String> = passage.above.iter().flat_map(|text| words(text)).collect();
    around.extend_from_slice(place);
    let mut seen = HashSet::new();
    around.retain(|word| seen.insert(word.clone()));
    IndexUnit {
        kind: match passage.kind {
            PassageKind::Row => "row",
            PassageKind::Entry => "entry",
            PassageKind::Text => "text",
        },
        text: passage.text.clone(),
        own: passage.own.clone(),
        keys: passage.keys.clone(),
        above: passage.above.clone(),
        before: passage.before.clone(),
        own_words: own.join(" "),
        around_words: around.join(" "),
    }
}

fn passage(unit: &FoundUnit) -> Passage {
    Passage {
        kind: match unit.kind.as_str() {
            "row" => PassageKind::Row,
            "entry" => PassageKind::Entry,
            _ => PassageKind::Text,
        },
        text: unit.text.clone(),
        own: unit.own.clone(),
        keys: unit.keys.clone(),
        above: unit.above.clone(),
        before: unit.before.clone(),
    }
}

/// The words of an address's path.
fn path_text(url: &Url) -> String {
    percent_decode_str(url.path()).decode_utf8_lossy().replace(['/', '-', '_', '+', '.'], " ")
}

/// Finds abbreviations that a text explains, as in `write-ahead log (WAL)`.
fn find_abbreviations(text: &str, found: &mut Vec<Abbreviation>) {
    for (place, _) in text.match_indices('(') {
        let rest = &text[place + 1..];
        let Some(short) = rest.split(')').next().filter(|short| is_abbreviation(short)) else { continue };
        let before = &text[text.floor_char_boundary(place.saturating_sub(120))..place];
        let words_before: Vec<&str> =
            before.split(|character: char| character.is_whitespace() || character == '-').collect();
        let letters: Vec<char> = short.chars().flat_map(char::to_lowercase).collect();
        let words_before: Vec<&str> = words_before.into_iter().filter(|word| !word.is_empty()).collect();
        let Some(last) = words_before.get(words_before.len().saturating_sub(letters.len())..) else { continue };
        let initials: Vec<char> =
            last.iter().filter_map(|word| word.chars().next()).flat_map(char::to_lowercase).collect();
        if initials == letters {
            found.push(Abbreviation { short: words(short).join(" "), long: words(&last.join(" ")).join(" ") });
        }
    }
}

fn is_abbreviation(text: &str) -> bool {
    (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(|letter| letter.is_ascii_uppercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_are_those_that_a_text_explains() {
        let of = |text: &str| {
            let mut found = Vec::new();
            find_abbreviations(text, &mut found);
            found.into_iter().map(|one| (one.short, one.long)).collect::<Vec<_>>()
        };
        assert_eq!(of("The Write-Ahead Log (WAL) is kept."), [("wal".to_owned(), "write ahead log".to_owned())]);
        assert!(of("(WAL) and other logs (SEE), oil (ATF)").is_empty());
        assert!(of("é (AB) ((((").is_empty());
    }
}
