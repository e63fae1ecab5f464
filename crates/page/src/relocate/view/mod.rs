//! Data of a page for relocation: computed once, used for every field.

mod chains;
mod items;
mod zones;

use std::cell::{Cell, OnceCell};
use std::collections::{HashMap, HashSet};

pub(crate) use chains::{Chain, Context, TAG_CLASSES};
pub(crate) use items::{Item, LISTED};
pub(crate) use zones::{Zone, Zones};

use super::concepts::{CONCEPTS, Concept, Statements};
use super::number::{float, log_ratio};
use super::phrase::{Phrase, Sense};
use super::words::{Word, Words, both, join, name_parts, word};
use crate::document::{Document, NodeId};

/// Attributes whose value says what an element is.
const TELLING: &[&str] = &[
    "itemprop",
    "rel",
    "property",
    "role",
    "name",
    "data-testid",
    "data-test",
    "data-qa",
    "data-component",
    "data-type",
    "aria-label",
    "itemtype",
];

const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6", "legend", "summary"];

/// Elements that count as a line or a block of text.
const LINES: &[&str] = &["p", "li", "div", "h2", "h3", "h4", "section", "tr", "dd"];

/// A page with what relocation needs to know about each element.
pub(crate) struct View<'a> {
    pub(crate) page: &'a Document,
    /// The parts of each element's class names, id and telling attributes.
    pub(crate) names: Vec<Words>,
    /// Each element's telling attributes with their values.
    pub(crate) marks: Vec<Words>,
    pub(crate) zones: Vec<Zones>,
    pub(crate) hidden: Vec<bool>,
    /// Tag and class attribute of each element.
    pub(crate) looks: Vec<Word>,
    pub(crate) headings: Vec<NodeId>,
    /// The first `h1` with text, or the page's root.
    pub(crate) main_heading: NodeId,
    pub(crate) chains: Vec<Chain>,
    pub(crate) statements: Statements,
    chain_of: Vec<Option<usize>>,
    name_weights: HashMap<Word, f32>,
    lines: Vec<usize>,
    phrases: Vec<OnceCell<Phrase>>,
    contexts: Vec<OnceCell<Context>>,
    by_key: OnceCell<HashMap<Word, usize>>,
    /// Score of each chain for each concept; NaN until it is computed.
    shown: Vec<Cell<f32>>,
    items: Vec<OnceCell<Box<Item>>>,
    texts: OnceCell<HashSet<Word>>,
}

impl<'a> View<'a> {
    pub(crate) fn new(page: &'a Document) -> Self {
        let mut names = Vec::with_capacity(page.len());
        let mut marks = Vec::with_capacity(page.len());
        let mut looks = Vec::with_capacity(page.len());
        let mut frequency: HashMap<Word, usize> = HashMap::new();
        for node in page.nodes() {
            let (own, telling) = names_of(page, node);
            if !page.is_skipped(node) {
                for name in own.as_slice() {
                    *frequency.entry(*name).or_default() += 1;
                }
            }
            names.push(own);
            marks.push(telling);
            looks.push(join([word(page.tag(node)), word(page.attribute(node, "class").unwrap_or_default())]));
        }
        let total = float(page.len());
        let name_weights =
            frequency.into_iter().map(|(name, count)| (name, (1.0 + total / (1.0 + float(count))).ln())).collect();
        let (zones, hidden) = zones::zones(page, &names);
        let is_shown = |node: &NodeId| !page.is_skipped(*node) && page.letters(*node) > 0;
        let headings: Vec<_> =
            page.nodes().filter(|node| HEADINGS.contains(&page.tag(*node))).filter(is_shown).collect();
        let main_heading = headings.iter().find(|node| page.tag(**node) == "h1").copied().unwrap_or(NodeId(0));
        let mut lines = vec![0];
        for node in page.nodes() {
            let counts = page.tag(node) == "br" || (LINES.contains(&page.tag(node)) && is_shown(&node));
            lines.push(lines[node.index()] + usize::from(counts && !page.is_skipped(node)));
        }
        let (chains, chain_of) = chains::chains(page);
        Self {
            page,
            names,
            marks,
            zones,
            hidden,
            looks,
            headings,
            main_heading,
            statements: Statements::of(page),
            chain_of,
            name_weights,
            lines,
            phrases: vec![OnceCell::new(); chains.len()],
            contexts: std::iter::repeat_with(OnceCell::new).take(chains.len()).collect(),
            by_key: OnceCell::new(),
            items: std::iter::repeat_with(OnceCell::new).take(page.len()).collect(),
            texts: OnceCell::new(),
            shown: vec![Cell::new(f32::NAN); chains.len() * CONCEPTS],
            chains,
        }
    }

    /// The chain that an element is part of: a number for [`View::chains`].
    pub(crate) fn chain_of(&self, node: NodeId) -> Option<usize> {
        self.chain_of[node.index()]
    }

