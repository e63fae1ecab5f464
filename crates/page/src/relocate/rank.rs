//! The candidates of a field, the best first.

use std::borrow::Cow;
use std::collections::HashMap;

use super::consensus::settle;
use super::field::Field;
use super::list;
use super::number::{blend, float};
use super::phrase::Phrase;
use super::ranking::{Ranked, Ranking, Row};
use super::single::{self, Candidate, Wanted};
use super::tables::Tables;
use super::view::{Chain, View};
use super::words::Word;
use crate::document::NodeId;
use crate::recipe::NodeTake;

/// Maximum number of candidates that the trees evaluate. They are chosen by the manual weights.
const LOOKED_AT: usize = 200;

/// Weight of the manual weights relative to the trees.
const HAND_SINGLE: f32 = 1.0;
const HAND_LIST: f32 = 0.1;

/// The candidates for a field at `old` on the old page.
pub(super) fn rank(
    tables: &Tables,
    old_view: &View<'_>,
    old: &[NodeId],
    new_view: &View<'_>,
    field: &Field<'_>,
    take: &NodeTake,
    many: bool,
) -> Ranking {
    let mut candidates = match take {
        NodeTake::Attribute(name) => singles(old_view, old, new_view, field, Wanted::Attribute(name)),
        NodeTake::Text | NodeTake::OwnText | NodeTake::Html if many => lists(old_view, old, new_view, field),
        NodeTake::Text | NodeTake::OwnText | NodeTake::Html => singles(old_view, old, new_view, field, Wanted::Text),
    };
    candidates.sort_by(|left, right| right.hand.total_cmp(&left.hand));
    candidates.truncate(LOOKED_AT);
    for candidate in &mut candidates {
        let (table, share) = match &candidate.row {
            Row::Single(_) => (&tables.single, HAND_SINGLE),
            Row::List(_) => (&tables.list, HAND_LIST),
        };
        candidate.odds = if table.is_empty() {
            candidate.hand
        } else {
            blend(table.sum(&candidate.row.features()), candidate.hand, share)
        };
    }
    candidates.sort_by(|left, right| right.odds.total_cmp(&left.odds));
    settle(&mut candidates);
    Ranking { candidates }
}

fn singles(
    old_view: &View<'_>,
    old: &[NodeId],
    new_view: &View<'_>,
    field: &Field<'_>,
    wanted: Wanted<'_>,
) -> Vec<Ranked> {
    let Some(old) = old.first().and_then(|node| old_candidate(old_view, *node, wanted)) else { return Vec::new() };
    let mut candidates = single::candidates(new_view, wanted, &old.phrase);
    // A handle beside a name is no name.
    if !is_handle(&old.phrase.text) {
        candidates.retain(|candidate| !is_handle(&candidate.phrase.text));
    }
    let comparison = single::Comparison::new(old_view, &old, new_view, field, &candidates);
    let mut ordinals: HashMap<Word, usize> = HashMap::new();
    let is_one_place = old.phrase.is_day_or_amount() && {
        let on_new = candidates.iter().filter(|candidate| candidate.phrase.means(&old.phrase));
        let on_old = single::candidates(old_view, wanted, &old.phrase).into_iter();
        on_new.count() == 1 && on_old.filter(|candidate| candidate.phrase.means(&old.phrase)).count() == 1
    };
    let ranked = candidates.iter().map(|candidate| {
        let inner = candidate.chain.inner;
        let ordinal = ordinals.entry(new_view.looks[inner.index()]).or_default();
        let row = comparison.features(new_view, candidate, *ordinal);
        *ordinal += 1;
        Ranked {
            nodes: vec![candidate.chain.inner],
            attribute: candidate.attribute.map(str::to_owned),
            key: candidate.phrase.key,
            hand: row.weigh(),
            odds: 0.0,
            items: Vec::new(),
            support: 0.0,
            is_only_place: is_one_place && row.same_value > 0.5 && row.hidden + row.in_around + row.taken < 0.5,
            row: Row::Single(Box::new(row)),
        }
    });
    ranked.collect()
}

/// Returns whether a text is a user's handle on a platform, such as `@ada`.
pub(super) fn is_handle(text: &str) -> bool {
    text.trim_start().starts_with('@')
}

/// The old place as a candidate.
fn old_candidate<'v>(view: &'v View<'_>, node: NodeId, wanted: Wanted<'v>) -> Option<Candidate<'v>> {
    match wanted {
        Wanted::Text => Some(match view.chain_of(node) {
            Some(chain) => single::of_chain(view, chain),
            None => single_candidate(view, node),
        }),
        Wanted::Attribute(name) => single::of_attribute(view, node, name),
    }
}

/// Returns a candidate for an element with invisible text, such as a title.
fn single_candidate<'v>(view: &'v View<'_>, node: NodeId) -> Candidate<'v> {
    let chain = Chain::single(node);
    Candidate {
        number: None,
        context: Cow::Owned(view.context_of(&chain)),
        chain: Cow::Owned(chain),
        phrase: Cow::Owned(Phrase::new(&view.page.text(node))),
        attribute: None,
    }
}

fn lists(old_view: &View<'_>, old: &[NodeId], new_view: &View<'_>, field: &Field<'_>) -> Vec<Ranked> {
    let old: Vec<NodeId> = old.iter().copied().filter(|node| old_view.page.letters(*node) > 0).collect();
    let total: usize = old.iter().map(|node| old_view.page.letters(*node)).sum();
    let mean = (float(total) / float(old.len().max(1))).max(5.0);
    let values: std::collections::HashSet<Word> = old.iter().map(|node| old_view.item(*node).key).collect();
    let is_old = |node: NodeId| {
        let key = new_view.item(node).key;
        !values.contains(&key) && old_view.has_text(key)
    };
    let mut groups = list::groups(new_view, mean, &is_old);
    groups.retain(|group| {
        let total: usize = group.nodes.iter().map(|node| new_view.page.letters(*node)).sum();
        let own = float(total) / float(group.nodes.len());
        let bounds = if group.nodes.len() == 1 { 0.15 * mean..6.0 * mean } else { 0.1 * mean..8.0 * mean };
        bounds.contains(&own)
    });
    let Some(comparison) = list::Comparison::new(old_view, &old, new_view, field, &groups) else { return Vec::new() };
    let mut seen = std::collections::HashSet::new();
    let mut ranked = Vec::new();
    for group in groups {
        // Of groups with the same texts the first is taken: they are within each other.
        let Some((row, key)) = comparison.features(&group) else { continue };
        if seen.insert(key) {
            let hand = row.weigh();
            let mut items: Vec<Word> = group.nodes.iter().map(|node| new_view.item(*node).key).collect();
            items.sort_unstable();
            ranked.push(Ranked {
                items,
                support: 0.0,
                is_only_place: false,
                nodes: group.nodes,
                attribute: None,
                key,
                hand,
                odds: 0.0,
                row: Row::List(Box::new(row)),
            });
        }
    }
    ranked
}
