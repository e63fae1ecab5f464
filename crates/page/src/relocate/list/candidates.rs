//! Groups of elements on a page that may be a field's list.
//!
//! Elements are alike when they share a tag, a class, an attribute or a parent's tag. For every way to be
//! alike, and every container, the alike elements in it are a group; variants of a group leave out what often
//! does not belong.

use std::collections::{HashMap, HashSet};

use crate::document::{Document, NodeId};
use crate::relocate::number::float;
use crate::relocate::view::{LISTED, View, Zone};
use crate::relocate::words::{Word, join, word};

/// Elements that may be a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Group {
    /// Elements of the group, in document order.
    pub(crate) nodes: Vec<NodeId>,
    /// The nearest element around all of them.
    pub(crate) container: NodeId,
    pub(crate) variant: Variant,
}

/// Rule by which a group was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    /// All alike elements in the container.
    All,
    /// Of elements within each other, the outermost, and the innermost.
    Outermost,
    Innermost,
    /// Without links and what stands in navigation or figures.
    Clean,
    /// Only those that look like most, or lie as deep as most.
    Majority,
    /// Only the children of the container, or also their children.
    Children,
    Grandchildren,
    /// Without what the old page also said.
    New,
    /// Only what the page also states for machines.
    Stated,
    /// Without what points to other pages.
    Content,
    /// A list of sentences without the short lines before and after them: bylines, headings, credits.
    Sentences,
}

/// More elements are not a list but a page.
const MOST: usize = 300;

/// Attributes that sites mark the items of a list with.
const MARKS: &[&str] = &["data-testid", "data-component", "data-type", "data-qa"];

/// The groups whose items have about the mean length `mean` (characters), each once.
pub(crate) fn groups(view: &View<'_>, mean: f32, is_old: &dyn Fn(NodeId) -> bool) -> Vec<Group> {
    let page = view.page;
    let mut alike: HashMap<Word, Vec<NodeId>> = HashMap::new();
    let mut order: Vec<Word> = Vec::new();
    for node in page.descendants(page.body()) {
        let letters = page.letters(node);
        if page.is_skipped(node) || letters == 0 || float(letters) > 12.0 * mean + 400.0 {
            continue;
        }
        for signature in signatures(page, node) {
            alike
                .entry(signature)
                .or_insert_with(|| {
                    order.push(signature);
                    Vec::new()
                })
                .push(node);
        }
    }
    let mut found = Found { view, is_old, seen: HashSet::new(), groups: Vec::new() };
    for signature in order {
        found.alike(&alike[&signature]);
    }
    found.groups
}

/// The ways in which an element can be like others.
fn signatures(page: &Document, node: NodeId) -> Vec<Word> {
    let tag = page.tag(node);
    let mut all = vec![join([1, word(tag)])];
    let families: [(&[&str], Word); 4] = [
        (&["h2", "h3", "h4"], 2),
        (&["p", "li"], 3),
        (&["p", "h2", "h3", "h4", "h5"], 4),
        (&["p", "h2", "h3", "h4", "h5", "li"], 5),
    ];
    all.extend(families.iter().filter(|(tags, _)| tags.contains(&tag)).map(|(_, number)| join([*number])));
    let classes: Vec<&str> = page.classes(node).collect();
    if !classes.is_empty() {
        all.push(join([6, word(tag), word(&classes.join(" "))]));
    }
    if classes.len() > 1 {
        all.extend(classes.iter().map(|class| join([7, word(tag), word(class)])));
    }
    if let Some(property) = page.attribute(node, "itemprop") {
        all.push(join([8, word(tag), word(property)]));
    }
    for mark in MARKS {
        if let Some(value) = page.attribute(node, mark) {
            all.push(join([9, word(tag), word(mark), word(value)]));
        }
    }
    if let Some(parent) = page.parent(node) {
        all.push(join([10, word(page.tag(parent)), word(tag)]));
        if let Some(class) = page.attribute(parent, "class") {
            all.push(join([11, word(page.tag(parent)), word(class), word(tag)]));
        }
    }
    all
}

struct Found<'v, 'p> {
    view: &'v View<'p>,
    is_old: &'v dyn Fn(NodeId) -> bool,
    seen: HashSet<Word>,
    groups: Vec<Group>,
}

