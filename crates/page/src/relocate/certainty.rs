//! Certainty that the best candidate is the field. It is estimated separately, because the best candidate may
//! still be wrong, and because a field that is gone has a best candidate too.

use super::consensus::alike;
use super::features::features;
use super::lexicon::FieldKind;
use super::number::{flag, many, probability};
use super::ranking::{Ranking, Row};

features! {
    /// Features of the best candidate compared with all others. Odds are logarithms.
    Certainty {
        // The best candidate, the best with another value, and what is between them.
        best, second, margin, gap, hand, hand_margin, plausible, candidates,
        /// The share of the likelihood behind the best answer, and behind the second.
        support, second_support,
        // What the page states about itself.
        stated, stated_before, is_stated,
        /// Advantage of another candidate in showing the stated value.
        shown_better,
        /// The page states it, and no candidate shows it.
        unshown,
        stated_modified, stated_title, stated_brand,
        // The best candidate next to the old place.
        names_overlap, label_same, same_value, value_likeness, same_pattern, length_change, count_change, digits_change,
        day_change, seen_on_old, in_around, position_change, same_tag, marks_shared, word_near, looks_count, value_count,
        homogeneity, taken_around, single, old_single, links_change, ends_change, order_kept, kept_fields, taken,
        speaks_of_change, after_heading_same, hidden, stated_exactly, tag_h1, stated_items, first_stated, last_stated, link_items,
        first_class_same, time_change, promotion, old_stated_exactly, glyph_change, own_homogeneity, stated_change,
        taken_in_container, zone_mixed, share_of_longest, has_lines, mixed_tags,
        // The kind of field.
        kind_title, kind_author, kind_date, kind_summary, kind_body, kind_ingredients, kind_instructions, kind_subheadlines,
        kind_topics, kind_time, kind_other,
    }
}

impl Certainty {
    /// The features of a ranking with at least one candidate.
    pub(super) fn of(ranking: &Ranking, kind: FieldKind) -> Option<Self> {
        let best = ranking.candidates.first()?;
        let second = ranking.candidates.iter().find(|candidate| !alike(best, candidate));
        let (second_odds, second_hand) = second.map_or((-9.0, -20.0), |second| (second.odds, second.hand));
        let plausible = ranking.candidates.iter().filter(|candidate| candidate.odds > -1.0).count();
        let shown = |row: &Row| match row {
            Row::Single(row) => row.stated_best,
            Row::List(row) => row.stated_both,
        };
        let best_shown = ranking.candidates.iter().map(|candidate| shown(&candidate.row)).fold(0.0, f32::max);
        let mut row = Self {
            best: best.odds,
            second: second_odds,
            margin: (best.odds - second_odds).min(12.0),
            gap: (probability(best.odds) - probability(second_odds)).min(0.5),
            hand: best.hand,
            hand_margin: (best.hand - second_hand).clamp(-10.0, 10.0),
            plausible: many(plausible),
            support: best.support,
            second_support: second.map_or(0.0, |second| second.support),
            candidates: many(ranking.candidates.len()),
            stated: shown(&best.row),
            shown_better: best_shown - shown(&best.row),
            kind_title: flag(kind == FieldKind::Title),
            kind_author: flag(kind == FieldKind::Author),
            kind_date: flag(matches!(kind, FieldKind::Published | FieldKind::Updated)),
            kind_summary: flag(matches!(kind, FieldKind::Summary | FieldKind::Description)),
            kind_body: flag(kind == FieldKind::Body),
            kind_ingredients: flag(kind == FieldKind::Ingredients),
            kind_instructions: flag(kind == FieldKind::Instructions),
            kind_subheadlines: flag(kind == FieldKind::Subheadlines),
            kind_topics: flag(kind == FieldKind::Topics),
            kind_time: flag(matches!(
                kind,
                FieldKind::TotalTime | FieldKind::PreparationTime | FieldKind::CookingTime | FieldKind::Yield
            )),
            kind_other: flag(kind == FieldKind::Other),
            ..Self::default()
        };
        match &best.row {
            Row::Single(from) => row.single_value(from),
            Row::List(from) => row.list(from),
        }
        row.unshown = row.is_stated * (1.0 - best_shown);
        Some(row)
    }

    fn single_value(&mut self, from: &super::single::Single) {
        self.stated_before = from.stated_before;
        self.is_stated = from.is_stated;
        self.stated_modified = from.stated_modified;
        self.stated_title = from.stated_title;
        self.stated_brand = from.stated_brand;
        self.names_overlap = from.all_names_overlap;
        self.label_same = from.label_same;
        self.same_value = from.same_value;
        self.value_likeness = from.value_likeness;
        self.same_pattern = from.same_pattern;
        self.length_change = from.length_ratio.abs();
        self.digits_change = from.digits_change;
        self.day_change = from.has_day_change;
        self.seen_on_old = from.seen_on_old;
        self.in_around = from.in_around;
        self.position_change = from.position_change;
        self.same_tag = from.same_inner_tag;
        self.marks_shared = from.marks_shared;
        self.word_near = from.word_in_names.max(from.word_near).max(from.word_in_label);
        self.looks_count = from.looks_count;
        self.value_count = from.value_count;
        self.order_kept = from.order_kept;
        self.kept_fields = from.kept_fields;
        self.taken = from.taken;
        self.speaks_of_change = from.speaks_of_change_more;
        self.after_heading_same = from.after_heading_same;
        self.hidden = from.hidden;
        self.stated_exactly = from.stated_exactly;
        self.tag_h1 = from.tag_h1;
        self.first_class_same = from.first_class_same;
        self.time_change = from.has_time_change;
        self.promotion = from.promotion;
        self.old_stated_exactly = from.old_stated_exactly;
        self.stated_change = from.stated_best - from.stated_before;
        self.has_lines = from.lines_change;
    }

    fn list(&mut self, from: &super::list::List) {
        self.stated_before = from.old_stated_both;
        self.is_stated = from.is_stated;
        self.names_overlap = from.all_names_overlap;
        self.label_same = from.heading_same;
        self.same_value = from.old_values;
        self.value_likeness = from.old_values_found;
        self.length_change = from.length_ratio.abs();
        self.count_change = from.count_ratio.abs();
        self.digits_change = from.numbers_change;
        self.seen_on_old = from.seen_on_old;
        self.in_around = from.in_around;
        self.position_change = from.position_change.abs();
        self.same_tag = from.tags_same;
        self.marks_shared = from.marks_shared;
        self.word_near = from.word_in_names.max(from.word_around).max(from.word_in_heading);
        self.homogeneity = from.homogeneity;
        self.taken_around = from.taken_around;
        self.single = from.single;
        self.old_single = from.old_single;
        self.links_change = from.links_change;
        self.ends_change = from.ends_change;
        self.order_kept = from.order_kept;
        self.kept_fields = from.kept_fields;
        self.taken = from.taken;
        self.hidden = from.hidden;
        self.stated_items = from.stated_items;
        self.first_stated = from.first_stated;
        self.last_stated = from.last_stated;
        self.link_items = from.link_items;
        self.taken_in_container = from.taken_in_container;
        self.zone_mixed = from.zone_mixed;
        self.share_of_longest = from.share_of_longest.min(2.0);
        self.has_lines = from.has_lines;
        self.mixed_tags = from.mixed_tags;
        self.promotion = from.promotion;
        self.glyph_change = from.glyph_change;
        self.own_homogeneity = from.own_homogeneity;
        self.stated_change = from.stated_both - from.old_stated_both;
    }
}
