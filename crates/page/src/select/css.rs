//! CSS on a page, by the library's rules, with every step it takes counted.

use dom_query::{NodeData, NodeRef};
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::context::{MatchingContext, SelectorCaches};
use selectors::matching::ElementSelectorFlags;
use selectors::parser::SelectorImpl;
use selectors::{Element, OpaqueElement};

use super::effort::Effort;
use crate::document::{Document, NodeId};

/// Number of characters that can be read at the cost of one step.
const CHARACTERS_OF_A_STEP: usize = 16;

/// The elements that a selector means, in document order, as far as the effort goes.
pub(super) fn select(page: &Document, matcher: &dom_query::Matcher, effort: &Effort) -> Vec<NodeId> {
    let mut caches = SelectorCaches::default();
    let mut matches = |node: NodeId| {
        let element = page.in_tree(node).map(|node| Counted { node, effort });
        element.is_some_and(|element| matcher.match_element_with_caches(&element, &mut caches))
    };
    page.nodes().take_while(|_| effort.spend(1)).filter(|node| matches(*node)).collect()
}

type Names<'a> = <NodeRef<'a> as Element>::Impl;

/// An element to the library's matching. Where the effort is spent it has no neighbours, so that the matching ends.
#[derive(Clone)]
struct Counted<'a> {
    node: NodeRef<'a>,
    effort: &'a Effort,
}

impl std::fmt::Debug for Counted<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_tuple("Counted").field(&self.node.id).finish()
    }
}

impl<'a> Counted<'a> {
    fn step(&self, to: impl FnOnce(&NodeRef<'a>) -> Option<NodeRef<'a>>) -> Option<Self> {
        let node = if self.effort.spend(1) { to(&self.node) } else { None };
        node.map(|node| Self { node, effort: self.effort })
    }

    /// Pays for reading all attributes.
    fn read_attributes(&self) -> bool {
        let price = self.node.query_or(1, |node| {
            let attributes = node.as_element().map(|element| element.attrs.iter());
            attributes.into_iter().flatten().map(|attribute| 1 + attribute.value.len() / CHARACTERS_OF_A_STEP).sum()
        });
        self.effort.spend(price)
    }

    /// Pays for reading all the text in it.
    fn read_text(&self) -> bool {
        let price = |node: NodeRef<'_>| {
            node.query_or(1, |node| match &node.data {
                NodeData::Text { contents } => 1 + contents.len() / CHARACTERS_OF_A_STEP,
                NodeData::Document
                | NodeData::Fragment
                | NodeData::Doctype { .. }
                | NodeData::Comment { .. }
                | NodeData::Element(_)
                | NodeData::ProcessingInstruction { .. } => 1,
            })
        };
        self.effort.spend(1) && self.node.descendants_it().all(|node| self.effort.spend(price(node)))
    }
}

impl<'a> Element for Counted<'a> {
    type Impl = Names<'a>;

    fn opaque(&self) -> OpaqueElement {
        self.node.opaque()
    }

    fn parent_element(&self) -> Option<Self> {
        self.step(Element::parent_element)
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        self.node.parent_node_is_shadow_root()
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        self.node.is_pseudo_element()
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        self.step(Element::prev_sibling_element)
    }

    fn next_sibling_element(&self) -> Option<Self> {
        self.step(Element::next_sibling_element)
    }

    fn first_element_child(&self) -> Option<Self> {
        self.step(Element::first_element_child)
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.node.is_html_element_in_html_document()
    }

    fn has_local_name(&self, name: &<Self::Impl as SelectorImpl>::BorrowedLocalName) -> bool {
        self.node.has_local_name(name)
    }

    fn has_namespace(&self, namespace: &<Self::Impl as SelectorImpl>::BorrowedNamespaceUrl) -> bool {
        self.node.has_namespace(namespace)
    }

    fn is_same_type(&self, other: &Self) -> bool {
        self.node.is_same_type(&other.node)
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&<Self::Impl as SelectorImpl>::NamespaceUrl>,
        name: &<Self::Impl as SelectorImpl>::LocalName,
        operation: &AttrSelectorOperation<&<Self::Impl as SelectorImpl>::AttrValue>,
    ) -> bool {
        self.read_attributes() && self.node.attr_matches(namespace, name, operation)
    }

