//! A page as arrays in document order, in addition to the tree that selectors use.
//!
//! Everything after parsing works on numbers: an element is its place in the document, its descendants are the elements up to
//! its `close`, its text is a slice of the page's text.

mod build;
mod decode;
mod text;
mod written;

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

pub(crate) use build::{is_block, is_skipped};
pub use decode::decode;
pub use text::normalise;
pub(crate) use text::{append, append_space, first_bytes, first_characters};

/// An element of a [`Document`]: its place in document order. It means nothing in another document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) usize);

impl NodeId {
    /// The place in document order, from 0.
    pub const fn index(self) -> usize {
        self.0
    }
}

/// A name that occurs in the document, of a tag or an attribute.
type Symbol = u32;

/// Data about one element.
#[derive(Debug, Clone)]
struct Element {
    parent: Option<usize>,
    depth: usize,
    /// The first element after it that is not below it.
    close: usize,
    tag: Symbol,
    attributes: Range<usize>,
    /// In `visible`, or in `raw` when it is skipped.
    text: Range<usize>,
    /// Numbers of visible characters, not counting spaces, before its start and before its end.
    letters: Range<usize>,
    /// The same for characters inside links.
    linked: Range<usize>,
    skipped: bool,
    tree_id: dom_query::NodeId,
}

/// A parsed page: its elements with their attributes, and its text.
pub struct Document {
    tree: dom_query::Document,
    elements: Vec<Element>,
    attributes: Vec<(Symbol, String)>,
    names: Vec<String>,
    symbols: HashMap<String, Symbol>,
    /// Text of the page with spaces collapsed, without invisible text.
    visible: String,
    /// Starts of the text nodes in `visible`.
    pieces: Vec<usize>,
    /// Text of scripts, styles and the head, as it stands.
    raw: String,
    body: usize,
}

impl std::fmt::Debug for Document {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Document").field("elements", &self.elements.len()).finish_non_exhaustive()
    }
}

impl Document {
    /// Parses HTML as browsers do, without running scripts. Any input gives a document.
    pub fn parse(html: &str) -> Self {
        build::build(html)
    }

    /// Decodes (see [`decode`]) and parses.
    pub fn parse_bytes(bytes: &[u8]) -> Self {
        Self::parse(&decode(bytes))
    }

    /// Returns a copy of the page without some elements and their contents.
    #[must_use]
    pub fn without(&self, nodes: &[NodeId]) -> Self {
        let tree = self.tree.clone();
        for node in nodes {
            tree.tree.remove_from_parent(&self.elements[node.0].tree_id);
        }
        build::index(tree)
    }

    /// Returns a copy of the page with an attribute at these elements, and at no others.
    #[must_use]
    pub fn with_attribute(&self, name: &str, values: &[(NodeId, String)]) -> Self {
        let tree = self.tree.clone();
        tree.select(&format!("[{name}]")).remove_attr(name);
        for (node, value) in values {
            if let Some(node) = tree.tree.get(&self.elements[node.0].tree_id) {
                node.set_attr(name, value);
            }
        }
        build::index(tree)
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Returns whether the page has no elements. The parser adds `html`, `head` and `body`, so it always has
    /// some.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// All elements in document order.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.elements.len()).map(NodeId)
    }

    /// Returns the `body`, or the root if there is no `body`.
    pub fn body(&self) -> NodeId {
        NodeId(self.body)
    }

