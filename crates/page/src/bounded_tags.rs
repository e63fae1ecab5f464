//! A page on its way to the parser's tokenizer, which receives only the first attributes of each tag.
//!
//! The tokenizer compares each attribute of a tag with all others. The hundred thousand attributes that a page of a megabyte
//! may have in one tag would take minutes.

use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::{LocalName, TokenizerResult};
use memchr::{memchr, memmem};

/// Maximum number of attributes that are read from a tag.
pub(crate) const MAX_ATTRIBUTES: usize = 256;

/// Elements whose content may be text alone. The tree builder decides, so the tokenizer has to have their tags before what follows.
const RAW_TEXT: [&str; 10] =
    ["iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp"];

/// Gives a page to a sink of tokens, with at most `most` attributes of each tag.
pub(crate) fn tokenize<S: TokenSink>(html: &str, sink: S, most: usize) -> S {
    let sink = Watched { sink, tokens: Cell::new(0), content: RefCell::new(Content::Markup) };
    let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
    let mut reader = Reader { html, tokenizer, queue: BufferQueue::default(), given: 0, at: 0, most };
    while reader.at < html.len() {
        let content = reader.tokenizer.sink.content.borrow().clone();
        match content {
            Content::Markup => reader.markup(),
            Content::Raw(name) => reader.raw_text(&name),
            Content::Plain => reader.at = html.len(),
        }
    }
    reader.give();
    reader.tokenizer.end();
    reader.tokenizer.sink.sink
}

/// Kind of text that the tokenizer reads.
#[derive(Clone)]
enum Content {
    Markup,
    /// Text up to the end tag of this name.
    Raw(LocalName),
    /// Text to the end of the page.
    Plain,
}

/// A sink, and what the tokenizer does for it.
struct Watched<S> {
    sink: S,
    /// Number of tokens so far.
    tokens: Cell<usize>,
    content: RefCell<Content>,
}

impl<S: TokenSink> TokenSink for Watched<S> {
    type Handle = S::Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<S::Handle> {
        if matches!(token, Token::ParseError(_)) {
            return self.sink.process_token(token, line);
        }
        self.tokens.set(self.tokens.get() + 1);
        let Token::TagToken(tag) = &token else { return self.sink.process_token(token, line) };
        let (kind, name) = (tag.kind, tag.name.clone());
        let result = self.sink.process_token(token, line);
        let content = match (&result, kind) {
            (TokenSinkResult::RawData(_), TagKind::StartTag) => Content::Raw(name),
            (TokenSinkResult::Plaintext, _) => Content::Plain,
            _ => Content::Markup,
        };
        self.content.replace(content);
        result
    }

    fn end(&self) {
        self.sink.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.sink.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

struct Reader<'a, S: TokenSink> {
    html: &'a str,
    tokenizer: Tokenizer<Watched<S>>,
    queue: BufferQueue,
    /// End of the part that the tokenizer has.
    given: usize,
    at: usize,
    most: usize,
}

impl<S: TokenSink> Reader<'_, S> {
    fn rest(&self) -> &[u8] {
        &self.html.as_bytes()[self.at..]
    }

    fn next(&self) -> Option<u8> {
        self.html.as_bytes().get(self.at).copied()
    }

    fn skip(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.next().is_some_and(&belongs) {
            self.at += 1;
        }
    }

    /// Goes to the end of the next `end`, or of the page.
    fn skip_past(&mut self, end: &str) {
        let found = memmem::find(self.rest(), end.as_bytes());
        self.at = found.map_or(self.html.len(), |length| self.at + length + end.len());
    }

    /// Gives the tokenizer the page up to here, and returns how many tokens it has made.
    fn give(&mut self) -> usize {
        let text = &self.html[self.given..self.at];
        self.given = self.at;
        self.give_text(text);
        self.tokenizer.sink.tokens.get()
    }

    fn give_text(&self, text: &str) {
        self.queue.push_back(StrTendril::from_slice(text));
        // It stops after each script, so that it can be run.
        while let TokenizerResult::Script(_) | TokenizerResult::EncodingIndicator(_) = self.tokenizer.feed(&self.queue)
        {
        }
    }

    /// Reads text, and the tag or declaration after it.
    fn markup(&mut self) {
        let Some(length) = memchr(b'<', self.rest()) else {
            self.at = self.html.len();
            return;
        };
        self.at += length + 1;
        match *self.rest() {
            [letter, ..] if letter.is_ascii_alphabetic() => self.start_tag(),
            [b'/', letter, ..] if letter.is_ascii_alphabetic() => {
                self.at += 1;
                self.tag_name();
                self.attributes();
            }
            // No token comes of it.
            [b'/', b'>', ..] => self.at += 2,
            [b'!' | b'?' | b'/', ..] => self.declaration(),
            _ => {}
        }
    }

