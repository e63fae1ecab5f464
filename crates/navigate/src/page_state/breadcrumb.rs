//! Breadcrumb of a page: its place in the manual.

use autoheal_page::{Document, NodeId};

use super::shortened;

/// No more steps than this, and no longer ones.
const MOST: usize = 12;
const LONGEST: usize = 120;

/// Returns the steps from the outside in, the page itself last: the page's own trail, or the pages that it links as its home and its
/// parent.
pub(super) fn breadcrumb(page: &Document, title: &str) -> Vec<String> {
    let trail = trail(page);
    if trail.len() > 1 { trail } else { from_relations(page, title) }
}

/// The trail that a page shows, of the element that is called so.
fn trail(page: &Document) -> Vec<String> {
    let is_trail = |node: NodeId| {
        let named = |text: &str| text.to_ascii_lowercase().contains("breadcrumb");
        page.classes(node).any(named)
            || page.attribute(node, "id").is_some_and(named)
            || page.attribute(node, "aria-label").is_some_and(named)
            || page.attribute(node, "typeof").is_some_and(named)
            || page.attribute(node, "itemtype").is_some_and(named)
    };
    let Some(bar) = page.nodes().find(|&node| is_trail(node) && page.letters(node) > 0) else { return Vec::new() };
    let mut steps = Vec::new();
    let mut add = |text: &str| {
        // The separators between steps are not steps.
        let text = text.trim_matches(|character: char| character.is_whitespace() || "»›>/|→·\\".contains(character));
        if !text.is_empty() {
            steps.push(shortened(text, LONGEST).to_owned());
        }
    };
    let mut last = None;
    for link in page.descendants(bar).filter(|&node| page.tag(node) == "a").take(MOST) {
        add(page.visible_text(link));
        last = Some(link);
    }
    // The page itself is usually no link.
    let whole = page.visible_text(bar);
    let before = last.map_or(0, |link| page.text_up_to(bar, link).len() + page.visible_text(link).len());
    if let Some(rest) = whole.get(whole.floor_char_boundary(before + 1)..) {
        // Folders without a page are not steps, either.
        rest.split(['»', '›', '>', '→']).for_each(&mut add);
    }
    steps
}

/// The titles of the home page and of the page above, as links name them (`rel`, or the access keys of `DocBook`), and the page's own.
fn from_relations(page: &Document, title: &str) -> Vec<String> {
    let named = |relation: &str, key: &str| {
        page.nodes().filter(|&node| matches!(page.tag(node), "a" | "link")).find_map(|node| {
            let is = page.attribute(node, "rel").is_some_and(|rel| rel.eq_ignore_ascii_case(relation))
                || page.attribute(node, "accesskey") == Some(key);
            page.attribute(node, "title").filter(|text| is && !text.trim().is_empty())
        })
    };
    let mut steps: Vec<String> = Vec::new();
    for step in [named("home", "h"), named("up", "u"), Some(title)].into_iter().flatten() {
        let step = autoheal_page::document::normalise(step);
        if !step.is_empty() && !steps.contains(&step) {
            steps.push(shortened(&step, LONGEST).to_owned());
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trails_and_relations_say_where_a_page_stands() {
        let of = |html: &str| breadcrumb(&Document::parse(html), "Sizes");
        assert_eq!(
            of("<ol class='x-breadcrumbs'><li><a href=/>Home</a><li><a href=/a>A</a><li>Sizes</ol>"),
            ["Home", "A", "Sizes"]
        );
        assert_eq!(
            of("<p id=breadcrumb><a href=/>Home</a> &gt;&gt; Tables &gt;&gt; Sizes"),
            ["Home", "Tables", "Sizes"]
        );
        let relations = "<a accesskey=u href=a title='8. Types'>Up</a><a accesskey=h href=i title=Manual>Home</a>";
        assert_eq!(of(relations), ["Manual", "8. Types", "Sizes"]);
        assert_eq!(of("<p>nothing"), ["Sizes"]);
    }
}
