//! Weights by hand for single values: they rank alone as well as trees do, and narrow down what the trees look at.

use super::features::Single;

impl Single {
    /// Returns the score of the candidate, as the logarithm of odds. The weights come from a study of
    /// redesigned pages and are rounded.
    pub(crate) fn weigh(&self) -> f32 {
        let clipped = |value: f32| value.clamp(-1.0, 3.0);
        let for_it = [
            (self.stated_best, 4.0),
            (self.stated_at_path.max(0.0), 1.5),
            (self.all_names_overlap, 2.0),
            (self.marks_shared, 1.0),
            (self.label_same, 1.5),
            (self.label_overlap, 1.5),
            (self.same_value, 2.0),
            (self.value_likeness, 1.0),
            (self.word_in_names, 1.0),
            (self.word_near, 0.5),
            (self.word_in_label, 0.7),
            (self.same_inner_tag, 0.5),
            (self.tag_classes_same, 0.5),
            (self.same_pattern, 1.0),
        ];
        let against_it = [
            (self.in_around, 1.5),
            (self.hidden, 1.0),
            (self.digits_change, 1.0),
            (self.has_day_change, 1.5),
            (self.capitalised_change, 0.5),
            (self.position_change, 1.0),
            (self.looks_count, 0.3),
            (self.begins_by_change, 0.7),
            (self.length_ratio.abs(), 0.7),
            (self.seen_on_old, 1.0),
        ];
        let sum = |parts: &[(f32, f32)]| parts.iter().map(|(value, weight)| clipped(*value) * weight).sum::<f32>();
        sum(&for_it) - sum(&against_it) - 5.0
    }
}
