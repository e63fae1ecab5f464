//! Sets of alike elements around given ones: each may be the items of a list.

use std::collections::{BTreeSet, HashMap, HashSet};

use autoheal_page::robust_selector::is_volatile;
use autoheal_page::{Document, NodeId};

use crate::scout::zones::Zones;

/// Limits of the search: elements around the given ones, class names of an element, sets, items of a set.
const MOST_AROUND: usize = 20_000;
const MOST_CLASSES: usize = 12;
const MOST_SETS: usize = 4000;
pub(super) const MOST_ITEMS: usize = 500;

/// Tag of an element, and a class of it.
type Likeness<'a> = (&'a str, Option<&'a str>);

/// Property that the elements of a set have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Common<'a> {
    /// They are children of one element.
    Parent(NodeId, Likeness<'a>),
    /// They are grandchildren of one element, by alike elements.
    Grandparent(NodeId, Likeness<'a>, Likeness<'a>),
    /// They have a class, anywhere on the page.
    Class(Likeness<'a>),
    /// They have alike parents, anywhere on the page.
    Parents(Likeness<'a>, &'a str),
}

/// A set of alike elements.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Alike {
    /// True if they are in different parts of the page.
    pub(super) is_scattered: bool,
    /// False if some of the alike elements are left out.
    pub(super) is_whole: bool,
    /// In document order, none within another.
    pub(super) items: Vec<NodeId>,
}

/// Sets of at least two alike elements that have some of the given elements in them, each set once.
pub(super) fn alike_around(page: &Document, nodes: &[NodeId], zones: &Zones) -> Vec<Alike> {
    let mut around: HashSet<NodeId> = HashSet::new();
    for node in nodes {
        if around.len() > MOST_AROUND {
            break;
        }
        let above = std::iter::once(*node).chain(page.ancestors(*node));
        around.extend(above.filter(|above| !matches!(page.tag(*above), "html" | "body")));
    }
    let mut sets: HashMap<Common<'_>, Vec<NodeId>> = HashMap::new();
    for node in &around {
        for common in commons(page, *node) {
            sets.entry(common).or_default();
        }
    }
    for node in page.nodes().filter(|node| around.contains(node) || !zones.is_beside(*node)) {
        for common in commons(page, node) {
            if let Some(set) = sets.get_mut(&common).filter(|set| set.len() <= MOST_ITEMS) {
                set.push(node);
            }
        }
    }
    let is_list = |items: &Vec<NodeId>| {
        let is_nested = items.windows(2).any(|pair| page.contains(pair[0], pair[1]));
        (2..=MOST_ITEMS).contains(&items.len()) && !is_nested
    };
    let mut seen: HashSet<Vec<NodeId>> = HashSet::new();
    let alike = |(common, items): (Common<'_>, Vec<NodeId>)| Alike {
        is_scattered: matches!(common, Common::Class(_) | Common::Parents(..)),
        is_whole: true,
        items,
    };
    // Of equal sets, the one whose elements are together comes first.
    let sets: BTreeSet<Alike> = sets.into_iter().filter(|(_, items)| is_list(items)).map(alike).collect();
    sets.into_iter().filter(|set| seen.insert(set.items.clone())).take(MOST_SETS).collect()
}

/// Everything that an element may have in common with others.
fn commons(page: &Document, node: NodeId) -> Vec<Common<'_>> {
    let Some(parent) = page.parent(node) else { return Vec::new() };
    let likeness = |node: NodeId| (page.tag(node), page.classes(node).find(|class| !is_volatile(class)));
    let classes = page.classes(node).take(MOST_CLASSES).filter(|class| !is_volatile(class));
    let mut found = Vec::new();
    for class in std::iter::once(None).chain(classes.map(Some)) {
        let own = (page.tag(node), class);
        found.push(Common::Parent(parent, own));
        if let Some(grandparent) = page.parent(parent) {
            found.push(Common::Grandparent(grandparent, likeness(parent), own));
        }
        if class.is_some() {
            found.push(Common::Class(own));
        }
    }
    found.push(Common::Parents(likeness(parent), page.tag(node)));
    found
}
