//! Rules of the HTML standard for tags, by insertion mode.

use super::Unsure;
use super::build::{Builder, Doctype, Mode, Open};
use super::names::{self as tag, Key, set};
use super::tags::Tag;

/// Maximum number of repeated `html` and `body` tags; the parser of documents reads some more.
const MAX_MERGED: usize = 50;

impl<'a> Builder<'a> {
    pub(super) fn start(&mut self, tag: Tag<'a>) -> Result<(), Unsure> {
        if self.open.last().is_some_and(|open| open.sets & set::FOREIGN != 0) {
            return self.foreign_start(tag);
        }
        if tag.sets & set::UNSURE != 0 {
            return Err(Unsure);
        }
        if self.mode != Mode::InBody && !self.start_before_body(&tag)? {
            return Ok(());
        }
        if self.is_in_table_frame() { self.start_in_table(&tag) } else { self.start_in_body(tag) }
    }

    pub(super) fn end(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        if self.open.last().is_some_and(|open| open.sets & set::FOREIGN != 0) {
            return self.foreign_end(tag);
        }
        if matches!(tag.key, tag::BR) || (tag.key == tag::TEMPLATE && self.mode != Mode::InBody) {
            return Err(Unsure);
        }
        if self.mode != Mode::InBody {
            return self.end_before_body(tag);
        }
        if self.is_in_table_frame() {
            return self.end_in_table(tag);
        }
        let is_of_table = tag.sets & set::TABLE_PART != 0 || matches!(tag.key, tag::TABLE | tag::BODY | tag::HTML);
        if is_of_table { self.end_of_table_part(tag) } else { self.end_in_body(tag) }
    }

    /// The modes before the body. Returns whether the tag belongs into the body.
    fn start_before_body(&mut self, tag: &Tag<'a>) -> Result<bool, Unsure> {
        if self.mode == Mode::BeforeHtml {
            self.mode = Mode::BeforeHead;
            if tag.key == tag::HTML {
                self.push(tag)?;
                return Ok(false);
            }
            self.push_missing(tag::HTML, tag)?;
        }
        if tag.key == tag::HTML {
            return self.merge(tag, 0).map(|()| false);
        }
        if self.mode == Mode::BeforeHead {
            self.mode = Mode::InHead;
            if tag.key == tag::HEAD_TAG {
                self.head = self.push(tag)?;
                return Ok(false);
            }
            self.head = self.push_missing(tag::HEAD_TAG, tag)?;
        }
        if tag.key == tag::HEAD_TAG {
            return Ok(false);
        }
        if self.mode == Mode::InHeadNoscript {
            match tag.key {
                tag::NOSCRIPT => return Ok(false),
                tag::BASEFONT | tag::BGSOUND | tag::LINK | tag::META_TAG | tag::NOFRAMES | tag::STYLE => {
                    return self.insert(tag).map(|_| false);
                }
                _ => self.leave_noscript(),
            }
        }
        if tag.sets & set::HEAD != 0 {
            if self.mode == Mode::AfterHead {
                self.open.push(Open { place: self.head, key: tag::HEAD_TAG, sets: set::SPECIAL });
                self.insert(tag)?;
                self.pop();
            } else {
                self.insert(tag)?;
            }
            return Ok(false);
        }
        if self.mode == Mode::InHead {
            if tag.key == tag::NOSCRIPT {
                self.push(tag)?;
                self.mode = Mode::InHeadNoscript;
                return Ok(false);
            }
            self.leave_head();
        }
        self.mode = Mode::InBody;
        if tag.key == tag::BODY {
            self.push(tag)?;
            return Ok(false);
        }
        self.push_missing(tag::BODY, tag)?;
        Ok(true)
    }

    /// Adds an element that the page leaves out before a tag that needs it.
    pub(super) fn push_missing(&mut self, key: Key, before: &Tag<'a>) -> Result<u32, Unsure> {
        // The attributes of the tag are read already, and do not belong to it.
        let kept = self.scanner.attributes.split_off(before.attributes);
        let place = self.push_implied(key);
        self.scanner.attributes.extend(kept);
        place
    }

