//! The links of a page as a model sees them: a tree, whose lines are indented below the headings or links above them.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use url::Url;

use crate::address::without_fragment;
use crate::frontier::is_directory_name;
use crate::goal::Goal;
use crate::page_state::{Link, PageState};
use crate::ranking::nearest;
use crate::relevance::Relevance;
use crate::tools::full_name;

/// Part of the links that are shown for their words, whatever their place.
const SHARE_BY_WORDS: usize = 2;

/// Maximum number of labels that all links share.
const MOST_SHARED: usize = 8;

/// Links of a page, and how many are not shown.
pub(crate) struct LinkTree {
    pub(crate) text: String,
    pub(crate) shown: usize,
    pub(crate) left_out: usize,
}

/// A link with the labels above it, without those that all links share.
struct Branch<'a> {
    above: Vec<&'a str>,
    link: &'a Link,
}

impl LinkTree {
    /// Shows at most `most` links: those to an index or the contents, those with words of the goal, then by depth: all chapters
    /// before any section.
    pub(crate) fn of(page: &PageState, goal: &Goal, most: usize) -> Self {
        let branches = branches(&page.links);
        let kept = kept(&branches, goal, most);
        let mut sections: HashMap<Vec<&str>, (usize, usize)> = HashMap::new();
        for (place, branch) in branches.iter().enumerate() {
            for depth in 1..=branch.above.len() {
                let (all, shown) = sections.entry(branch.above[..depth].to_vec()).or_default();
                *all += 1;
                *shown += usize::from(kept.contains(&place));
            }
        }
        let hidden = |path: &[&str]| match sections.get(path) {
            Some((all, 0)) => format!(" ({all} sections)"),
            Some((all, shown)) if all > shown => format!(" ({} of {all} sections not shown)", all - shown),
            Some(_) | None => String::new(),
        };
        let mut text = String::new();
        let mut before: Vec<&str> = Vec::new();
        for (_, branch) in branches.iter().enumerate().filter(|(place, _)| kept.contains(place)) {
            let same = before.iter().zip(&branch.above).take_while(|(one, other)| one == other).count();
            // A label of a single link stays on its line.
            let is_single = |depth: &usize| sections.get(&branch.above[..=*depth]).is_some_and(|(all, _)| *all == 1);
            let own = (same..branch.above.len()).find(is_single).unwrap_or(branch.above.len());
            for depth in same..own {
                let count = hidden(&branch.above[..=depth]);
                // Writing to a text cannot fail.
                let _ = writeln!(text, "{}{}:{count}", "  ".repeat(depth), branch.above[depth]);
            }
            let mut path = branch.above.clone();
            path.push(&branch.link.text);
            let is_here = without_fragment(&branch.link.href) == page.url;
            let here = if is_here { " (on this page)" } else { "" };
            let _ = writeln!(text, "{}{}{}{here}", "  ".repeat(own), path[own..].join(" > "), hidden(&path));
            before = path;
        }
        text.truncate(text.trim_end().len());
        Self { text, shown: kept.len(), left_out: branches.len() - kept.len() }
    }
}

/// The links with the labels above them, without the first labels if nearly all links share them: those are about the page.
fn branches(links: &[Link]) -> Vec<Branch<'_>> {
    let mut branches: Vec<Branch<'_>> = links
        .iter()
        .map(|link| Branch { above: link.path_hint.split(" > ").filter(|part| !part.is_empty()).collect(), link })
        .collect();
    for _ in 0..MOST_SHARED {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        for first in branches.iter().filter_map(|branch| branch.above.first()) {
            *counts.entry(first).or_default() += 1;
        }
        let Some((label, count)) = counts.into_iter().max_by_key(|(_, count)| *count) else { break };
        // A label that is a link itself is a chapter.
        let is_chapter = || links.iter().any(|link| link.text == label);
        if count < 2 || count * 10 < links.len() * 9 || is_chapter() {
            break;
        }
        for branch in branches.iter_mut().filter(|branch| branch.above.first() == Some(&label)) {
            branch.above.remove(0);
        }
    }
    branches
}

