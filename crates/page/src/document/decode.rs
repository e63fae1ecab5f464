//! Bytes of a page to text.

use std::borrow::Cow;
use std::sync::LazyLock;

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use regex::bytes::Regex;

/// Number of bytes in which a declared character set is searched for. It is more than browsers search (HTML,
/// "prescan a byte stream"), because real pages put scripts before the declaration.
const PRESCAN: usize = 4096;

static DECLARED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"(?i)charset\s*=\s*["']?\s*([a-z0-9_:.-]+)"#).ok());

/// Decodes a page whose bytes came without a character set. Uses a byte order mark if there is one, else UTF-8 if the
/// bytes are valid UTF-8, else the character set that the page declares, else windows-1252. Invalid bytes become U+FFFD.
pub fn decode(bytes: &[u8]) -> Cow<'_, str> {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        return encoding.decode_without_bom_handling(&bytes[length..]).0;
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    // A page that says UTF-8 and is cut inside a character is UTF-8 all the same.
    declared(bytes).unwrap_or(WINDOWS_1252).decode_without_bom_handling(bytes).0
}

fn declared(bytes: &[u8]) -> Option<&'static Encoding> {
    let head = &bytes[..bytes.len().min(PRESCAN)];
    let found = DECLARED.as_ref()?.captures(head)?;
    let encoding = Encoding::for_label(&found[1])?;
    // The declaration could be read as ASCII, so it is not UTF-16 (HTML, same section).
    Some(if encoding.output_encoding() == encoding { encoding } else { UTF_8 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_counts_unless_it_is_utf8() {
        assert_eq!(decode("<p>ä".as_bytes()), "<p>ä");
        assert_eq!(decode(b"<meta charset='iso-8859-2'>\xb1"), "<meta charset='iso-8859-2'>ą");
        assert_eq!(decode(b"<p>\xe4"), "<p>ä");
        assert_eq!(decode(b"\xff\xfea\0"), "a");
        assert_eq!(decode("<meta charset=latin1>ä".as_bytes()), "<meta charset=latin1>ä");
    }
}
