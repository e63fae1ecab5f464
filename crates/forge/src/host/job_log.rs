//! Text of a job's log, as a terminal displays it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// Maximum length of a line that is kept, in bytes.
const LONGEST_LINE: usize = 4096;

#[expect(clippy::expect_used, reason = "the pattern is a constant, compiled by a test")]
static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])").expect("a constant pattern")
});

/// Output of a job, without what a runner adds to it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobLog {
    /// The lines without times, colours and markers.
    pub text: String,
    /// Errors that the runner or a step marked as such, unless they say only that a program ended with a status.
    pub errors: Vec<String>,
    /// Folders in which the repository lay on the runner.
    pub folders: Vec<String>,
}

/// The line, with its middle taken out when it is longer than any line that says something.
pub(crate) fn cut_line(line: &str) -> Cow<'_, str> {
    if line.len() <= LONGEST_LINE {
        return line.into();
    }
    let half = LONGEST_LINE / 2;
    let (head, tail) = (line.floor_char_boundary(half), line.ceil_char_boundary(line.len() - half));
    format!("{}[...]{}", line.get(..head).unwrap_or_default(), line.get(tail..).unwrap_or_default()).into()
}

/// The text without colours and other orders to a terminal.
pub(crate) fn without_escapes(text: &str) -> String {
    ESCAPES.replace_all(text, "").into_owned()
}

/// The line without orders to a terminal, and without what a progress bar wrote over.
pub(crate) fn plain_line(line: &str) -> String {
    let line = without_escapes(line);
    let last = line.trim_end_matches('\r').rsplit('\r').next().unwrap_or_default();
    // Half an order would be completed by what is printed next to it.
    last.chars().filter(|c| *c == '\t' || !c.is_control()).collect()
}
