//! Common appearance of the items of a list.

use std::collections::{HashMap, HashSet};

use crate::relocate::number::{float, ratio};
use crate::relocate::view::Item;
use crate::relocate::words::Word;

/// Appearance of a set of items.
#[derive(Debug, Clone, Default)]
pub(super) struct Looks {
    pub(super) count: f32,
    pub(super) mean: f32,
    /// Standard deviation of the lengths over their mean.
    pub(super) spread: f32,
    pub(super) numbers: f32,
    pub(super) ends: f32,
    pub(super) capitalised: f32,
    pub(super) links: f32,
    pub(super) distinct: f32,
    pub(super) words: f32,
    pub(super) colons: f32,
    pub(super) short: f32,
    pub(super) lines: f32,
    pub(super) labels: f32,
    pub(super) homogeneity: f32,
    pub(super) children: f32,
    pub(super) link_items: f32,
    pub(super) promotion: f32,
    pub(super) own_homogeneity: f32,
    pub(super) glyphs: f32,
}

impl Looks {
    pub(super) fn of(items: &[&Item]) -> Self {
        let count = items.len();
        let share = |is: &dyn Fn(&Item) -> bool| ratio(items.iter().filter(|item| is(item)).count(), count);
        let mean_of = |of: &dyn Fn(&Item) -> f32| items.iter().map(|item| of(item)).sum::<f32>() / float(count.max(1));
        let mean = mean_of(&|item| float(item.length));
        let variance = mean_of(&|item| (float(item.length) - mean).powi(2));
        let letters: f32 = items.iter().map(|item| float(item.length)).sum();
        let linked: f32 = items.iter().map(|item| item.link_share * float(item.length)).sum();
        let distinct: HashSet<Word> = items.iter().map(|item| item.key).collect();
        let mut looks: HashMap<(Word, Word), usize> = HashMap::new();
        let mut own_looks: HashMap<Word, usize> = HashMap::new();
        for item in items {
            *looks.entry(item.looks).or_default() += 1;
            *own_looks.entry(item.looks.1).or_default() += 1;
        }
        Self {
            count: float(count),
            mean,
            spread: variance.sqrt() / mean.max(1.0),
            numbers: share(&|item| item.has_number),
            ends: share(&|item| item.ends_sentence),
            capitalised: share(&|item| item.is_capitalised),
            links: linked / letters.max(1.0),
            distinct: ratio(distinct.len(), count),
            words: mean_of(&|item| float(item.words)),
            colons: share(&|item| item.ends_with_colon),
            short: share(&|item| item.length < 25),
            lines: mean_of(&|item| float(item.lines)).min(4.0),
            labels: share(&|item| item.first_is_label),
            homogeneity: ratio(looks.values().copied().max().unwrap_or(0), count),
            children: share(&|item| item.has_children),
            link_items: share(&|item| item.link_share > 0.9),
            promotion: share(&|item| item.is_promotion),
            own_homogeneity: ratio(own_looks.values().copied().max().unwrap_or(0), count),
            glyphs: share(&|item| item.begins_with_glyph),
        }
    }
}
