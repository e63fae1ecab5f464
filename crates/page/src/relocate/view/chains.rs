//! Elements within each other that hold the same text: for a reader they are one.

use super::View;
use crate::document::{Document, NodeId};
use crate::relocate::words::{Word, Words, loose, name_words, text_words, word};

/// An element, its only child with text, the only child of that, and so on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain {
    pub(crate) outer: NodeId,
    pub(crate) inner: NodeId,
    /// From the outermost to the innermost.
    pub(crate) nodes: Vec<NodeId>,
}

impl Chain {
    /// An element on its own.
    pub(crate) fn single(node: NodeId) -> Self {
        Self { outer: node, inner: node, nodes: vec![node] }
    }
}

/// All chains with text, and for each element the chain that it is part of.
pub(super) fn chains(page: &Document) -> (Vec<Chain>, Vec<Option<usize>>) {
    let mut chains = Vec::new();
    let mut chain_of = vec![None; page.len()];
    for node in page.nodes() {
        let is_frame = matches!(page.tag(node), "html" | "body");
        let letters = page.letters(node);
        if page.is_skipped(node) || chain_of[node.index()].is_some() || is_frame || letters == 0 {
            continue;
        }
        let mut nodes = vec![node];
        let mut inner = node;
        // A child with all the letters is the only one with any.
        while let Some(child) =
            page.children(inner).find(|&child| !page.is_skipped(child) && page.letters(child) == letters)
        {
            nodes.push(child);
            inner = child;
        }
        for node in &nodes {
            chain_of[node.index()] = Some(chains.len());
        }
        chains.push(Chain { outer: node, inner, nodes });
    }
    (chains, chain_of)
}

/// Surroundings of a chain and its names.
#[derive(Debug, Clone)]
pub(crate) struct Context {
    pub(crate) tags: Words,
    pub(crate) tag_classes: [bool; TAG_CLASSES],
    pub(crate) names: Words,
    pub(crate) marks: Words,
    /// The names of the two elements around it, and of the two around those.
    pub(crate) near_names: Words,
    pub(crate) far_names: Words,
    pub(crate) all_names: Words,
    pub(crate) mark_names: Words,
    pub(crate) tags_around: Words,
    pub(crate) label: String,
    pub(crate) label_key: Word,
    pub(crate) label_words: Words,
    pub(crate) after: String,
    pub(crate) after_key: Word,
    pub(crate) heading: String,
    pub(crate) heading_key: Word,
    pub(crate) heading_words: Words,
    /// The parts of the address that it links to.
    pub(crate) link: Option<Words>,
}

/// Number of classes of tags.
pub(crate) const TAG_CLASSES: usize = 12;

impl Context {
    pub(super) fn of(view: &View<'_>, chain: &Chain) -> Self {
        let page = view.page;
        let around: Vec<NodeId> = page.ancestors(chain.outer).take(4).collect();
        let tags: Vec<&str> = chain.nodes.iter().map(|node| page.tag(*node)).collect();
        let names = gather(&view.names, &chain.nodes);
        let near_names = gather(&view.names, &around[..around.len().min(2)]);
        let link = chain.nodes.iter().chain(around.iter().take(2)).find_map(|node| {
            (page.tag(*node) == "a").then(|| page.attribute(*node, "href")).flatten().filter(|link| !link.is_empty())
        });
        let mut mark_names = Vec::new();
        for node in &chain.nodes {
            for (attribute, value) in page.attributes(*node) {
                if super::TELLING.contains(&attribute) && value.len() < 80 {
                    mark_names.extend_from_slice(name_words(value).as_slice());
                }
            }
        }
        let (label, heading) = (page.text_before(chain.outer), view.heading_before(chain.outer));
        let after = page.text_after(chain.outer);
        Self {
            tag_classes: tag_classes(&tags),
            tags: tags.iter().map(|tag| word(tag)).collect(),
            all_names: names.union(&near_names),
            names,
            marks: gather(&view.marks, &chain.nodes),
            far_names: gather(&view.names, around.get(2..).unwrap_or_default()),
            near_names,
            mark_names: Words::new(mark_names),
            tags_around: around.iter().take(3).map(|node| word(page.tag(*node))).collect(),
            label: label.to_owned(),
            label_key: word(&loose(label)),
            label_words: text_words(label),
            after: after.to_owned(),
            after_key: word(&loose(after)),
            heading: heading.to_owned(),
            heading_key: word(&loose(heading)),
            heading_words: text_words(heading),
            link: link.map(|link| name_words(path_of(link))),
        }
    }
}

fn gather(of: &[Words], nodes: &[NodeId]) -> Words {
    nodes.iter().flat_map(|node| of[node.index()].as_slice()).copied().collect()
}

/// The part of an address after the host.
fn path_of(link: &str) -> &str {
    let rest = link.split_once("://").map_or(link, |(_, rest)| rest);
    if rest.len() == link.len() { link } else { rest.find('/').map_or("", |slash| &rest[slash..]) }
}

/// Returns the classes of the chain's tags, for comparison across redesigns that rename tags.
fn tag_classes(tags: &[&str]) -> [bool; TAG_CLASSES] {
    let any = |wanted: &[&str]| tags.iter().any(|tag| wanted.contains(tag));
    [
        any(&["h1"]),
        any(&["h2", "h3", "h4", "h5", "h6"]),
        any(&["p"]),
        any(&["a"]),
        any(&["time"]),
        any(&["li"]),
        any(&["div", "section"]),
        any(&["span", "b", "strong", "em", "i", "small"]),
        any(&["td", "dd"]),
        any(&["img"]),
        any(&["meta"]),
        any(&["address"]),
    ]
}
