//! Masks everything that looks like a secret in the log, whatever part of the program logged it. Secrets are types that do not print
//! themselves; this catches those that come from outside, in messages of programs and servers.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::LazyLock;

use regex::Regex;

/// The text without what looks like a credential: tokens of GitHub, GitLab and model providers, keys of cloud accounts,
/// passwords in URLs, `Authorization` headers, and values of fields called token, password, secret or key.
pub(crate) fn mask(text: &str) -> Cow<'_, str> {
    #[expect(clippy::expect_used, reason = "the patterns are constants, compiled by a test")]
    static PATTERNS: LazyLock<[(Regex, &'static str); 4]> = LazyLock::new(|| {
        let pattern = |text: &str| Regex::new(text).expect("a constant pattern");
        [
            (
                pattern(
                    r"(?i)\b(?:gh[pousr]_[a-z0-9]{10,}|github_pat_\w{10,}|gl(?:pat|ptt|dt|cbt|oas|rt|ft|soat|agent|imt)-[\w.-]{10,}|sk-[\w-]{10,}|AKIA[0-9A-Z]{12,}|AIza[\w-]{20,}|xox[a-z]-[\w-]{10,})",
                ),
                "***",
            ),
            (pattern(r#"(?i)\b([a-z][a-z0-9+.-]*://)[^\s/@"\\]+@"#), "${1}***@"),
            (pattern(r"(?i)\b((?:authorization\S{0,3}\s*(?:basic|token|bearer)|bearer)\s+)[\w.~+/=-]{8,}"), "${1}***"),
            (
                pattern(
                    r#"(?i)\b((?:[a-z0-9]+[_-])*(?:token|password|passwd|secret|api[_-]?key)"?\s*[=:]\s*"?)[^\s"',;&\\]{4,}"#,
                ),
                "${1}***",
            ),
        ]
    });
    let mut text = Cow::Borrowed(text);
    for (pattern, replacement) in PATTERNS.iter() {
        if let Cow::Owned(masked) = pattern.replace_all(&text, *replacement) {
            text = Cow::Owned(masked);
        }
    }
    text
}

/// A writer that masks. The logging layer hands over one whole entry at a time, so no secret is cut in two.
pub(crate) struct Masked<W>(pub(crate) W);

impl<W: Write> Write for Masked<W> {
    fn write(&mut self, entry: &[u8]) -> io::Result<usize> {
        self.0.write_all(mask(&String::from_utf8_lossy(entry)).as_bytes())?;
        Ok(entry.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "cloning https://github.com/owner/repo",
            "token expected at line 3",
            "a task skipped: sk-",
            "File \"tests/test_token.py\", line 3: assert password",
        ] {
            assert_eq!(mask(text), text);
        }
    }

    #[test]
    fn the_rest_of_an_address_stays() {
        assert_eq!(mask("postgres://me:hunter2@db.example/heal?x=1"), "postgres://***@db.example/heal?x=1");
    }

    proptest! {
        #[test]
        fn a_secret_never_gets_through(
            form in 0..10_usize,
            secret in "[A-Za-z0-9]{24,40}",
            before in "[ -~]{0,20}",
            after in "[ -~]{0,20}",
        ) {
            let told = match form {
                0 => format!("ghp_{secret}"),
                1 => format!("github_pat_{secret}"),
                2 => format!("https://user:{secret}@github.com/owner/repo"),
                3 => format!("https://{secret}@github.com/owner/repo"),
                4 => format!("Authorization: Bearer {secret}"),
                5 => format!("{{\"api_key\": \"{secret}\"}}"),
                6 => format!("GITHUB_TOKEN={secret}"),
                7 => format!("glpat-{secret}"),
                8 => format!("PRIVATE-TOKEN: {secret}"),
                _ => format!("sk-{secret}"),
            };
            let text = format!("{before} {told} {after}");
            let mut written = Vec::new();
            Masked(&mut written).write_all(text.as_bytes()).unwrap();
            let written = String::from_utf8(written).unwrap();
            prop_assert!(!written.contains(&secret), "{written}");
            prop_assert!(written.contains("***"));
        }
    }
}
