//! The tree that HTML's tree builder makes of the tokens, with as little in it as an outline needs.

use std::borrow::Cow;
use std::cell::{Ref, RefCell};

use html5ever::interface::{Attribute, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::StrTendril;
use html5ever::{QualName, local_name, ns};
use memchr::{memchr, memchr2};

use super::tokens::tokenize;
use crate::bounded_tree::{BoundedTree, Growing, parse};

/// A node by its place in the tree; the page itself is 0.
pub(super) type Handle = usize;

/// The place of no node: nothing is above, before or below the page.
const PAGE: Handle = 0;

/// Approximate number of bytes of a page for each node. Reserving more room than needed costs more than it
/// saves.
const BYTES_OF_A_NODE: usize = 96;

/// Kind and content of a node.
#[derive(Debug)]
pub(super) enum Data {
    /// The page, or the content of a template, which stands outside of it.
    Root,
    Element(Element),
    Text(StrTendril),
    Comment,
}

#[derive(Debug)]
pub(super) struct Element {
    name: QualName,
    class: Option<StrTendril>,
    id: Option<StrTendril>,
    template: Option<Handle>,
    is_integration_point: bool,
}

impl Element {
    pub(super) fn tag(&self) -> &str {
        &self.name.local
    }

    pub(super) fn class(&self) -> &str {
        self.class.as_deref().unwrap_or_default()
    }

    pub(super) fn id(&self) -> &str {
        self.id.as_deref().unwrap_or_default()
    }
}

#[derive(Debug)]
struct Node {
    parent: Handle,
    previous: Handle,
    next: Handle,
    first: Handle,
    last: Handle,
    data: Data,
}

/// The nodes of a page.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Parses as browsers do that run no scripts.
    pub(super) fn parse(html: &str) -> Self {
        let html = html.strip_prefix('\u{feff}').unwrap_or(html);
        let builder = BoundedTree::new(Sink::with_room(html));
        let has_control = memchr2(0, b'\r', html.as_bytes()).is_some();
        if has_control && memchr(0, html.as_bytes()).is_some() {
            // Each place of a page has its own rule for NUL, and no page has a reason for one.
            return parse(html, builder);
        }
        if has_control {
            tokenize(&with_line_feeds(html), &builder);
        } else {
            tokenize(html, &builder);
        }
        builder.finish()
    }

    pub(super) fn data(&self, node: Handle) -> &Data {
        &self.nodes[node].data
    }

    pub(super) fn first_child(&self, node: Handle) -> Option<Handle> {
        some(self.nodes[node].first)
    }

    pub(super) fn next_sibling(&self, node: Handle) -> Option<Handle> {
        some(self.nodes[node].next)
    }

    pub(super) fn parent(&self, node: Handle) -> Handle {
        self.nodes[node].parent
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    fn push(&mut self, data: Data) -> Handle {
        self.nodes.push(Node { parent: PAGE, previous: PAGE, next: PAGE, first: PAGE, last: PAGE, data });
        self.nodes.len() - 1
    }

    /// Puts a node below `parent`, before `next` or last.
    fn insert(&mut self, parent: Handle, child: Handle, next: Handle) {
        let previous = if next == PAGE { self.nodes[parent].last } else { self.nodes[next].previous };
        let node = &mut self.nodes[child];
        (node.parent, node.previous, node.next) = (parent, previous, next);
        self.join(parent, previous, child);
        self.join(parent, child, next);
    }

    /// Takes a node out of where it stands.
    fn remove(&mut self, child: Handle) {
        let node = &mut self.nodes[child];
        let (parent, previous, next) = (node.parent, node.previous, node.next);
        (node.parent, node.previous, node.next) = (PAGE, PAGE, PAGE);
        if self.nodes[parent].first == child || previous != PAGE {
            self.join(parent, previous, next);
        }
    }

    /// Makes two nodes neighbours. `PAGE` as `previous` or `next` is the start or the end of the parent's children.
    fn join(&mut self, parent: Handle, previous: Handle, next: Handle) {
        if previous == PAGE {
            self.nodes[parent].first = next;
        } else {
            self.nodes[previous].next = next;
        }
        if next == PAGE {
            self.nodes[parent].last = previous;
        } else {
            self.nodes[next].previous = previous;
        }
    }

    fn insert_child(&mut self, parent: Handle, child: NodeOrText<Handle>, next: Handle) {
        match child {
            NodeOrText::AppendNode(child) => {
                self.remove(child);
                self.insert(parent, child, next);
            }
            NodeOrText::AppendText(text) => {
                let previous = if next == PAGE { self.nodes[parent].last } else { self.nodes[next].previous };
                if previous != PAGE
                    && let Data::Text(before) = &mut self.nodes[previous].data
                {
                    before.push_tendril(&text);
                } else {
                    let child = self.push(Data::Text(text));
                    self.insert(parent, child, next);
                }
            }
        }
    }
}

const fn some(node: Handle) -> Option<Handle> {
    if node == PAGE { None } else { Some(node) }
}

/// Every kind of line end as a line feed (HTML, "preprocessing the input stream").
fn with_line_feeds(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(end) = memchr(b'\r', rest.as_bytes()) {
        text.push_str(&rest[..end]);
        text.push('\n');
        let after = &rest[end + 1..];
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    text.push_str(rest);
    text
}

/// The tree while it grows.
struct Sink(RefCell<Tree>);

impl Sink {
    /// Room for as many nodes as such a page usually has.
    fn with_room(html: &str) -> Self {
        let mut tree = Tree { nodes: Vec::with_capacity(html.len() / BYTES_OF_A_NODE + 1) };
        tree.push(Data::Root);
        Self(RefCell::new(tree))
    }
}

impl Growing for Sink {
    fn made(&self) -> usize {
        self.0.borrow().len()
    }
}

/// Name of a node that is not an element. The tree builder never requests it.
static NO_NAME: QualName = QualName { prefix: None, ns: ns!(), local: local_name!("") };

impl TreeSink for Sink {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Tree {
        self.0.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        PAGE
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> Self::ElemName<'a> {
        Ref::map(self.0.borrow(), |tree| match &tree.nodes[*target].data {
            Data::Element(element) => &element.name,
            Data::Root | Data::Text(_) | Data::Comment => &NO_NAME,
        })
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> Handle {
        let mut tree = self.0.borrow_mut();
        let template = flags.template.then(|| tree.push(Data::Root));
        let mut element = Element {
            name,
            class: None,
            id: None,
            template,
            is_integration_point: flags.mathml_annotation_xml_integration_point,
        };
        add_names(&mut element, attributes);
        tree.push(Data::Element(element))
    }

    fn create_comment(&self, _text: StrTendril) -> Handle {
        self.0.borrow_mut().push(Data::Comment)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> Handle {
        self.0.borrow_mut().push(Data::Comment)
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.0.borrow_mut().insert_child(*parent, child, PAGE);
    }

    fn append_before_sibling(&self, sibling: &Handle, child: NodeOrText<Handle>) {
        let mut tree = self.0.borrow_mut();
        let parent = tree.nodes[*sibling].parent;
        tree.insert_child(parent, child, *sibling);
    }

    fn append_based_on_parent_node(&self, element: &Handle, previous: &Handle, child: NodeOrText<Handle>) {
        let mut tree = self.0.borrow_mut();
        match tree.nodes[*element].parent {
            PAGE => tree.insert_child(*previous, child, PAGE),
            parent => tree.insert_child(parent, child, *element),
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &Handle) -> Handle {
        match &self.0.borrow().nodes[*target].data {
            Data::Element(element) => element.template.unwrap_or(*target),
            Data::Root | Data::Text(_) | Data::Comment => *target,
        }
    }

    fn same_node(&self, one: &Handle, other: &Handle) -> bool {
        one == other
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        if let Data::Element(element) = &mut self.0.borrow_mut().nodes[*target].data {
            add_names(element, attributes);
        }
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.0.borrow_mut().remove(*target);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let mut tree = self.0.borrow_mut();
        while let Some(child) = some(tree.nodes[*node].first) {
            tree.remove(child);
            tree.insert(*new_parent, child, PAGE);
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Handle) -> bool {
        match &self.0.borrow().nodes[*handle].data {
            Data::Element(element) => element.is_integration_point,
            Data::Root | Data::Text(_) | Data::Comment => false,
        }
    }
}

/// Sets the class and the id of an element unless they are already set.
fn add_names(element: &mut Element, attributes: Vec<Attribute>) {
    for attribute in attributes {
        let place = match attribute.name.local {
            local_name!("class") => &mut element.class,
            local_name!("id") => &mut element.id,
            _ => continue,
        };
        if place.is_none() {
            *place = Some(attribute.value);
        }
    }
}
