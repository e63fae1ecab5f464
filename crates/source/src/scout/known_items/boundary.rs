//! Assignment of records to items.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_page::{Document, NodeId};

use super::Found;

/// Of this many items at most one may hold parts of two records, such as a link to a related item.
const ITEMS_PER_CONFLICT: usize = 10;

/// Maximum number of children by which items are compared.
const MOST_CHILDREN: usize = 40;

/// Records in the items of a set.
pub(in crate::scout) struct Boundary {
    /// For each item the record that it holds. Without records, as for examples: nothing.
    record: Vec<Option<usize>>,
    /// For each item whether it holds anything that is known.
    is_known: Vec<bool>,
    is_by_record: bool,
    /// Number of different records (of examples: values) in the items.
    pub(super) known: usize,
}

impl Boundary {
    /// Returns `None` if the elements cannot be items: fewer than two hold something known, or several hold parts of two records.
    pub(super) fn of(page: &Document, items: &[NodeId], found: &Found, is_by_record: bool) -> Option<Self> {
        let mut votes: Vec<BTreeMap<usize, BTreeSet<usize>>> = vec![BTreeMap::new(); items.len()];
        let identifying = found.hits.iter().enumerate().zip(&found.is_identifying).filter(|(_, is)| **is);
        for ((field, (_, hits)), _) in identifying {
            for hit in hits {
                let Some(place) = item_around(page, items, hit.node) else { continue };
                for record in &hit.records {
                    votes.get_mut(place)?.entry(*record).or_default().insert(field);
                }
            }
        }
        if is_by_record { Self::by_record(&votes) } else { Self::by_value(&votes) }
    }

    fn by_record(votes: &[BTreeMap<usize, BTreeSet<usize>>]) -> Option<Self> {
        let mut conflicts = 0;
        let mut record_of = |votes: &BTreeMap<usize, BTreeSet<usize>>| {
            let mut counted: Vec<(usize, usize)> =
                votes.iter().map(|(record, fields)| (fields.len(), *record)).collect();
            counted.sort_unstable_by(|one, other| other.cmp(one));
            match counted.as_slice() {
                [(first, _), (second, _), ..] if first == second => {
                    conflicts += 1;
                    None
                }
                [(_, record), ..] => Some(*record),
                [] => None,
            }
        };
        let record: Vec<Option<usize>> = votes.iter().map(&mut record_of).collect();
        let known = record.iter().flatten().collect::<BTreeSet<_>>().len();
        let is_torn = conflicts * ITEMS_PER_CONFLICT > votes.len();
        let is_known = record.iter().map(Option::is_some).collect();
        (known > 1 && !is_torn).then_some(Self { record, is_known, is_by_record: true, known })
    }

    /// Of examples, each value counts as a record, and an item holds at most one of a field.
    fn by_value(votes: &[BTreeMap<usize, BTreeSet<usize>>]) -> Option<Self> {
        let mut known = BTreeSet::new();
        for item in votes {
            let mut fields = BTreeSet::new();
            for (record, of) in item {
                known.insert(*record);
                if of.iter().any(|field| !fields.insert(*field)) {
                    return None;
                }
            }
        }
        let known = known.len();
        let is_known = votes.iter().map(|item| !item.is_empty()).collect();
        (known > 0).then(|| Self { record: vec![None; votes.len()], is_known, is_by_record: false, known })
    }

    /// The items that have the same children as one of those that hold something known: not the headers of a table, nor an
    /// advertisement between the items.
    pub(super) fn like_known(&self, page: &Document, items: &[NodeId]) -> Vec<NodeId> {
        let children =
            |item: NodeId| page.children(item).take(MOST_CHILDREN).map(|child| page.tag(child)).collect::<Vec<_>>();
        let known = items.iter().zip(&self.is_known).filter(|(_, is_known)| **is_known);
        let known: BTreeSet<Vec<&str>> = known.map(|(item, _)| children(*item)).collect();
        items.iter().copied().filter(|item| known.contains(&children(*item))).collect()
    }

    /// Returns whether a value of these records belongs to an item.
    pub(super) fn is_of(&self, place: usize, records: &[usize]) -> bool {
        !self.is_by_record || self.record.get(place).copied().flatten().is_some_and(|record| records.contains(&record))
    }

    /// The record in an item.
    pub(super) fn record(&self, place: usize) -> Option<usize> {
        self.record.get(place).copied().flatten()
    }

    pub(super) const fn is_by_record(&self) -> bool {
        self.is_by_record
    }
}

/// The place of the item that an element is in.
pub(super) fn item_around(page: &Document, items: &[NodeId], node: NodeId) -> Option<usize> {
    let place = items.partition_point(|item| *item <= node).checked_sub(1)?;
    page.contains(*items.get(place)?, node).then_some(place)
}
