//! The main text, as readers' views of browsers find it.

use std::fmt::Write as _;

use autoheal_page::{Document, NodeId};
use dom_smoothie::{Config, Readability};

use super::View;
use super::about::About;
use super::blocks::{blocks, leaves};
use super::found::Found;
use super::recipe_lines::lines;
use super::site::letters;
use super::stated::{Thing, is_said};
use crate::item::{List, PageType};

/// Maximum number of lines of a stated description.
const MOST_LINES: usize = 200;

/// Minimum number of letters of a stated description that is added to the text.
const SHORTEST_DESCRIPTION: usize = 80;

/// The main text with its contents.
pub(super) struct MainText {
    pub(super) text: Found<String>,
    pub(super) lists: Option<Found<Vec<List>>>,
}

/// The main text of a page, if it has one.
pub(super) fn find(view: &View<'_>, about: &About<'_>) -> Option<MainText> {
    let unscripted = unscripted(view.page);
    let page = unscripted.as_ref().unwrap_or(view.page);
    let blocks = blocks(page);
    let read = reader_view(page, &blocks, is_article(about));
    let (text, lists) = match &read {
        Some(content) => (text_of(content, &leaves(content)), lists_of(content)),
        None => (text_of(page, &blocks), lists_of(page)),
    };
    let text = stated_description(about, &text).map_or(text.clone(), |description| format!("{description}\n\n{text}"));
    let confidence = if read.is_some() { 0.85 } else { 0.6 };
    (!text.is_empty()).then(|| MainText {
        text: Found::heuristic(text, confidence),
        lists: (!lists.is_empty()).then(|| Found::heuristic(lists, 0.7)),
    })
}

/// Returns the description of a product that the page states and does not show; scripts show it. Next to a long text it is only
/// a summary for search engines.
fn stated_description(about: &About<'_>, text: &str) -> Option<String> {
    let thing = about.thing.as_ref().filter(|_| about.page_type.value == PageType::Product)?;
    let values = thing.values(&["description"]);
    let stated = values.first().and_then(|value| value.as_str())?;
    let shown = letters(text);
    let missing: Vec<String> = lines(stated)
        .into_iter()
        .take(MOST_LINES)
        .filter(|line| is_said(line) && !shown.contains(&letters(line)))
        .collect();
    let length: usize = missing.iter().map(|line| letters(line).len()).sum();
    (length >= SHORTEST_DESCRIPTION && length * 4 >= shown.len()).then(|| missing.join("\n\n"))
}

/// Returns the content that a page shows to clients without scripts, if it is more than the page shows
/// otherwise: such a page loads its text with scripts.
pub(super) fn unscripted(page: &Document) -> Option<Document> {
    let alternatives = page.nodes().filter(|&node| page.tag(node) == "noscript");
    let longest = alternatives.max_by_key(|&node| page.raw_text(node).len())?;
    if page.raw_text(longest).len() <= page.letters(page.body()) * 2 {
        return None;
    }
    // Only the outermost element excludes its contents from the text.
    let html = page.html(longest).replacen("<noscript", "<div", 1);
    let unscripted = Document::parse(&html);
    (unscripted.letters(unscripted.body()) > page.letters(page.body())).then_some(unscripted)
}

/// Returns whether a page is about one text, unlike a page of a forum, which holds several.
fn is_article(about: &About<'_>) -> bool {
    let kinds = about.thing.as_ref().map(Thing::kinds).unwrap_or_default();
    let is_thread = kinds.iter().any(|kind| matches!(kind.as_str(), "discussionforumposting" | "question" | "qapage"));
    about.page_type.value == PageType::Article && !is_thread
}

/// Returns the reader view, where it is better than the blocks: for articles, for pages whose blocks are mostly links, since
/// unnamed menus are among them, and for pages of which the blocks hold only a small part.
fn reader_view(page: &Document, blocks: &[NodeId], is_article: bool) -> Option<Document> {
    let sum = |count: fn(&Document, NodeId) -> usize| blocks.iter().map(|&node| count(page, node)).sum::<usize>();
    let (all, linked) = (sum(Document::letters), sum(Document::linked_letters));
    let plain = all - linked;
    let of_page = page.letters(page.body()) - page.linked_letters(page.body());
    let (is_small, is_linked) = (plain * 3 < of_page, linked * 2 > all);
    if !is_article && !is_linked && !is_small {
        return None;
    }
    article(page).filter(|content| {
        let read = content.letters(content.body());
        // If both find about the same amount of text, it is in one piece, and the reader view has less around it.
        let is_like = read * 5 >= plain * 4 && (is_linked || read * 4 <= plain * 5);
        is_like || is_small && read >= plain * 2
    })
}

/// The page as readers' views show it.
fn article(page: &Document) -> Option<Document> {
    let config = Config { disable_json_ld: true, ..Config::default() };
    let mut reader = Readability::new(page.to_html(), None, Some(config)).ok()?;
    Some(Document::parse(&reader.parse().ok()?.content))
}

/// The text with an empty line between blocks, `- ` before items of lists, and ` | ` between cells.
fn text_of(page: &Document, blocks: &[NodeId]) -> String {
    let mut text = String::new();
    let mut row = None;
    for &node in blocks {
        let piece = page.visible_text(node);
        let around =
            |tag: &str| std::iter::once(node).chain(page.ancestors(node).take(2)).find(|&above| page.tag(above) == tag);
        let of_row = around("tr");
        let is_item = around("li").is_some();
        let between = match (text.is_empty(), of_row.is_some() && of_row == row, is_item) {
            (true, ..) => "",
            (false, true, _) => " | ",
            (false, false, true) => "\n",
            (false, false, false) => "\n\n",
        };
        let bullet = if is_item { "- " } else { "" };
        row = of_row;
        // Writing to a text cannot fail.
        let _ = write!(text, "{between}{bullet}{piece}");
    }
    text
}

/// Returns the lists of the main text, except navigation, with the heading right before each.
fn lists_of(page: &Document) -> Vec<List> {
    let mut heading = None;
    let mut lists = Vec::new();
    for node in page.nodes() {
        match page.tag(node) {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => heading = Some(page.visible_text(node).to_owned()),
            "ul" | "ol" => {
                let items =
                    page.children(node).filter(|&item| page.tag(item) == "li").map(|item| page.visible_text(item));
                let items: Vec<String> = items.filter(|text| !text.is_empty()).map(str::to_owned).collect();
                let is_text = page.linked_letters(node) * 2 <= page.letters(node);
                if items.len() > 1 && is_text {
                    lists.push(List { heading: heading.clone().filter(|heading| !heading.is_empty()), items });
                }
            }
            _ => {}
        }
    }
    lists
}
