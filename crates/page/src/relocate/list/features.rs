//! Features of a group that may be a list, compared with the old list.

use std::collections::{HashMap, HashSet};

use super::candidates::{Group, meeting};
use super::looks::Looks;
use super::names::Names;
use super::stated::Stated;
use crate::document::NodeId;
use crate::relocate::concepts::Concept;
use crate::relocate::features::features;
use crate::relocate::field::Field;
use crate::relocate::lexicon::FieldKind;
use crate::relocate::number::{difference, flag, float, log_ratio, ratio};
use crate::relocate::phrase::{Phrase, Sense};
use crate::relocate::view::{Item, LISTED, View, Zone};
use crate::relocate::words::{Word, Words, loose, text_words, word};

features! {
    /// Features of a group. Shares and similarities range from 0 to 1.
    List {
        // Names and tags of the items and of what is around them, next to the old ones.
        own_names_covered, own_names_overlap, around_names_covered, around_names_overlap,
        container_names_covered, container_names_overlap, all_names_covered, all_names_overlap, tags_same, marks_shared,
        heading_same, label_overlap,
        // Shares of its items' tags.
        tag_p, tag_li, tag_a, tag_span, tag_div, tag_heading,
        // Where it stands.
        in_around, in_main, in_header, in_figure, in_link, in_quote, around_same, main_same, figure_same, link_same,
        /// The share of items in a part of the container that is navigation or a figure.
        zone_mixed, hidden, position, position_change, depth_change, after_heading, heading_distance,
        // How much of the container's, the page's and the longest text it is.
        share_of_container, share_of_page, share_of_longest, share_of_page_change, share_of_container_change,
        // What the set is like.
        count, one_parent, depths, mixed_tags, variant, homogeneity, homogeneity_change, single, old_single,
        /// Share of the elements with the same tag that belong to the group: in the container, around it, and
        /// on the page.
        taken_in_container, taken_around, taken_on_page, density,
        share_of_parents, share_of_parents_change,
        // What its items look like, next to the old ones.
        count_ratio, length_ratio, words_ratio, spread_change, numbers_change, ends_change, capitalised_change, links_change,
        distinct_change, colons_change, short_change, spread, numbers, ends, capitalised, links, distinct, colons, short, length,
        lines, lines_change, has_lines, labels_change, children_change, bold, glyph, first_length, last_length, first_link,
        last_link,
        // The values themselves.
        old_values, old_values_found,
        /// The share of items that the old page also has, but not as values.
        seen_on_old,
        // Words that fields of this name are known by.
        word_in_names, word_around, word_in_container, word_in_heading, word_in_label,
        // What the page states about itself.
        stated_share, stated_covered, stated_both, old_stated_both, old_stated_share, old_stated_covered, is_stated,
        stated_share_change, stated_covered_change, stated_other, first_is_description,
        /// The share of items that are stated, and whether the first and the last one are.
        stated_items, old_stated_items, first_stated, last_stated,
        /// The share of items that are nothing but links.
        link_items, link_items_change,
        /// The share of items that point elsewhere.
        promotion, promotion_change, promotion_first, promotion_last,
        /// Similarity of the items without their parents, and the change in the share that begins with a
        /// bullet.
        own_homogeneity, own_homogeneity_change, glyph_change,
        // Fields whose selector still works.
        order_kept, kept_fields, taken, inside_kept,
        // The kind of field.
        kind_body, kind_ingredients, kind_instructions, kind_subheadlines, kind_topics, kind_summary,
    }
}

/// The old list and everything about the new page that does not depend on the group.
pub(crate) struct Comparison<'o> {
    old_view: &'o View<'o>,
    new_view: &'o View<'o>,
    field: &'o Field<'o>,
    first: NodeId,
    container: NodeId,
    looks: Looks,
    names: Names,
    values: HashSet<Word>,
    heading: Word,
    label: Words,
    share_of_container: f32,
    share_of_page: f32,
    share_of_parents: f32,
    position: f32,
    concepts: Vec<usize>,
    old_stated: Stated,
    /// The length of the longest list of paragraphs without links: the page's main text.
    longest: f32,
    tag_places: HashMap<Word, Vec<usize>>,
    looks_counts: HashMap<Word, usize>,
}

