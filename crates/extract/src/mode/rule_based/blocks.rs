//! The text of a page without its frame: for pages whose text is not in one piece, such as lists, forums and shops.

use std::collections::HashSet;

use autoheal_page::{Document, NodeId};

use super::frame::{frames, is_control};

/// Number of consecutive blocks that are a copy of earlier ones, and of their letters, from which they are left out.
const RUN: usize = 3;
const REPEATED: usize = 20;

/// The elements that hold the page's own text, in its order: blocks without blocks in them.
pub(super) fn blocks(page: &Document) -> Vec<NodeId> {
    below(page, root(page), true)
}

/// The elements that hold text, in its order, of a page that is nothing but text.
pub(super) fn leaves(page: &Document) -> Vec<NodeId> {
    below(page, page.body(), false)
}

fn below(page: &Document, root: NodeId, has_frame: bool) -> Vec<NodeId> {
    let left_out: HashSet<NodeId> = if has_frame { frames(page, root).into_iter().collect() } else { HashSet::new() };
    // Links before the headline lead to other pages.
    let headline = page.descendants(root).find(|&node| page.tag(node) == "h1" && page.letters(node) > 0);
    let headline = headline.map_or(0, NodeId::index);
    let mut found = Vec::new();
    let mut next = root.index();
    for node in std::iter::once(root).chain(page.descendants(root)) {
        if node.index() < next || page.is_skipped(node) || page.letters(node) == 0 {
            continue;
        }
        if left_out.contains(&node) {
            next = page.close(node);
            continue;
        }
        let in_blocks: usize = outer_blocks(page, node).map(|inner| page.letters(inner)).sum();
        // Text next to a few blocks stays with them.
        let own = page.letters(node) - in_blocks;
        if in_blocks == 0 || own > in_blocks {
            next = page.close(node);
            let is_menu = || node.index() < headline && page.linked_letters(node) * 2 >= page.letters(node);
            if !has_frame || !is_menu() && !is_control(page.visible_text(node)) && !is_only_number(page, node) {
                found.push(node);
            }
        }
    }
    if has_frame { without_repetition(page, &found) } else { found }
}

/// The blocks without runs that are copies of earlier blocks: pages show a product or a notice again for narrow screens. One or
/// two lines that recur between others, such as a condition, are kept.
fn without_repetition(page: &Document, blocks: &[NodeId]) -> Vec<NodeId> {
    let mut seen = HashSet::new();
    let is_copy: Vec<bool> = blocks.iter().map(|&node| !seen.insert(page.visible_text(node))).collect();
    let mut kept = Vec::new();
    let mut place = 0;
    while place < blocks.len() {
        let run = is_copy[place..].iter().take_while(|&&is_copy| is_copy).count();
        let nodes = &blocks[place..place + run.max(1)];
        let letters: usize = nodes.iter().map(|&node| page.letters(node)).sum();
        if run < RUN || letters < REPEATED {
            for &node in nodes {
                let text = page.visible_text(node);
                let follows_itself = kept.last().is_some_and(|&last| page.visible_text(last) == text);
                if page.letters(node) < REPEATED || !follows_itself {
                    kept.push(node);
                }
            }
        }
        place += nodes.len();
    }
    kept
}

/// Returns whether a block outside of tables holds digits and no word or amount of money: votes, sizes, the number of a slide.
fn is_only_number(page: &Document, node: NodeId) -> bool {
    let text = page.visible_text(node);
    let is_cell = || std::iter::once(node).chain(page.ancestors(node).take(3)).any(|above| page.tag(above) == "tr");
    text.len() < 20
        && text.chars().all(|character| !character.is_alphabetic() && !"$€£¥₹₽₩₺%".contains(character))
        && !is_cell()
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

    fn text_of(html: &str) -> Vec<String> {
        let page = Document::parse(html);
        blocks(&page).into_iter().map(|node| page.visible_text(node).to_owned()).collect()
    }

    const TEXT: &str = "<p>One bowl of leek soup for all of us, and then another one for those who like it.</p>";

    #[test]
    fn controls_numbers_and_links_before_the_headline_are_left_out() {
        let html = format!(
            "<div><a href=/>Home of soups</a></div><h1>Soup</h1>{TEXT}<div>4.5</div><div>$ 4.50</div><div>Add to cart</div>"
        );
        assert_eq!(text_of(&html).len(), 3, "the headline, the text and the price");
        assert!(text_of(&html).contains(&"$ 4.50".to_owned()));
    }

    #[test]
    fn copies_are_left_out_and_recurring_lines_are_kept() {
        let item = "<p>The blue bowl of the house</p><p>From $ 40, with a lid</p><p>In stock at all our shops</p>";
        assert_eq!(text_of(&format!("<h1>Bowls</h1>{TEXT}{item}<div>{item}</div>")).len(), 5);
        let term = "<p>Not valid with other offers</p>";
        let coupons = format!("<h1>Offers</h1>{TEXT}<p>Ten off</p>{term}<p>Five off</p>{term}<p>One off</p>{term}");
        assert_eq!(text_of(&coupons).len(), 8);
    }

    #[test]
    fn text_that_opens_on_a_click_is_kept() {
        let html = format!(
            "<h1>Soup</h1>{TEXT}<div class=accordion><h3>Storage</h3><div hidden><p>Keep it cool.</p></div></div><div hidden>Out of stock</div>"
        );
        assert_eq!(text_of(&html)[2..], ["Storage", "Keep it cool."]);
    }
}
