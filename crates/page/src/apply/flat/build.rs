//! Construction of the tree by the rules of the HTML standard (section "Tree construction"), as far as each element goes to
//! the end of the page: without foster parenting, without formatting that is opened again, without framesets and formulas.

use std::ops::Range;

use super::Unsure;
use super::names::{self as tag, Key, MIXED_CASE, set};
use super::tags::{Scanner, Tag, Token};
use super::tree::{Piece, Tree, index, position};

/// Maximum number of open elements: the parser of documents limits them, and the formatting among them, to 512 in all.
const MAX_OPEN: usize = 200;

/// Insertion mode. The modes of tables follow from the open elements.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
}

/// The doctype of the page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Doctype {
    Missing,
    Standard,
    Other,
}

/// An open element.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) place: u32,
    pub(super) key: Key,
    pub(super) sets: u32,
}

pub(super) struct Builder<'a> {
    pub(super) scanner: Scanner<'a>,
    pub(super) tree: Tree<'a>,
    pub(super) open: Vec<Open>,
    pub(super) mode: Mode,
    pub(super) doctype: Doctype,
    pub(super) head: u32,
    /// The form that new controls belong to.
    pub(super) form: Option<u32>,
    /// True if nothing but text came after the last text of the current element.
    joins: bool,
    /// Number of `html` and `body` tags whose attributes were added to those of the first.
    pub(super) merged: usize,
    /// True between `</body>` and what belongs into the body all the same.
    pub(super) is_after_body: bool,
}

/// The tree of a page, if the page is simple enough.
pub(super) fn parse(html: &str) -> Result<Tree<'_>, Unsure> {
    if memchr::memchr(0, html.as_bytes()).is_some() || html.starts_with('\u{feff}') {
        return Err(Unsure);
    }
    let mut builder = Builder {
        scanner: Scanner::new(html),
        tree: Tree::new(html),
        open: Vec::new(),
        mode: Mode::BeforeHtml,
        doctype: Doctype::Missing,
        head: 0,
        form: None,
        joins: false,
        merged: 0,
        is_after_body: false,
    };
    while let Some(token) = builder.scanner.next()? {
        builder.token(token)?;
    }
    if builder.mode != Mode::InBody {
        return Err(Unsure);
    }
    Ok(builder.tree.finish(builder.scanner.attributes))
}

impl<'a> Builder<'a> {
    fn token(&mut self, token: Token<'a>) -> Result<(), Unsure> {
        match token {
            Token::Start(tag) => {
                self.is_after_body = false;
                self.start(tag)
            }
            Token::End(tag) => {
                self.scanner.attributes.truncate(tag.attributes);
                self.is_after_body = false;
                self.end(&tag)
            }
            Token::Text(range) => self.text(range),
            Token::Comment => {
                self.joins &= self.is_after_body;
                Ok(())
            }
            Token::Doctype(text) => {
                if self.mode == Mode::BeforeHtml && self.doctype == Doctype::Missing {
                    let is_standard = text.get(7..).is_some_and(|name| name.trim().eq_ignore_ascii_case("html"));
                    self.doctype = if is_standard { Doctype::Standard } else { Doctype::Other };
                }
                Ok(())
            }
        }
    }

    fn text(&mut self, mut range: Range<usize>) -> Result<(), Unsure> {
        let text = &self.scanner.html[range.clone()];
        if self.mode != Mode::InBody || self.is_after_body || self.is_in_table_frame() {
            let rest = text.trim_start_matches(|letter: char| letter.is_ascii_whitespace());
            let is_space = rest.is_empty();
            if rest.starts_with('&') || (!is_space && self.is_in_table_frame()) {
                return Err(Unsure);
            }
            if self.mode != Mode::InBody {
                if is_space && !matches!(self.mode, Mode::InHead | Mode::InHeadNoscript) {
                    return Ok(());
                }
                if !is_space {
                    range.start = range.end - rest.len();
                    self.open_body()?;
                }
            }
            self.is_after_body &= is_space;
        }
        self.add_text(range, true)
    }

