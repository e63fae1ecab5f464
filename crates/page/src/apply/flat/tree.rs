//! The elements of a page, with their texts and attributes as ranges of the page.

use std::ops::Range;

use super::Unsure;
use super::names::set;
use super::tags::{Attribute, Tag};

/// Place of an element that does not exist.
pub(super) const NONE: u32 = u32::MAX;

/// An element: its place is the one that it has in a document.
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    pub(super) parent: u32,
    /// The first element after it that is not below it.
    pub(super) close: u32,
    pub(super) previous: u32,
    last_child: u32,
    pub(super) attributes: Range<u32>,
    /// Position of its `class` attribute among all.
    pub(super) class: u32,
    /// Cost of reading all its attributes, in steps.
    pub(super) price: u32,
    pub(super) is_foreign: bool,
}

/// A text between two tags or comments.
pub(super) struct Piece {
    pub(super) range: Range<u32>,
    /// Number of elements before it.
    pub(super) before: u32,
    pub(super) parent: u32,
    /// True if it belongs to the same text node as the piece before it.
    pub(super) is_joined: bool,
    /// True if character references in it are to be resolved.
    pub(super) has_references: bool,
}

/// The elements of a page in document order.
pub(super) struct Tree<'a> {
    pub(super) html: &'a str,
    pub(super) elements: Vec<Element<'a>>,
    pub(super) attributes: Vec<Attribute>,
    pub(super) pieces: Vec<Piece>,
}

impl Element<'_> {
    /// Reads what is known about the attributes.
    fn read_attributes(&mut self, html: &str, attributes: &[Attribute]) {
        (self.class, self.price) = (NONE, 0);
        for (at, attribute) in (self.attributes.start..).zip(&attributes[index(self.attributes.start)..]) {
            self.price += 1 + (attribute.value.end - attribute.value.start) / 16;
            if self.class == NONE && slice(html, &attribute.name).eq_ignore_ascii_case("class") {
                self.class = at;
            }
        }
    }
}

impl<'a> Tree<'a> {
    pub(super) fn new(html: &'a str) -> Self {
        let elements = Vec::with_capacity(html.len() / 64);
        let pieces = Vec::with_capacity(html.len() / 64);
        Self { html, elements, attributes: Vec::new(), pieces }
    }

    /// Adds an element as the last one below `parent`; `attributes` are all that were read so far.
    pub(super) fn add(&mut self, tag: &Tag<'a>, parent: u32, attributes: &[Attribute]) -> Result<u32, Unsure> {
        let place = u32::try_from(self.elements.len()).map_err(|_| Unsure)?;
        let is_foreign = tag.sets & set::FOREIGN != 0;
        let mut element = Element {
            name: if is_foreign { tag.written } else { tag.name()? },
            parent,
            close: place + 1,
            previous: NONE,
            last_child: NONE,
            attributes: position(tag.attributes)?..position(attributes.len())?,
            class: NONE,
            price: 0,
            is_foreign,
        };
        element.read_attributes(self.html, attributes);
        if let Some(parent) = self.elements.get_mut(index(parent)) {
            element.previous = std::mem::replace(&mut parent.last_child, place);
        }
        self.elements.push(element);
        Ok(place)
    }

    /// Adds the attributes of a tag, the last that were read, to those of an element.
    pub(super) fn add_attributes(
        &mut self,
        place: u32,
        tag: &Tag<'_>,
        attributes: &mut Vec<Attribute>,
    ) -> Result<(), Unsure> {
        let element = self.elements.get_mut(index(place)).ok_or(Unsure)?;
        let added = attributes.split_off(tag.attributes);
        let first = position(attributes.len())?;
        // The first attribute of a name counts.
        for at in element.attributes.clone() {
            attributes.push(attributes[index(at)].clone());
        }
        attributes.extend(added);
        element.attributes = first..position(attributes.len())?;
        element.read_attributes(self.html, attributes);
        Ok(())
    }

    pub(super) fn add_text(&mut self, piece: Piece) {
        self.pieces.push(piece);
    }

    /// Computes where each element ends.
    pub(super) fn finish(mut self, attributes: Vec<Attribute>) -> Self {
        self.attributes = attributes;
        for place in (0..self.elements.len()).rev() {
            let Element { parent, close, .. } = self.elements[place];
            if let Some(parent) = self.elements.get_mut(index(parent)) {
                parent.close = parent.close.max(close);
            }
        }
        self
    }

    pub(super) fn element(&self, place: u32) -> &Element<'a> {
        &self.elements[index(place)]
    }

    pub(super) fn attributes_of(&self, element: &Element<'_>) -> &[Attribute] {
        &self.attributes[index(element.attributes.start)..index(element.attributes.end)]
    }

    pub(super) fn slice(&self, range: &Range<u32>) -> &'a str {
        slice(self.html, range)
    }
}

fn slice<'a>(html: &'a str, range: &Range<u32>) -> &'a str {
    &html[index(range.start)..index(range.end)]
}

/// A number of the tree as an index.
pub(super) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// An index as a number of the tree.
pub(super) fn position(index: usize) -> Result<u32, Unsure> {
    u32::try_from(index).map_err(|_| Unsure)
}
