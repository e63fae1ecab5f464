//! A recipe on a page without a [`Document`]: the page is read once, into elements whose names, attributes and texts are ranges
//! of it, and only what the recipe takes becomes text.
//!
//! The elements, their order and their texts are those of a document, or the page is left to it: where the HTML standard
//! moves elements, or opens formatting again, or a selector asks for more than there is.
//!
//! # Layout
//!
//! - [`tags`]: the tags, texts and comments of a page
//! - [`names`]: names of tags, and the standard's sets of them
//! - [`build`], [`rules`], [`tables`]: the construction of the tree
//! - [`tree`]: the elements; [`text`]: their texts; [`select`]: CSS on them
//!
//! [`Document`]: crate::Document

mod build;
mod names;
mod rules;
mod select;
mod tables;
mod tags;
mod text;
mod tree;

use std::cell::Cell;

use self::tree::{Tree, position};
use crate::apply::view::View;
use crate::document::NodeId;
use crate::recipe::NodeTake;
use crate::select::{Selector, TooMuchWork};

/// A page, or something on it, that is left to a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unsure;

/// A page as ranges of its HTML.
pub(crate) struct FlatPage<'a> {
    tree: Tree<'a>,
    /// True if something was requested that the page does not know: all results are void.
    is_void: Cell<bool>,
}

impl<'a> FlatPage<'a> {
    pub(crate) fn parse(html: &'a str) -> Result<Self, Unsure> {
        Ok(Self { tree: build::parse(html)?, is_void: Cell::new(false) })
    }

    /// The elements that a selector means; `None`: only a document knows.
    pub(crate) fn matches(&self, selector: &Selector) -> Option<Vec<NodeId>> {
        select::select(self, selector.css()?).ok()
    }

    /// The text nodes directly in an element, or with those of the elements below; `None`: only a document knows.
    pub(crate) fn text_nodes(&self, node: NodeId, below: bool) -> Option<Vec<String>> {
        let place = position(node.0).ok()?;
        self.tree.has_all_spaces(place, below).then(|| self.tree.text_nodes(place, below))
    }

    /// The text that a reader sees in an element; `None`: only a document knows.
    pub(crate) fn text(&self, node: NodeId) -> Option<String> {
        Some(self.tree.text(position(node.0).ok()?))
    }

    /// The value of an attribute, or nothing if the element does not have it.
    pub(crate) fn attribute(&self, node: NodeId, name: &str) -> Result<Option<String>, Unsure> {
        self.taken(node, &NodeTake::Attribute(name.to_owned()))
    }

    /// The first place after an element and everything below it; `None`: only a document knows.
    pub(crate) fn close(&self, node: NodeId) -> Option<usize> {
        usize::try_from(self.tree.element(position(node.0).ok()?).close).ok()
    }

    /// Returns whether the results so far are not those of a document.
    pub(super) fn is_void(&self) -> bool {
        self.is_void.get()
    }

    /// A result, or its default and a note that all results are void.
    fn known<T: Default>(&self, result: Result<T, Unsure>) -> T {
        result.unwrap_or_else(|Unsure| {
            self.is_void.set(true);
            T::default()
        })
    }

    fn taken(&self, node: NodeId, take: &NodeTake) -> Result<Option<String>, Unsure> {
        let place = position(node.0)?;
        match take {
            NodeTake::Text => Ok(Some(self.tree.text(place))),
            NodeTake::OwnText => Ok(Some(self.tree.own_text(place))),
            NodeTake::Html => Err(Unsure),
            NodeTake::Attribute(name) => {
                let found = self.tree.attribute(self.tree.element(place), name)?;
                Ok(found.map(|at| self.tree.value(at).into_owned()))
            }
        }
    }
}

impl View for FlatPage<'_> {
    fn len(&self) -> usize {
        self.tree.elements.len()
    }

    fn select(&self, selector: &Selector) -> Result<Vec<NodeId>, TooMuchWork> {
        Ok(self.known(selector.css().ok_or(Unsure).and_then(|matcher| select::select(self, matcher))))
    }

    fn tag(&self, node: NodeId) -> &str {
        self.tree.elements[node.0].name
    }

    fn contains(&self, outer: NodeId, inner: NodeId) -> bool {
        let close = self.tree.elements[outer.0].close;
        outer <= inner && position(inner.0).is_ok_and(|inner| inner < close)
    }

    fn take(&self, node: NodeId, take: &NodeTake) -> Option<String> {
        self.known(self.taken(node, take))
    }
}

#[cfg(test)]
mod tests;
