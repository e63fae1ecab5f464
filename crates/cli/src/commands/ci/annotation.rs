//! Workflow commands of GitHub Actions, escaped so that no text can become one.

use std::fmt::Write as _;

/// Level of an annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An error, which fails the check.
    Error,
    /// A notice, for information only.
    Notice,
}

/// Maximum length of an annotation's text, in characters; the rest is cut off.
const LONGEST: usize = 4000;

/// Returns `::error file=F,line=N,title=autoheal::TEXT`, on a separate line.
pub(super) fn annotation(kind: Kind, place: Option<(&str, u32)>, text: &str) -> String {
    let name = match kind {
        Kind::Error => "error",
        Kind::Notice => "notice",
    };
    let mut line = format!("::{name} ");
    if let Some((file, number)) = place {
        let _ = write!(line, "file={},line={number},", property(file));
    }
    let text: String = text.chars().take(LONGEST).collect();
    let _ = writeln!(line, "title=autoheal::{}", data(&text));
    line
}

/// Escapes the data of a workflow command: the text after the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value before it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_annotation_names_file_and_line() {
        let line = annotation(Kind::Error, Some(("a,b:c.py", 7)), "50 % of\nit");
        assert_eq!(line, "::error file=a%2Cb%3Ac.py,line=7,title=autoheal::50 %25 of%0Ait\n");
        assert_eq!(annotation(Kind::Notice, None, "x"), "::notice title=autoheal::x\n");
    }

    /// Unescapes a text as the runner does.
    fn unescaped(text: &str) -> String {
        text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",").replace("%25", "%")
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn no_text_becomes_a_command(file in "(?s).{0,20}", text in "(?s)(.{0,20}|::error::|\r\n::add-mask::x|%0A){0,4}") {
            let line = annotation(Kind::Error, Some((&file, 1)), &text);
            prop_assert_eq!(line.matches(['\n', '\r']).count(), 1, "{}", line);
            let rest = line.strip_prefix("::error file=").unwrap().strip_suffix('\n').unwrap();
            let (properties, data) = rest.split_once("::").unwrap();
            prop_assert_eq!(unescaped(data), text);
            prop_assert_eq!(unescaped(properties.strip_suffix(",line=1,title=autoheal").unwrap()), file);
        }
    }
}