    /// Adds the attributes of a repeated `html` or `body` to the first, which is this one of the open elements.
    fn merge(&mut self, tag: &Tag<'a>, place: usize) -> Result<(), Unsure> {
        self.merged += 1;
        let place = self.open.get(place).filter(|open| open.key == tag.key).ok_or(Unsure)?.place;
        if self.merged > MAX_MERGED {
            return Err(Unsure);
        }
        self.tree.add_attributes(place, tag, &mut self.scanner.attributes)
    }

    fn leave_noscript(&mut self) {
        self.pop();
        self.mode = Mode::InHead;
    }

    fn leave_head(&mut self) {
        self.pop();
        self.mode = Mode::AfterHead;
    }

    /// Adds the elements around the body's content that the page leaves out.
    pub(super) fn open_body(&mut self) -> Result<(), Unsure> {
        if self.mode == Mode::BeforeHtml {
            self.push_implied(tag::HTML)?;
            self.mode = Mode::BeforeHead;
        }
        if self.mode == Mode::BeforeHead {
            self.head = self.push_implied(tag::HEAD_TAG)?;
            self.mode = Mode::InHead;
        }
        if self.mode == Mode::InHeadNoscript {
            self.leave_noscript();
        }
        if self.mode == Mode::InHead {
            self.leave_head();
        }
        if self.mode == Mode::AfterHead {
            self.push_implied(tag::BODY)?;
            self.mode = Mode::InBody;
        }
        Ok(())
    }

    fn end_before_body(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        match (self.mode, tag.key) {
            (Mode::InHead, tag::HEAD_TAG) => self.leave_head(),
            (Mode::InHeadNoscript, tag::NOSCRIPT) => self.leave_noscript(),
            (Mode::InHeadNoscript, _) => {}
            (Mode::BeforeHtml | Mode::BeforeHead, tag::HEAD_TAG) | (_, tag::BODY | tag::HTML) => return Err(Unsure),
            _ => {}
        }
        Ok(())
    }

    fn start_in_body(&mut self, tag: Tag<'a>) -> Result<(), Unsure> {
        match tag.key {
            tag::HTML => return self.merge(&tag, 0),
            tag::BODY => return self.merge(&tag, 1),
            tag::HEAD_TAG | tag::FRAME => return Ok(()),
            tag::SVG => return self.foreign_start(tag),
            _ if tag.sets & set::TABLE_PART != 0 => return self.start_of_table_part(&tag),
            tag::NOBR if self.formatting(tag::NOBR).is_some() => return Err(Unsure),
            tag::A if self.formatting(tag::A).is_some() => self.end_formatting(&tag)?,
            tag::FORM => return self.start_form(&tag),
            tag::LI => self.close_item(&[tag::LI])?,
            tag::DD | tag::DT => self.close_item(&[tag::DD, tag::DT])?,
            tag::BUTTON if self.has_in_scope(tag::BUTTON).is_some() => return Err(Unsure),
            tag::SELECT | tag::INPUT if self.has_in_scope(tag::SELECT).is_some() => return Err(Unsure),
            tag::OPTION | tag::OPTGROUP => self.start_option(tag.key),
            tag::RB | tag::RTC if self.has_in_scope(tag::RUBY).is_some() => self.close_implied(0),
            tag::RP | tag::RT if self.has_in_scope(tag::RUBY).is_some() => self.close_implied(tag::RTC),
            tag::TABLE if self.paragraph().is_some() => match self.doctype {
                Doctype::Standard => self.close_paragraph()?,
                Doctype::Missing => {}
                Doctype::Other => return Err(Unsure),
            },
            _ => {}
        }
        if tag.sets & (set::CLOSES_P | set::HEADING) != 0 || matches!(tag.key, tag::LI | tag::DD | tag::DT) {
            self.close_paragraph()?;
        }
        if tag.sets & set::HEADING != 0 && self.current()?.sets & set::HEADING != 0 {
            self.pop();
        }
        if tag.key == tag::HR && self.has_in_scope(tag::SELECT).is_some() {
            self.close_implied(0);
        }
        self.insert(&tag).map(|_| ())
    }

