//! The parts of a manual whose chapters its home page lists. The page of such a part lists more chapters, at the cost of one step.

use std::collections::{HashMap, HashSet};

use url::Url;

use crate::address::without_fragment;
use crate::page_state::PageState;
use crate::relevance::{Found, Relevance};

/// Minimum number of pages below a heading that counts as a list of chapters.
const LEAST_CHAPTERS: usize = 3;

/// The pages of parts that the home page lists with their chapters, and the parts of the goal in the chapters' titles.
pub(crate) fn parts(home: &PageState, relevance: &Relevance) -> HashMap<Url, Found> {
    let mut lists: HashMap<&str, (HashSet<Url>, Found)> = HashMap::new();
    for link in &home.links {
        let head = link.path_hint.rsplit(" > ").next().unwrap_or_default();
        let (chapters, said) = lists.entry(head).or_default();
        chapters.insert(without_fragment(&link.href));
        *said = said.and(relevance.read(&link.text).found);
    }
    let heads = home.links.iter().filter_map(|link| {
        let (chapters, said) = lists.get(link.text.as_str())?;
        (chapters.len() >= LEAST_CHAPTERS).then(|| (without_fragment(&link.href), *said))
    });
    heads.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_what_chapters_stand_below() {
        let page = "<a href=next>Next</a><dl><dt><a href=one>I. Types</a><dd><dl><dt><a href=a>1. Numbers</a><dt><a href=b>2. Text</a>\
            <dt><a href=c>3. Dates</a></dl><dt><a href=two>II. Pages</a><dd><dl><dt><a href=two#x>Numbers</a><dt><a href=two#y>A</a>\
            <dt><a href=two#z>B</a></dl></dl>";
        let home = PageState::parse(page.as_bytes(), &"http://manual.example/".parse().unwrap());
        let relevance = Relevance::of("largest number");
        let found = parts(&home, &relevance);
        let part: Url = "http://manual.example/one".parse().unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), [&part], "{:?}", home.links);
        assert_eq!(found[&part], relevance.read("number").found);
    }
}
