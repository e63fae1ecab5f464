//! What changed where: the changed lines by region of the page, and the names that left the page or came to it.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use super::Change;
use super::structure::{Placed, Structures};
use crate::document::{Document, NodeId, first_characters};

/// Elements that divide a page.
const REGIONS: &[&str] = &["head", "header", "nav", "main", "article", "aside", "footer"];

/// How many names a region lists of each kind.
const MOST_NAMES: usize = 8;

/// What changed in a region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegionChange {
    /// The region by its element, such as `main#content`, or `body` for what is in none.
    pub region: String,
    /// How many lines are in the old page only.
    pub removed: usize,
    /// How many lines are in the new page only.
    pub added: usize,
    /// Classes (`.headline`) and ids (`#price`) of removed lines that are nowhere on the new page, the most frequent first.
    pub names_gone: Vec<String>,
    /// Classes and ids of added lines that are nowhere on the old page, the most frequent first.
    pub names_new: Vec<String>,
}

impl fmt::Display for RegionChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} lines gone, {} new", self.region, self.removed, self.added)?;
        if !self.names_gone.is_empty() {
            write!(f, "; names gone: {}", self.names_gone.join(" "))?;
        }
        if !self.names_new.is_empty() {
            write!(f, "; names new: {}", self.names_new.join(" "))?;
        }
        Ok(())
    }
}

/// Counts while they grow.
#[derive(Default)]
struct Counts<'a> {
    removed: usize,
    added: usize,
    gone: BTreeMap<Name<'a>, usize>,
    new: BTreeMap<Name<'a>, usize>,
}

/// A class or an id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Name<'a> {
    Id(&'a str),
    Class(&'a str),
}

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(name) => write!(f, "#{}", first_characters(name, 60)),
            Self::Class(name) => write!(f, ".{}", first_characters(name, 60)),
        }
    }
}

/// The changes by region, those with the most lines first.
pub(super) fn summarise(
    old: &Document,
    new: &Document,
    structures: &Structures<'_>,
    changes: &[Change],
) -> Vec<RegionChange> {
    let (old_names, new_names) = (names_on(old, &structures.old), names_on(new, &structures.new));
    let (old_regions, new_regions) = (regions_of(old), regions_of(new));
    let mut counts: BTreeMap<String, Counts<'_>> = BTreeMap::new();
    for change in changes {
        for placed in structures.old.get(change.old.clone()).unwrap_or_default() {
            let region = counts.entry(region_name(old, &old_regions, placed.node)).or_default();
            region.removed += 1;
            names_of(old, placed.node)
                .filter(|name| !new_names.contains(name))
                .for_each(|name| *region.gone.entry(name).or_default() += 1);
        }
        for placed in structures.new.get(change.new.clone()).unwrap_or_default() {
            let region = counts.entry(region_name(new, &new_regions, placed.node)).or_default();
            region.added += 1;
            names_of(new, placed.node)
                .filter(|name| !old_names.contains(name))
                .for_each(|name| *region.new.entry(name).or_default() += 1);
        }
    }
    let mut regions: Vec<RegionChange> = counts
        .into_iter()
        .map(|(region, counts)| RegionChange {
            region,
            removed: counts.removed,
            added: counts.added,
            names_gone: most_frequent(&counts.gone),
            names_new: most_frequent(&counts.new),
        })
        .collect();
    regions.sort_by_key(|region| std::cmp::Reverse(region.removed + region.added));
    regions
}

fn most_frequent(names: &BTreeMap<Name<'_>, usize>) -> Vec<String> {
    let mut names: Vec<(&Name<'_>, &usize)> = names.iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    names.iter().take(MOST_NAMES).map(|(name, _)| name.to_string()).collect()
}

fn names_of(page: &Document, node: NodeId) -> impl Iterator<Item = Name<'_>> {
    page.attribute(node, "id")
        .filter(|id| !id.is_empty())
        .map(Name::Id)
        .into_iter()
        .chain(page.classes(node).map(Name::Class))
}

fn names_on<'a>(page: &'a Document, lines: &[Placed<'_>]) -> HashSet<Name<'a>> {
    lines.iter().flat_map(|placed| names_of(page, placed.node)).collect()
}

/// The region of every element: the nearest element around it that divides the page, or itself.
fn regions_of(page: &Document) -> Vec<Option<NodeId>> {
    let mut regions: Vec<Option<NodeId>> = Vec::with_capacity(page.len());
    for node in page.nodes() {
        let region = if REGIONS.contains(&page.tag(node)) {
            Some(node)
        } else {
            page.parent(node).and_then(|parent| regions.get(parent.index()).copied().flatten())
        };
        regions.push(region);
    }
    regions
}

fn region_name(page: &Document, regions: &[Option<NodeId>], node: NodeId) -> String {
    let Some(region) = regions.get(node.index()).copied().flatten() else {
        return "body".to_owned();
    };
    let name = names_of(page, region).next().map(|name| name.to_string()).unwrap_or_default();
    format!("{}{name}", page.tag(region))
}
