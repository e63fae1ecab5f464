//! Rules of the HTML standard for tags in and around tables.

use super::Unsure;
use super::build::Builder;
use super::names::{self as tag, Key, set};
use super::tags::Tag;

impl<'a> Builder<'a> {
    /// A start tag directly in a table, its rows or its columns.
    pub(super) fn start_in_table(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        use tag::{CAPTION, COL, COLGROUP, TBODY, TD, TFOOT, TH, THEAD, TR};
        let current = self.current()?.key;
        match (current, tag.key) {
            (COLGROUP, COL) => {
                self.push(tag)?;
                self.pop();
                Ok(())
            }
            (COLGROUP, tag::TEMPLATE) => self.insert(tag).map(|_| ()),
            (COLGROUP, _)
            | (TR, CAPTION | COL | COLGROUP | TBODY | TFOOT | THEAD | TR)
            | (TBODY | TFOOT | THEAD, CAPTION | COL | COLGROUP | TBODY | TFOOT | THEAD) => {
                self.pop();
                self.start_in_table(tag)
            }
            (TR, TD | TH) | (TBODY | TFOOT | THEAD, TR) | (tag::TABLE, CAPTION | COLGROUP | TBODY | TFOOT | THEAD) => {
                self.push(tag).map(|_| ())
            }
            (TBODY | TFOOT | THEAD, TD | TH) => self.start_in_implied(TR, tag),
            (tag::TABLE, COL) => self.start_in_implied(COLGROUP, tag),
            (tag::TABLE, TD | TH | TR) => self.start_in_implied(TBODY, tag),
            (_, tag::STYLE | tag::SCRIPT | tag::TEMPLATE) => self.insert(tag).map(|_| ()),
            _ => Err(Unsure),
        }
    }

    fn start_in_implied(&mut self, key: Key, tag: &Tag<'a>) -> Result<(), Unsure> {
        self.push_missing(key, tag)?;
        self.start_in_table(tag)
    }

    /// The place of the nearest cell or caption, if the content is that of one.
    fn cell(&self) -> Option<usize> {
        let is_near = |key: Key| matches!(key, tag::TD | tag::TH | tag::CAPTION | tag::TABLE | tag::HTML);
        let place = self.open.iter().rposition(|open| is_near(open.key))?;
        matches!(self.open[place].key, tag::TD | tag::TH | tag::CAPTION).then_some(place)
    }

    fn close_cell(&mut self, place: usize) -> Result<(), Unsure> {
        self.close_implied(0);
        self.pop_to(place)
    }

    /// A start tag of a part of a table, in the content of a cell, of a caption or of the page.
    pub(super) fn start_of_table_part(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        let Some(place) = self.cell() else { return Ok(()) };
        self.close_cell(place)?;
        self.start_in_table(tag)
    }

    /// Returns whether the table around holds an open element of this name.
    fn is_in_table(&self, key: Key) -> bool {
        for open in self.open.iter().rev() {
            if open.key == key {
                return true;
            }
            if matches!(open.key, tag::TABLE | tag::HTML) {
                break;
            }
        }
        false
    }

    /// An end tag directly in a table, its rows or its columns.
    pub(super) fn end_in_table(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        use tag::{COLGROUP, TABLE, TBODY, TFOOT, THEAD, TR};
        let current = self.current()?.key;
        match (current, tag.key) {
            (COLGROUP, COLGROUP) | (TR, TR) | (TABLE, TABLE) => self.pop(),
            (COLGROUP, tag::COL | tag::TEMPLATE) => {}
            (COLGROUP, _) | (TR | TBODY | TFOOT | THEAD, TABLE) => {
                self.pop();
                return self.end_in_table(tag);
            }
            (TR, TBODY | TFOOT | THEAD) if self.is_in_table(tag.key) => {
                self.pop();
                return self.end_in_table(tag);
            }
            (TBODY | TFOOT | THEAD, TBODY | TFOOT | THEAD) if self.is_in_table(tag.key) => self.pop(),
            (_, tag::P | tag::FORM) => return Err(Unsure),
            _ if tag.sets & set::FORMATTING != 0 => return Err(Unsure),
            // Nothing else is open in it.
            _ => {}
        }
        Ok(())
    }

    /// An end tag of a table, a part of one or the body, in the content of a cell, of a caption or of the page.
    pub(super) fn end_of_table_part(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        let Some(place) = self.cell() else {
            if matches!(tag.key, tag::BODY | tag::HTML) {
                self.is_after_body = self.has_in_scope(tag::BODY).is_some();
                return Ok(());
            }
            return self.end_of_other(tag);
        };
        let cell = self.open[place].key;
        let is_around = match tag.key {
            tag::TABLE => true,
            tag::TBODY | tag::TFOOT | tag::THEAD | tag::TR => cell != tag::CAPTION && self.is_in_table(tag.key),
            _ => false,
        };
        if tag.key == cell || is_around {
            self.close_cell(place)?;
        }
        if is_around { self.end_in_table(tag) } else { Ok(()) }
    }
}
