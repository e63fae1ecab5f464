//! Features of a candidate for a single value, compared with the old place.

use std::collections::HashMap;

use super::candidates::Candidate;
use crate::relocate::concepts::Concept;
use crate::relocate::features::features;
use crate::relocate::field::Field;
use crate::relocate::lexicon::FieldKind;
use crate::relocate::number::{difference, flag, float, log_ratio, ratio};
use crate::relocate::phrase::{Phrase, Sense};
use crate::relocate::promotion::is_promotion;
use crate::relocate::shape::{Shape, speaks_of_change};
use crate::relocate::view::{TAG_CLASSES, View, Zone, Zones};
use crate::relocate::words::{Word, Words};

features! {
    /// Features of a candidate. Shares and similarities range from 0 to 1, with -1 if there is nothing to
    /// compare.
    Single {
        // Names and tags of the element and those around it, next to the old ones.
        own_names_covered, own_names_overlap, near_names_covered, near_names_overlap, far_names_covered, far_names_overlap,
        all_names_covered, all_names_overlap, marks_covered, marks_shared, tags_overlap, same_inner_tag, tag_classes_same,
        tags_around_overlap, same_linked, link_overlap,
        // The text around it.
        label_overlap, label_same, after_same, heading_same,
        // Where it stands.
        position, position_change, depth_change, after_heading, after_heading_same, heading_distance,
        in_around, in_main, in_header, in_figure, in_link, in_quote,
        around_same, main_same, header_same, figure_same, link_same,
        hidden, looks_count, value_count, children, chain_length, ordinal, share_of_parent, share_change,
        // Its tags.
        tag_h1, tag_heading, tag_p, tag_a, tag_time, tag_li, tag_div, tag_span, tag_cell, tag_img, tag_meta, tag_address,
        // What its text looks like, next to the old one.
        length_ratio, words_ratio, digits_change, capitals_change, punctuation_change, capitalised_change,
        ends_sentence_change, has_day_change, has_digit_change, begins_by_change, colon_change, is_name_change,
        sentences_ratio, length, digits, capitalised, ends_sentence, has_day, begins_by, is_name, old_length,
        first_class_same, has_time, has_time_change, lines, lines_change, old_stated_exactly, promotion,
        first_is_label, first_is_label_same, same_first_word, same_last_word, same_pattern,
        speaks_of_change, speaks_of_change_more,
        // The value itself.
        same_value, value_likeness,
        /// The same text stands elsewhere on the old page: it belongs to the site, not to the page.
        seen_on_old,
        // Words that fields of this name are known by.
        word_in_names, word_near, word_far, word_in_marks, word_in_label, word_in_heading, word_in_old,
        // What the page states about itself.
        stated_by_name, stated_as_before, stated_at_path, stated_before, stated_title, is_stated, stated_best,
        old_is_title, stated_brand, stated_modified, stated_description, old_is_description,
        /// The page states something under the field's own name, and this shows it.
        stated_own_name,
        /// The very text that the page states for the field, letter by letter.
        stated_exactly,
        // Fields whose selector still works.
        order_kept, kept_fields, between_kept, kept_distance, taken,
        // The kind of field.
        kind_title, kind_author, kind_date, kind_summary, kind_yield, kind_time, kind_image, kind_caption, kind_category,
    }
}

/// The old place and everything about the new page that does not depend on the candidate.
pub(crate) struct Comparison<'o> {
    old_view: &'o View<'o>,
    old: &'o Candidate<'o>,
    shape: Shape,
    field: &'o Field<'o>,
    zones: Zones,
    position: f32,
    after_heading: bool,
    share: f32,
    names_and_near: Words,
    title: f32,
    description: f32,
    speaks_of_change: bool,
    has_day: bool,
    stated_exactly: f32,
    lines: f32,
    /// Concepts by which the old page stated the old value, and how well.
    concepts_before: Vec<(Concept, f32)>,
    /// Values on the new page at the paths where the old page stated the old value.
    at_paths: Vec<(&'o Phrase, Sense)>,
    paths_known: bool,
    own_name: Vec<&'o Phrase>,
    value_counts: HashMap<Word, usize>,
    looks_counts: HashMap<Word, usize>,
}