impl<'o> Comparison<'o> {
    /// `nodes` are the items on the old page, in document order; there must be some.
    pub(crate) fn new(
        old_view: &'o View<'o>,
        nodes: &[NodeId],
        new_view: &'o View<'o>,
        field: &'o Field<'o>,
        groups: &[Group],
    ) -> Option<Self> {
        let (first, last) = (*nodes.first()?, *nodes.last()?);
        let container = meeting(old_view.page, first, last).unwrap_or(first);
        let items: Vec<&Item> = nodes.iter().map(|node| old_view.item(*node)).collect();
        let letters = letters_of(old_view, nodes);
        let stated_of = |place: usize| Stated::of(old_view, &items, place);
        let named: Vec<usize> =
            (0..LISTED.len()).filter(|place| field.words.concepts.contains(&LISTED[*place])).collect();
        let concepts = if named.is_empty() {
            let best = (0..LISTED.len()).max_by(|left, right| stated_of(*left).both.total_cmp(&stated_of(*right).both));
            best.filter(|place| stated_of(*place).both > 0.5).into_iter().collect()
        } else {
            named
        };
        let old_stated = best_stated(concepts.iter().map(|place| stated_of(*place)));
        let mut tag_places: HashMap<Word, Vec<usize>> = HashMap::new();
        let mut looks_counts: HashMap<Word, usize> = HashMap::new();
        let page = new_view.page;
        for node in page.descendants(page.body()).filter(|node| !page.is_skipped(*node) && page.letters(*node) > 0) {
            tag_places.entry(word(page.tag(node))).or_default().push(node.index());
            *looks_counts.entry(new_view.looks[node.index()]).or_default() += 1;
        }
        let longest = groups
            .iter()
            .filter(|group| group.nodes.first().is_some_and(|first| page.tag(*first) == "p"))
            .map(|group| {
                letters_of(new_view, &group.nodes)
                    - group.nodes.iter().map(|node| page.linked_letters(*node)).sum::<usize>()
            })
            .max()
            .unwrap_or(0);
        Some(Self {
            looks: Looks::of(&items),
            names: Names::of(old_view, nodes, container),
            values: items.iter().map(|item| item.key).collect(),
            heading: word(&loose(old_view.heading_before(first))),
            label: text_words(old_view.page.text_before(first)),
            share_of_container: ratio(letters, old_view.page.letters(container).max(1)),
            share_of_page: ratio(letters, old_view.page.letters(NodeId(0)).max(1)),
            share_of_parents: ratio(letters, letters_of(old_view, &parents_of(old_view, nodes)).max(1)),
            position: old_view.position(first),
            longest: float(longest.max(1)),
            old_view,
            new_view,
            field,
            first,
            container,
            concepts,
            old_stated,
            tag_places,
            looks_counts,
        })
    }

    /// The features of a group, and the number of its texts in their order.
    pub(crate) fn features(&self, group: &Group) -> Option<(List, Word)> {
        let first = *group.nodes.first()?;
        let last = *group.nodes.last()?;
        let items: Vec<&Item> = group.nodes.iter().map(|node| self.new_view.item(*node)).collect();
        let mut row = List::default();
        self.names(group, first, &mut row);
        self.place(group, first, &mut row);
        self.set(group, first, last, &mut row);
        self.looks(&items, &mut row);
        row.first_link = items.first().map_or(0.0, |item| item.link_share);
        row.last_link = items.last().map_or(0.0, |item| item.link_share);
        self.stated(&items, first, &mut row);
        self.kept(group, first, &mut row);
        let kind = self.field.words.kind;
        row.kind_body = flag(kind == FieldKind::Body);
        row.kind_ingredients = flag(kind == FieldKind::Ingredients);
        row.kind_instructions = flag(kind == FieldKind::Instructions);
        row.kind_subheadlines = flag(kind == FieldKind::Subheadlines);
        row.kind_topics = flag(kind == FieldKind::Topics);
        row.kind_summary = flag(kind == FieldKind::Summary);
        Some((row, crate::relocate::words::join(items.iter().map(|item| item.key))))
    }

