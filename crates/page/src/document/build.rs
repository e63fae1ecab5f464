//! One walk over the tree that fills the arrays.

use std::collections::HashMap;

use dom_query::{NodeData, NodeId};

use super::text::{append, append_space};
use super::{Document, Element, Symbol};
use crate::bounded_tree::parse;

/// Returns whether the content of such elements is not part of the page's readable text.
pub(crate) fn is_skipped(tag: &str) -> bool {
    matches!(
        tag,
        "head"
            | "title"
            | "meta"
            | "link"
            | "script"
            | "style"
            | "noscript"
            | "template"
            | "svg"
            | "iframe"
            | "object"
            | "select"
            | "textarea"
    )
}

/// Returns whether such elements are on lines of their own: their text does not run into that of their neighbours.
pub(crate) fn is_block(tag: &str) -> bool {
    matches!(
        tag,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "br"
            | "button"
            | "dd"
            | "div"
            | "dl"
            | "dt"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hr"
            | "label"
            | "li"
            | "main"
            | "nav"
            | "ol"
            | "option"
            | "p"
            | "pre"
            | "section"
            | "table"
            | "tbody"
            | "td"
            | "tfoot"
            | "th"
            | "thead"
            | "tr"
            | "ul"
    )
}

#[derive(Default)]
struct Builder {
    elements: Vec<Element>,
    attributes: Vec<(Symbol, String)>,
    names: Vec<String>,
    symbols: HashMap<String, Symbol>,
    visible: String,
    pieces: Vec<usize>,
    raw: String,
    letters: usize,
    linked: usize,
    links: usize,
}

/// An element whose end has not come yet.
struct Open {
    place: usize,
    is_block: bool,
    is_link: bool,
}

pub(super) fn build(html: &str) -> Document {
    index(parse(html))
}

/// The arrays of a tree.
pub(super) fn index(tree: dom_query::Document) -> Document {
    let mut builder = Builder::default();
    let mut open: Vec<Open> = Vec::new();
    let root = tree.tree.root().id;
    let mut next = first_child(&tree, root);
    // Down, right, up, without recursion: pages nest as deep as they like.
    while let Some(id) = next {
        let opened = builder.enter(&tree, id, &open);
        if let Some(element) = opened {
            open.push(element);
            if let Some(child) = first_child(&tree, id) {
                next = Some(child);
                continue;
            }
            builder.leave(open.pop());
        }
        let mut here = id;
        next = loop {
            if let Some(sibling) = tree.tree.query_node_or(&here, None, |node| node.next_sibling) {
                break Some(sibling);
            }
            match tree.tree.query_node_or(&here, None, |node| node.parent) {
                Some(parent) if parent != root => {
                    builder.leave(open.pop());
                    here = parent;
                }
                Some(_) | None => break None,
            }
        };
    }
    builder.finish(tree)
}

fn first_child(tree: &dom_query::Document, id: NodeId) -> Option<NodeId> {
    tree.tree.query_node_or(&id, None, |node| node.first_child)
}

impl Builder {
    /// Takes in a node; an element stays open.
    fn enter(&mut self, tree: &dom_query::Document, id: NodeId, open: &[Open]) -> Option<Open> {
        let parent = open.last().map(|open| open.place);
        let skipped = parent.is_some_and(|place| self.elements[place].skipped);
        tree.tree.query_node_or(&id, None, |node| match &node.data {
            NodeData::Element(element) => {
                let start = self.attributes.len();
                for attribute in &element.attrs {
                    let name = self.symbol(&attribute.name.local);
                    self.attributes.push((name, attribute.value.to_string()));
                }
                let name: &str = &element.name.local;
                let skipped = skipped || is_skipped(name);
                let is_block = !skipped && is_block(name);
                if is_block {
                    append_space(&mut self.visible);
                }
                let is_link = name == "a" && element.attrs.iter().any(|attribute| &*attribute.name.local == "href");
                self.links += usize::from(is_link);
                let place = self.elements.len();
                let tag = self.symbol(name);
                let text = if skipped { self.raw.len() } else { self.visible.len() };
                self.elements.push(Element {
                    parent,
                    depth: open.len(),
                    close: place + 1,
                    tag,
                    attributes: start..self.attributes.len(),
                    text: text..text,
                    letters: self.letters..self.letters,
                    linked: self.linked..self.linked,
                    skipped,
                    tree_id: id,
                });
                Some(Open { place, is_block, is_link })
            }
            NodeData::Text { contents } => {
                if skipped {
                    self.raw.push_str(contents);
                } else {
                    self.text(contents);
                }
                None
            }
            NodeData::Document
            | NodeData::Fragment
            | NodeData::Doctype { .. }
            | NodeData::Comment { .. }
            | NodeData::ProcessingInstruction { .. } => None,
        })
    }

    fn text(&mut self, contents: &str) {
        let start = self.visible.len();
        let added = append(&mut self.visible, contents);
        if added > 0 {
            self.pieces.push(start);
            self.letters += added;
            self.linked += if self.links > 0 { added } else { 0 };
        }
    }

    fn leave(&mut self, open: Option<Open>) {
        let Some(open) = open else { return };
        if open.is_block {
            append_space(&mut self.visible);
        }
        self.links -= usize::from(open.is_link);
        let close = self.elements.len();
        let element = &mut self.elements[open.place];
        element.close = close;
        element.text.end = if element.skipped { self.raw.len() } else { self.visible.len() };
        element.letters.end = self.letters;
        element.linked.end = self.linked;
    }

    fn symbol(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let symbol = Symbol::try_from(self.names.len()).unwrap_or(Symbol::MAX);
        self.names.push(name.to_owned());
        self.symbols.insert(name.to_owned(), symbol);
        symbol
    }

    fn finish(self, tree: dom_query::Document) -> Document {
        let body = self.symbols.get("body").copied();
        let place = self.elements.iter().position(|element| Some(element.tag) == body).unwrap_or(0);
        Document {
            tree,
            elements: self.elements,
            attributes: self.attributes,
            names: self.names,
            symbols: self.symbols,
            visible: self.visible,
            pieces: self.pieces,
            raw: self.raw,
            body: place,
        }
    }
}