    fn start_form(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        if self.form.is_none() {
            self.close_paragraph()?;
            self.form = Some(self.push(tag)?);
        }
        Ok(())
    }

    fn start_option(&mut self, key: Key) {
        if self.has_in_scope(tag::SELECT).is_some() {
            self.close_implied(if key == tag::OPTION { tag::OPTGROUP } else { 0 });
        } else if self.open.last().is_some_and(|open| open.key == tag::OPTION) {
            self.pop();
        }
    }

    /// Closes the item of a list that a new one follows.
    fn close_item(&mut self, names: &[Key]) -> Result<(), Unsure> {
        for (place, open) in self.open.iter().enumerate().rev() {
            if names.contains(&open.key) {
                let key = open.key;
                self.close_implied(key);
                return self.pop_to(place);
            }
            if open.sets & set::SPECIAL != 0 && !matches!(open.key, tag::ADDRESS | tag::DIV | tag::P) {
                break;
            }
        }
        Ok(())
    }

    /// The last formatting element of a name, after the last marker.
    fn formatting(&self, key: Key) -> Option<usize> {
        let after = self.open.iter().rposition(|open| open.sets & set::MARKER != 0).unwrap_or(0);
        (after..self.open.len()).rev().find(|place| self.open[*place].key == key)
    }

    fn end_in_body(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        let place = match tag.key {
            tag::P => {
                if self.paragraph().is_none() {
                    self.push_implied(tag::P)?;
                }
                return self.close_paragraph();
            }
            tag::TEMPLATE => return Ok(()),
            tag::FORM => {
                self.end_form();
                return Ok(());
            }
            tag::LI => self.in_scope(|open| open.key == tag::LI, |open| matches!(open.key, tag::OL | tag::UL)),
            tag::DD | tag::DT => self.has_in_scope(tag.key),
            _ if tag.sets & set::FORMATTING != 0 => return self.end_formatting(tag),
            _ if tag.sets & set::HEADING != 0 => {
                self.close_in_scope(self.in_scope(|open| open.sets & set::HEADING != 0, |_| false), 0)?;
                return Ok(());
            }
            _ if tag.sets & (set::BLOCK | set::MARKER) != 0 => self.has_in_scope(tag.key),
            _ => return self.end_of_other(tag),
        };
        let except = if tag.sets & set::IMPLIED != 0 { tag.key } else { 0 };
        self.close_in_scope(place, except)
    }

    fn close_in_scope(&mut self, place: Option<usize>, except: Key) -> Result<(), Unsure> {
        let Some(place) = place else { return Ok(()) };
        self.close_implied(except);
        self.pop_to(place)
    }

    fn end_form(&mut self) {
        let Some(form) = self.form.take() else { return };
        let Some(place) = self.in_scope(|open| open.place == form, |_| false) else { return };
        self.close_implied(0);
        // Elements that are open in it stay open.
        if place + 1 == self.open.len() {
            self.pop();
        } else {
            self.open.remove(place);
        }
    }

    /// The "adoption agency", where it has nothing to move.
    fn end_formatting(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        let Some(place) = self.formatting(tag.key) else { return self.end_of_other(tag) };
        if self.open[place..].iter().any(|open| open.sets & set::SPECIAL != 0) {
            return Err(Unsure);
        }
        self.pop_to(place)
    }

    /// "Any other end tag".
    pub(super) fn end_of_other(&mut self, tag: &Tag<'a>) -> Result<(), Unsure> {
        let name = tag.name()?;
        for (place, open) in self.open.iter().enumerate().rev() {
            let is_it = open.key == tag.key && self.tree.element(open.place).name == name;
            if is_it {
                self.close_implied(tag.key);
                return self.pop_to(place);
            }
            if open.sets & set::SPECIAL != 0 {
                break;
            }
        }
        Ok(())
    }
}
