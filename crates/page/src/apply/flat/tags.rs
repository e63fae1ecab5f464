//! The tags, texts and comments of a page, as ranges of it.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::Unsure;
use super::names::{self, Key, KeyBuilder, known};

/// Maximum number of attributes in a tag; the parser of documents reads some more.
const MAX_ATTRIBUTES: usize = 200;

/// A part of a page.
pub(super) enum Token<'a> {
    Start(Tag<'a>),
    End(Tag<'a>),
    Text(Range<usize>),
    Comment,
    /// The declaration between `<!` and `>`.
    Doctype(&'a str),
}

/// A start tag or an end tag.
#[derive(Clone, Copy)]
pub(super) struct Tag<'a> {
    /// The name as written.
    pub(super) written: &'a str,
    pub(super) key: Key,
    /// Sets that the name belongs to.
    pub(super) sets: u32,
    /// Position of its first attribute among all.
    pub(super) attributes: usize,
    pub(super) is_self_closing: bool,
    known: &'static str,
    has_capitals: bool,
}

/// An attribute: ranges of the page with its name and its value, both as written.
#[derive(Clone)]
pub(super) struct Attribute {
    pub(super) name: Range<u32>,
    pub(super) value: Range<u32>,
}

impl<'a> Tag<'a> {
    /// The name as an HTML element has it.
    pub(super) fn name(&self) -> Result<&'a str, Unsure> {
        match (self.known, self.has_capitals) {
            ("", true) => Err(Unsure),
            ("", false) => Ok(self.written),
            (known, _) => Ok(known),
        }
    }

    /// A tag that the page leaves out.
    pub(super) fn implied(key: Key, attributes: usize) -> Self {
        let (known, sets) = known(key);
        Self { written: known, key, sets, attributes, is_self_closing: false, known, has_capitals: false }
    }
}