    fn match_non_ts_pseudo_class(
        &self,
        class: &<Self::Impl as SelectorImpl>::NonTSPseudoClass,
        context: &mut MatchingContext<Self::Impl>,
    ) -> bool {
        self.read_text() && self.node.match_non_ts_pseudo_class(class, context)
    }

    fn match_pseudo_element(
        &self,
        element: &<Self::Impl as SelectorImpl>::PseudoElement,
        context: &mut MatchingContext<Self::Impl>,
    ) -> bool {
        self.node.match_pseudo_element(element, context)
    }

    fn apply_selector_flags(&self, flags: ElementSelectorFlags) {
        self.node.apply_selector_flags(flags);
    }

    fn is_link(&self) -> bool {
        Element::is_link(&self.node)
    }

    fn is_html_slot_element(&self) -> bool {
        self.node.is_html_slot_element()
    }

    fn has_id(&self, id: &<Self::Impl as SelectorImpl>::Identifier, case: CaseSensitivity) -> bool {
        self.read_attributes() && self.node.has_id(id, case)
    }

    fn has_class(&self, name: &<Self::Impl as SelectorImpl>::Identifier, case: CaseSensitivity) -> bool {
        self.read_attributes() && Element::has_class(&self.node, name, case)
    }

    fn has_custom_state(&self, name: &<Self::Impl as SelectorImpl>::Identifier) -> bool {
        self.node.has_custom_state(name)
    }

    fn imported_part(
        &self,
        name: &<Self::Impl as SelectorImpl>::Identifier,
    ) -> Option<<Self::Impl as SelectorImpl>::Identifier> {
        self.node.imported_part(name)
    }

    fn is_part(&self, name: &<Self::Impl as SelectorImpl>::Identifier) -> bool {
        self.node.is_part(name)
    }

    fn is_empty(&self) -> bool {
        Element::is_empty(&self.node)
    }

    fn is_root(&self) -> bool {
        self.node.is_root()
    }

    fn add_element_unique_hashes(&self, filter: &mut BloomFilter) -> bool {
        self.node.add_element_unique_hashes(filter)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Document, Selector};

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1000))]

        #[test]
        fn the_library_finds_the_same(
            pieces in proptest::collection::vec("</?(p|b|ul|li|div|svg|a)( class=[abc]| id=x| href=y)?>|[xy ]{1,2}", 0..25),
            compounds in proptest::collection::vec(
                "(p|b|li|div|\\*|svg|a|:root)?(\\.[abc]|#x|\\[href\\]|:nth-child\\((2|odd|3n\\+1)\\)|:nth-last-of-type\\(2\\)|:first-child|:last-of-type|:only-child|:empty|:has\\(([>+~] )?(b|\\.a)\\)|:not\\((\\.b|li b)\\)|:is\\(p, \\.c\\)|:contains\\(\"x\"\\)|:only-text|:any-link){1,2}",
                1..4,
            ),
            combinator in "( | > | \\+ | ~ |, )",
        ) {
            let page = Document::parse(&pieces.concat());
            let text = compounds.join(&combinator);
            let selector = Selector::parse(&text).unwrap();
            let found = page.try_select(&selector).unwrap();
            let tree: Vec<_> = found.iter().map(|node| page.in_tree(*node).unwrap().id).collect();
            let matcher = dom_query::Matcher::new(&text).unwrap();
            let root = page.in_tree(page.nodes().next().unwrap()).unwrap();
            let mut expected: Vec<_> = std::iter::once(root)
                .chain(root.descendants_it())
                .filter(|node| node.is_element() && node.is_match(&matcher))
                .map(|node| node.id)
                .collect();
            let order = |id: &dom_query::NodeId| page.nodes().position(|node| page.in_tree(node).unwrap().id == *id);
            expected.sort_by_key(order);
            prop_assert_eq!(tree, expected);
        }
    }
}