    /// The text of a chain.
    pub(crate) fn phrase(&self, chain: usize) -> &Phrase {
        self.phrases[chain].get_or_init(|| Phrase::new(self.page.visible_text(self.chains[chain].outer)))
    }

    /// Returns the surroundings of a chain.
    pub(crate) fn context(&self, chain: usize) -> &Context {
        self.contexts[chain].get_or_init(|| Context::of(self, &self.chains[chain]))
    }

    /// An element as an item of a list.
    pub(crate) fn item(&self, node: NodeId) -> &Item {
        self.items[node.index()].get_or_init(|| Box::new(Item::of(self, node)))
    }

    /// Returns whether an element has the text with this number.
    pub(crate) fn has_text(&self, key: Word) -> bool {
        self.texts.get_or_init(|| (0..self.chains.len()).map(|chain| self.phrase(chain).key).collect()).contains(&key)
    }

    /// Computes the surroundings of a chain that is not one of the page's own chains.
    pub(crate) fn context_of(&self, chain: &Chain) -> Context {
        Context::of(self, chain)
    }

    /// Returns how well a phrase shows the page's statements for a concept; `chain` is the number of the chain whose text it is.
    pub(crate) fn best_shown(&self, chain: Option<usize>, phrase: &Phrase, concept: Concept) -> f32 {
        let known = chain.and_then(|chain| self.shown.get(chain * CONCEPTS + concept as usize));
        if let Some(shown) = known.map(Cell::get).filter(|shown| !shown.is_nan()) {
            return shown;
        }
        let sense = concept.sense();
        let length = float(phrase.characters);
        let stated = self.statements.of_concept(concept).iter().take(40);
        // Texts of quite different lengths do not say the same.
        let comparable =
            stated.filter(|stated| sense != Sense::Text || log_ratio(float(stated.characters), length).abs() < 2.5);
        let shown = comparable.map(|stated| phrase.shows(stated, sense)).fold(0.0, f32::max);
        if let Some(known) = known {
            known.set(shown);
        }
        shown
    }

    /// The first chain with this text, case and punctuation aside.
    pub(crate) fn chain_with_text(&self, text: &Phrase) -> Option<usize> {
        let all = self.by_key.get_or_init(|| {
            // The first one stays.
            (0..self.chains.len()).rev().map(|chain| (self.phrase(chain).key, chain)).collect()
        });
        all.get(&text.key).copied()
    }

    /// Returns the weight of a name: rare names weigh more.
    fn weight(&self, name: Word) -> f32 {
        self.name_weights.get(&name).copied().unwrap_or_else(|| (1.0 + float(self.page.len())).ln())
    }

    /// Returns the share of `wanted`, by weight, that is in `found`; and the weight of the common names
    /// divided by the weight of all.
    pub(crate) fn covered(&self, wanted: &Words, found: &Words) -> (f32, f32) {
        let weigh = |words: &Words| -> f32 { words.as_slice().iter().map(|name| self.weight(*name)).sum() };
        let mut shared = 0.0;
        both(wanted.as_slice(), found.as_slice(), |name| shared += self.weight(name));
        if shared == 0.0 {
            return (0.0, 0.0);
        }
        let (wanted, found) = (weigh(wanted), weigh(found));
        (shared / wanted, shared / (wanted + found - shared))
    }

    /// The text of the nearest heading before an element, at most 80 characters.
    pub(crate) fn heading_before(&self, node: NodeId) -> &str {
        let place = self.headings.partition_point(|heading| *heading < node);
        match place.checked_sub(1).and_then(|place| self.headings.get(place)) {
            Some(heading) => crate::document::first_characters(self.page.visible_text(*heading), 80),
            None => "",
        }
    }

    /// Returns the number of lines and blocks of text below an element.
    pub(crate) fn lines_in(&self, node: NodeId) -> usize {
        self.lines[self.page.close(node)] - self.lines[node.index() + 1]
    }

    /// The share of the page's visible text that stands before an element.
    pub(crate) fn position(&self, node: NodeId) -> f32 {
        super::number::ratio(self.page.letters_before(node), self.page.letters(NodeId(0)).max(1))
    }

    /// The share of an element's text that is links.
    pub(crate) fn link_share(&self, node: NodeId) -> f32 {
        super::number::ratio(self.page.linked_letters(node), self.page.letters(node))
    }
}

/// The parts of an element's names, and its telling attributes.
fn names_of(page: &Document, node: NodeId) -> (Words, Words) {
    let mut names = Vec::new();
    let mut marks = Vec::new();
    for (attribute, value) in page.attributes(node) {
        if attribute == "class" || attribute == "id" {
            name_parts(value, |part| names.push(word(part)));
        } else if TELLING.contains(&attribute) {
            if !value.is_empty() && value.len() < 80 {
                name_parts(value, |part| names.push(word(part)));
                marks.push(word(&format!("{attribute}={}", value.to_lowercase())));
            }
        } else if let Some(name) = attribute.strip_prefix("data-") {
            name_parts(name, |part| names.push(word(part)));
        }
    }
    (Words::new(names), Words::new(marks))
}
