//! A page from which a field's value was deleted.

use autoheal_page::{Document, NodeId, Selector};

use super::corpus::{Field, Side};
use super::score::key;

/// The page without the elements that hold the field's values; none when they cannot be found.
pub(super) fn without(page: &Document, field: &Field, side: Side) -> Option<Document> {
    let truth: Vec<String> = field.truth(side).iter().map(|value| key(value)).collect();
    let attribute = field.attribute(side);
    let is_true = |value: &str| {
        let value = key(value);
        !value.is_empty() && truth.contains(&value)
    };
    // An address or a date has one attribute for readers, and another for machines.
    let holds = |node: NodeId| match attribute {
        Some(_) => page.attributes(node).any(|(_, value)| is_true(value)),
        None => !page.is_skipped(node) && is_true(page.visible_text(node)),
    };
    let most = truth.iter().map(String::len).max().unwrap_or(0) * 8 + 64;
    let mut nodes: Vec<NodeId> = page
        .nodes()
        .filter(|node| attribute.is_some() || page.letters(*node) <= most)
        .filter(|node| holds(*node))
        .collect();
    if let Some(selector) = field.selector(side).and_then(|selector| Selector::parse(&selector).ok()) {
        nodes.extend(page.select(&selector));
    }
    let root = page.body();
    nodes.retain(|node| *node > root || attribute.is_some());
    (!nodes.is_empty()).then(|| page.without(&nodes))
}
