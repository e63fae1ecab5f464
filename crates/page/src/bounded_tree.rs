//! Between the tokens of a page and the tree builder: what keeps the work and the tree in proportion to the page.
//!
//! The tree builder walks through all open elements for most tags, and opens unclosed formatting again in each paragraph, so
//! a page of nothing but start tags would take time and room by the square of its length. Browsers limit both.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use dom_query::{Document, NodeId};
use html5ever::interface::{Tracer, TreeSink as _};
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{LocalName, local_name};

use crate::bounded_tags::{MAX_ATTRIBUTES, tokenize};

/// Maximum number of elements that the tree builder tracks at a time: the open ones, and the formatting
/// elements that it would reopen. Browsers do not nest deeper than 512 either.
const AT_HAND: usize = 512;

/// Maximum number of elements that one start tag adds to those tracked: a cell also creates its row and its
/// table's body.
const ADDED_BY_TAG: usize = 3;

/// Maximum number of nodes that a token may create before they count as copies. A token creates one node by
/// itself. Formatting on a page written by a human adds up to three, because the tree builder keeps at most
/// three alike.
const MADE_BY_TOKEN: usize = 6;

/// Limit for copies on a page: a fixed number, and an additional number for each tag.
const COPIES: usize = 10_000;
const COPIES_BY_TAG: usize = 2;

/// Maximum number of `html` and `body` tags. Each one compares the attributes so far with the new ones.
const REPEATED_ROOTS: usize = 64;

/// Parses as browsers do that run no scripts.
pub(crate) fn parse(html: &str) -> Document {
    tokenize(html, BoundedTree::new(), MAX_ATTRIBUTES).finish()
}

/// A tree builder for tokens from anywhere. Up to the limits it does as the HTML standard says. An element beyond them is put
/// where it stands and closed at once, so that what is in it comes after it, as in browsers.
pub(crate) struct BoundedTree {
    builder: TreeBuilder<NodeId, Document>,
    /// At least as many elements as are at hand.
    at_hand: Cell<usize>,
    /// The elements that were closed at once, whose end tags are still to come.
    closed: RefCell<HashMap<LocalName, usize>>,
    /// The formatting that was opened, but for what was closed right after.
    formatting: RefCell<Vec<LocalName>>,
    tags: Cell<usize>,
    copies: Cell<usize>,
    roots: Cell<usize>,
}

impl BoundedTree {
    /// Builds as for a browser that runs no scripts.
    pub(crate) fn new() -> Self {
        let options = TreeBuilderOpts { scripting_enabled: false, ..TreeBuilderOpts::default() };
        Self {
            builder: TreeBuilder::new(Document::default(), options),
            at_hand: Cell::new(0),
            closed: RefCell::default(),
            formatting: RefCell::default(),
            tags: Cell::new(0),
            copies: Cell::new(0),
            roots: Cell::new(0),
        }
    }

    /// The tree, after the last token.
    pub(crate) fn finish(self) -> Document {
        self.builder.sink.finish()
    }

    /// Counts the elements that the tree builder tracks: the open ones and the formatting it would reopen.
    fn count(&self) -> usize {
        let counter = Counter(Cell::new(0));
        self.builder.trace_handles(&counter);
        counter.0.get()
    }

    fn start(&self, tag: Tag, line: u64) -> TokenSinkResult<NodeId> {
        let name = tag.name.clone();
        if matches!(name, local_name!("html") | local_name!("body")) {
            self.roots.set(self.roots.get() + 1);
            if self.roots.get() > REPEATED_ROOTS {
                return TokenSinkResult::Continue;
            }
        }
        if is_formatting(&name) {
            self.formatting.borrow_mut().push(name.clone());
        }
        let expected = self.at_hand.get() + ADDED_BY_TAG;
        if expected < AT_HAND {
            self.at_hand.set(expected);
            return self.pass(Token::TagToken(tag), line);
        }
        let before = self.count();
        let result = self.pass(Token::TagToken(tag), line);
        let after = self.count();
        self.at_hand.set(after);
        // Titles, scripts and the like end where their text ends.
        if after >= AT_HAND && after > before && matches!(result, TokenSinkResult::Continue) {
            let _ = self.pass(end_tag(name.clone()), line);
            *self.closed.borrow_mut().entry(name).or_default() += 1;
        }
        result
    }

    fn end_tag(&self, tag: Tag, line: u64) -> TokenSinkResult<NodeId> {
        let mut closed = self.closed.borrow_mut();
        if !closed.is_empty() {
            let at_hand = self.count();
            self.at_hand.set(at_hand);
            if at_hand + 2 * ADDED_BY_TAG < AT_HAND {
                // What was around them has ended.
                closed.clear();
            } else if let Some(count) = closed.get_mut(&tag.name).filter(|count| **count > 0) {
                *count -= 1;
                return TokenSinkResult::Continue;
            }
        }
        drop(closed);
        self.formatting.borrow_mut().pop_if(|last| *last == tag.name);
        self.pass(Token::TagToken(tag), line)
    }

    /// Gives a token to the tree builder, and counts what it makes of it.
    fn pass(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let before = self.builder.sink.tree.len();
        let result = self.builder.process_token(token, line);
        let made = self.builder.sink.tree.len() - before;
        if made > MADE_BY_TOKEN {
            self.copies.set(self.copies.get() + made);
            if self.copies.get() > COPIES + COPIES_BY_TAG * self.tags.get() {
                self.close_formatting(line);
            }
        }
        result
    }

    /// Closes all formatting, so that it is not opened again.
    fn close_formatting(&self, line: u64) {
        let open = std::mem::take(&mut *self.formatting.borrow_mut());
        for name in open.into_iter().rev() {
            let _ = self.builder.process_token(end_tag(name), line);
        }
    }
}

impl TokenSink for BoundedTree {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        match token {
            Token::TagToken(tag) => {
                self.tags.set(self.tags.get() + 1);
                match tag.kind {
                    TagKind::StartTag => self.start(tag, line),
                    TagKind::EndTag => self.end_tag(tag, line),
                }
            }
            Token::DoctypeToken(_)
            | Token::CommentToken(_)
            | Token::CharacterTokens(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => self.pass(token, line),
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Elements that are opened again after what was around them has ended (HTML, "the list of active formatting elements").
const fn is_formatting(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("a")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("tt")
            | local_name!("u")
    )
}

const fn end_tag(name: LocalName) -> Token {
    let attrs = Vec::new();
    Token::TagToken(Tag { kind: TagKind::EndTag, name, self_closing: false, attrs, had_duplicate_attributes: false })
}

/// Counts what the tree builder has at hand.
struct Counter(Cell<usize>);

impl Tracer for Counter {
    type Handle = NodeId;

    fn trace_handle(&self, _node: &NodeId) {
        self.0.set(self.0.get() + 1);
    }
}
