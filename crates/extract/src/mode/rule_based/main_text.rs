//! The main text, as readers' views of browsers find it.

use std::fmt::Write as _;

use autoheal_page::{Document, NodeId};
use dom_smoothie::{Config, Readability};

use super::View;
use super::found::Found;
use crate::item::{List, PageType};

/// Pages with more elements than this, or that nest deeper, are not read: it would take too long, or the stack would not do.
const MOST_ELEMENTS: usize = 60_000;
const DEEPEST: usize = 250;

/// The main text and what is in it.
pub(super) struct MainText {
    pub(super) text: Found<String>,
    pub(super) lists: Option<Found<Vec<List>>>,
}

/// The main text of a page, if it has one.
pub(super) fn find(view: &View<'_>, _page_type: PageType) -> Option<MainText> {
    let page = view.page;
    if page.len() > MOST_ELEMENTS || page.nodes().any(|node| page.depth(node) > DEEPEST) {
        return None;
    }
    let config = Config { disable_json_ld: true, ..Config::default() };
    let mut reader = Readability::new(page.to_html(), None, Some(config)).ok()?;
    let article = reader.parse().ok()?;
    let content = Document::parse(&article.content);
    let text = text_of(&content, content.body());
    let lists = lists_of(&content);
    (!text.is_empty()).then(|| MainText {
        text: Found::heuristic(text, 0.8),
        lists: (!lists.is_empty()).then(|| Found::heuristic(lists, 0.7)),
    })
}

/// The text with an empty line between blocks, `- ` before items of lists, and ` | ` between cells.
fn text_of(page: &Document, node: NodeId) -> String {
    let mut text = String::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let has_blocks = page.descendants(node).any(|inner| is_block(page.tag(inner)));
        if !has_blocks || matches!(page.tag(node), "tr" | "pre") {
            block(page, node, &mut text);
            continue;
        }
        // Text that stands beside blocks stays where it is: in the first place, where nearly all of it is.
        let own = page.own_text(node);
        if !own.is_empty() {
            push(&mut text, &own, "\n\n");
        }
        let children: Vec<NodeId> = page.children(node).collect();
        open.extend(children.into_iter().rev());
    }
    text
}

fn block(page: &Document, node: NodeId, text: &mut String) {
    match page.tag(node) {
        "li" => push(text, &format!("- {}", page.visible_text(node)), "\n"),
        "tr" => {
            let cells: Vec<&str> = page.children(node).map(|cell| page.visible_text(cell)).collect();
            push(text, &cells.join(" | "), "\n");
        }
        _ => push(text, page.visible_text(node), "\n\n"),
    }
}

fn push(text: &mut String, piece: &str, between: &str) {
    let piece = piece.trim();
    if piece.is_empty() || piece == "-" {
        return;
    }
    let between = if text.is_empty() { "" } else { between };
    // Writing to a text cannot fail.
    let _ = write!(text, "{between}{piece}");
}

fn is_block(tag: &str) -> bool {
    matches!(
        tag,
        "p" | "div" | "section" | "article" | "ul" | "ol" | "li" | "table" | "tbody" | "thead" | "tr" | "h1" | "h2" | "h3" | "h4"
            | "h5" | "h6" | "blockquote" | "pre" | "figure" | "figcaption" | "dl" | "dt" | "dd" | "main" | "header" | "footer"
    )
}

/// The lists of the main text that are no navigation, with the heading right before each.
fn lists_of(page: &Document) -> Vec<List> {
    let mut heading = None;
    let mut lists = Vec::new();
    for node in page.nodes() {
        match page.tag(node) {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => heading = Some(page.visible_text(node).to_owned()),
            "ul" | "ol" => {
                let items = page.children(node).filter(|&item| page.tag(item) == "li").map(|item| page.visible_text(item));
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
