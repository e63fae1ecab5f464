//! Labels in one text with their values: `<p>Label: <b>value</b></p>`, `Label: value`.

use std::collections::BTreeMap;

use autoheal_page::relocate::is_known;
use autoheal_page::transform::{Capture, TextStep};
use autoheal_page::{Document, NodeId};

use super::labelled_value::{
    LONGEST_LABEL, LONGEST_VALUE, Labelled, is_heading, is_label, labelled, quoted, value_text,
};
use super::zones::Zones;

/// Maximum length of a value in one text with its label: longer ones are sentences, as in `Note: what follows is a sentence.`
const LONGEST_VALUE_IN_TEXT: usize = 60;
/// Maximum number of words of a label that is in one text with its value.
const MOST_WORDS_IN_TEXT: usize = 3;

/// Returns `<p>Label: <b>value</b></p>`, or `<b>Label:</b> <i>value</i>` next to each other.
pub(super) fn of_text_before(page: &Document, node: NodeId) -> Option<Labelled> {
    if is_heading(page, node) {
        return None;
    }
    let mut children = page.children(node);
    let (value, second) = (children.next()?, children.next());
    match second {
        None => {
            let texts = page.text_children(node);
            let own = page.own_text(node);
            let ends = texts.last().is_some_and(|text| text.trim().is_empty()) || texts.len() == 1;
            if !own.ends_with(':') || !ends || !is_label_in_text(&own) {
                return None;
            }
            let text = value_text(page, value, LONGEST_VALUE)?;
            let by_label =
                quoted(&own).map(|own| format!("//{}[starts-with(normalize-space(), {own})]/*[1]", page.tag(node)));
            Some(Labelled { label: own, node: value, steps: Vec::new(), text, by_label })
        }
        Some(second) => {
            let label = page.text(value);
            let is_pair = children.next().is_none() && page.own_text(node).is_empty();
            let is_pair = is_pair && label.ends_with(':') && is_label_in_text(&label);
            is_pair.then(|| labelled(page, value, second, "following-sibling::*[1]", false)).flatten()
        }
    }
}

/// Returns `Label: value` as the whole text of an element, of at least two next to each other or with a known label.
pub(super) fn of_texts(page: &Document, zones: &Zones) -> Vec<Labelled> {
    let mut by_parent: BTreeMap<NodeId, Vec<Labelled>> = BTreeMap::new();
    for node in page.nodes().filter(|node| !zones.is_beside(*node)) {
        let text = page.visible_text(node);
        if !text.contains(": ") || page.letters(node) > LONGEST_LABEL + LONGEST_VALUE_IN_TEXT {
            continue;
        }
        let is_leaf = page.children(node).all(|child| page.tag(child) == "br" || is_label_of(page, node, child));
        if !is_leaf || is_heading(page, node) || matches!(page.tag(node), "a" | "button" | "title" | "label") {
            continue;
        }
        let (Some((label, value)), Some(parent)) = (text.split_once(": "), page.parent(node)) else { continue };
        let value = value.trim();
        let is_value = !value.is_empty()
            && value.chars().count() <= LONGEST_VALUE_IN_TEXT
            && !value.contains(": ")
            && !value.ends_with(['.', '!', '?']);
        if !is_value || !is_label_in_text(label) {
            continue;
        }
        let Ok(capture) = Capture::parse(&format!(r"^{}:\s*(.+)$", escaped(label))) else { continue };
        by_parent.entry(parent).or_default().push(Labelled {
            label: label.to_owned(),
            node,
            steps: vec![TextStep::Regex(capture)],
            text: value.to_owned(),
            by_label: quoted(&format!("{label}:"))
                .map(|label| format!("//{}[starts-with(normalize-space(), {label})]", page.tag(node))),
        });
    }
    let is_enough = |all: &Vec<Labelled>| all.len() >= 2 || all.iter().all(|one| is_known(&one.label));
    by_parent.into_values().filter(is_enough).flatten().collect()
}

/// Returns whether a child is the label of `<li><b>Label:</b> value</li>`.
fn is_label_of(page: &Document, node: NodeId, child: NodeId) -> bool {
    matches!(page.tag(child), "b" | "strong" | "em" | "i" | "span")
        && page.text(child).ends_with(':')
        && page.text(node).starts_with(page.text(child).as_ref())
}

/// Those of the values after a text that are surely labelled: next to another one, under a known label, or with a name. Others may be
/// the beginning of a paragraph.
pub(super) fn several_or_known(page: &Document, found: Vec<(NodeId, Labelled)>) -> impl Iterator<Item = Labelled> {
    let mut of_parent: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (parent, _) in &found {
        *of_parent.entry(*parent).or_default() += 1;
    }
    let named: Vec<bool> =
        found.iter().map(|(_, one)| page.classes(one.node).next().is_some() || is_known(&one.label)).collect();
    let surely = move |((parent, one), is_named): ((NodeId, Labelled), bool)| {
        (is_named || of_parent.get(&parent).is_some_and(|count| *count > 1)).then_some(one)
    };
    found.into_iter().zip(named).filter_map(surely)
}

/// Returns whether a text before a colon may be a label, and not the beginning of a sentence or a headline.
fn is_label_in_text(text: &str) -> bool {
    let words = text.split_whitespace().count();
    is_label(text) && words <= MOST_WORDS_IN_TEXT && !text.contains(['\'', '’', '"', '“', '”', '„', '«', ','])
}

/// A text that a pattern means literally.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for character in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}
