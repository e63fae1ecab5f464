//! The last resort: the way from the nearest element that can be named, by places among siblings.

use super::Wanted;
use super::part::{Part, parts_of};
use crate::document::{Document, NodeId};

/// The longest way, in steps; a longer one breaks tomorrow.
const LONGEST: usize = 40;

/// The most siblings among which a place says anything; selector engines count them for each candidate anew.
const MOST_SIBLINGS: usize = 2000;

/// Selectors by position that may be right; the caller tries them. For a list: all children of one element with one tag.
pub(super) fn selectors(wanted: &[Wanted<'_>]) -> Vec<String> {
    let Some((page, nodes)) = wanted.iter().find(|(_, nodes)| !nodes.is_empty()) else {
        return Vec::new();
    };
    match nodes {
        [node] => ways_to(page, *node),
        several => {
            let parents: Vec<Option<NodeId>> = several.iter().map(|node| page.parent(*node)).collect();
            let (Some(Some(parent)), Some(first)) = (parents.first().copied(), several.first()) else {
                return Vec::new();
            };
            if parents.iter().any(|other| *other != Some(parent)) {
                return Vec::new();
            }
            let tag = page.tag(*first);
            ways_to(page, parent).iter().flat_map(|way| children_by_place(way, tag)).collect()
        }
    }
}

fn children_by_place(way: &str, tag: &str) -> [String; 5] {
    [
        format!("{way} > {tag}"),
        format!("{way} > *"),
        format!("{way} > {tag}:not(:first-child)"),
        format!("{way} > {tag}:not(:last-child)"),
        format!("{way} > {tag}:not(:first-child):not(:last-child)"),
    ]
}

/// `#main > div:nth-child(2) > p:nth-child(1)`: from the nearest id, and from the body, as an id may stand there twice.
fn ways_to(page: &Document, node: NodeId) -> Vec<String> {
    let mut ways = Vec::new();
    let mut steps: Vec<String> = Vec::new();
    let mut current = node;
    while steps.len() <= LONGEST {
        let way = |root: &str| {
            std::iter::once(root).chain(steps.iter().rev().map(String::as_str)).collect::<Vec<_>>().join(" > ")
        };
        let id = parts_of(page, current).into_iter().find(|part| matches!(part, Part::Id(_)));
        if let Some(id) = id.filter(|_| ways.is_empty()) {
            ways.push(way(&id.to_string()));
        }
        let tag = page.tag(current);
        let parent = page.parent(current).filter(|_| !matches!(tag, "body" | "head"));
        let Some(parent) = parent else {
            ways.push(way(tag));
            break;
        };
        let siblings = page.children(parent).take(MOST_SIBLINGS + 1).count();
        if siblings > MOST_SIBLINGS {
            break;
        }
        let place = page.children(parent).take_while(|child| *child <= current).count();
        steps.push(format!("{tag}:nth-child({place})"));
        current = parent;
    }
    ways
}