    fn names(&self, group: &Group, first: NodeId, row: &mut List) {
        let view = self.new_view;
        let new = Names::of(view, &group.nodes, group.container);
        (row.own_names_covered, row.own_names_overlap) = view.covered(&self.names.own, &new.own);
        (row.around_names_covered, row.around_names_overlap) = view.covered(&self.names.around, &new.around);
        (row.container_names_covered, row.container_names_overlap) =
            view.covered(&self.names.container, &new.container);
        (row.all_names_covered, row.all_names_overlap) = view.covered(&self.names.all, &new.all);
        row.tags_same =
            self.names.tags.iter().map(|(tag, share)| share.min(new.tags.get(tag).copied().unwrap_or(0.0))).sum();
        row.marks_shared = flag(self.names.marks.meets(&new.marks));
        let (heading, label) = (view.heading_before(first), view.page.text_before(first));
        row.heading_same = flag(!heading.is_empty() && word(&loose(heading)) == self.heading);
        let label = text_words(label);
        row.label_overlap = self.label.overlap(&label);
        row.tag_p = new.tag(&["p"]);
        row.tag_li = new.tag(&["li"]);
        row.tag_a = new.tag(&["a"]);
        row.tag_span = new.tag(&["span"]);
        row.tag_div = new.tag(&["div"]);
        row.tag_heading = new.tag(&["h2", "h3", "h4"]);
        let words = &self.field.words.words;
        row.word_in_names = flag(new.own.meets(words));
        row.word_around = flag(new.around.meets(words));
        row.word_in_container = flag(new.container.meets(words));
        row.word_in_heading = flag(text_words(heading).meets(words));
        row.word_in_label = flag(label.meets(words));
    }

    fn place(&self, group: &Group, first: NodeId, row: &mut List) {
        let view = self.new_view;
        let (zones, old_zones) = (view.zones[first.index()], self.old_view.zones[self.first.index()]);
        let within = |zone: Zone| flag(zones.has(zone));
        let same = |zone: Zone| flag(zones.has(zone) == old_zones.has(zone));
        row.in_around = within(Zone::Around);
        row.in_main = within(Zone::Main);
        row.in_header = within(Zone::Header);
        row.in_figure = within(Zone::Figure);
        row.in_link = within(Zone::Link);
        row.in_quote = within(Zone::Quote);
        row.around_same = same(Zone::Around);
        row.main_same = same(Zone::Main);
        row.figure_same = same(Zone::Figure);
        row.link_same = same(Zone::Link);
        let outer = view.zones[group.container.index()];
        let mixed = group.nodes.iter().filter(|node| {
            let own = view.zones[node.index()].without(outer);
            own.has(Zone::Around) || own.has(Zone::Figure)
        });
        row.zone_mixed = ratio(mixed.count(), group.nodes.len());
        row.hidden = flag(view.hidden[first.index()]);
        row.position = view.position(first);
        row.position_change = row.position - self.position;
        row.depth_change = difference(view.page.depth(group.container), self.old_view.page.depth(self.container)) / 5.0;
        row.after_heading = flag(first > view.main_heading);
        row.heading_distance = (float(first.index().abs_diff(view.main_heading.index())) / 60.0).min(3.0);
    }

