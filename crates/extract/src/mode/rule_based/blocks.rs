//! The text of a page without its frame: for pages whose text is not in one piece, such as lists, forums and shops.

use std::sync::LazyLock;

use autoheal_page::{Document, NodeId};
use regex::Regex;

/// Returns whether elements with this tag surround the content of a page instead of being part of it.
fn is_frame(tag: &str) -> bool {
    matches!(
        tag,
        "nav"
            | "footer"
            | "aside"
            | "form"
            | "button"
            | "select"
            | "dialog"
            | "iframe"
            | "label"
            | "input"
            | "textarea"
            | "menu"
    )
}

/// The same by its role, or by its name.
fn is_called_frame(page: &Document, node: NodeId) -> bool {
    static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?i)(^|[-_ ])(nav|navbar|navigation|menu|breadcrumbs?|footer|sidebar|cookies?|consent|newsletter|subscribe|share|sharing|social|related|recommend(ed|ations)?|popup|modal|banner|advert(isement)?|ads?|pagination|pager|skip|signup|login|promo|toolbar|filters?|facets?|sr-only|visually-hidden|screen-reader-text)([-_ ]|$)",
        )
        .ok()
    });
    let role = page.attribute(node, "role").unwrap_or_default();
    if matches!(
        role,
        "navigation" | "banner" | "contentinfo" | "complementary" | "search" | "dialog" | "menu" | "alert"
    ) {
        return true;
    }
    if page.attribute(node, "hidden").is_some() || page.attribute(node, "aria-hidden") == Some("true") {
        return true;
    }
    let names = ["class", "id"].iter().filter_map(|name| page.attribute(node, name));
    let mut names = names.flat_map(str::split_ascii_whitespace);
    names.any(|name| FRAME.as_ref().is_some_and(|frame| frame.is_match(name)))
}

/// The elements that hold the page's own text, in its order: blocks without blocks in them.
pub(super) fn blocks(page: &Document) -> Vec<NodeId> {
    below(page, root(page), true)
}

/// The elements that hold text, in its order, of a page that is nothing but text.
pub(super) fn leaves(page: &Document) -> Vec<NodeId> {
    below(page, page.body(), false)
}

fn below(page: &Document, root: NodeId, has_frame: bool) -> Vec<NodeId> {
    let all = page.letters(root);
    let mut found = Vec::new();
    let mut next = root.index();
    for node in std::iter::once(root).chain(page.descendants(root)) {
        if node.index() < next || page.is_skipped(node) || page.letters(node) == 0 {
            continue;
        }
        let tag = page.tag(node);
        // A block that is named like a frame but holds nearly everything is not a frame.
        let is_left_out = has_frame
            && node != root
            && (is_frame(tag) || tag == "header" && !has_heading(page, node) || is_called_frame(page, node))
            && page.letters(node) * 2 < all;
        if is_left_out {
            next = page.close(node);
            continue;
        }
        let in_blocks: usize = outer_blocks(page, node).map(|inner| page.letters(inner)).sum();
        // Text next to a few blocks stays with them.
        let own = page.letters(node) - in_blocks;
        if in_blocks == 0 || own > in_blocks {
            next = page.close(node);
            found.push(node);
        }
    }
    found
}

/// The blocks in an element that are in no other of its blocks.
fn outer_blocks(page: &Document, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let mut next = 0;
    page.descendants(node).filter(move |&inner| {
        let is_outer = inner.index() >= next && is_block(page.tag(inner));
        if is_outer {
            next = page.close(inner);
        }
        is_outer
    })
}

fn has_heading(page: &Document, node: NodeId) -> bool {
    page.descendants(node).any(|inner| page.tag(inner) == "h1")
}

/// Returns the root of the content: the only `main`, the only `article`, or the body.
fn root(page: &Document) -> NodeId {
    let only = |is_it: &dyn Fn(NodeId) -> bool| {
        let mut all = page.nodes().filter(|&node| is_it(node) && page.letters(node) > 0);
        all.next().filter(|_| all.next().is_none())
    };
    let main = only(&|node| page.tag(node) == "main" || page.attribute(node, "role") == Some("main"));
    main.or_else(|| only(&|node| page.tag(node) == "article"))
        .filter(|&node| page.letters(node) > 200)
        .unwrap_or(page.body())
}

/// Returns whether an element with this tag begins a line.
pub(super) fn is_block(tag: &str) -> bool {
    matches!(
        tag,
        "p" | "div"
            | "section"
            | "article"
            | "ul"
            | "ol"
            | "li"
            | "table"
            | "tbody"
            | "thead"
            | "tr"
            | "td"
            | "th"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "blockquote"
            | "pre"
            | "figure"
            | "figcaption"
            | "dl"
            | "dt"
            | "dd"
            | "main"
            | "header"
            | "footer"
            | "form"
            | "nav"
            | "aside"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_surrounds_the_text_is_left_out() {
        let page = Document::parse(
            "<header>Site</header><nav>Home</nav><div id=content><h1>Soup of the day</h1><div class=post><p>One <b>bowl</b> for all of us, and then another one for those who like it.</p></div>
             <ul><li>Two bowls and some bread, which is all that anybody needs<li>Three bowls</ul></div><div class='site-footer'>All rights</div>",
        );
        let texts: Vec<&str> = blocks(&page).into_iter().map(|node| page.visible_text(node)).collect();
        assert_eq!(
            texts,
            [
                "Soup of the day",
                "One bowl for all of us, and then another one for those who like it.",
                "Two bowls and some bread, which is all that anybody needs",
                "Three bowls"
            ]
        );
    }
}
