//! A value with its label.

use autoheal_page::transform::TextStep;
use autoheal_page::{Document, NodeId};

use super::conversion::{is_date, is_like_number, is_price};

/// The longest label, in characters and in words, and the longest value.
pub(super) const LONGEST_LABEL: usize = 40;
const MOST_LABEL_WORDS: usize = 5;
pub(super) const LONGEST_VALUE: usize = 300;

/// A value with its label, before it is a field.
pub(super) struct Labelled {
    pub(super) label: String,
    pub(super) node: NodeId,
    pub(super) steps: Vec<TextStep>,
    pub(super) text: String,
    /// XPath to the value by its label; positions change when another row comes before it.
    pub(super) by_label: Option<String>,
}

/// A pair of elements as a labelled value; `axis` is the way from the label to the value.
pub(super) fn labelled(
    page: &Document,
    label: NodeId,
    value: NodeId,
    axis: &str,
    may_be_short: bool,
) -> Option<Labelled> {
    let text = page.text(label).into_owned();
    let is_plain =
        !page.descendants(label).any(|node| matches!(page.tag(node), "a" | "img")) && !is_heading(page, label);
    if page.tag(label) == "a" || !is_plain || !is_label(text.trim_end_matches(':')) {
        return None;
    }
    let node = innermost(page, value);
    let is_known_to_be_one = may_be_short || text.ends_with(':') || page.tag(label) == "th";
    let value_text = value_text(page, node, LONGEST_VALUE)?;
    if !is_known_to_be_one && value_text.ends_with(':') {
        return None;
    }
    let way = if node == value { axis.to_owned() } else { format!("{axis}//{}", page.tag(node)) };
    let by_label = quoted(&text).map(|text| format!("//{}[normalize-space()={text}]/{way}", page.tag(label)));
    Some(Labelled { label: text, node, steps: Vec::new(), text: value_text, by_label })
}

/// The element that holds all the text of another and nothing around it.
fn innermost(page: &Document, node: NodeId) -> NodeId {
    let mut current = node;
    loop {
        let mut children = page.children(current);
        let (Some(only), None) = (children.next(), children.next()) else { return current };
        if page.is_skipped(only) || page.letters(only) != page.letters(current) {
            return current;
        }
        current = only;
    }
}

pub(super) fn value_text(page: &Document, node: NodeId, longest: usize) -> Option<String> {
    if page.is_skipped(node) || page.letters(node) == 0 || page.letters(node) > longest {
        return None;
    }
    Some(page.text(node).into_owned())
}

/// Returns whether a text may be a label: a few words, and not a value itself.
pub(super) fn is_label(text: &str) -> bool {
    let text = text.trim_end_matches(':').trim();
    let is_short = text.chars().nth(LONGEST_LABEL).is_none() && text.split(' ').count() <= MOST_LABEL_WORDS;
    let has_letters = text.chars().filter(|character| character.is_alphabetic()).nth(1).is_some();
    is_short
        && has_letters
        && !text.contains([':', '.', '!', '?'])
        && !is_price(text)
        && !is_date(text)
        && !is_like_number(text)
}

pub(super) fn is_heading(page: &Document, node: NodeId) -> bool {
    matches!(page.tag(node), "h1" | "h2" | "h3" | "h4" | "h5" | "h6")
}

/// A text as XPath writes it; a text with both quotes has no form.
pub(super) fn quoted(text: &str) -> Option<String> {
    match (text.contains('\''), text.contains('"')) {
        (false, _) => Some(format!("'{text}'")),
        (true, false) => Some(format!("\"{text}\"")),
        (true, true) => None,
    }
}
