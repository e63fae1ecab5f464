//! Serialization of a tree as HTML, in linear time.
//!
//! For each character that it escapes, the library's serializer searches the whole rest of the text; a megabyte of `&`
//! takes minutes. It therefore receives texts in pieces, and long attribute values are written without it.

use std::io::{self, Write as _};

use dom_query::{NodeRef, SerializableNodeRef};
use html5ever::QualName;
use html5ever::serialize::{AttrRef, HtmlSerializer, Serialize as _, SerializeOpts, Serializer, TraversalScope};

/// Maximum number of bytes of a text that are passed to the library's serializer at once.
const PIECE: usize = 4096;

/// The element and what is in it as HTML.
pub(super) fn html_of(node: NodeRef<'_>) -> String {
    let options = SerializeOpts {
        scripting_enabled: false,
        traversal_scope: TraversalScope::IncludeNode,
        create_missing_parent: false,
    };
    let mut writer = Pieces(HtmlSerializer::new(Vec::new(), options));
    // Writing to memory cannot fail.
    let _ = SerializableNodeRef::from(node).serialize(&mut writer, TraversalScope::IncludeNode);
    String::from_utf8_lossy(&writer.0.writer).into_owned()
}

struct Pieces(HtmlSerializer<Vec<u8>>);

impl Serializer for Pieces {
    fn start_elem<'a, AttrIter>(&mut self, name: QualName, attrs: AttrIter) -> io::Result<()>
    where
        AttrIter: Iterator<Item = AttrRef<'a>>,
    {
        let (short, long): (Vec<_>, Vec<_>) = attrs.partition(|(_, value)| value.len() <= PIECE);
        let before = self.0.writer.len();
        self.0.start_elem(name, short.into_iter())?;
        let writer = &mut self.0.writer;
        if writer.len() == before {
            return Ok(());
        }
        // The end of the tag, before which more attributes fit.
        writer.pop();
        for (name, value) in long {
            let prefix = name.prefix.as_ref().map(|prefix| format!("{prefix}:")).unwrap_or_default();
            write!(writer, " {prefix}{}=\"{}\"", name.local, escaped(value))?;
        }
        writer.push(b'>');
        Ok(())
    }

    fn end_elem(&mut self, name: QualName) -> io::Result<()> {
        self.0.end_elem(name)
    }

    fn write_text(&mut self, mut text: &str) -> io::Result<()> {
        while !text.is_empty() {
            let (piece, rest) = text.split_at(text.floor_char_boundary(PIECE));
            self.0.write_text(piece)?;
            text = rest;
        }
        Ok(())
    }

    fn write_comment(&mut self, text: &str) -> io::Result<()> {
        self.0.write_comment(text)
    }

    fn write_doctype(&mut self, name: &str) -> io::Result<()> {
        self.0.write_doctype(name)
    }

    fn write_processing_instruction(&mut self, target: &str, data: &str) -> io::Result<()> {
        self.0.write_processing_instruction(target, data)
    }
}

/// A value as it stands between quotation marks (HTML, section 13.3, "escaping a string").
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for letter in value.chars() {
        match letter {
            '&' => text.push_str("&amp;"),
            '\u{00A0}' => text.push_str("&nbsp;"),
            '"' => text.push_str("&quot;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            letter => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use dom_query::Document;

    use super::*;

    /// As the library writes it.
    fn plain(document: &Document) -> String {
        document.root().html().to_string()
    }

    #[test]
    fn short_and_long_are_written_alike() {
        let long = "&\u{a0}<>\"° é".repeat(PIECE);
        let value = escaped(&long);
        for html in [
            format!("<!doctype html><p a='1' title=\"{value}\">{value}</p><!-- {long} -->"),
            format!("<svg><use xlink:href=\"{value}\"></use></svg><script>{long}</script><br><pre>\n\n{long}</pre>"),
            format!("<template><b>{value}</b></template><noscript><p class=\"{value}\">x</p></noscript>"),
        ] {
            let document = Document::from(html);
            assert!(html_of(document.root()) == plain(&document));
        }
    }
}
