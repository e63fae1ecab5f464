//! Search for the end of elements whose content is raw text: scripts, styles, titles.

use memchr::{memchr, memchr2};

/// The place of the end tag `</name`.
pub(super) fn end(text: &[u8], name: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'<', &text[at..])?;
        if is_tag(&text[at..], b"</", name) {
            return Some(at);
        }
        at += 1;
    }
}

/// The place of the end tag of a script. In `<!-- <script> </script> -->` it is the script's own (HTML, "script data double
/// escaped state").
pub(super) fn end_of_script(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr(b'<', &text[at..])?;
        let rest = &text[at..];
        if is_tag(rest, b"</", b"script") {
            return Some(at);
        }
        if rest.starts_with(b"<!--") {
            // `<!-->` is a whole comment: its dashes begin and end it.
            match end_of_escape(text, at + 2)? {
                Escape::Script(place) => return Some(place),
                Escape::Comment(place) => at = place,
            }
        } else {
            at += 1;
        }
    }
}

/// End of a comment inside a script: the script's own end tag or the end of the comment, each with its
/// position.
enum Escape {
    Script(usize),
    Comment(usize),
}

fn end_of_escape(text: &[u8], start: usize) -> Option<Escape> {
    let mut at = start;
    let mut is_inner_script = false;
    loop {
        at += memchr2(b'<', b'-', &text[at..])?;
        let rest = &text[at..];
        if rest.starts_with(b"-->") {
            return Some(Escape::Comment(at + 3));
        }
        if is_tag(rest, b"</", b"script") {
            if !is_inner_script {
                return Some(Escape::Script(at));
            }
            is_inner_script = false;
        } else if is_tag(rest, b"<", b"script") {
            is_inner_script = true;
        }
        at += 1;
    }
}

/// Returns whether the text starts with a tag of this name: `begin`, the name, and a character that ends a
/// name.
fn is_tag(text: &[u8], begin: &[u8], name: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(begin) else { return false };
    rest.get(..name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name))
        && rest.get(name.len()).is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'))
}