    fn set(&self, group: &Group, first: NodeId, last: NodeId, row: &mut List) {
        let view = self.new_view;
        let page = view.page;
        let letters = letters_of(view, &group.nodes);
        row.share_of_container = ratio(letters, page.letters(group.container).max(1));
        row.share_of_page = ratio(letters, page.letters(NodeId(0)).max(1));
        row.share_of_longest = float(letters) / self.longest;
        row.share_of_page_change = row.share_of_page - self.share_of_page;
        row.share_of_container_change = row.share_of_container - self.share_of_container;
        let parents = parents_of(view, &group.nodes);
        row.share_of_parents = ratio(letters, letters_of(view, &parents).max(1));
        row.share_of_parents_change = row.share_of_parents - self.share_of_parents;
        row.count = float(group.nodes.len()).ln_1p();
        row.one_parent = flag(parents.len() == 1);
        let depths: HashSet<usize> = group.nodes.iter().map(|node| page.depth(*node)).collect();
        row.depths = float(depths.len()) - 1.0;
        let tag = page.tag(first);
        row.mixed_tags = flag(group.nodes.iter().any(|node| page.tag(*node) != tag));
        row.variant = f32::from(group.variant as u8);
        row.single = flag(group.nodes.len() == 1);
        row.old_single = flag(same(self.looks.count, 1.0));
        let count = float(group.nodes.len());
        let alike_in = |within: NodeId| -> f32 {
            let places = self.tag_places.get(&word(tag)).map_or(&[][..], Vec::as_slice);
            let from = places.partition_point(|place| *place < within.index());
            let to = places.partition_point(|place| *place < page.close(within));
            float((to - from).max(1))
        };
        row.taken_in_container = count / alike_in(group.container);
        row.taken_around = count / alike_in(page.parent(group.container).unwrap_or(group.container));
        let looks = self.looks_counts.get(&view.looks[first.index()]).copied().unwrap_or(1);
        row.taken_on_page = count / float(looks);
        row.density = count / float(last.index() - first.index() + 1);
    }

    fn looks(&self, items: &[&Item], row: &mut List) {
        let (old, new) = (&self.looks, &Looks::of(items));
        row.count_ratio = log_ratio(new.count, old.count);
        row.length_ratio = log_ratio(new.mean, old.mean);
        row.words_ratio = log_ratio(new.words, old.words);
        row.spread_change = (new.spread - old.spread).abs();
        row.numbers_change = (new.numbers - old.numbers).abs();
        row.ends_change = (new.ends - old.ends).abs();
        row.capitalised_change = (new.capitalised - old.capitalised).abs();
        row.links_change = (new.links - old.links).abs();
        row.distinct_change = (new.distinct - old.distinct).abs();
        row.colons_change = (new.colons - old.colons).abs();
        row.short_change = (new.short - old.short).abs();
        row.spread = new.spread;
        row.numbers = new.numbers;
        row.ends = new.ends;
        row.capitalised = new.capitalised;
        row.links = new.links;
        row.distinct = new.distinct;
        row.colons = new.colons;
        row.short = new.short;
        row.length = new.mean.ln_1p();
        row.lines = new.lines;
        row.lines_change = new.lines - old.lines;
        row.has_lines = flag(new.lines >= 2.0);
        row.labels_change = new.labels - old.labels;
        row.children_change = new.children - old.children;
        row.promotion = new.promotion;
        row.promotion_change = new.promotion - old.promotion;
        row.promotion_first = flag(items.first().is_some_and(|item| item.is_promotion));
        row.promotion_last = flag(items.last().is_some_and(|item| item.is_promotion));
        row.own_homogeneity = new.own_homogeneity;
        row.own_homogeneity_change = new.own_homogeneity - old.own_homogeneity;
        row.glyph_change = new.glyphs - old.glyphs;
        row.link_items = new.link_items;
        row.link_items_change = new.link_items - old.link_items;
        row.homogeneity = new.homogeneity;
        row.homogeneity_change = new.homogeneity - old.homogeneity;
        row.bold = ratio(items.iter().filter(|item| item.is_bold).count(), items.len());
        row.glyph = flag(items.first().is_some_and(|item| item.begins_with_glyph));
        let end = |item: Option<&&Item>| item.map_or(0.0, |item| (float(item.length) / new.mean.max(1.0)).min(3.0));
        row.first_length = end(items.first());
        row.last_length = end(items.last());
        let known = items.iter().filter(|item| self.values.contains(&item.key));
        let found: HashSet<Word> = known.clone().map(|item| item.key).collect();
        row.old_values = ratio(known.count(), items.len());
        row.old_values_found = ratio(found.len(), self.values.len());
        let seen = items.iter().filter(|item| !self.values.contains(&item.key) && self.old_view.has_text(item.key));
        row.seen_on_old = ratio(seen.count(), items.len());
    }

