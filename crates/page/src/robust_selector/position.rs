//! The last resort: the way from the nearest element that can be named, by places among siblings.

use std::collections::{BTreeMap, BTreeSet};

use super::Wanted;
use super::part::{Part, parts_of};
use crate::document::{Document, NodeId};

/// The longest way, in steps; a longer one breaks tomorrow.
const LONGEST: usize = 40;

/// The most siblings among which a place says anything; selector engines count them for each candidate anew.
const MOST_SIBLINGS: usize = 2000;

/// Maximum number of ranges of children that one selector joins.
const MOST_RANGES: usize = 24;

/// Selectors by position that may be right; the caller tries them. A list is ranges of children, of one element or of several.
pub(super) fn selectors(wanted: &[Wanted<'_>]) -> Vec<String> {
    let Some((page, nodes)) = wanted.iter().find(|(_, nodes)| !nodes.is_empty()) else {
        return Vec::new();
    };
    if let [node] = nodes {
        return ways_to(page, *node);
    }
    let mut of_parents: BTreeMap<NodeId, Vec<NodeId>> = BTreeMap::new();
    for node in *nodes {
        let Some(parent) = page.parent(*node) else { return Vec::new() };
        of_parents.entry(parent).or_default().push(*node);
    }
    let mut from_id = Vec::new();
    let mut from_body = Vec::new();
    for (parent, children) in of_parents {
        let ways = ways_to(page, parent);
        let (Some(first), Some(last), Some(ranges)) = (ways.first(), ways.last(), ranges(page, parent, &children))
        else {
            return Vec::new();
        };
        from_id.extend(ranges.iter().map(|range| format!("{first} > {range}")));
        from_body.extend(ranges.iter().map(|range| format!("{last} > {range}")));
        if from_id.len() > MOST_RANGES {
            return Vec::new();
        }
    }
    vec![from_id.join(", "), from_body.join(", ")]
}

/// Some children of an element, as few ranges: `p`, or `p:nth-child(n+2):nth-child(-n+7)`.
fn ranges(page: &Document, parent: NodeId, wanted: &[NodeId]) -> Option<Vec<String>> {
    let children: Vec<NodeId> = page.children(parent).take(MOST_SIBLINGS + 1).collect();
    if children.len() > MOST_SIBLINGS {
        return None;
    }
    let mut ranges = Vec::new();
    let tags: BTreeSet<&str> = wanted.iter().map(|node| page.tag(*node)).collect();
    for tag in tags {
        // Places from 1, of all children with the tag.
        let places = children.iter().zip(1_usize..).filter(|(child, _)| page.tag(**child) == tag);
        let places: Vec<(usize, bool)> =
            places.map(|(child, place)| (place, wanted.binary_search(child).is_ok())).collect();
        for run in places.chunk_by(|left, right| left.1 == right.1).filter(|run| run.first().is_some_and(|(_, is)| *is))
        {
            let (Some((first, _)), Some((last, _))) = (run.first(), run.last()) else { continue };
            let is_first = places.first().is_some_and(|(place, _)| place == first);
            let is_last = places.last().is_some_and(|(place, _)| place == last);
            let from = if is_first { String::new() } else { format!(":nth-child(n+{first})") };
            let to = if is_last { String::new() } else { format!(":nth-child(-n+{last})") };
            let range =
                if first == last && !(is_first && is_last) { format!(":nth-child({first})") } else { from + &to };
            ranges.push(format!("{tag}{range}"));
        }
    }
    Some(ranges)
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
