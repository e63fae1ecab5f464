//! Selectors for lists whose items have nothing in common that the rest of the page has not, but have something kind by kind:
//! `.body h3, .body p`.

use std::collections::BTreeMap;

use super::{Wanted, named};
use crate::document::{Document, NodeId};

/// Maximum number of kinds of items that are selected separately; each one needs its own search.
const MOST_KINDS: usize = 4;

/// Function that computes the kind of an item: items with equal results are of one kind.
type Kind = fn(&Document, NodeId) -> String;

/// Selectors that may be right, the most robust first; the caller tries them.
pub(super) fn selectors(wanted: &[Wanted<'_>]) -> Vec<String> {
    let by_tag: Kind = |page, node| page.tag(node).to_owned();
    let by_looks: Kind =
        |page, node| format!("{} {}", page.tag(node), page.attribute(node, "class").unwrap_or_default());
    let by_parent: Kind = |page, node| page.parent(node).map_or(0, NodeId::index).to_string();
    let kinds = [by_tag, by_looks, by_parent];
    // A place says nothing about another page.
    let kinds = kinds.into_iter().take(if wanted.len() == 1 { 3 } else { 2 });
    kinds.filter_map(|kind| of_kinds(wanted, kind)).take(1).collect()
}

/// Joins a selector for each kind of item. Returns `None` if there is only one kind, if there are too many,
/// or if one of them cannot be selected.
fn of_kinds(wanted: &[Wanted<'_>], kind: Kind) -> Option<String> {
    let mut kinds: BTreeMap<String, Vec<Vec<NodeId>>> = BTreeMap::new();
    for (number, (page, nodes)) in wanted.iter().enumerate() {
        for node in *nodes {
            let pages = kinds.entry(kind(page, *node)).or_insert_with(|| vec![Vec::new(); wanted.len()]);
            pages.get_mut(number)?.push(*node);
        }
    }
    if !(2..=MOST_KINDS).contains(&kinds.len()) {
        return None;
    }
    let selectors: Option<Vec<String>> = kinds
        .values()
        .map(|pages| {
            let own: Vec<Wanted<'_>> =
                wanted.iter().zip(pages).map(|((page, _), nodes)| (*page, nodes.as_slice())).collect();
            named(&own).into_iter().next()
        })
        .collect();
    Some(selectors?.join(", "))
}
