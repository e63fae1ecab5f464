//! Overlap of a list with the data that the page states for machines.

use std::collections::HashSet;

use crate::relocate::concepts::Concept;
use crate::relocate::number::ratio;
use crate::relocate::view::{Item, LISTED, View};
use crate::relocate::words::Word;

/// Overlap of a list with the page's statements for a concept: the share of the list's text, and the share of
/// the stated text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Stated {
    pub(super) share: f32,
    pub(super) covered: f32,
    pub(super) both: f32,
    /// The share of the items that are stated.
    pub(super) items: f32,
}

impl Stated {
    pub(super) fn of(view: &View<'_>, items: &[&Item], place: usize) -> Self {
        let Some(whole) = view.statements.whole(LISTED[place]) else { return Self::default() };
        let stated = items.iter().filter(|item| item.is_stated(view, place)).map(|item| item.loose.len()).sum();
        let total: usize = items.iter().map(|item| item.loose.len()).sum();
        let count = items.iter().filter(|item| item.is_stated(view, place)).count();
        Self {
            items: ratio(count, items.len()),
            ..Self::from_shares(ratio(stated, total), ratio(stated, whole.len()).min(1.0))
        }
    }

    /// Topics are stated one by one.
    pub(super) fn of_topics(view: &View<'_>, items: &[&Item]) -> Self {
        let stated = view.statements.of_concept(Concept::Topics);
        let found: HashSet<Word> = items
            .iter()
            .filter(|item| stated.iter().any(|phrase| phrase.key == item.key))
            .map(|item| item.key)
            .collect();
        let share = items.iter().filter(|item| found.contains(&item.key)).count();
        Self::from_shares(ratio(share, items.len()), ratio(found.len(), stated.len()))
    }

    pub(super) fn from_shares(share: f32, covered: f32) -> Self {
        let both = if share + covered > 0.0 { 2.0 * share * covered / (share + covered) } else { 0.0 };
        Self { share, covered, both, items: share }
    }
}
