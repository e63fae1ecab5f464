//! Terms that descriptions belong to.

use std::collections::HashMap;

use autoheal_page::{Document, NodeId};

/// The terms of all descriptions of a page.
pub(super) struct Terms(HashMap<NodeId, Vec<NodeId>>);

/// Maximum number of terms that share a description.
const MOST_TOGETHER: usize = 8;

impl Terms {
    /// Finds them, in one pass: a list of definitions may have tens of thousands.
    pub(super) fn of_page(page: &Document) -> Self {
        let mut terms = HashMap::new();
        for list in page.nodes().filter(|&node| page.tag(node) == "dl") {
            let mut current: Vec<NodeId> = Vec::new();
            let mut is_described = false;
            for child in page.children(list) {
                match page.tag(child) {
                    "dt" => {
                        // An entry of an index leads elsewhere, and is described there.
                        let leads_elsewhere = current.iter().any(|&term| leads_elsewhere(page, term));
                        if is_described || leads_elsewhere || current.len() >= MOST_TOGETHER {
                            current.clear();
                        }
                        is_described = false;
                        current.push(child);
                    }
                    "dd" if !current.is_empty() => {
                        is_described = true;
                        terms.insert(child, current.clone());
                    }
                    _ => {}
                }
            }
        }
        Self(terms)
    }

    /// The text of the terms that a `dd` describes, as in `-a, --all`; empty without terms.
    pub(super) fn text_of(&self, page: &Document, description: NodeId) -> String {
        let terms = self.0.get(&description).map(Vec::as_slice).unwrap_or_default();
        let texts: Vec<&str> =
            terms.iter().map(|&term| page.visible_text(term)).filter(|text| !text.is_empty()).collect();
        texts.join(", ")
    }
}

fn leads_elsewhere(page: &Document, term: NodeId) -> bool {
    let links = page.descendants(term).filter(|&node| page.tag(node) == "a");
    links.filter_map(|link| page.attribute(link, "href")).any(|href| !href.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_without_a_description_share_the_next_one() {
        let page = Document::parse(
            "<dl><dt>x, <a href=x>X</a><dt>-a<dt>--all<dd>Everything.<dt>-b<dd>Nothing.<dd>Really.</dl>",
        );
        let terms = Terms::of_page(&page);
        let told: Vec<String> =
            page.nodes().filter(|&node| page.tag(node) == "dd").map(|node| terms.text_of(&page, node)).collect();
        assert_eq!(told, ["-a, --all", "-b", "-b"]);
    }
}
