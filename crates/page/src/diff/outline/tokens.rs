//! Markup to tokens, several times as fast as the parser's own way, for its tree builder.
//!
//! It follows the tokenization of the HTML standard, but what an outline does not need is not carried: texts of comments,
//! and attributes other than those that name an element or decide where the tree builder puts it.

use std::borrow::Cow;
use std::ops::Range;

use html5ever::interface::{Attribute, QualName};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use html5ever::{LocalName, local_name, ns};
use memchr::{memchr, memmem};

use super::raw_text;
use super::references::decode;
use crate::crowded::MAX_ATTRIBUTES;
use crate::document::first_bytes;

/// The text before the next tag: what is markup in it.
enum Content {
    Markup,
    /// Up to the end tag of this name.
    Raw(RawKind, LocalName),
    /// Text to the end of the page.
    Plain,
}

/// Gives what an outline needs of the tokens of a page to `sink`. The page has no NUL and no carriage return.
pub(super) fn tokenize<S: TokenSink>(html: &str, sink: &S) {
    run(html, sink, false);
}

/// Gives all tokens of a page to `sink`, but for the texts of comments, and for attributes beyond [`MAX_ATTRIBUTES`] of a tag.
pub(crate) fn tokenize_all<S: TokenSink>(html: &str, sink: &S) {
    let html = html.strip_prefix('\u{feff}').unwrap_or(html);
    let html = html.replace("\r\n", "\n").replace('\r', "\n").replace('\0', "\u{fffd}");
    run(&html, sink, true);
}

fn run<S: TokenSink>(html: &str, sink: &S, keeps_all: bool) {
    let names = vec![local_name!(""); NAMES];
    let mut reader = Reader { html, window: (0, StrTendril::new()), at: 0, sink, names, keeps_all };
    let mut content = Content::Markup;
    while reader.at < html.len() {
        content = match content {
            Content::Markup => reader.markup(),
            Content::Raw(kind, name) => reader.raw(kind, name),
            Content::Plain => {
                reader.text(html.len(), false);
                Content::Plain
            }
        };
    }
    let _ = sink.process_token(Token::EOFToken, 1);
    sink.end();
}

struct Reader<'a, S> {
    html: &'a str,
    /// A stretch of it, from where on, to be shared by what is cut out of it.
    window: (usize, StrTendril),
    at: usize,
    sink: &'a S,
    /// Names of tags, each where its letters put it: pages use few, and to look one up takes longer than to read it.
    names: Vec<LocalName>,
    /// True if all attributes and the content of scripts are kept.
    keeps_all: bool,
}

/// The bytes that end the name of an attribute.
const ENDS_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut ends: &[u8] = b"\t\n\x0c\r />=";
    while let [byte, rest @ ..] = ends {
        table[*byte as usize] = true;
        ends = rest;
    }
    table
};

/// Size of the stretch of the page that is shared at once, in bytes.
const WINDOW: usize = 16 * 1024;

/// Number of slots in the cache of tag names.
const NAMES: usize = 256;

