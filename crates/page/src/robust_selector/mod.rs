//! Robust selectors: from nodes to a short selector that matches exactly these nodes on every given page, and consists of
//! what changes least. Position is the last resort (ideas of ROBULA+: general before specific, a block list of volatile names).
//!
//! # Layout
//!
//! - `part`: parts of a selector, and how likely each is to change
//! - `search`: candidates, tried on the pages
//! - `exception`: exclusion of nodes that a candidate should not match
//! - `union`: lists whose items have nothing in common as a whole, but do by kind
//! - `position`: selection by position
//! - [`volatile`]: detection of names that will not last

mod exception;
mod part;
mod position;
mod search;
mod union;
pub mod volatile;

use std::collections::{BTreeMap, BTreeSet};

use self::exception::Exceptions;
use self::part::{Part, parts_of};
use self::search::Place;
use crate::document::{Document, NodeId};
use crate::select::Selector;

pub use volatile::{is_layout, is_volatile};

/// A page and the nodes that are to be selected on it, in document order. None means: nothing may be selected there.
pub type Wanted<'a> = (&'a Document, &'a [NodeId]);

/// Maximum number of selectors that are returned.
const MOST_SELECTORS: usize = 5;
/// Maximum number of candidates that are tried.
const MOST_CANDIDATES: usize = 4000;
/// Maximum number of nodes that are visited in total. A page may have hundreds of thousands.
const MOST_WORK: usize = 20_000_000;
/// Maximum number of parts that are considered: of the nodes themselves, and of the elements around them.
const MOST_OWN_PARTS: usize = 8;
const MOST_OUTER_PARTS: usize = 32;
/// Maximum number of ancestors of a node that are considered.
const MOST_LEVELS: usize = 24;
/// Cost of a descendant step, and of a child step, which a wrapper would break.
const STEP: u32 = 6;
const CHILD_STEP: u32 = 12;
/// Cost of an exception (`:not(.advertisement)`).
const EXCEPTION: u32 = 24;

