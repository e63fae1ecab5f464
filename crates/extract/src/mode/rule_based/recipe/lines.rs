//! Lists that are written as one text.

use std::sync::LazyLock;

use autoheal_page::structured::plain_text;
use regex::Regex;

/// The lines of a text, which may hold markup: each without it, the empty ones left out.
pub(super) fn lines(text: &str) -> Vec<String> {
    static ENDS: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"(?i)<br\s*/?>|</?(?:p|li|div|ol|ul|h[1-6]|tr)(?:\s[^>]*)?>|&lt;br\s*/?&gt;").ok());
    let is_marked = text.contains('<') || text.contains("&lt;");
    // The line breaks of markup mean nothing, except where it has no other.
    let text = if is_marked && ENDS.as_ref().is_some_and(|ends| ends.is_match(text)) {
        let broken = text.replace(['\n', '\r'], " ");
        ENDS.as_ref().map_or(broken.clone(), |ends| ends.replace_all(&broken, "\n").into_owned())
    } else {
        text.to_owned()
    };
    text.split(['\n', '\r']).map(plain_text).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_where_the_text_or_its_markup_says() {
        for text in [
            "Cut the leeks.\nBoil them.",
            "<p>Cut the\nleeks.</p><p>Boil <b>them</b>.</p>",
            "Cut the leeks.<br />Boil them.",
            "<ol><li>Cut the leeks.</li><li class='x'>Boil them.</li></ol>",
            " Cut the leeks.\r\n\r\nBoil them.\n",
        ] {
            assert_eq!(lines(text), ["Cut the leeks.", "Boil them."], "{text}");
        }
        assert_eq!(lines("A &amp; B"), ["A & B"]);
        assert!(lines(" \n").is_empty());
    }
}