    /// The element around it.
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.elements[node.0].parent.map(NodeId)
    }

    /// The elements around it, the nearest first.
    pub fn ancestors(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        std::iter::successors(self.parent(node), |&above| self.parent(above))
    }

    /// The elements directly below it.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.elements[node.0].close;
        let first = (node.0 + 1 < end).then_some(node.0 + 1);
        std::iter::successors(first, move |&child| {
            let next = self.elements[child].close;
            (next < end).then_some(next)
        })
        .map(NodeId)
    }

    /// The elements below it, in document order.
    pub fn descendants(&self, node: NodeId) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (node.0 + 1..self.elements[node.0].close).map(NodeId)
    }

    /// The element after it below the same parent.
    pub fn next_sibling(&self, node: NodeId) -> Option<NodeId> {
        let next = self.elements[node.0].close;
        let end = self.elements[self.elements[node.0].parent?].close;
        (next < end).then_some(NodeId(next))
    }

    /// Returns the number of its ancestors.
    pub fn depth(&self, node: NodeId) -> usize {
        self.elements[node.0].depth
    }

    /// The first place after the element and everything below it.
    pub fn close(&self, node: NodeId) -> usize {
        self.elements[node.0].close
    }

    /// Returns whether `inner` is `outer` itself or one of its descendants.
    pub fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        outer <= inner && inner.0 < self.elements[outer.0].close
    }

    /// The tag's name, in lower case for HTML elements.
    pub fn tag(&self, node: NodeId) -> &str {
        self.name(self.elements[node.0].tag)
    }

    /// The value of an attribute.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        let symbol = *self.symbols.get(name)?;
        let range = self.elements[node.0].attributes.clone();
        self.attributes[range].iter().find(|(key, _)| *key == symbol).map(|(_, value)| value.as_str())
    }

    /// All attributes, in the order of the source: name and value.
    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let range = self.elements[node.0].attributes.clone();
        self.attributes[range].iter().map(|(key, value)| (self.name(*key), value.as_str()))
    }

    /// Returns the class names of an element, in the order of its `class` attribute.
    pub fn classes(&self, node: NodeId) -> impl Iterator<Item = &str> {
        self.attribute(node, "class").unwrap_or_default().split_ascii_whitespace()
    }

    /// Returns whether its text is invisible to a reader: scripts, styles, `noscript`, templates, drawings,
    /// the head.
    pub fn is_skipped(&self, node: NodeId) -> bool {
        self.elements[node.0].skipped
    }

    /// The text that a reader sees in it, spaces collapsed, a space at the edges of blocks. Of a skipped element: its content.
    pub fn text(&self, node: NodeId) -> Cow<'_, str> {
        if self.is_skipped(node) {
            return Cow::Owned(normalise(self.raw_text(node)));
        }
        Cow::Borrowed(self.visible_text(node))
    }

    /// The text that a reader sees; empty for a skipped element.
    pub fn visible_text(&self, node: NodeId) -> &str {
        let element = &self.elements[node.0];
        if element.skipped { "" } else { self.visible[element.text.clone()].trim() }
    }

    /// The content of a skipped element, such as a script, as it stands in the source.
    pub fn raw_text(&self, node: NodeId) -> &str {
        let element = &self.elements[node.0];
        if element.skipped { &self.raw[element.text.clone()] } else { "" }
    }

    /// Returns the visible text in `outer` before `inner`, which is inside it. Empty if either is skipped.
    pub fn text_up_to(&self, outer: NodeId, inner: NodeId) -> &str {
        if self.is_skipped(outer) || self.is_skipped(inner) || !self.contains(outer, inner) {
            return "";
        }
        self.visible[self.elements[outer.0].text.start..self.elements[inner.0].text.start].trim()
    }

    /// The text that stands directly in it, without the text of the elements below.
    pub fn own_text(&self, node: NodeId) -> String {
        normalise(&self.text_children(node).join(" "))
    }

    /// The text nodes directly below it, as they stand.
    pub fn text_children(&self, node: NodeId) -> Vec<String> {
        let Some(node) = self.in_tree(node) else { return Vec::new() };
        node.children_it(false).filter(dom_query::NodeRef::is_text).map(|child| child.text().to_string()).collect()
    }

    /// The text nodes below it, as they stand.
    pub fn text_descendants(&self, node: NodeId) -> Vec<String> {
        let Some(node) = self.in_tree(node) else { return Vec::new() };
        node.descendants_it().filter(dom_query::NodeRef::is_text).map(|below| below.text().to_string()).collect()
    }

    /// The element and what is in it as HTML.
    pub fn html(&self, node: NodeId) -> String {
        self.in_tree(node).map(written::html_of).unwrap_or_default()
    }

    /// The whole page as HTML.
    pub fn to_html(&self) -> String {
        written::html_of(self.tree.root())
    }

    /// Returns the number of its visible characters, not counting spaces.
    pub fn letters(&self, node: NodeId) -> usize {
        self.elements[node.0].letters.len()
    }

    /// Returns the number of visible characters before it on the page.
    pub fn letters_before(&self, node: NodeId) -> usize {
        self.elements[node.0].letters.start
    }

    /// Returns the number of its visible characters that are in links.
    pub fn linked_letters(&self, node: NodeId) -> usize {
        self.elements[node.0].linked.len()
    }

    /// The piece of visible text right before the element: what is often its label. At most 60 characters.
    pub fn text_before(&self, node: NodeId) -> &str {
        let start = self.elements[node.0].text.start;
        if self.is_skipped(node) {
            return "";
        }
        let mut place = self.pieces.partition_point(|&piece| piece < start);
        let mut label = "";
        while place > 0 {
            place -= 1;
            label = self.visible[self.pieces[place]..start].trim();
            // A colon or a bullet is not a label yet.
            if label.chars().count() >= 3 {
                break;
            }
        }
        text::last_characters(label, 60)
    }

    /// The piece of visible text right after the element. At most 60 characters.
    pub fn text_after(&self, node: NodeId) -> &str {
        if self.is_skipped(node) {
            return "";
        }
        let end = self.elements[node.0].text.end;
        let place = self.pieces.partition_point(|&piece| piece < end);
        let Some(&begin) = self.pieces.get(place) else { return "" };
        let stop = self.pieces.get(place + 1).copied().unwrap_or(self.visible.len());
        text::first_characters(self.visible[begin..stop].trim(), 60)
    }

    /// All the text that a reader sees.
    pub fn page_text(&self) -> &str {
        self.visible.trim()
    }

    /// The element in the tree that the selectors walk.
    pub(crate) fn in_tree(&self, node: NodeId) -> Option<dom_query::NodeRef<'_>> {
        self.tree.tree.get(&self.elements[node.0].tree_id)
    }

    fn name(&self, symbol: Symbol) -> &str {
        usize::try_from(symbol).ok().and_then(|place| self.names.get(place)).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(page: &Document, tag: &str) -> NodeId {
        page.nodes().find(|&node| page.tag(node) == tag).unwrap()
    }

    #[test]
    fn text_is_what_a_reader_sees() {
        let page = Document::parse(
            "<div>One<p>Two <b>th</b>ree</p><script>no()</script><noscript>no</noscript>\n&nbsp; four\u{200b}</div>",
        );
        assert_eq!(page.text(page.body()), "One Two three four");
        assert_eq!(page.text(first(&page, "p")), "Two three");
        assert_eq!(page.text(first(&page, "script")), "no()");
        assert_eq!(page.own_text(first(&page, "div")), "One four");
        assert_eq!(page.letters(first(&page, "p")), 8);
    }

    #[test]
    fn elements_know_their_neighbours() {
        let page = Document::parse("<ul><li>a<li>b <a href=x>c</a></ul><p>d");
        let list = first(&page, "ul");
        let items: Vec<_> = page.children(list).collect();
        assert_eq!(items.len(), 2);
        assert_eq!(page.next_sibling(items[0]), Some(items[1]));
        assert_eq!(page.next_sibling(items[1]), None);
        assert_eq!(page.linked_letters(list), 1);
        assert_eq!(page.parent(items[0]), Some(list));
        assert!(page.contains(list, items[1]) && !page.contains(items[0], items[1]));
        assert_eq!(page.descendants(list).count(), 3);
        assert_eq!(page.attribute(first(&page, "a"), "href"), Some("x"));
    }

    #[test]
    fn labels_stand_before_and_after() {
        let page = Document::parse("<dl><dt>Price:</dt><dd>12 €</dd><dt>Size</dt></dl>");
        let value = first(&page, "dd");
        assert_eq!(page.text_before(value), "Price:");
        assert_eq!(page.text_after(value), "Size");
        assert_eq!(page.text_before(first(&page, "dt")), "");
    }

    #[test]
    fn text_stands_before_what_follows_it() {
        let page = Document::parse("<ul><li>An <b>engine</b><ul><li>oil</ul></ul><style>no</style>");
        let (outer, inner) = (page.children(first(&page, "ul")).next().unwrap(), page.nodes().nth(6).unwrap());
        assert_eq!((page.tag(inner), page.text_up_to(outer, inner)), ("ul", "An engine"));
        assert_eq!(page.text_up_to(inner, outer), "", "it is the other way round");
        assert_eq!(page.text_up_to(page.body(), first(&page, "style")), "");
    }

    #[test]
    fn elements_can_be_taken_out() {
        let page = Document::parse("<p>a<b>b</b></p><p>c</p>");
        assert_eq!(page.without(&[first(&page, "b")]).page_text(), "a c");
        assert_eq!(page.without(&[first(&page, "p"), first(&page, "b")]).page_text(), "c");
        assert_eq!(page.page_text(), "ab c");
    }

    #[test]
    fn anything_is_a_document() {
        for html in ["", "\0\u{1}<<<>>", "<table><tr><div>x", "<html", "plain"] {
            let page = Document::parse(html);
            assert!(!page.is_empty());
            assert!(page.nodes().all(|node| page.close(node) > node.0));
        }
    }
}