    fn start_tag(&mut self) {
        let name = self.at;
        self.tag_name();
        let name = &self.html[name..self.at];
        self.attributes();
        if RAW_TEXT.iter().any(|raw| raw.eq_ignore_ascii_case(name)) {
            self.give();
        }
    }

    fn tag_name(&mut self) {
        self.skip(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>'));
    }

    /// Reads a comment, or what is read like one: the tokenizer says where it ends.
    fn declaration(&mut self) {
        let before = self.give();
        if self.rest().starts_with(b"![CDATA[")
            && self.tokenizer.sink.adjusted_current_node_present_but_not_in_html_namespace()
        {
            self.skip_past("]]>");
            return;
        }
        loop {
            self.skip_past(">");
            if self.give() > before || self.at == self.html.len() {
                return;
            }
        }
    }

    /// Reads text up to an end tag of this name, and the tag. In a script, such a tag may be part of the text.
    fn raw_text(&mut self, name: &str) {
        self.skip_past("</");
        let rest = self.rest();
        let is_it = rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        let Some(end) = rest.get(name.len()).filter(|_| is_it).copied() else { return };
        if !(end.is_ascii_whitespace() || matches!(end, b'/' | b'>')) {
            return;
        }
        self.at -= 1;
        let before = self.give();
        self.at += "/".len() + name.len() + 1;
        // Text becomes a token at once, and a tag at its end.
        if self.give() == before {
            self.attributes();
            self.give();
        }
    }

    /// Reads the attributes of a tag, and its end.
    fn attributes(&mut self) {
        let mut kept = self.at;
        let mut last = self.at;
        let mut count = 0;
        loop {
            self.skip(|byte| byte.is_ascii_whitespace() || byte == b'/');
            if matches!(self.next(), None | Some(b'>')) {
                break;
            }
            self.attribute();
            last = self.at;
            count += 1;
            if count <= self.most {
                kept = self.at;
            }
        }
        if count > self.most {
            let end = std::mem::replace(&mut self.at, kept);
            self.give();
            self.give_text(" ");
            (self.given, self.at) = (last, end);
        }
        self.at = (self.at + 1).min(self.html.len());
    }

    fn attribute(&mut self) {
        // A name may begin with `=`, and with nothing else that ends names.
        self.at += 1;
        self.skip(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'='));
        let end = self.at;
        self.skip(|byte| byte.is_ascii_whitespace());
        if self.next() != Some(b'=') {
            self.at = end;
            return;
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        match self.next() {
            Some(b'"') => self.quoted("\""),
            Some(b'\'') => self.quoted("'"),
            Some(_) | None => self.skip(|byte| !byte.is_ascii_whitespace() && byte != b'>'),
        }
    }

    fn quoted(&mut self, quote: &str) {
        self.at += 1;
        self.skip_past(quote);
    }
}

#[cfg(test)]
mod tests {
    use html5ever::interface::Attribute;
    use proptest::prelude::*;

    use super::*;
    use crate::bounded_tree::{BoundedTree, parse};

    /// Checks that no tag has more than two attributes on its way to a tree.
    struct Checked(BoundedTree);

    impl TokenSink for Checked {
        type Handle = dom_query::NodeId;

        fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Self::Handle> {
            if let Token::TagToken(tag) = &token {
                let names: Vec<&str> = tag.attrs.iter().map(|Attribute { name, .. }| &*name.local).collect();
                assert!(names.len() <= 2, "{} {names:?}", tag.name);
            }
            self.0.process_token(token, line)
        }

        fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
            self.0.adjusted_current_node_present_but_not_in_html_namespace()
        }
    }

    /// The page as the parser reads it all at once.
    fn parse_at_once(html: &str) -> String {
        let tokenizer = Tokenizer::new(BoundedTree::new(), TokenizerOpts::default());
        let queue = BufferQueue::default();
        queue.push_back(StrTendril::from_slice(html));
        while let TokenizerResult::Script(_) | TokenizerResult::EncodingIndicator(_) = tokenizer.feed(&queue) {}
        tokenizer.end();
        tokenizer.sink.finish().html().to_string()
    }

    fn assert_read(html: &str) {
        assert_eq!(parse(html).html().to_string(), parse_at_once(html), "{html:?}");
        tokenize(html, Checked(BoundedTree::new()), 2);
    }