    pub(super) fn add_text(&mut self, range: Range<usize>, has_references: bool) -> Result<(), Unsure> {
        let parent = self.current()?.place;
        let range = position(range.start)?..position(range.end)?;
        let before = position(self.tree.elements.len())?;
        let is_joined = std::mem::replace(&mut self.joins, true);
        self.tree.add_text(Piece { range, before, parent, is_joined, has_references });
        Ok(())
    }

    pub(super) fn current(&self) -> Result<Open, Unsure> {
        self.open.last().copied().ok_or(Unsure)
    }

    /// Returns whether the current element holds only parts of tables.
    pub(super) fn is_in_table_frame(&self) -> bool {
        self.open.last().is_some_and(|open| open.sets & set::TABLE_FRAME != 0)
    }

    /// Adds an element below the current one and opens it.
    pub(super) fn push(&mut self, tag: &Tag<'a>) -> Result<u32, Unsure> {
        let parent = self.open.last().map_or(super::tree::NONE, |open| open.place);
        let place = self.tree.add(tag, parent, &self.scanner.attributes)?;
        self.open.push(Open { place, key: tag.key, sets: tag.sets });
        self.joins = false;
        if self.open.len() > MAX_OPEN { Err(Unsure) } else { Ok(place) }
    }

    /// Adds an element that the page leaves out.
    pub(super) fn push_implied(&mut self, key: Key) -> Result<u32, Unsure> {
        // It has no attributes.
        let place = self.push(&Tag::implied(key, self.scanner.attributes.len()))?;
        Ok(place)
    }

    /// Adds an element with what its name says of its content: nothing, text, or anything.
    pub(super) fn insert(&mut self, tag: &Tag<'a>) -> Result<u32, Unsure> {
        if tag.key == tag::TEMPLATE {
            return self.template(tag);
        }
        let place = self.push(tag)?;
        if tag.sets & (set::RAW | set::ESCAPABLE) != 0 {
            let range = self.scanner.raw_text(tag)?;
            if !range.is_empty() {
                self.add_text(range, tag.sets & set::ESCAPABLE != 0)?;
            }
            self.pop();
        } else if tag.sets & set::VOID != 0 {
            self.pop();
        }
        Ok(place)
    }

    /// Adds a template. Its content is not part of the page.
    fn template(&mut self, tag: &Tag<'a>) -> Result<u32, Unsure> {
        let names = &self.scanner.attributes[tag.attributes..];
        let is_shadow = names.iter().any(|attribute| {
            self.tree.slice(&attribute.name).get(..6).is_some_and(|name| name.eq_ignore_ascii_case("shadow"))
        });
        let place = self.push(tag)?;
        let count = self.scanner.attributes.len();
        let (mut depth, mut tags) = (1, self.open.len());
        let mut is_in_svg = false;
        while depth > 0 && !is_shadow && tags <= MAX_OPEN {
            match self.scanner.next()?.ok_or(Unsure)? {
                Token::Start(tag) => {
                    if is_unsure_in_template(&tag, is_in_svg) {
                        return Err(Unsure);
                    }
                    is_in_svg |= tag.key == tag::SVG && !tag.is_self_closing;
                    if tag.sets & (set::RAW | set::ESCAPABLE) != 0 {
                        self.scanner.raw_text(&tag)?;
                    }
                    depth += u32::from(tag.key == tag::TEMPLATE);
                    tags += 1;
                }
                Token::End(tag) if is_in_svg && matches!(tag.key, tag::P | tag::BR) => return Err(Unsure),
                Token::End(tag) => {
                    depth -= u32::from(tag.key == tag::TEMPLATE);
                    is_in_svg &= !matches!(tag.key, tag::SVG | tag::TEMPLATE);
                }
                Token::Text(_) | Token::Comment | Token::Doctype(_) => {}
            }
            self.scanner.attributes.truncate(count);
        }
        self.pop();
        if depth > 0 { Err(Unsure) } else { Ok(place) }
    }

    /// Closes the current element.
    pub(super) fn pop(&mut self) {
        self.open.pop();
        self.joins = false;
    }

    /// Closes the elements from a place among the open ones. Formatting that is still to be opened again is too much, unless
    /// the element clears it.
    pub(super) fn pop_to(&mut self, place: usize) -> Result<(), Unsure> {
        let (target, inner) = self.open.get(place..).and_then(<[Open]>::split_first).ok_or(Unsure)?;
        let clears = target.sets & set::MARKER != 0;
        let is_left = |open: &Open| open.sets & set::MARKER != 0 || (open.sets & set::FORMATTING != 0 && !clears);
        if inner.iter().any(is_left) {
            return Err(Unsure);
        }
        self.open.truncate(place);
        self.joins = false;
        Ok(())
    }