/// Reads a page from its start to its end.
pub(super) struct Scanner<'a> {
    pub(super) html: &'a str,
    at: usize,
    pub(super) attributes: Vec<Attribute>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(html: &'a str) -> Self {
        Self { html, at: 0, attributes: Vec::with_capacity(html.len() / 64) }
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.html.as_bytes().get(at).copied()
    }

    /// The next part of the page; the attributes of a tag are added to those so far.
    pub(super) fn next(&mut self) -> Result<Option<Token<'a>>, Unsure> {
        let start = self.at;
        let mut from = start;
        loop {
            let Some(length) = memchr(b'<', &self.html.as_bytes()[from..]) else {
                self.at = self.html.len();
                return Ok((start < self.at).then_some(Token::Text(start..self.at)));
            };
            let open = from + length;
            let (is_end, is_tag) = match (self.byte(open + 1), self.byte(open + 2)) {
                (Some(letter), _) if letter.is_ascii_alphabetic() => (false, true),
                (Some(b'/'), Some(letter)) if letter.is_ascii_alphabetic() => (true, true),
                (Some(b'!' | b'?'), _) | (Some(b'/'), Some(_)) => (false, false),
                _ => {
                    from = open + 1;
                    continue;
                }
            };
            if open > start {
                self.at = open;
                return Ok(Some(Token::Text(start..open)));
            }
            if is_tag {
                self.at = open + 1 + usize::from(is_end);
                let tag = self.tag()?;
                return Ok(Some(if is_end { Token::End(tag) } else { Token::Start(tag) }));
            }
            return self.declaration(open).map(Some);
        }
    }

    /// Reads a comment, or what the standard reads like one.
    fn declaration(&mut self, open: usize) -> Result<Token<'a>, Unsure> {
        let rest = &self.html[open..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            let length = end_of_comment(comment).ok_or(Unsure)?;
            self.at = open + "<!--".len() + length;
            return Ok(Token::Comment);
        }
        // No token comes of `</>`, and CDATA is text in some places.
        if rest.starts_with("</>") || rest.starts_with("<![CDATA[") {
            return Err(Unsure);
        }
        let length = memchr(b'>', rest.as_bytes()).ok_or(Unsure)?;
        self.at = open + length + 1;
        let is_doctype = rest.get(2..9).is_some_and(|word| word.eq_ignore_ascii_case("doctype"));
        Ok(if is_doctype && rest.starts_with("<!") { Token::Doctype(&rest[2..length]) } else { Token::Comment })
    }

    /// Reads a tag from its name to its end.
    fn tag(&mut self) -> Result<Tag<'a>, Unsure> {
        let start = self.at;
        let mut key = KeyBuilder::new();
        let mut has_capitals = false;
        loop {
            let byte = self.byte(self.at).ok_or(Unsure)?;
            if byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>') {
                break;
            }
            if !byte.is_ascii() {
                return Err(Unsure);
            }
            has_capitals |= byte.is_ascii_uppercase();
            key = key.with(byte);
            self.at += 1;
        }
        let written = &self.html[start..self.at];
        let key = key.key();
        let (mut known, mut sets) = known(key);
        if key & names::LONG != 0 && !known.eq_ignore_ascii_case(written) {
            (known, sets) = ("", 0);
        }
        let attributes = self.attributes.len();
        let is_self_closing = self.attributes()?;
        if self.attributes.len() - attributes > MAX_ATTRIBUTES {
            return Err(Unsure);
        }
        Ok(Tag { written, key, sets, attributes, is_self_closing, known, has_capitals })
    }

    /// Reads attributes and the end of the tag. Returns whether the tag ends with `/>`.
    fn attributes(&mut self) -> Result<bool, Unsure> {
        loop {
            let mut has_slash = false;
            let mut byte = self.byte(self.at).ok_or(Unsure)?;
            while byte.is_ascii_whitespace() || byte == b'/' {
                has_slash = byte == b'/';
                self.at += 1;
                byte = self.byte(self.at).ok_or(Unsure)?;
            }
            if byte == b'>' {
                self.at += 1;
                return Ok(has_slash);
            }
            let name = self.at;
            // A name may begin with `=`.
            self.at += 1;
            self.skip(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'='));
            let name = range(name, self.at)?;
            self.skip(|byte| byte.is_ascii_whitespace());
            let value = if self.byte(self.at) == Some(b'=') { self.value()? } else { 0..0 };
            self.attributes.push(Attribute { name, value });
        }
    }

    fn value(&mut self) -> Result<Range<u32>, Unsure> {
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        let start = self.at;
        let quote = self.byte(start).ok_or(Unsure)?;
        if !matches!(quote, b'"' | b'\'') {
            self.skip(|byte| !byte.is_ascii_whitespace() && byte != b'>');
            return range(start, self.at);
        }
        let length = memchr(quote, &self.html.as_bytes()[start + 1..]).ok_or(Unsure)?;
        self.at = start + 1 + length + 1;
        range(start + 1, start + 1 + length)
    }

    #[inline]
    fn skip(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.byte(self.at).is_some_and(&belongs) {
            self.at += 1;
        }
    }

    /// Reads the text of an element whose content is text, and its end tag.
    pub(super) fn raw_text(&mut self, tag: &Tag<'_>) -> Result<Range<usize>, Unsure> {
        let start = self.at;
        let bytes = self.html.as_bytes();
        loop {
            let end = self.at + memmem::find(&bytes[self.at..], b"</").ok_or(Unsure)?;
            let name = end + "</".len();
            self.at = name + tag.written.len();
            let found = bytes.get(name..self.at).ok_or(Unsure)?;
            let next = self.byte(self.at).ok_or(Unsure)?;
            let ends = next.is_ascii_whitespace() || matches!(next, b'/' | b'>');
            if !ends || !found.eq_ignore_ascii_case(tag.written.as_bytes()) {
                self.at = name;
                continue;
            }
            if tag.key == names::SCRIPT && may_go_on(&bytes[start..end]) {
                return Err(Unsure);
            }
            let count = self.attributes.len();
            self.attributes()?;
            self.attributes.truncate(count);
            return Ok(start..end);
        }
    }
}

/// Returns whether a script may continue after the end tag that follows it: a script inside a comment inside it.
fn may_go_on(script: &[u8]) -> bool {
    memmem::find(script, b"<!--").is_some_and(|comment| {
        memchr::memchr_iter(b'<', &script[comment + 1..])
            .any(|at| script[comment + 2 + at..].get(..6).is_some_and(|name| name.eq_ignore_ascii_case(b"script")))
    })
}

/// Returns the length of a comment with its end.
fn end_of_comment(comment: &str) -> Option<usize> {
    if let Some(end) = [">", "->"].iter().find(|end| comment.starts_with(**end)) {
        return Some(end.len());
    }
    let bytes = comment.as_bytes();
    let is_end = |at: &usize| bytes[..*at].ends_with(b"--") || bytes[..*at].ends_with(b"--!");
    memchr::memchr_iter(b'>', bytes).find(is_end).map(|at| at + 1)
}

fn range(start: usize, end: usize) -> Result<Range<u32>, Unsure> {
    Ok(u32::try_from(start).map_err(|_| Unsure)?..u32::try_from(end).map_err(|_| Unsure)?)
}