/// The most robust selector, if there is one: see [`robust_selectors`].
pub fn robust_selector(wanted: &[Wanted<'_>]) -> Option<Selector> {
    robust_selectors(wanted).into_iter().next()
}

/// Selectors that give exactly the wanted nodes on every page, the most robust first; at most [`MOST_SELECTORS`]. Empty when
/// nothing is wanted, or when the wanted nodes can be told from the rest of the page neither by name nor by place.
pub fn robust_selectors(wanted: &[Wanted<'_>]) -> Vec<Selector> {
    if wanted.iter().all(|(_, nodes)| nodes.is_empty()) {
        return Vec::new();
    }
    let mut selectors = verified(named(wanted).into_iter(), wanted);
    if selectors.is_empty() {
        selectors = verified(union::selectors(wanted).into_iter(), wanted);
    }
    // Positions are made only when nothing else is there: they are right today, and on no other page.
    if selectors.is_empty() {
        selectors = verified(position::selectors(wanted).into_iter(), wanted);
    }
    selectors
}

/// Selectors by what the wanted nodes and those around them are called, the most robust first.
fn named(wanted: &[Wanted<'_>]) -> Vec<String> {
    let parts = Parts::common_to(wanted);
    let places: Vec<Place<'_>> = wanted.iter().map(|(page, nodes)| Place::new(page, nodes, &parts.all)).collect();
    let mut candidates = parts.candidates();
    candidates.sort_by_key(|candidate| candidate.cost);
    candidates.truncate(MOST_CANDIDATES);

    let mut found: Vec<(u32, String)> = Vec::new();
    let mut exceptions = Exceptions::new(&places);
    let mut work = 0;
    for candidate in &candidates {
        work += places.iter().map(|place| candidate.work(place)).sum::<usize>();
        if found.len() == MOST_SELECTORS || work > MOST_WORK {
            break;
        }
        let selected: Vec<Vec<NodeId>> = places.iter().map(|place| candidate.nodes(place)).collect();
        if places.iter().zip(&selected).all(|(place, nodes)| nodes == place.wanted) {
            found.push((candidate.cost, candidate.text(&parts.all, None)));
        } else if let Some((exception, cost)) = exceptions.of(&selected) {
            found.push((candidate.cost + cost, candidate.text(&parts.all, Some(&exception))));
        }
    }
    found.sort();
    found.into_iter().map(|(_, text)| text).collect()
}

/// The selectors among texts that the selector engine agrees about.
fn verified(texts: impl Iterator<Item = String>, wanted: &[Wanted<'_>]) -> Vec<Selector> {
    texts
        .filter_map(|text| Selector::parse(&text).ok())
        .filter(|selector| wanted.iter().all(|(page, nodes)| page.select(selector) == *nodes))
        .collect()
}

/// Parts that all wanted nodes have in common.
struct Parts<'a> {
    /// Every part that takes part; the others are places in it.
    all: Vec<Part<'a>>,
    own: Vec<usize>,
    /// Of the elements around them, whatever their distance.
    outer: Vec<usize>,
    /// Of the elements directly around them.
    parent: Vec<usize>,
}

impl<'a> Parts<'a> {
    fn common_to(wanted: &[Wanted<'a>]) -> Self {
        let mut own: Option<BTreeSet<Part<'a>>> = None;
        let mut outer: Option<BTreeSet<Part<'a>>> = None;
        let mut parent: Option<BTreeSet<Part<'a>>> = None;
        for (page, nodes) in wanted {
            // Nodes of a list have most of their surroundings in common.
            let mut around: BTreeMap<NodeId, BTreeSet<Part<'a>>> = BTreeMap::new();
            for node in *nodes {
                intersect(&mut own, || parts_of(page, *node).into_iter().collect());
                let above = page.parent(*node);
                intersect(&mut parent, || {
                    above.map(|above| parts_of(page, above)).unwrap_or_default().into_iter().collect()
                });
                let Some(above) = above else { continue };
                let parts = around.entry(above).or_insert_with(|| {
                    std::iter::once(above)
                        .chain(page.ancestors(above))
                        .take(MOST_LEVELS)
                        .flat_map(|node| parts_of(page, node))
                        .collect()
                });
                intersect(&mut outer, || parts.clone());
            }
        }
        let cheapest = |parts: Option<BTreeSet<Part<'a>>>, most: usize| -> Vec<Part<'a>> {
            let mut parts: Vec<Part<'a>> = parts.unwrap_or_default().into_iter().collect();
            parts.sort_by_key(|part| (part.cost(), *part));
            parts.truncate(most);
            parts
        };
        let own = cheapest(own, MOST_OWN_PARTS);
        let outer = cheapest(outer, MOST_OUTER_PARTS);
        let parent = cheapest(parent, MOST_OWN_PARTS);
        let all: BTreeSet<Part<'a>> = own.iter().chain(&outer).chain(&parent).copied().collect();
        let all: Vec<Part<'a>> = all.into_iter().collect();
        let numbers = |parts: &[Part<'a>]| parts.iter().filter_map(|part| all.binary_search(part).ok()).collect();
        Self { own: numbers(&own), outer: numbers(&outer), parent: numbers(&parent), all }
    }

    fn cost(&self, parts: &[usize]) -> u32 {
        parts.iter().filter_map(|part| self.all.get(*part)).map(Part::cost).sum()
    }

    /// Everything worth trying, in no order.
    fn candidates(&self) -> Vec<Candidate> {
        let singles = self.own.iter().map(|part| vec![*part]);
        let pairs = self
            .own
            .iter()
            .enumerate()
            .flat_map(|(index, first)| self.own[index + 1..].iter().map(|second| vec![*first, *second]));
        let inner: Vec<Vec<usize>> = singles.chain(pairs).collect();
        let mut candidates = Vec::new();
        for own in inner {
            let cost = self.cost(&own);
            for parent in &self.parent {
                candidates.push(Candidate {
                    cost: cost + self.cost(&[*parent]) + CHILD_STEP,
                    outer: vec![*parent],
                    to_child: true,
                    own: own.clone(),
                });
            }
            for (index, first) in self.outer.iter().enumerate() {
                let cost = cost + self.cost(&[*first]) + STEP;
                candidates.push(Candidate { cost, outer: vec![*first], to_child: false, own: own.clone() });
                // Which of two is around the other is found out by trying both; the cheap ones are enough.
                for second in self.outer.iter().take(12).filter(|_| index < 12).filter(|second| *second != first) {
                    let cost = cost + self.cost(&[*second]) + STEP;
                    candidates.push(Candidate {
                        cost,
                        outer: vec![*first, *second],
                        to_child: false,
                        own: own.clone(),
                    });
                }
            }
            candidates.push(Candidate { cost, outer: Vec::new(), to_child: false, own });
        }
        candidates
    }
}

fn intersect<'a>(common: &mut Option<BTreeSet<Part<'a>>>, other: impl FnOnce() -> BTreeSet<Part<'a>>) {
    match common {
        None => *common = Some(other()),
        Some(parts) if parts.is_empty() => {}
        Some(parts) => {
            let other = other();
            parts.retain(|part| other.contains(part));
        }
    }
}

/// A selector before it is written: parts by number.
struct Candidate {
    cost: u32,
    /// From the outside to the inside, one part each.
    outer: Vec<usize>,
    /// True if the last step goes to a child.
    to_child: bool,
    own: Vec<usize>,
}

impl Candidate {
    /// The nodes that it selects on a page.
    fn nodes(&self, place: &Place<'_>) -> Vec<NodeId> {
        let nodes = place.with_all(&self.own);
        if nodes.len() < place.wanted.len() {
            return nodes;
        }
        let mut around: Option<Vec<NodeId>> = None;
        for part in &self.outer {
            let outer = place.with_all(&[*part]);
            around = Some(match around {
                None => outer,
                Some(further_out) => place.below(&further_out, &outer),
            });
        }
        match around {
            None => nodes,
            Some(outer) if self.to_child => place.directly_below(&outer, &nodes),
            Some(outer) => place.below(&outer, &nodes),
        }
    }

    /// Returns the number of nodes that [`Candidate::nodes`] visits.
    fn work(&self, place: &Place<'_>) -> usize {
        self.own.iter().chain(&self.outer).map(|part| place.count(*part)).sum()
    }

    fn text(&self, all: &[Part<'_>], exception: Option<&str>) -> String {
        let mut text = String::new();
        for part in self.outer.iter().filter_map(|part| all.get(*part)) {
            text.push_str(&part.to_string());
            text.push(' ');
        }
        if self.to_child {
            text.push_str("> ");
        }
        // A tag can only stand first.
        let mut own: Vec<&Part<'_>> = self.own.iter().filter_map(|part| all.get(*part)).collect();
        own.sort_by_key(|part| !matches!(part, Part::Tag(_)));
        for part in own {
            text.push_str(&part.to_string());
        }
        if let Some(exception) = exception {
            text.push_str(exception);
        }
        text
    }
}

#[cfg(test)]
mod tests;
