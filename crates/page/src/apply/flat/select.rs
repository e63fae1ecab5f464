//! CSS on the tree, by the library's rules. Where they ask for something that the tree does not know for certain, the
//! result is void.

use std::cell::Cell;

use html5ever::{Namespace, ns};
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{MatchingContext, SelectorCaches};
use selectors::matching::ElementSelectorFlags;
use selectors::parser::SelectorImpl;
use selectors::{Element, OpaqueElement};

use super::tree::{self, NONE, Tree, index};
use super::{FlatPage, Unsure};
use crate::document::NodeId;

/// Maximum cost of a selector, in the steps that a document counts: a fraction of its limit, because the costs differ a
/// little.
const STEPS: usize = 4_000_000;

/// Attributes of SVG elements that have the name that the page gives them, whatever its case.
const PLAIN_ATTRIBUTES: [&str; 12] = [
    "alt",
    "class",
    "content",
    "height",
    "id",
    "itemprop",
    "itemscope",
    "itemtype",
    "name",
    "property",
    "style",
    "width",
];

/// The selected elements, in document order.
pub(super) fn select(page: &FlatPage<'_>, matcher: &dom_query::Matcher) -> Result<Vec<NodeId>, Unsure> {
    let effort = Effort { left: Cell::new(STEPS), is_void: Cell::new(false) };
    let mut caches = SelectorCaches::default();
    let mut found = Vec::new();
    for place in 0..page.tree.elements.len() {
        let element = Node { tree: &page.tree, place: tree::position(place)?, effort: &effort };
        if matcher.match_element_with_caches(&element, &mut caches) {
            found.push(NodeId(place));
        }
        if effort.is_void.get() {
            return Err(Unsure);
        }
    }
    Ok(found)
}

type Names<'a> = <dom_query::NodeRef<'a> as Element>::Impl;

struct Effort {
    left: Cell<usize>,
    is_void: Cell<bool>,
}

impl Effort {
    fn spend(&self, steps: usize) {
        match self.left.get().checked_sub(steps) {
            Some(left) => self.left.set(left),
            None => self.is_void.set(true),
        }
    }
}

/// An element to the library's matching; the document itself is above the root.
#[derive(Clone, Copy)]
struct Node<'t> {
    tree: &'t Tree<'t>,
    place: u32,
    effort: &'t Effort,
}

impl std::fmt::Debug for Node<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Node").field(&self.place).finish()
    }
}

impl<'t> Node<'t> {
    fn element(&self) -> Option<&'t tree::Element<'t>> {
        self.tree.elements.get(index(self.place))
    }

    fn at(&self, place: u32) -> Option<Self> {
        self.effort.spend(1);
        (place != NONE && !self.effort.is_void.get()).then_some(Self { place, ..*self })
    }

    /// The element, after its attributes are paid for.
    fn read_attributes(&self) -> Option<&'t tree::Element<'t>> {
        let element = self.element()?;
        self.effort.spend(index(element.price));
        Some(element)
    }
}

impl<'t> Element for Node<'t> {
    type Impl = Names<'t>;

    fn opaque(&self) -> OpaqueElement {
        match self.element() {
            Some(element) => OpaqueElement::new(element),
            None => OpaqueElement::new(self.tree),
        }
    }

    fn parent_element(&self) -> Option<Self> {
        self.effort.spend(1);
        // The root's parent is the document, which has no element.
        let parent = self.element()?.parent;
        (!self.effort.is_void.get()).then_some(Self { place: parent, ..*self })
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.at(self.element()?.previous)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        let element = self.element()?;
        let parent = self.tree.elements.get(index(element.parent))?;
        self.at(if element.close < parent.close { element.close } else { NONE })
    }

    fn first_element_child(&self) -> Option<Self> {
        match self.element() {
            None => self.at(0),
            Some(element) => self.at(if element.close > self.place + 1 { self.place + 1 } else { NONE }),
        }
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.element().is_some_and(|element| !element.is_foreign)
    }

