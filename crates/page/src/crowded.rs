//! Detection of pages with a tag that has implausibly many attributes. The parser's own tokenizer compares
//! each attribute of a tag with all others, which takes minutes for the hundred thousand that a page of a
//! megabyte may have.

use memchr::{memchr, memchr_iter};

/// Maximum number of attributes that are read from a tag.
pub(crate) const MAX_ATTRIBUTES: usize = 256;

/// Returns whether some tag of a page may have more than [`MAX_ATTRIBUTES`] attributes. Any `<` may begin a
/// tag, in scripts and comments too, so that no tag is missed. Returns true as well if such candidates
/// overlap so much that the search takes too long.
pub(crate) fn may_have_crowded_tag(html: &str) -> bool {
    let bytes = html.as_bytes();
    let mut left = 4 * bytes.len();
    memchr_iter(b'<', bytes).any(|start| {
        let mut tag = Tag { bytes: &bytes[start + 1..], at: 0 };
        let is_tag = tag.bytes.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'/');
        let is_crowded = is_tag && tag.is_crowded(left);
        left = left.saturating_sub(tag.at);
        is_crowded || left == 0
    })
}

struct Tag<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Tag<'_> {
    fn next(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, belongs: impl Fn(u8) -> bool) {
        while self.next().is_some_and(&belongs) {
            self.at += 1;
        }
    }

    fn is_crowded(&mut self, most_bytes: usize) -> bool {
        let is_space = |byte: u8| byte.is_ascii_whitespace();
        let mut attributes = 0;
        self.skip(|byte| byte == b'/');
        self.skip(|byte| !is_space(byte) && !matches!(byte, b'/' | b'>'));
        loop {
            self.skip(|byte| is_space(byte) || byte == b'/');
            if matches!(self.next(), None | Some(b'>')) {
                return false;
            }
            attributes += 1;
            if attributes > MAX_ATTRIBUTES || self.at > most_bytes {
                return true;
            }
            self.at += 1;
            self.skip(|byte| !is_space(byte) && !matches!(byte, b'/' | b'>' | b'='));
            self.skip(is_space);
            if self.next() != Some(b'=') {
                continue;
            }
            self.at += 1;
            self.skip(is_space);
            if let Some(quote @ (b'"' | b'\'')) = self.next() {
                self.at += 1;
                self.at +=
                    memchr(quote, &self.bytes[self.at..]).map_or(self.bytes.len() - self.at, |length| length + 1);
            } else {
                self.skip(|byte| !is_space(byte) && byte != b'>');
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crowded_tags_are_seen_wherever_they_stand() {
        let many = "a ".repeat(300);
        let quoted = "a='>' ".repeat(300);
        let touching = "a=''".repeat(300);
        for html in [
            format!("<p {many}>"),
            format!("</p {many}"),
            format!("<p/{many}>"),
            format!("<script><!-- <p {quoted}>"),
            format!("<p {touching}>"),
        ] {
            assert!(may_have_crowded_tag(&html), "{}", &html[..20]);
        }
    }

    #[test]
    fn ordinary_pages_are_not_crowded() {
        let page =
            "<p class='a b' id=c data-d=\"e > f\" hidden>x < y <br/> a<b</p><!-- <i> --><script>if (a<b) c()</script>";
        for html in [page.repeat(1_000), "a < b ".repeat(100_000), "<p>".repeat(100_000)] {
            assert!(!may_have_crowded_tag(&html), "{}", &html[..20]);
        }
    }

    #[test]
    fn tags_in_tags_take_no_more_time() {
        for unit in ["<a", "<a b='", "<a b=\"<a b='"] {
            assert!(may_have_crowded_tag(&unit.repeat(500_000)), "{unit}");
        }
    }
}