impl<S: TokenSink> Reader<'_, S> {
    /// Returns the part of the page that is still to be read.
    fn rest(&self) -> &[u8] {
        &self.html.as_bytes()[self.at..]
    }

    fn next(&self) -> Option<u8> {
        self.html.as_bytes().get(self.at).copied()
    }

    fn end_of_page(&mut self) -> Content {
        self.at = self.html.len();
        Content::Markup
    }

    /// A part of the page as it stands.
    fn piece(&mut self, range: Range<usize>) -> StrTendril {
        let text = &self.html[range.clone()];
        if text.len() > WINDOW {
            return StrTendril::from_slice(text);
        }
        let (from, window) = &self.window;
        if range.start < *from || range.end > from + window.len() {
            let stretch = first_bytes(&self.html[range.start..], WINDOW);
            self.window = (range.start, StrTendril::from_slice(stretch));
        }
        let (from, window) = &self.window;
        let part = u32::try_from(range.start - from).and_then(|start| Ok((start, u32::try_from(range.len())?)));
        let part = part.ok().and_then(|(start, length)| window.try_subtendril(start, length).ok());
        part.unwrap_or_else(|| StrTendril::from_slice(text))
    }

    /// A part of the page with its references as characters.
    fn decoded(&mut self, range: Range<usize>, is_attribute: bool) -> StrTendril {
        match decode(&self.html[range.clone()], is_attribute) {
            Cow::Borrowed(_) => self.piece(range),
            Cow::Owned(text) => StrTendril::from_slice(&text),
        }
    }

    /// Text up to `end`.
    fn text(&mut self, end: usize, has_references: bool) {
        if end > self.at {
            let text = &self.html[self.at..end];
            let text = if has_references {
                StrTendril::from_slice(&decode(text, false))
            } else {
                StrTendril::from_slice(text)
            };
            let _ = self.sink.process_token(Token::CharacterTokens(text), 1);
            self.at = end;
        }
    }

    /// Text, and the tag or comment after it.
    fn markup(&mut self) -> Content {
        if self.next() != Some(b'<') {
            let end = memchr(b'<', self.rest()).map_or(self.html.len(), |length| self.at + length);
            self.text(end, true);
        }
        match self.rest().get(1) {
            Some(byte) if byte.is_ascii_alphabetic() => self.tag(TagKind::StartTag, self.at + 1),
            Some(b'/') => match self.rest().get(2) {
                Some(byte) if byte.is_ascii_alphabetic() => self.tag(TagKind::EndTag, self.at + 2),
                Some(b'>') => {
                    self.at += 3;
                    Content::Markup
                }
                Some(_) => self.comment(memchr(b'>', self.rest()).map(|end| end + 1)),
                None => {
                    self.text(self.html.len(), false);
                    Content::Markup
                }
            },
            Some(b'!') => self.declaration(),
            Some(b'?') => self.comment(memchr(b'>', self.rest()).map(|end| end + 1)),
            Some(_) | None => {
                self.text((self.at + 1).min(self.html.len()), false);
                Content::Markup
            }
        }
    }

    /// A comment of this length, or to the end of the page.
    fn comment(&mut self, length: Option<usize>) -> Content {
        self.at = length.map_or(self.html.len(), |length| self.at + length);
        let _ = self.sink.process_token(Token::CommentToken(StrTendril::new()), 1);
        Content::Markup
    }

    fn declaration(&mut self) -> Content {
        let rest = self.rest();
        if rest.starts_with(b"<!--") {
            return self.comment(comment_length(rest));
        }
        if rest.get(2..9).is_some_and(|name| name.eq_ignore_ascii_case(b"doctype")) {
            let end = memchr(b'>', rest).map_or(self.html.len(), |length| self.at + length + 1);
            let doctype = StrTendril::from_slice(&self.html[self.at..end]);
            self.at = end;
            // It stands once on a page, and has many rules.
            let queue = BufferQueue::default();
            queue.push_back(doctype);
            let tokenizer = Tokenizer::new(Doctypes(self.sink), html5ever::tokenizer::TokenizerOpts::default());
            let _ = tokenizer.feed(&queue);
            tokenizer.end();
            return Content::Markup;
        }
        if rest.starts_with(b"<![CDATA[") && self.sink.adjusted_current_node_present_but_not_in_html_namespace() {
            self.at += "<![CDATA[".len();
            let end = memmem::find(self.rest(), b"]]>").map(|length| self.at + length);
            self.text(end.unwrap_or(self.html.len()), false);
            self.at = end.map_or(self.html.len(), |end| end + "]]>".len());
            return Content::Markup;
        }
        self.comment(memchr(b'>', rest).map(|end| end + 1))
    }

    /// A tag whose name begins at `start`.
    fn tag(&mut self, kind: TagKind, start: usize) -> Content {
        let bytes = &self.html.as_bytes()[start..];
        let Some(length) = bytes.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
        else {
            return self.end_of_page();
        };
        self.at = start + length;
        let name = self.tag_name(start, length);
        let mut attributes = Vec::new();
        let wanted = match kind {
            TagKind::StartTag if self.keeps_all => Wanted::All,
            TagKind::StartTag => Wanted::of(&name),
            TagKind::EndTag => Wanted::None,
        };
        let Some(self_closing) = self.attributes(wanted, &mut attributes) else { return self.end_of_page() };
        self.send_tag(Tag { kind, name, self_closing, attrs: attributes, had_duplicate_attributes: false })
    }

    fn tag_name(&mut self, start: usize, length: usize) -> LocalName {
        let text = &self.html[start..start + length];
        let letters = |place: usize| text.as_bytes().get(place).copied().map_or(0, usize::from);
        let sum = length + letters(0) + 7 * letters(1) + 31 * letters(length - 1);
        let known = &mut self.names[sum % NAMES];
        if &**known != text {
            *known = name_of(text);
        }
        known.clone()
    }

    fn send_tag(&self, tag: Tag) -> Content {
        let name = tag.name.clone();
        match self.sink.process_token(Token::TagToken(tag), 1) {
            TokenSinkResult::Continue | TokenSinkResult::Script(_) | TokenSinkResult::EncodingIndicator(_) => {
                Content::Markup
            }
            TokenSinkResult::Plaintext => Content::Plain,
            TokenSinkResult::RawData(kind) => Content::Raw(kind, name),
        }
    }

    /// Reads the attributes of a tag, up to its end. Returns whether the tag is self-closing; `None` if the
    /// page ends inside the tag.
    fn attributes(&mut self, wanted: Wanted, found: &mut Vec<Attribute>) -> Option<bool> {
        loop {
            self.skip_space();
            match self.next()? {
                b'>' => {
                    self.at += 1;
                    return Some(false);
                }
                b'/' => {
                    self.at += 1;
                    if self.next()? == b'>' {
                        self.at += 1;
                        return Some(true);
                    }
                }
                _ => self.attribute(wanted, found)?,
            }
        }
    }

    fn attribute(&mut self, wanted: Wanted, found: &mut Vec<Attribute>) -> Option<()> {
        let start = self.at;
        // A name may begin with `=`, and with nothing else that ends names.
        let length = self.rest().get(1..)?.iter().position(|byte| ENDS_NAME[usize::from(*byte)])? + 1;
        self.at += length;
        let name = start..self.at;
        self.skip_space();
        let mut value = 0..0;
        if self.next()? == b'=' {
            self.at += 1;
            self.skip_space();
            match self.next()? {
                quote @ (b'"' | b'\'') => {
                    self.at += 1;
                    let length = memchr(quote, self.rest())?;
                    value = self.at..self.at + length;
                    self.at += length + 1;
                }
                b'>' => {}
                _ => {
                    let length = self.rest().iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
                    value = self.at..self.at + length;
                    self.at += length;
                }
            }
        }
        let name = &self.html[name];
        if wanted.has(name) && found.len() < MAX_ATTRIBUTES {
            let name = name_of(name);
            if !found.iter().any(|attribute| attribute.name.local == name) {
                let value = self.decoded(value, true);
                if found.is_empty() {
                    // Most elements have a class or nothing.
                    found.reserve_exact(1);
                }
                found.push(Attribute { name: QualName::new(None, ns!(), name), value });
            }
        }
        Some(())
    }

    fn skip_space(&mut self) {
        while self.next().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// Text in which only the end tag of `name` is markup, and that end tag.
    fn raw(&mut self, kind: RawKind, name: LocalName) -> Content {
        let (length, has_references) = match kind {
            RawKind::Rcdata => (raw_text::end(self.rest(), name.as_bytes()), true),
            RawKind::Rawtext => (raw_text::end(self.rest(), name.as_bytes()), false),
            RawKind::ScriptData | RawKind::ScriptDataEscaped(_) => (raw_text::end_of_script(self.rest()), false),
        };
        let end = length.map_or(self.html.len(), |length| self.at + length);
        // Half of many pages: what is left out need not be copied.
        if !self.keeps_all && matches!(name, local_name!("script") | local_name!("style")) {
            self.at = end;
        } else {
            self.text(end, has_references);
        }
        if length.is_none() {
            return Content::Markup;
        }
        self.at += "</".len() + name.len();
        let Some(self_closing) = self.attributes(Wanted::None, &mut Vec::new()) else { return self.end_of_page() };
        let kind = TagKind::EndTag;
        self.send_tag(Tag { kind, name, self_closing, attrs: Vec::new(), had_duplicate_attributes: false })
    }
}

