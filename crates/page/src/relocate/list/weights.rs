//! Weights by hand for lists: they narrow down what the trees look at.

use super::features::List;

impl List {
    /// Returns the score of the group, as the logarithm of odds. The weights come from a study of redesigned
    /// pages and are rounded.
    pub(crate) fn weigh(&self) -> f32 {
        let clipped = |value: f32| value.clamp(-1.0, 3.0);
        let for_it = [
            (self.stated_both, 3.0),
            (self.stated_share, 0.5),
            (self.tags_same, 1.0),
            (self.all_names_overlap, 1.5),
            (self.word_in_names, 1.0),
            (self.word_around, 1.0),
            (self.word_in_heading, 1.5),
            (self.homogeneity, 1.0),
            (self.share_of_longest, 0.7),
            (self.taken_around, 0.5),
            (self.old_values, 1.0),
            (self.heading_same, 1.0),
        ];
        let against_it = [
            (self.in_around, 2.0),
            (self.links_change, 2.0),
            (self.numbers_change, 1.5),
            (self.ends_change, 1.0),
            (self.zone_mixed, 1.5),
            (self.lines_change, 0.5),
            (self.hidden, 1.0),
            (self.length_ratio.abs(), 0.4),
            (self.count_ratio.abs(), 0.3),
            (self.seen_on_old, 1.0),
        ];
        let sum = |parts: &[(f32, f32)]| parts.iter().map(|(value, weight)| clipped(*value) * weight).sum::<f32>();
        sum(&for_it) - sum(&against_it) - 5.0
    }
}