    fn has_local_name(&self, name: &<Self::Impl as SelectorImpl>::BorrowedLocalName) -> bool {
        self.element().is_some_and(|element| *element.name == ***name)
    }

    fn has_namespace(&self, namespace: &<Self::Impl as SelectorImpl>::BorrowedNamespaceUrl) -> bool {
        self.element().is_some_and(|element| *namespace == if element.is_foreign { ns!(svg) } else { ns!(html) })
    }

    fn is_same_type(&self, other: &Self) -> bool {
        match (self.element(), other.element()) {
            (Some(one), Some(other)) => one.name == other.name && one.is_foreign == other.is_foreign,
            _ => false,
        }
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Namespace>,
        name: &<Self::Impl as SelectorImpl>::LocalName,
        operation: &AttrSelectorOperation<&<Self::Impl as SelectorImpl>::AttrValue>,
    ) -> bool {
        if matches!(namespace, NamespaceConstraint::Specific(url) if **url != ns!()) {
            self.effort.is_void.set(true);
            return false;
        }
        let Some(element) = self.read_attributes() else { return false };
        let value = self.tree.attribute(element, name);
        self.effort.is_void.set(self.effort.is_void.get() || value.is_err());
        value.is_ok_and(|value| value.is_some_and(|at| operation.eval_str(&self.tree.value(at))))
    }

    fn match_non_ts_pseudo_class(
        &self,
        _class: &<Self::Impl as SelectorImpl>::NonTSPseudoClass,
        _context: &mut MatchingContext<Self::Impl>,
    ) -> bool {
        self.effort.is_void.set(true);
        false
    }

    fn match_pseudo_element(
        &self,
        _element: &<Self::Impl as SelectorImpl>::PseudoElement,
        _context: &mut MatchingContext<Self::Impl>,
    ) -> bool {
        false
    }

    fn apply_selector_flags(&self, _flags: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        false
    }

    fn is_html_slot_element(&self) -> bool {
        true
    }

    fn has_id(&self, id: &<Self::Impl as SelectorImpl>::Identifier, case: CaseSensitivity) -> bool {
        let Some(element) = self.read_attributes() else { return false };
        let found = self.tree.attribute(element, "id").ok().flatten();
        found.is_some_and(|at| case.eq(id.as_bytes(), self.tree.value(at).as_bytes()))
    }

    fn has_class(&self, name: &<Self::Impl as SelectorImpl>::Identifier, case: CaseSensitivity) -> bool {
        let Some(element) = self.read_attributes().filter(|element| element.class != NONE) else { return false };
        let value = self.tree.value(index(element.class));
        value.split_ascii_whitespace().any(|class| case.eq(name.as_bytes(), class.as_bytes()))
    }

    fn has_custom_state(&self, _name: &<Self::Impl as SelectorImpl>::Identifier) -> bool {
        false
    }

    fn imported_part(
        &self,
        _name: &<Self::Impl as SelectorImpl>::Identifier,
    ) -> Option<<Self::Impl as SelectorImpl>::Identifier> {
        None
    }

    fn is_part(&self, _name: &<Self::Impl as SelectorImpl>::Identifier) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        self.element().is_some() && self.tree.is_empty(self.place)
    }

    fn is_root(&self) -> bool {
        self.element().is_none()
    }

    fn add_element_unique_hashes(&self, _filter: &mut BloomFilter) -> bool {
        false
    }
}

impl Tree<'_> {
    /// The position of an element's attribute, by its name.
    pub(super) fn attribute(&self, element: &tree::Element<'_>, name: &str) -> Result<Option<usize>, Unsure> {
        // The parser writes some attributes of SVG in another way than the page.
        if element.is_foreign && !element.attributes.is_empty() && !PLAIN_ATTRIBUTES.contains(&name) {
            return Err(Unsure);
        }
        // Names on the page are read in lower case.
        if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Ok(None);
        }
        let first = index(element.attributes.start);
        let attributes = self.attributes_of(element).iter();
        let found =
            attributes.map(|attribute| self.slice(&attribute.name)).position(|found| found.eq_ignore_ascii_case(name));
        Ok(found.map(|at| first + at))
    }
}