/// Returns the length of a comment; `None` if the page ends inside it.
fn comment_length(comment: &[u8]) -> Option<usize> {
    let start = "<!--".len();
    let text = &comment[start..];
    if text.starts_with(b">") {
        return Some(start + 1);
    }
    if text.starts_with(b"->") {
        return Some(start + 2);
    }
    let mut at = 0;
    loop {
        at += memmem::find(&text[at..], b"--")?;
        let after = &text[at + 2..];
        if after.starts_with(b">") {
            return Some(start + at + 3);
        }
        if after.starts_with(b"!>") {
            return Some(start + at + 4);
        }
        at += 1;
    }
}

fn name_of(name: &str) -> LocalName {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        LocalName::from(name.to_ascii_lowercase())
    } else {
        LocalName::from(name)
    }
}

/// Selection of the attributes of an element that are kept.
#[derive(Clone, Copy)]
enum Wanted {
    None,
    /// The class and the id.
    Names,
    /// All: the tree builder reads some, or compares them.
    All,
}

impl Wanted {
    fn of(tag: &LocalName) -> Self {
        match *tag {
            local_name!("annotation-xml")
            | local_name!("b")
            | local_name!("big")
            | local_name!("code")
            | local_name!("em")
            | local_name!("font")
            | local_name!("i")
            | local_name!("input")
            | local_name!("nobr")
            | local_name!("s")
            | local_name!("small")
            | local_name!("strike")
            | local_name!("strong")
            | local_name!("template")
            | local_name!("tt")
            | local_name!("u") => Self::All,
            _ => Self::Names,
        }
    }

    fn has(self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::Names => name.eq_ignore_ascii_case("class") || name.eq_ignore_ascii_case("id"),
            Self::All => true,
        }
    }
}

/// Passes on the doctype alone.
struct Doctypes<'a, S>(&'a S);

impl<S: TokenSink> TokenSink for Doctypes<'_, S> {
    type Handle = S::Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Self::Handle> {
        match token {
            Token::DoctypeToken(_) => self.0.process_token(token, line),
            Token::TagToken(_)
            | Token::CommentToken(_)
            | Token::CharacterTokens(_)
            | Token::NullCharacterToken
            | Token::EOFToken
            | Token::ParseError(_) => TokenSinkResult::Continue,
        }
    }
}