    fn stated(&self, items: &[&Item], first: NodeId, row: &mut List) {
        let stated = if self.field.words.kind == FieldKind::Topics {
            Stated::of_topics(self.new_view, items)
        } else {
            best_stated(self.concepts.iter().map(|place| Stated::of(self.new_view, items, *place)))
        };
        row.stated_share = stated.share;
        row.stated_covered = stated.covered;
        row.stated_both = stated.both;
        row.old_stated_both = self.old_stated.both;
        row.old_stated_share = self.old_stated.share;
        row.old_stated_covered = self.old_stated.covered;
        row.stated_items = stated.items;
        row.old_stated_items = self.old_stated.items;
        let is_stated = |item: Option<&&Item>| {
            flag(item.is_some_and(|item| self.concepts.iter().any(|place| item.is_stated(self.new_view, *place))))
        };
        row.first_stated = is_stated(items.first());
        row.last_stated = is_stated(items.last());
        row.is_stated =
            flag(self.concepts.iter().any(|place| self.new_view.statements.whole(LISTED[*place]).is_some()));
        row.stated_share_change = stated.share - self.old_stated.share;
        row.stated_covered_change = stated.covered - self.old_stated.covered;
        row.stated_other = (0..LISTED.len())
            .filter(|place| !self.concepts.contains(place))
            .map(|place| Stated::of(self.new_view, items, place).share)
            .fold(0.0, f32::max);
        row.first_is_description = self.first_is_description(first);
    }

    /// Returns how well the first item shows the page's description. Such an item is a lead, not a part of
    /// the body.
    fn first_is_description(&self, first: NodeId) -> f32 {
        let descriptions = self.new_view.statements.of_concept(Concept::Description);
        if descriptions.is_empty() {
            return 0.0;
        }
        let phrase = Phrase::new(crate::document::first_bytes(self.new_view.page.visible_text(first), 600));
        descriptions.iter().map(|stated| phrase.shows(stated, Sense::Text)).fold(0.0, f32::max)
    }

    /// Sets the features that relate the group to the fields whose selectors still work.
    fn kept(&self, group: &Group, first: NodeId, row: &mut List) {
        let (mut in_order, mut inside, mut count) = (0, 0, 0);
        for kept in self.field.others {
            count += 1;
            in_order += usize::from((self.first > kept.old) == (first > kept.new));
            let new_inside = group.container.index() <= kept.new_span.0
                && self.new_view.page.close(group.container) >= kept.new_span.1;
            let old_inside = self.container.index() <= kept.old_span.0
                && self.old_view.page.close(self.container) >= kept.old_span.1;
            inside += usize::from(new_inside == old_inside);
            if kept.new_nodes.iter().any(|node| group.nodes.binary_search(node).is_ok()) {
                row.taken = 1.0;
            }
        }
        row.kept_fields = float(count);
        row.order_kept = if count == 0 { 0.5 } else { ratio(in_order, count) };
        row.inside_kept = if count == 0 { 0.5 } else { ratio(inside, count) };
    }
}

fn best_stated(all: impl Iterator<Item = Stated>) -> Stated {
    all.max_by(|left, right| left.both.total_cmp(&right.both)).unwrap_or_default()
}

fn letters_of(view: &View<'_>, nodes: &[NodeId]) -> usize {
    nodes.iter().map(|node| view.page.letters(*node)).sum()
}

fn parents_of(view: &View<'_>, nodes: &[NodeId]) -> Vec<NodeId> {
    let mut parents: Vec<NodeId> = nodes.iter().filter_map(|node| view.page.parent(*node)).collect();
    parents.sort_unstable();
    parents.dedup();
    parents
}

fn same(left: f32, right: f32) -> bool {
    (left - right).abs() < f32::EPSILON
}
