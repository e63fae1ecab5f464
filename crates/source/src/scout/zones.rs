//! Parts of a page that are about the site and not about what the page is for: navigation, footers, side columns.

use autoheal_page::{Document, NodeId};

const TAGS: &[&str] = &["nav", "footer", "aside", "dialog", "select"];

const ROLES: &[&str] = &["navigation", "contentinfo", "search", "banner", "complementary", "dialog", "menu"];

/// Parts of class names and ids.
const WORDS: &[&str] = &[
    "nav",
    "navbar",
    "navigation",
    "menu",
    "footer",
    "sidebar",
    "breadcrumb",
    "breadcrumbs",
    "pager",
    "pagination",
    "cookie",
    "cookies",
    "consent",
    "newsletter",
    "related",
    "recommended",
    "comments",
    "share",
    "social",
    "advertisement",
];

/// Nodes of a page that are in such a part, or are invisible.
pub(crate) struct Zones {
    beside: Vec<bool>,
    letters: usize,
}

impl Zones {
    pub(crate) fn of(page: &Document) -> Self {
        let mut beside = vec![false; page.len()];
        let whole = page.letters(page.body());
        let mut letters = whole;
        let mut marked = 0;
        for node in page.nodes() {
            if node.index() < marked {
                continue;
            }
            if page.is_skipped(node) || is_beside(page, node, whole) {
                marked = page.close(node);
                letters = letters.saturating_sub(page.letters(node));
                beside[node.index()..marked].fill(true);
            }
        }
        Self { beside, letters }
    }

    /// Returns whether a node is outside the main content of the page.
    pub(crate) fn is_beside(&self, node: NodeId) -> bool {
        self.beside.get(node.index()).copied().unwrap_or(true)
    }

    /// Returns the number of visible characters in the rest of the page, without spaces.
    pub(crate) fn letters(&self) -> usize {
        self.letters
    }
}

fn is_beside(page: &Document, node: NodeId, whole: usize) -> bool {
    let tag = page.tag(node);
    if TAGS.contains(&tag) || page.attribute(node, "role").is_some_and(|role| ROLES.contains(&role)) {
        return true;
    }
    if tag == "header" {
        let within = |above: NodeId| matches!(page.tag(above), "main" | "article" | "section" | "li");
        // A page may have nothing else than a header around its title.
        return !page.ancestors(node).any(within) && !page.descendants(node).any(|below| page.tag(below) == "h1");
    }
    // `page-with-sidebar` is a name of the whole page.
    let names = page.classes(node).chain(page.attribute(node, "id"));
    let mut words = names.flat_map(|name| name.split(['-', '_'])).map(str::to_ascii_lowercase);
    page.letters(node) * 2 < whole && words.any(|word| WORDS.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_about_the_site_is_told_from_the_rest() {
        let page = Document::parse(
            "<body class=has-sidebar><header><a href=/>Site</a></header><nav>Menu</nav>
            <main><header><h1>Soup</h1></header><p id=text>Warm.</p><div class='c-related__list'><b>More</b></div></main>
            <footer>Legal</footer><script>1</script>",
        );
        let zones = Zones::of(&page);
        let kept: Vec<&str> = page.nodes().filter(|node| !zones.is_beside(*node)).map(|node| page.tag(node)).collect();
        assert_eq!(kept, ["html", "body", "main", "header", "h1", "p"]);
        assert_eq!(zones.letters(), "SoupWarm.".len());
    }
}