impl Found<'_, '_> {
    /// All groups of elements that are alike.
    fn alike(&mut self, nodes: &[NodeId]) {
        let page = self.view.page;
        // The containers are where neighbours meet.
        let mut containers: Vec<NodeId> = nodes.windows(2).filter_map(|pair| meeting(page, pair[0], pair[1])).collect();
        containers.sort_unstable();
        containers.dedup();
        for container in containers {
            let from = nodes.partition_point(|node| *node <= container);
            let to = nodes.partition_point(|node| node.index() < page.close(container));
            if to - from <= MOST && to - from > 1 {
                self.within(container, &nodes[from..to]);
            }
        }
        for (place, &node) in nodes.iter().enumerate() {
            let Some(parent) = page.parent(node) else { continue };
            let has_before = place.checked_sub(1).is_some_and(|before| page.contains(parent, nodes[before]));
            let has_after = nodes.get(place + 1).is_some_and(|after| page.contains(parent, *after));
            if !has_before && !has_after {
                self.add(vec![node], parent, Variant::All);
            }
        }
    }

    /// The group in a container and its variants.
    fn within(&mut self, container: NodeId, all: &[NodeId]) {
        let page = self.view.page;
        let is_nested = all.windows(2).any(|pair| page.contains(pair[0], pair[1]));
        let mut nodes = all.to_vec();
        if is_nested {
            let mut end = 0;
            let outermost = all.iter().copied().filter(|node| {
                let is_outside = node.index() >= end;
                end = end.max(page.close(*node));
                is_outside
            });
            let outermost = outermost.collect();
            self.add(outermost, container, Variant::Outermost);
            let has_inner = |place: usize| all.get(place + 1).is_some_and(|next| page.contains(all[place], *next));
            nodes = (0..all.len()).filter(|place| !has_inner(*place)).map(|place| all[place]).collect();
            self.add(nodes.clone(), container, Variant::Innermost);
        } else {
            self.add(nodes.clone(), container, Variant::All);
        }
        if nodes.len() < 2 {
            return;
        }
        let zones = self.view.zones[container.index()];
        let is_clean = |node: &NodeId| {
            let own = self.view.zones[node.index()].without(zones);
            let is_link = self.view.link_share(*node) > 0.95 && !zones.has(Zone::Link);
            !own.has(Zone::Around) && !own.has(Zone::Figure) && !is_link
        };
        let clean: Vec<NodeId> = nodes.iter().copied().filter(is_clean).collect();
        let new: Vec<NodeId> = clean.iter().copied().filter(|node| !(self.is_old)(*node)).collect();
        let looks = |node: &NodeId| {
            (page.parent(*node).map_or(0, |parent| self.view.looks[parent.index()]), self.view.looks[node.index()])
        };
        let same_looks = majority(&clean, looks);
        let same_depth = majority(&clean, |node| page.depth(*node));
        let is_child = |node: &NodeId| page.parent(*node) == Some(container);
        let is_grandchild =
            |node: &NodeId| page.parent(*node).and_then(|parent| page.parent(parent)) == Some(container);
        let children: Vec<NodeId> = nodes.iter().copied().filter(is_child).collect();
        let grandchildren: Vec<NodeId> =
            nodes.iter().copied().filter(|node| is_child(node) || is_grandchild(node)).collect();
        // Where most of a list is stated, the rest may be headings and teasers between its items.
        for place in 0..LISTED.len() {
            let stated: Vec<NodeId> =
                clean.iter().copied().filter(|node| self.view.item(*node).is_stated(self.view, place)).collect();
            if 2 * stated.len() > clean.len() && stated.len() < clean.len() {
                self.add(stated, container, Variant::Stated);
            }
        }
        let content = |nodes: &[NodeId]| -> Vec<NodeId> {
            nodes.iter().copied().filter(|node| !self.view.item(*node).is_promotion).collect()
        };
        let (all_content, clean_content) = (content(&nodes), content(&clean));
        let sentences = self.sentences(&clean_content);
        self.add(clean, container, Variant::Clean);
        self.add(new, container, Variant::New);
        self.add(all_content, container, Variant::Content);
        self.add(clean_content, container, Variant::Content);
        self.add(sentences, container, Variant::Sentences);
        self.add(same_looks, container, Variant::Majority);
        self.add(same_depth, container, Variant::Majority);
        self.add(children, container, Variant::Children);
        self.add(grandchildren, container, Variant::Grandchildren);
    }

