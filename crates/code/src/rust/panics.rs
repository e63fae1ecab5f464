//! Places that panics name: `thread 'tests::adds' (123) panicked at src/lib.rs:10:9:`.

use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Finding, Location};
use regex::Regex;

use super::compiler;
use crate::language::{PrintedCall, StackFrame};
use crate::report::Look;
use crate::sources::Sources;

static PANICKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?m)^thread '[^'\n]*'(?: \(\d+\))? panicked at (?P<file>[^\n]+?):(?P<line>\d+):(?P<column>\d+):?$")
        .ok()
});

static CALL: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^\s+at (?P<file>\S[^\n]*?):\d+(?::\d+)?$").ok());

/// A panic, as the standard library prints it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Panic<'text> {
    /// The line that names the place.
    pub(super) head: &'text str,
    /// As the compiler names it.
    pub(super) file: &'text str,
    pub(super) line: u32,
    pub(super) column: u32,
    /// Message of the panic, which may have several lines.
    pub(super) message: &'text str,
}

impl Panic<'_> {
    /// The place in the repository; `None`: it is elsewhere.
    pub(super) fn place(&self, look: &Look<'_>) -> Option<(String, Location)> {
        let location = Location { line: self.line, column: Some(self.column) };
        compiler::file(look, self.file).map(|file| (file, location))
    }
}

/// The panics in a text, in its order.
pub(super) fn all(text: &str) -> Vec<Panic<'_>> {
    let Some(pattern) = PANICKED.as_ref() else { return Vec::new() };
    let found = pattern.captures_iter(text).filter_map(|captures| {
        let head = captures.get(0)?;
        let rest = text.get(head.end()..)?.trim_start_matches('\n');
        let stop =
            ["\nnote: ", "\nstack backtrace:", "\nthread '", "\n\n"].iter().filter_map(|mark| rest.find(mark)).min();
        Some(Panic {
            head: head.as_str(),
            file: captures.name("file")?.as_str(),
            line: captures.name("line")?.as_str().parse().ok()?,
            column: captures.name("column")?.as_str().parse().ok()?,
            message: rest.get(..stop.unwrap_or(rest.len()))?.trim_end(),
        })
    });
    found.collect()
}

/// The places in the repository that the panics of a finding name, the last one first.
pub(super) fn frames(finding: &Finding, sources: &Sources) -> Vec<StackFrame> {
    let look = Look { prefixes: &[], directory: "", sources };
    let said = finding.stack.as_deref().unwrap_or_default();
    let frame = |panic: &Panic<'_>| {
        let (file, Location { line, column }) = panic.place(&look)?;
        Some(StackFrame { file, line, column })
    };
    all(said).iter().rev().filter_map(frame).collect()
}

/// Calls of a backtrace in a text: a line with the function, and one with the place.
pub(super) fn printed_calls(text: &str) -> Vec<PrintedCall> {
    let Some(pattern) = CALL.as_ref() else { return Vec::new() };
    let lines: Vec<&str> = text.lines().collect();
    let calls = lines.windows(2).enumerate().filter_map(|(number, pair)| {
        let (function, place) = (pair.first()?, pair.get(1)?);
        let file = pattern.captures(place)?.name("file")?.as_str().to_owned();
        let is_numbered =
            function.trim_start().split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
        is_numbered.then_some(PrintedCall { lines: number..number + 2, file })
    });
    calls.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_messages_are_read() {
        let text = "out\nthread 'tests::a' (12) panicked at src/lib.rs:10:9:\nassertion `left == right` failed\n  left: 1\n right: 2\nnote: run with `RUST_BACKTRACE=1`\n";
        let panics = all(text);
        assert_eq!((panics[0].file, panics[0].line, panics[0].column), ("src/lib.rs", 10, 9));
        assert_eq!(panics[0].message, "assertion `left == right` failed\n  left: 1\n right: 2");
        assert_eq!(all("thread 'main' panicked at src/a.rs:1:2:\nboom\n").len(), 1);
        assert!(all("no panic at src/a.rs:1:2").is_empty());
    }
}