    /// "Has an element in scope": the place among the open elements.
    pub(super) fn in_scope(&self, is: impl Fn(&Open) -> bool, ends: impl Fn(&Open) -> bool) -> Option<usize> {
        for (place, open) in self.open.iter().enumerate().rev() {
            if is(open) {
                return Some(place);
            }
            if open.sets & set::SCOPE != 0 || ends(open) {
                return None;
            }
        }
        None
    }

    pub(super) fn has_in_scope(&self, key: Key) -> Option<usize> {
        self.in_scope(|open| open.key == key && open.sets & set::FOREIGN == 0, |_| false)
    }

    /// "Generate implied end tags", except for a name.
    pub(super) fn close_implied(&mut self, except: Key) {
        while self.open.last().is_some_and(|open| open.sets & set::IMPLIED != 0 && open.key != except) {
            self.pop();
        }
    }

    pub(super) fn paragraph(&self) -> Option<usize> {
        self.in_scope(|open| open.key == tag::P, |open| open.key == tag::BUTTON)
    }

    /// "Close a p element", if there is one in button scope.
    pub(super) fn close_paragraph(&mut self) -> Result<(), Unsure> {
        let Some(place) = self.paragraph() else { return Ok(()) };
        self.close_implied(tag::P);
        self.pop_to(place)
    }

    /// Starts an element inside SVG, or the SVG itself.
    pub(super) fn foreign_start(&mut self, mut tag: Tag<'a>) -> Result<(), Unsure> {
        let current = self.current()?;
        let is_inside = current.sets & set::FOREIGN != 0;
        let holds_html =
            |name: &str| ["title", "desc", "foreignobject"].iter().any(|html| html.eq_ignore_ascii_case(name));
        if is_inside && holds_html(self.tree.element(current.place).name) {
            return Err(Unsure);
        }
        let mixed = MIXED_CASE.iter().find(|name| name.eq_ignore_ascii_case(tag.written));
        let is_lower = !tag.written.bytes().any(|byte| byte.is_ascii_uppercase());
        if (mixed.is_none() && !is_lower) || (is_inside && matches!(tag.key, tag::SCRIPT | tag::FONT)) {
            return Err(Unsure);
        }
        if is_inside && tag.sets & set::NOT_FOREIGN != 0 {
            // The tag belongs after the SVG.
            let place = self.open.iter().position(|open| open.sets & set::FOREIGN != 0).ok_or(Unsure)?;
            self.pop_to(place)?;
            return self.start(tag);
        }
        tag.written = mixed.filter(|_| is_inside).copied().unwrap_or(tag.written);
        tag.sets = set::FOREIGN;
        self.push(&tag)?;
        if tag.is_self_closing {
            self.pop();
        }
        Ok(())
    }

    pub(super) fn foreign_end(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        for (place, open) in self.open.iter().enumerate().rev() {
            if open.sets & set::FOREIGN == 0 || matches!(tag.key, tag::P | tag::BR) {
                return Err(Unsure);
            }
            if self.tree.elements[index(open.place)].name.eq_ignore_ascii_case(tag.written) {
                return self.pop_to(place);
            }
        }
        Err(Unsure)
    }
}

/// Returns whether after a start tag in a template it is not certain where the template ends.
fn is_unsure_in_template(tag: &Tag<'_>, is_in_svg: bool) -> bool {
    let holds_html = || ["desc", "foreignobject"].iter().any(|html| html.eq_ignore_ascii_case(tag.written));
    let of_html = set::NOT_FOREIGN | set::RAW | set::ESCAPABLE;
    let is_html_in_svg = is_in_svg
        && (tag.sets & of_html != 0 || matches!(tag.key, tag::SVG | tag::FONT | tag::TEMPLATE) || holds_html());
    is_html_in_svg || tag.sets & set::UNSURE != 0 || matches!(tag.key, tag::COL | tag::COLGROUP | tag::FRAME)
}