    /// A list of sentences from its first to its last one; none when most are no sentences, or nothing is left out.
    fn sentences(&self, nodes: &[NodeId]) -> Vec<NodeId> {
        let mut lengths: Vec<usize> = nodes.iter().map(|node| self.view.item(*node).length).collect();
        lengths.sort_unstable();
        let Some(middle) = lengths.get(lengths.len() / 2) else { return Vec::new() };
        let is_sentence = |node: &NodeId| {
            let item = self.view.item(*node);
            item.ends_sentence || 2 * item.length > *middle
        };
        let ending = nodes.iter().filter(|node| self.view.item(**node).ends_sentence).count();
        let first = nodes.iter().position(is_sentence);
        let last = nodes.iter().rposition(is_sentence);
        match (first, last) {
            (Some(first), Some(last)) if 3 * ending >= 2 * nodes.len() && last + 1 - first < nodes.len() => {
                nodes[first..=last].to_vec()
            }
            (Some(_) | None, _) => Vec::new(),
        }
    }

    fn add(&mut self, nodes: Vec<NodeId>, container: NodeId, variant: Variant) {
        let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else { return };
        if nodes.len() > MOST || !self.seen.insert(join(nodes.iter().map(|node| node.index() as Word))) {
            return;
        }
        // A variant may lie in a smaller container.
        let container = if nodes.len() == 1 { Some(container) } else { meeting(self.view.page, *first, *last) };
        if let Some(container) = container {
            self.groups.push(Group { nodes, container, variant });
        }
    }
}

/// Those that have the commonest key, when at least half have it and not all.
fn majority<K: Ord + Copy>(nodes: &[NodeId], key: impl Fn(&NodeId) -> K) -> Vec<NodeId> {
    let mut counts: std::collections::BTreeMap<K, usize> = std::collections::BTreeMap::new();
    for node in nodes {
        *counts.entry(key(node)).or_default() += 1;
    }
    // Of equals the smallest key: any, but always the same.
    let Some((commonest, count)) = counts.iter().rev().max_by_key(|(_, count)| **count) else { return Vec::new() };
    if counts.len() < 2 || 2 * count < nodes.len() {
        return Vec::new();
    }
    nodes.iter().copied().filter(|node| key(node) == *commonest).collect()
}

/// The nearest element strictly around both.
pub(crate) fn meeting(page: &Document, first: NodeId, last: NodeId) -> Option<NodeId> {
    page.ancestors(first).find(|above| last.index() < page.close(*above))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(html: &str, mean: f32) -> Vec<Vec<String>> {
        let page = Document::parse(html);
        let view = View::new(&page);
        let groups = groups(&view, mean, &|_| false);
        groups.iter().map(|group| group.nodes.iter().map(|node| page.text(*node).into_owned()).collect()).collect()
    }

    #[test]
    fn lists_are_among_the_groups() {
        let html = "<div><h2>A</h2><ul><li>one</li><li>two</li></ul><h2>B</h2><ul><li>three</li></ul></div><p>four</p>";
        let groups = texts(html, 5.0);
        let has = |wanted: &[&str]| groups.iter().any(|group| group == wanted);
        assert!(has(&["one", "two"]) && has(&["one", "two", "three"]) && has(&["three"]) && has(&["A", "B"]));
        let mut seen = HashSet::new();
        let page_groups = texts(html, 5.0);
        assert!(page_groups.iter().all(|group| !group.is_empty() && (seen.insert(group.clone()) || group.len() < 3)));
    }

    #[test]
    fn short_lines_around_sentences_can_be_left_out() {
        let sentence = "<p>One sentence of a few.</p>";
        let html =
            format!("<article><p>AFP</p>{}<p>Bold claim</p>{sentence}<p>By Ada</p></article>", sentence.repeat(5));
        let found = texts(&html, 20.0);
        let is_trimmed = |group: &Vec<String>| {
            group.len() == 7 && group.contains(&"Bold claim".to_owned()) && !group.contains(&"AFP".to_owned())
        };
        assert!(found.iter().any(is_trimmed), "{found:?}");
    }

    #[test]
    fn links_and_teasers_can_be_left_out() {
        let html = "<article><p>one</p><p><a href=x>read on</a></p><aside><p>ad</p></aside><p>two</p></article>";
        assert!(texts(html, 5.0).contains(&vec!["one".to_owned(), "two".to_owned()]));
    }
}