impl<'o> Comparison<'o> {
    pub(crate) fn new(
        old_view: &'o View<'o>,
        old: &'o Candidate<'o>,
        new_view: &'o View<'o>,
        field: &'o Field<'o>,
        candidates: &[Candidate<'o>],
    ) -> Self {
        let mut value_counts = HashMap::new();
        let mut looks_counts = HashMap::new();
        for candidate in candidates {
            *value_counts.entry(candidate.phrase.key).or_default() += 1;
            *looks_counts.entry(new_view.looks[candidate.chain.inner.index()]).or_default() += 1;
        }
        let phrase = &*old.phrase;
        let concepts_before = old_view
            .statements
            .concepts()
            .map(|concept| (concept, old_view.best_shown(old.number, &old.phrase, concept)))
            .filter(|(_, shown)| *shown >= 0.7)
            .collect();
        let paths: Vec<(Word, Sense)> = old_view
            .statements
            .all
            .iter()
            .filter(|statement| phrase.shows(&statement.phrase, statement.sense()) >= 0.7)
            .map(|statement| (statement.place, statement.sense()))
            .collect();
        let at_paths = new_view
            .statements
            .all
            .iter()
            .filter(|statement| paths.iter().any(|(place, _)| *place == statement.place))
            .map(|statement| (&statement.phrase, statement.sense()))
            .take(40)
            .collect();
        let statements = new_view.statements.all.iter();
        let own_name = statements
            .filter(|statement| statement.last_name == field.words.plain)
            .map(|s| &s.phrase)
            .take(20)
            .collect();
        let outer = old.chain.outer;
        Self {
            shape: phrase.shape().clone(),
            zones: old_view.zones[old.chain.inner.index()],
            position: old_view.position(outer),
            after_heading: outer >= old_view.main_heading,
            share: share_of_parent(old_view, old),
            names_and_near: old.context.all_names.clone(),
            title: if field.words.kind == FieldKind::Title {
                1.0
            } else {
                old_view.best_shown(old.number, &old.phrase, Concept::Title)
            },
            description: if old_view.statements.of_concept(Concept::Description).is_empty() {
                -1.0
            } else {
                old_view.best_shown(old.number, &old.phrase, Concept::Description)
            },
            speaks_of_change: changes(old),
            has_day: !phrase.days().is_empty(),
            stated_exactly: flag(is_stated_exactly(old_view, old, field.words.concepts)),
            lines: float(old_view.lines_in(old.chain.inner)).min(4.0),
            concepts_before,
            paths_known: !paths.is_empty(),
            at_paths,
            own_name,
            value_counts,
            looks_counts,
            old_view,
            old,
            field,
        }
    }

    /// The features of the candidate with this ordinal among those that look like it.
    pub(crate) fn features(&self, view: &View<'_>, candidate: &Candidate<'_>, ordinal: usize) -> Single {
        let mut row = Single::default();
        self.names(view, candidate, &mut row);
        self.place(view, candidate, ordinal, &mut row);
        self.looks(candidate, &mut row);
        self.words(candidate, &mut row);
        self.stated(view, candidate, &mut row);
        self.kept(candidate, &mut row);
        let kind = self.field.words.kind;
        row.kind_title = flag(kind == FieldKind::Title);
        row.kind_author = flag(kind == FieldKind::Author);
        row.kind_date = flag(matches!(kind, FieldKind::Published | FieldKind::Updated));
        row.kind_summary = flag(matches!(kind, FieldKind::Summary | FieldKind::Description));
        row.kind_yield = flag(kind == FieldKind::Yield);
        row.kind_time =
            flag(matches!(kind, FieldKind::TotalTime | FieldKind::PreparationTime | FieldKind::CookingTime));
        row.kind_image = flag(kind == FieldKind::Image);
        row.kind_caption = flag(kind == FieldKind::Caption);
        row.kind_category = flag(kind == FieldKind::Category);
        row
    }

    fn names(&self, view: &View<'_>, candidate: &Candidate<'_>, row: &mut Single) {
        let (old, new) = (&*self.old.context, &*candidate.context);
        (row.own_names_covered, row.own_names_overlap) = view.covered(&old.names, &new.names);
        (row.near_names_covered, row.near_names_overlap) = view.covered(&old.near_names, &new.near_names);
        (row.far_names_covered, row.far_names_overlap) = view.covered(&old.far_names, &new.far_names);
        (row.all_names_covered, row.all_names_overlap) = view.covered(&self.names_and_near, &new.all_names);
        let shared = old.marks.shared(&new.marks);
        row.marks_covered = if old.marks.is_empty() { -1.0 } else { ratio(shared, old.marks.len()) };
        row.marks_shared = flag(shared > 0);
        row.tags_overlap = old.tags.overlap(&new.tags);
        row.same_inner_tag = flag(self.old_view.page.tag(self.old.chain.inner) == view.page.tag(candidate.chain.inner));
        let same = old.tag_classes.iter().zip(&new.tag_classes).filter(|(left, right)| left == right).count();
        row.tag_classes_same = ratio(same, TAG_CLASSES);
        row.tags_around_overlap = old.tags_around.overlap(&new.tags_around);
        row.same_linked = flag(old.link.is_some() == new.link.is_some());
        row.link_overlap = match (&old.link, &new.link) {
            (Some(left), Some(right)) => left.overlap(right),
            (None, _) | (_, None) => 0.0,
        };
        row.label_overlap = old.label_words.overlap(&new.label_words);
        row.label_same = flag(!old.label.is_empty() && old.label_key == new.label_key);
        row.after_same = flag(!old.after.is_empty() && old.after_key == new.after_key);
        row.heading_same = flag(!old.heading.is_empty() && old.heading_key == new.heading_key);
    }

    fn place(&self, view: &View<'_>, candidate: &Candidate<'_>, ordinal: usize, row: &mut Single) {
        let (outer, inner) = (candidate.chain.outer, candidate.chain.inner);
        row.position = view.position(outer);
        row.position_change = (row.position - self.position).abs();
        row.depth_change = difference(view.page.depth(outer), self.old_view.page.depth(self.old.chain.outer)) / 5.0;
        let after_heading = outer >= view.main_heading;
        row.after_heading = flag(after_heading);
        row.after_heading_same = flag(after_heading == self.after_heading);
        row.heading_distance = (difference(outer.index(), view.main_heading.index()).abs() / 50.0).min(3.0);
        let zones = view.zones[inner.index()];
        let within = |zone: Zone| flag(zones.has(zone));
        let same = |zone: Zone| flag(zones.has(zone) == self.zones.has(zone));
        row.in_around = within(Zone::Around);
        row.in_main = within(Zone::Main);
        row.in_header = within(Zone::Header);
        row.in_figure = within(Zone::Figure);
        row.in_link = within(Zone::Link);
        row.in_quote = within(Zone::Quote);
        row.around_same = same(Zone::Around);
        row.main_same = same(Zone::Main);
        row.header_same = same(Zone::Header);
        row.figure_same = same(Zone::Figure);
        row.link_same = same(Zone::Link);
        row.hidden = flag(view.hidden[inner.index()]);
        row.lines = float(view.lines_in(inner)).min(4.0);
        row.lines_change = row.lines - self.lines;
        row.promotion = flag(is_promotion(&candidate.phrase.text));
        let looks = self.looks_counts.get(&view.looks[inner.index()]).copied().unwrap_or(1);
        row.looks_count = float(looks).ln().min(3.0);
        row.value_count = float(self.value_counts.get(&candidate.phrase.key).copied().unwrap_or(1)).min(3.0);
        row.children = float(view.page.children(inner).count());
        row.chain_length = float(candidate.chain.nodes.len()) / 4.0;
        row.ordinal = float(ordinal).min(3.0);
        row.share_of_parent = share_of_parent(view, candidate);
        row.share_change = row.share_of_parent - self.share;
        let [h1, heading, p, a, time, li, div, span, cell, img, meta, address] =
            candidate.context.tag_classes.map(flag);
        (row.tag_h1, row.tag_heading, row.tag_p, row.tag_a, row.tag_time, row.tag_li) = (h1, heading, p, a, time, li);
        (row.tag_div, row.tag_span, row.tag_cell, row.tag_img) = (div, span, cell, img);
        (row.tag_meta, row.tag_address) = (meta, address);
    }

    fn looks(&self, candidate: &Candidate<'_>, row: &mut Single) {
        let (old, new) = (&self.shape, candidate.phrase.shape());
        row.length_ratio = log_ratio(new.length, old.length);
        row.words_ratio = log_ratio(new.words, old.words);
        row.digits_change = (new.digits - old.digits).abs();
        row.capitals_change = (new.capitals - old.capitals).abs();
        row.punctuation_change = (new.punctuation - old.punctuation).abs();
        row.capitalised_change = (new.capitalised - old.capitalised).abs();
        row.ends_sentence_change = (new.ends_sentence - old.ends_sentence).abs();
        row.has_day_change = (new.has_day - old.has_day).abs();
        row.has_digit_change = (new.has_digit - old.has_digit).abs();
        row.begins_by_change = (new.begins_by - old.begins_by).abs();
        row.colon_change = (new.has_colon - old.has_colon).abs();
        row.is_name_change = (new.is_name - old.is_name).abs();
        row.sentences_ratio = log_ratio(new.sentences, old.sentences);
        row.length = new.length.ln_1p();
        row.digits = new.digits;
        row.capitalised = new.capitalised;
        row.ends_sentence = new.ends_sentence;
        row.has_day = new.has_day;
        row.begins_by = new.begins_by;
        row.is_name = new.is_name;
        row.old_length = old.length.ln_1p();
        row.first_class_same = flag(new.first_class == old.first_class);
        row.has_time = new.has_time;
        row.has_time_change = (new.has_time - old.has_time).abs();
        row.first_is_label = new.first_is_label;
        row.first_is_label_same = flag(same(new.first_is_label, old.first_is_label));
        row.same_first_word = flag(new.first_word == old.first_word);
        row.same_last_word = flag(new.last_word == old.last_word);
        row.same_pattern = flag(new.pattern == old.pattern);
        row.speaks_of_change = flag(changes(candidate));
        row.speaks_of_change_more = row.speaks_of_change - flag(self.speaks_of_change);
        let (old, new) = (&*self.old.phrase, &*candidate.phrase);
        row.same_value = flag(new.means(old));
        row.value_likeness = new.shows(old, Sense::Text);
        row.seen_on_old = flag(old.key != new.key && self.old_view.chain_with_text(new).is_some());
    }

    fn words(&self, candidate: &Candidate<'_>, row: &mut Single) {
        let words = &self.field.words.words;
        let context = &*candidate.context;
        row.word_in_names = flag(context.names.meets(words));
        row.word_near = flag(context.near_names.meets(words));
        row.word_far = flag(context.far_names.meets(words));
        row.word_in_marks = flag(context.mark_names.meets(words));
        row.word_in_label = flag(context.label_words.meets(words));
        row.word_in_heading = flag(context.heading_words.meets(words));
        row.word_in_old = flag(self.names_and_near.meets(words));
    }

    fn stated(&self, view: &View<'_>, candidate: &Candidate<'_>, row: &mut Single) {
        let concepts = self.field.words.concepts;
        let shown = |concept: Concept| view.best_shown(candidate.number, &candidate.phrase, concept);
        let best = |concepts: &mut dyn Iterator<Item = Concept>| concepts.map(shown).fold(0.0, f32::max);
        row.stated_by_name = best(&mut concepts.iter().copied());
        row.stated_exactly = flag(is_stated_exactly(view, candidate, concepts));
        row.old_stated_exactly = self.stated_exactly;
        // Topics, bodies and brands contain too much to tell by accident.
        let telling = |concept: &Concept| {
            !matches!(concept, Concept::Topics | Concept::Body | Concept::Brand) || concepts.contains(concept)
        };
        row.stated_as_before = if self.concepts_before.is_empty() {
            -1.0
        } else {
            best(&mut self.concepts_before.iter().map(|(concept, _)| *concept).filter(telling))
        };
        let at_paths = self.at_paths.iter().map(|(phrase, sense)| candidate.phrase.shows(phrase, *sense));
        row.stated_at_path =
            if self.paths_known && !self.at_paths.is_empty() { at_paths.fold(0.0, f32::max) } else { -1.0 };
        row.stated_before = self.concepts_before.iter().map(|(_, shown)| *shown).fold(0.0, f32::max);
        let is_title = self.field.words.kind == FieldKind::Title;
        row.stated_title = if is_title { 0.0 } else { shown(Concept::Title) };
        row.old_is_title = self.title;
        row.is_stated = flag(concepts.iter().any(|concept| !view.statements.of_concept(*concept).is_empty()));
        row.stated_own_name =
            self.own_name.iter().map(|phrase| candidate.phrase.shows(phrase, Sense::Text)).fold(0.0, f32::max);
        row.stated_best = row.stated_by_name.max(row.stated_as_before).max(row.stated_at_path).max(row.stated_own_name);
        let names_things = concepts.contains(&Concept::Brand) || concepts.contains(&Concept::Topics);
        row.stated_brand = flag(!names_things && shown(Concept::Brand).max(shown(Concept::Topics)) >= 0.85);
        row.stated_modified = if self.has_day { shown(Concept::Modified) } else { 0.0 };
        row.stated_description = if candidate.phrase.characters > 40 { shown(Concept::Description) } else { 0.0 };
        row.old_is_description = self.description;
    }

    /// Sets the features that relate the candidate to the fields whose selectors still work.
    fn kept(&self, candidate: &Candidate<'_>, row: &mut Single) {
        let outer = candidate.chain.outer;
        let old = self.old.chain.outer;
        let (mut in_order, mut count) = (0, 0);
        row.kept_distance = 5.0;
        for kept in self.field.others {
            count += 1;
            in_order += usize::from((old > kept.old) == (outer > kept.new));
            let (before, now) = (old.index().abs_diff(kept.old.index()), outer.index().abs_diff(kept.new.index()));
            row.kept_distance = row.kept_distance.min(((1.0 + float(now)) / (1.0 + float(before))).ln().abs());
            let between = |span: (usize, usize), place: usize| (span.0..span.1).contains(&place);
            if between(kept.new_span, outer.index()) && !between(kept.old_span, old.index()) {
                row.between_kept = 1.0;
            }
            if kept.new_nodes.contains(&candidate.chain.inner) {
                row.taken = 1.0;
            }
        }
        row.kept_fields = float(count);
        row.order_kept = if count == 0 { 0.5 } else { ratio(in_order, count) };
    }
}

/// Returns whether the page states exactly this text for one of the concepts.
fn is_stated_exactly(view: &View<'_>, candidate: &Candidate<'_>, concepts: &[Concept]) -> bool {
    concepts.iter().any(|concept| {
        let mut stated = view.statements.of_concept(*concept).iter();
        stated.any(|stated| stated.key == candidate.phrase.key && stated.text == candidate.phrase.text)
    })
}

fn same(left: f32, right: f32) -> bool {
    (left - right).abs() < f32::EPSILON
}

fn changes(candidate: &Candidate<'_>) -> bool {
    speaks_of_change(&candidate.phrase.text) || speaks_of_change(&candidate.context.label)
}

fn share_of_parent(view: &View<'_>, candidate: &Candidate<'_>) -> f32 {
    let outer = candidate.chain.outer;
    match view.page.parent(outer) {
        Some(parent) => ratio(view.page.letters(outer), view.page.letters(parent).max(1)),
        None => 1.0,
    }
}