    #[test]
    fn page_read_by_tags_is_the_page_read_at_once() {
        for html in [
            "",
            "\u{feff}<p>x",
            "<!DOCTYPE html PUBLIC '-//W3C//DTD HTML 3.2//EN'><p>a<table><tr><td>b</table>",
            "<!doctype html><p>a<table><tr><td>b</table>",
            "<title>a &amp; b</title ><textarea>\n <b> &lt;\n</textarea><b>c",
            "<p>caf&eacute; &notit; &#x80;&#0;&#99999999;&#x;&;&ampx&NotEqualTilde;&am<i>x",
            "<p CLASS='a&amp;b&copy=1' class=c iD=\"x&lt;y\" = =x / ID>t</p >",
            "<script><!-- <script> </script> --></script><p>a<script><!--></script><p>b<script><!-- </script><p>c",
            "<script>a</script",
            "<p>a<!-->b<!--->c<!-- x --!>d<!-- -- >e--->f<!x>g<?y>h</ z>i</>j<k",
            "<p>e<!-- -->\u{301} e&#x301; \u{200b}z\u{a0} <!--",
            "<svg><title>t<![CDATA[<p>]]></title></svg><math><mi><![CDATA[ <b> ]]></mi><annotation-xml encoding='text/html'><p>x",
            "<![CDATA[ x ]]><plaintext>a<b>&amp;",
            "<body class=a><p>x<body class=b id=c><html class=d>",
            "<table><b>x<tr><td>y</b><p></table><select><option>a<b>z</select>",
            "<b class=x><b class=x><b class=x><b class=x><p>a</b></b><b y=1><b y=2><b y=3><b y=4></p><p>q",
            "<a>1<p>2</a>3</p><i>4<div>5</i>6</div><nobr>7<nobr>8",
            "<template><p>x</template><noscript><p>y</noscript><iframe><p>z</iframe><p>\r\na\rb",
            "<p>a\0b<script>\0</script><x\0y>",
            "a < b << c <3 </",
            "<input type=hidden><table><input type=HIDDEN><input type=text></table><form><form><font color=x><svg><font color=y>",
            "<script><!--<script></script a='</script><p a b c d><i e=f g h>",
            "<title>&am</title a b c d><svg><![CDATA[ > <p a=' ]]><p a b c d>'",
            "<frameset><script><p a b c></script><style><script></style><p a b c></><p a b c>",
        ] {
            assert_read(html);
        }
    }

    #[test]
    fn attributes_beyond_the_limit_are_left_out() {
        for (html, expected) in [
            ("<p a b c=\">\" d>x", "<p a=\"\" b=\"\">x</p>"),
            ("<p a=1 b=2 c/>x</p d e f>y", "<p a=\"1\" b=\"2\">x</p>y"),
            ("<svg><g a=1 b=2 c='/'/><g>", "<svg><g a=\"1\" b=\"2\"></g><g></g></svg>"),
            ("<script>a <b c d e f></script c d='</script>' e>x", "<script>a <b c d e f></script>x"),
            ("<!-- <p a b c> --><p a>", "<!-- <p a b c> --><p a=\"\"></p>"),
            ("<title>&am</title a b c d>x", "<title>&am</title>x"),
            ("<p a b c", ""),
        ] {
            let page = tokenize(html, BoundedTree::new(), 2).finish().html().to_string();
            let expected = parse_at_once(expected);
            assert_eq!(page, expected, "{html}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn any_page_read_by_tags_is_the_page_read_at_once(
            pieces in proptest::collection::vec(
                prop_oneof![
                    "</?(a|b|i|p|div|table|tr|td|li|ul|svg|math|mi|select|option|template|form|h1|button|font|title|textarea|style|script|noscript|head|body|html|frameset|br|pre|nobr|main)( (class|id|type|x)=?['\"]?[a-c &;]{0,4}['\"]?){0,4}/?>",
                    "[a-z &;#<>/!'\"=x-]{0,6}",
                    "&(amp|lt;|not|copy=|#65;?|#x4a|eacute)",
                    "<!(--)?[ a>-]{0,4}(--)?!?>?",
                    "(<!\\[CDATA\\[|\\]\\]>|<!doctype html>|<!--|-->|\r\n?|\n|\t|<\\?|</)",
                    "[ äé\u{301}\u{200b}\u{a0}𝒳]{1,3}",
                ],
                0..30,
            ),
        ) {
            assert_read(&pieces.concat());
        }
    }
}
