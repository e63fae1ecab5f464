//! The label of an element, and the element of a label: `th = 'Rating'` finds its value wherever the row is.

use autoheal_page::relocate::is_known;
use autoheal_page::{Document, NodeId, Selector};

use super::labelled_value::{Labelled, labelled};
use super::labels::alike_children;
use super::text_labels::of_text_before;

/// Number of elements around a text within which the text is still the whole value.
const MOST_LEVELS: usize = 3;
/// The longest text of a label, and of a label with its value, in characters without spaces.
const LONGEST: usize = 200;

/// A label with the rule for its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LabelRule {
    /// The label as the page has it, without a colon.
    pub(crate) label: String,
    /// Element that holds the value.
    pub(crate) node: NodeId,
    /// Selector of the value by its label, and of nothing else.
    pub(crate) select: Selector,
    /// True if the page shows that this is a label, and not just a text before another.
    pub(crate) is_certain: bool,
}

/// The label of an element: its term, the header of its row, or the text before it. `None` without a label, or if the page has several
/// values with that label.
pub(crate) fn label_of(page: &Document, node: NodeId) -> Option<LabelRule> {
    let mut value = node;
    for _ in 0..MOST_LEVELS {
        if let Some((found, is_certain)) = around(page, value)
            && let Some(rule) = rule(page, &found, is_certain).filter(|rule| rule.node == node)
        {
            return Some(rule);
        }
        let parent = page.parent(value)?;
        if page.letters(parent) != page.letters(value) {
            return None;
        }
        value = parent;
    }
    None
}

/// The only value of a label on a page; `None` if the page has several, or does not have the label.
pub(crate) fn by_label(page: &Document, label: &str) -> Option<LabelRule> {
    let wanted = plain(label);
    let mut found: Option<LabelRule> = None;
    for node in page.nodes() {
        let text = page.visible_text(node);
        let begins_so = text.chars().flat_map(char::to_lowercase).zip(wanted.chars()).all(|(one, other)| one == other);
        if text.is_empty() || page.letters(node) > LONGEST || !begins_so {
            continue;
        }
        let is_label = plain(text) == wanted;
        let value = is_label.then(|| page.next_sibling(node).and_then(|value| around(page, value))).flatten();
        let before = || of_text_before(page, node).filter(|_| !is_label).map(certainly);
        let Some((labelled, is_certain)) = value.or_else(before) else { continue };
        if plain(&labelled.label) != wanted {
            continue;
        }
        let rule = rule(page, &labelled, is_certain)?;
        if found.as_ref().is_some_and(|other| other.node != rule.node) {
            return None;
        }
        found = Some(rule);
    }
    found
}

/// A label in comparable form.
pub(crate) fn plain(label: &str) -> String {
    label.trim().trim_end_matches(':').trim_end().to_lowercase()
}

fn rule(page: &Document, found: &Labelled, is_certain: bool) -> Option<LabelRule> {
    let select = Selector::parse(&format!("xpath:{}", found.by_label.as_deref()?)).ok()?;
    let label = found.label.trim().trim_end_matches(':').trim_end().to_owned();
    (page.select(&select) == [found.node]).then(|| LabelRule { label, node: found.node, select, is_certain })
}

/// An element as the value of the label next to it, and whether that certainly is a label.
fn around(page: &Document, value: NodeId) -> Option<(Labelled, bool)> {
    let parent = page.parent(value)?;
    let tag = page.tag(value);
    let before = page.children(parent).take_while(|child| *child < value).last();
    if tag == "dd" {
        let term = before.filter(|term| page.tag(*term) == "dt")?;
        let next = page.next_sibling(value).map(|next| page.tag(next));
        // A term with several descriptions is a list.
        return (next != Some("dd"))
            .then(|| labelled(page, term, value, "following-sibling::dd[1]", true))
            .flatten()
            .map(certainly);
    }
    let Some(label) = before else {
        return of_text_before(page, parent).filter(|found| page.contains(value, found.node)).map(certainly);
    };
    let is_pair = page.children(parent).nth(2).is_none() && page.own_text(parent).is_empty() && tag != "th";
    if !is_pair {
        return None;
    }
    let found = labelled(page, label, value, "following-sibling::*[1]", true)?;
    let is_label = page.tag(label) == "th" || page.text(label).ends_with(':') || is_known(&found.label);
    let rows = || page.parent(parent).is_some_and(|table| alike_children(page, table).len() > 1);
    let is_certain = is_label || (page.tag(parent) == "tr" && rows());
    Some((found, is_certain))
}

const fn certainly(found: Labelled) -> (Labelled, bool) {
    (found, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(page: &Document, text: &str) -> NodeId {
        page.nodes().filter(|node| page.visible_text(*node) == text).last().unwrap()
    }

    #[test]
    fn values_have_the_label_next_to_them() {
        for (html, certain) in [
            ("<table><tr><td>Maker<td>Ada<tr><td>Depth<td>4.5<tr><td>Year<td>1999</table>", true),
            ("<table><tr><th>Maker<td>Ada<tr><th>Depth<td>4.5</table>", true),
            ("<dl><dt>Maker<dd>Ada<dt>Depth<dd><b>4.5</b></dl>", true),
            ("<p>Depth: <b>4.5</b></p>", true),
            ("<div><span>Depth:</span><span>4.5</span></div>", true),
            ("<div><span>Depth</span><span>4.5</span></div>", false),
        ] {
            let page = Document::parse(html);
            let value = node(&page, "4.5");
            let rule = label_of(&page, value).unwrap_or_else(|| panic!("{html}"));
            assert_eq!((rule.label.as_str(), rule.node, rule.is_certain), ("Depth", value, certain), "{html}");
            assert!(rule.select.source().starts_with("xpath:") && !rule.select.source().contains("nth"), "{html}");
            assert_eq!(by_label(&page, "depth:"), Some(rule), "{html}");
        }
    }

    #[test]
    fn what_has_two_values_or_no_label_has_no_rule() {
        for html in [
            "<table><tr><td>Depth<td>4.5<tr><td>Depth<td>5</table>",
            "<dl><dt>Depth<dd>4.5<dd>5</dl>",
            "<p>4.5</p>",
            "<h2>Depth</h2><p>4.5</p><p>5</p>",
            "<table><tr><td>Depth<td>4.5<td>5</table>",
        ] {
            let page = Document::parse(html);
            assert_eq!(label_of(&page, node(&page, "4.5")), None, "{html}");
            assert_eq!(by_label(&page, "Depth"), None, "{html}");
        }
    }
}
