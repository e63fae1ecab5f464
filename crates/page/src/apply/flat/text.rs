//! Texts and attribute values of the tree, the same as those of a document.

use std::borrow::Cow;
use std::cell::RefCell;

use html5ever::TokenizerResult;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};

use super::tree::{Piece, Tree, index};
use crate::document::{append, append_space, is_block, is_skipped, normalise};

impl<'a> Tree<'a> {
    /// Returns whether a reader does not see the element, for itself or for one around it.
    fn is_hidden(&self, place: u32) -> bool {
        let around =
            std::iter::successors(self.elements.get(index(place)), |element| self.elements.get(index(element.parent)));
        around.into_iter().any(|element| is_skipped(element.name))
    }

    /// The texts in an element, in document order.
    fn pieces_of(&self, place: u32) -> impl Iterator<Item = &Piece> {
        let close = self.element(place).close;
        let first = self.pieces.partition_point(|piece| piece.before <= place);
        self.pieces[first..]
            .iter()
            .take_while(move |piece| piece.before <= close)
            .filter(move |piece| (place..close).contains(&piece.parent))
    }

    /// The text nodes among pieces, each with the element that holds it and the number of elements before it.
    fn nodes_of<'t>(&self, pieces: impl Iterator<Item = &'t Piece>) -> Vec<(u32, u32, Cow<'a, str>)> {
        let mut nodes: Vec<(u32, u32, Cow<'a, str>)> = Vec::new();
        for piece in pieces {
            let text = self.slice(&piece.range);
            let text = if piece.has_references { resolved(text, Place::Text) } else { Cow::Borrowed(text) };
            match nodes.last_mut().filter(|_| piece.is_joined) {
                Some((_, _, before)) => before.to_mut().push_str(&text),
                None => nodes.push((piece.parent, piece.before, text)),
            }
        }
        nodes
    }

    /// The same as [`crate::Document::text`].
    pub(super) fn text(&self, place: u32) -> String {
        let nodes = self.nodes_of(self.pieces_of(place));
        if self.is_hidden(place) {
            return normalise(&nodes.into_iter().map(|(_, _, text)| text).collect::<String>());
        }
        let mut seen = Seen { tree: self, text: String::new(), open: Vec::new() };
        let mut nodes = nodes.into_iter().peekable();
        let close = self.element(place).close;
        let mut next = place;
        while next < close {
            while let Some((parent, _, text)) = nodes.next_if(|(_, before, _)| *before <= next) {
                seen.text_in(parent, &text);
            }
            next = seen.enter(next);
            while nodes.next_if(|(parent, _, _)| *parent < next && !seen.open.contains(parent)).is_some() {}
        }
        for (parent, _, text) in nodes {
            seen.text_in(parent, &text);
        }
        seen.text.trim().to_owned()
    }

    /// The same as [`crate::Document::own_text`].
    pub(super) fn own_text(&self, place: u32) -> String {
        normalise(&self.text_nodes(place, false).join(" "))
    }

    /// The same as [`crate::Document::text_children`], or [`crate::Document::text_descendants`].
    pub(super) fn text_nodes(&self, place: u32, below: bool) -> Vec<String> {
        let nodes = self.nodes_of(self.pieces_of(place).filter(|piece| below || piece.parent == place));
        nodes.into_iter().map(|(_, _, text)| text.into_owned()).collect()
    }

    /// Returns whether the text nodes of an element, or with those of the elements below, are those of a document to the last space.
    pub(super) fn has_all_spaces(&self, place: u32, below: bool) -> bool {
        let last = if below { self.element(place).close } else { place + 1 };
        let mut names = self.elements[index(place)..index(last)].iter().map(|element| element.name);
        // Spaces around the head belong to one element or another, the first line break in some elements to none, and what is in a
        // template is in another tree.
        !names.any(|name| matches!(name, "html" | "head" | "listing" | "pre" | "template" | "textarea"))
    }

    /// Returns whether an element holds neither elements nor text.
    pub(super) fn is_empty(&self, place: u32) -> bool {
        let has_elements = self.element(place).close > place + 1;
        !has_elements && self.nodes_of(self.pieces_of(place)).iter().all(|(_, _, text)| text.trim().is_empty())
    }

    /// The value of an attribute by its position.
    pub(super) fn value(&self, attribute: usize) -> Cow<'a, str> {
        resolved(self.slice(&self.attributes[attribute].value), Place::Attribute)
    }
}

/// Collects the text that a reader sees.
struct Seen<'t, 'a> {
    tree: &'t Tree<'a>,
    text: String,
    /// The elements around, as far as they are in the one whose text is collected.
    open: Vec<u32>,
}

impl Seen<'_, '_> {
    /// Opens an element, unless it is not seen. Returns the element after its start, or after all of it.
    fn enter(&mut self, place: u32) -> u32 {
        let element = self.tree.element(place);
        self.leave_until(element.parent);
        if is_skipped(element.name) {
            return element.close;
        }
        if is_block(element.name) {
            append_space(&mut self.text);
        }
        self.open.push(place);
        place + 1
    }

    fn text_in(&mut self, parent: u32, text: &str) {
        self.leave_until(parent);
        append(&mut self.text, text);
    }

    /// Closes the elements inside `parent`.
    fn leave_until(&mut self, parent: u32) {
        while let Some(place) = self.open.pop_if(|place| *place > parent) {
            if is_block(self.tree.element(place).name) {
                append_space(&mut self.text);
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Attribute,
}

/// Resolves the character references of a text or a value.
fn resolved(written: &str, place: Place) -> Cow<'_, str> {
    if memchr::memchr2(b'&', b'\r', written.as_bytes()).is_none() {
        return Cow::Borrowed(written);
    }
    // The characters that would end it are written as references, which end a reference before them as they do.
    let markup = match place {
        Place::Text => written.replace('<', "&lt;"),
        Place::Attribute => format!("<a a=\"{}\">", written.replace('"', "&quot;")),
    };
    let tokenizer = Tokenizer::new(Characters::default(), TokenizerOpts::default());
    let queue = BufferQueue::default();
    queue.push_back(StrTendril::from_slice(&markup));
    while let TokenizerResult::Script(()) | TokenizerResult::EncodingIndicator(_) = tokenizer.feed(&queue) {}
    tokenizer.end();
    Cow::Owned(tokenizer.sink.0.take())
}

/// Takes the characters of texts and attribute values.
#[derive(Default)]
struct Characters(RefCell<String>);

impl TokenSink for Characters {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        match token {
            Token::CharacterTokens(text) => self.0.borrow_mut().push_str(&text),
            Token::TagToken(tag) => {
                self.0.borrow_mut().extend(tag.attrs.iter().map(|attribute| &*attribute.value));
            }
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => {}
        }
        TokenSinkResult::Continue
    }
}
