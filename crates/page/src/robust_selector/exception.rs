//! Exceptions that exclude nodes a selector matches by mistake: `p:not(.advertisement):not(aside *)`.

use std::collections::{BTreeSet, HashMap};

use super::MOST_LEVELS;
use super::part::{Part, parts_of};
use super::search::Place;
use crate::document::NodeId;

/// Maximum number of exceptions in a selector.
const MOST: usize = 3;

/// Maximum number of searches for exceptions.
const MOST_SEARCHES: usize = 400;

/// A part with a higher cost will not be there tomorrow.
const MOST_COST: u32 = 40;

/// Property that an unwanted node has and no wanted node has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Exception<'a> {
    /// It has a part itself.
    Is(Part<'a>),
    /// Something around it has a part.
    Inside(Part<'a>),
}

impl Exception<'_> {
    fn cost(&self) -> u32 {
        match self {
            Self::Is(part) => part.cost(),
            Self::Inside(part) => part.cost() + super::STEP,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Is(part) => format!(":not({part})"),
            Self::Inside(part) => format!(":not({part} *)"),
        }
    }
}

/// Exceptions that spare the wanted nodes.
pub(super) struct Exceptions<'p, 'a> {
    places: &'p [Place<'a>],
    /// Parts of the wanted nodes, and parts of the elements around them.
    own: BTreeSet<Part<'a>>,
    around: BTreeSet<Part<'a>>,
    known: HashMap<(usize, NodeId), Vec<Exception<'a>>>,
    searches: usize,
}

impl<'p, 'a> Exceptions<'p, 'a> {
    pub(super) fn new(places: &'p [Place<'a>]) -> Self {
        let (mut own, mut around) = (BTreeSet::new(), BTreeSet::new());
        for place in places {
            let mut seen = BTreeSet::new();
            for node in place.wanted {
                own.extend(parts_of(place.page, *node));
                for above in place.page.ancestors(*node).take_while(|above| seen.insert(*above)) {
                    around.extend(parts_of(place.page, above));
                }
            }
        }
        Self { places, own, around, known: HashMap::new(), searches: 0 }
    }

    /// Returns exceptions that exclude exactly the unwanted nodes on each page, and their cost; `None` if
    /// there are none.
    pub(super) fn of(&mut self, selected: &[Vec<NodeId>]) -> Option<(String, u32)> {
        let mut left = Vec::new();
        for (number, (place, nodes)) in self.places.iter().zip(selected).enumerate() {
            let (most, found) = (2 * place.wanted.len(), nodes.len());
            if !(place.wanted.len()..=most).contains(&found) {
                return None;
            }
            let too_much: Vec<NodeId> =
                nodes.iter().copied().filter(|node| place.wanted.binary_search(node).is_err()).collect();
            if found - too_much.len() != place.wanted.len() {
                return None;
            }
            left.extend(too_much.into_iter().map(|node| (number, node)));
        }
        self.searches += 1;
        if self.searches > MOST_SEARCHES {
            return None;
        }
        let mut chosen: Vec<Exception<'a>> = Vec::new();
        while !left.is_empty() {
            let mut counts: HashMap<Exception<'a>, usize> = HashMap::new();
            for key in &left {
                for exception in self.for_node(*key) {
                    *counts.entry(*exception).or_default() += 1;
                }
            }
            let best = counts.into_iter().max_by_key(|(exception, count)| {
                (*count, std::cmp::Reverse(exception.cost()), std::cmp::Reverse(*exception))
            });
            let (best, _) = best.filter(|_| chosen.len() < MOST)?;
            chosen.push(best);
            left.retain(|key| !self.known.get(key).is_some_and(|known| known.contains(&best)));
        }
        let cost = chosen.iter().map(|exception| exception.cost() + super::EXCEPTION).sum();
        Some((chosen.iter().map(Exception::text).collect(), cost))
    }

    fn for_node(&mut self, key: (usize, NodeId)) -> &[Exception<'a>] {
        let (number, node) = key;
        let Self { places, own, around, known, .. } = self;
        known.entry(key).or_insert_with(|| {
            let Some(place) = places.get(number) else { return Vec::new() };
            let is_new =
                |part: &Part<'a>, others: &BTreeSet<Part<'a>>| part.cost() <= MOST_COST && !others.contains(part);
            let own_parts = parts_of(place.page, node).into_iter().filter(|part| is_new(part, own));
            let mut exceptions: Vec<Exception<'a>> = own_parts.map(Exception::Is).collect();
            for above in place.page.ancestors(node).take(MOST_LEVELS) {
                let parts = parts_of(place.page, above).into_iter().filter(|part| is_new(part, around));
                exceptions.extend(parts.map(Exception::Inside));
            }
            exceptions.sort_unstable();
            exceptions.dedup();
            exceptions
        })
    }
}