/// The places of the links that are shown. A place in a page that the link above it opens is shown for words of the goal only.
fn kept(branches: &[Branch<'_>], goal: &Goal, most: usize) -> HashSet<usize> {
    let names: Vec<String> = branches.iter().map(|branch| full_name(branch.link)).collect();
    let relevance = Relevance::of(&goal.text);
    let is_named = |text: &str| !relevance.read(text).found.both(relevance.required()).is_none();
    let mut pages: HashMap<Vec<&str>, Url> = HashMap::new();
    for branch in branches {
        let path = branch.above.iter().copied().chain([branch.link.text.as_str()]).collect();
        pages.entry(path).or_insert_with(|| without_fragment(&branch.link.href));
    }
    let is_needed = |branch: &Branch<'_>| {
        let is_same = pages.get(&branch.above).is_some_and(|page| *page == without_fragment(&branch.link.href));
        !is_same || is_named(&branch.link.text)
    };
    let mut by_depth: Vec<usize> = (0..branches.len()).filter(|&place| is_needed(&branches[place])).collect();
    if by_depth.len() <= most {
        return by_depth.into_iter().collect();
    }
    let is_directory = |place: &usize| is_directory_name(&branches[*place].link.text);
    let mut kept: HashSet<usize> = by_depth.iter().copied().filter(is_directory).take(most / 10 + 1).collect();
    let by_words = nearest(&names, goal, |_| 1, most / SHARE_BY_WORDS).into_iter();
    kept.extend(by_words.filter(|&place| is_named(&names[place])));
    // A stable sort: of one depth in the order of the page.
    by_depth.sort_by_key(|&place| branches[place].above.len());
    for place in by_depth {
        if kept.len() >= most {
            break;
        }
        kept.insert(place);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(body: &str) -> PageState {
        PageState::parse(body.as_bytes(), &"http://manual.example/".parse().unwrap())
    }

    #[test]
    fn links_are_a_tree_without_what_all_share() {
        let page = page(
            "<h3>Copyright</h3><dl><dt><a href=p>Preface</a><dt><a href=one>I. Types</a><dd><dl><dt><a href=a>1. Numbers</a>\
             <dt><a href='#b'>2. Text</a></dl></dl>",
        );
        let tree = LinkTree::of(&page, &Goal::new("x"), 10);
        assert_eq!(tree.text, "Preface\nI. Types\n  1. Numbers\n  2. Text (on this page)", "{:?}", page.links);
        assert_eq!((tree.shown, tree.left_out), (4, 0));
    }

    #[test]
    fn a_label_of_one_link_is_on_its_line_and_neighbours_in_a_bar_are_no_labels() {
        let page = page(
            "<table class=navheader><tr><td><a href=p>Prev</a><td><a href=u>Up</a><td><a href=n title='2. Text'>Next</a></table>\
             <dl><dt>smallint, <a href=i>Integer Types</a></dl>",
        );
        let tree = LinkTree::of(&page, &Goal::new("x"), 10);
        assert_eq!(tree.text, "Prev\nUp\n2. Text > Next\nsmallint > Integer Types");
    }

    #[test]
    fn places_in_a_page_that_is_linked_are_counted_unless_the_goal_names_them() {
        let page = page(
            "<dl><dt><a href=n>1. Numbers</a><dd><dl><dt><a href=n#a>1.1. Whole</a><dt><a href=n#b>1.2. Real</a></dl></dl>",
        );
        let of = |goal: &str| LinkTree::of(&page, &Goal::new(goal), 10).text;
        assert_eq!(of("x"), "1. Numbers (2 sections)");
        assert_eq!(of("size of real"), "1. Numbers (1 of 2 sections not shown)\n  1.2. Real");
    }

    #[test]
    fn chapters_come_before_sections_and_an_index_is_always_shown() {
        let mut body = String::from("<dl>");
        for chapter in 1..=12 {
            let _ = write!(body, "<dt><a href=c{chapter}>{chapter}. Chapter</a><dd><dl>");
            for section in 1..=30 {
                let _ = write!(body, "<dt><a href=c{chapter}s{section}>{chapter}.{section}. Section</a>");
            }
            body.push_str("</dl>");
        }
        body.push_str("<dt><a href=oil>Back matter</a><dd><dl><dt><a href=i>Index</a></dl></dl>");
        let tree = LinkTree::of(&page(&body), &Goal::new("oil"), 20);
        for chapter in 1..=12 {
            assert!(tree.text.contains(&format!("{chapter}. Chapter (")), "{chapter}: {}", tree.text);
        }
        assert!(tree.text.contains("  Index"), "{}", tree.text);
        assert!(tree.text.contains("12. Chapter (30 sections)"), "{}", tree.text);
        assert_eq!((tree.shown, tree.left_out), (20, 12 * 31 + 2 - 20));
    }
}
