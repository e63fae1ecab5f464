//! The way to an error, as places in the repository's files.

use autoheal_engine::diagnostics::Finding;

pub use crate::language::{PrintedCall, StackFrame};
use crate::languages;
use crate::sources::Sources;

/// The calls that led to the error of a finding, the deepest first. Calls in files that are not the repository's are left out.
pub fn stack(finding: &Finding, sources: &Sources) -> Vec<StackFrame> {
    of_any(finding, sources, false)
}

/// The same, and behind them the calls that led to the errors that led to this one.
pub(crate) fn stack_with_causes(finding: &Finding, sources: &Sources) -> Vec<StackFrame> {
    of_any(finding, sources, true)
}

/// The calls that a text prints as a stack, in its order, as the language prints them that reads the most of it.
pub fn printed_calls(text: &str) -> Vec<PrintedCall> {
    let of_each = languages::ALL.into_iter().map(|language| language.printed_calls(text));
    of_each.max_by_key(Vec::len).unwrap_or_default()
}

/// Collects the calls whose heads `file` recognises, each with the lines below it that are indented further.
pub(crate) fn calls_by_indent(text: &str, file: impl Fn(&str) -> Option<String>) -> Vec<PrintedCall> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut calls: Vec<PrintedCall> = Vec::new();
    let mut open: Option<usize> = None;
    for (number, line) in text.lines().enumerate() {
        if let Some(file) = file(line) {
            calls.push(PrintedCall { lines: number..number + 1, file });
            open = Some(indent(line));
            continue;
        }
        open = open.filter(|head| !line.trim().is_empty() && indent(line) > *head);
        if open.is_some()
            && let Some(call) = calls.last_mut()
        {
            call.lines.end = number + 1;
        }
    }
    calls
}

/// The statement that a frame's line begins with, and its first byte: the rest of the line. `None`: the file is not known. A line behind
/// the end of the file is empty.
pub fn statement<'s>(frame: &StackFrame, sources: &'s Sources) -> Option<(usize, &'s str)> {
    let text = sources.text(&frame.file)?;
    let index = usize::try_from(frame.line.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(index).map(str::len).sum();
    let line = lines.next().unwrap_or_default();
    let statement = line.trim_start_matches([' ', '\t']);
    Some((before + line.len() - statement.len(), statement))
}

fn of_any(finding: &Finding, sources: &Sources, with_causes: bool) -> Vec<StackFrame> {
    let mut of_each = languages::ALL.into_iter().map(|language| language.stack(finding, sources, with_causes));
    of_each.find(|frames| !frames.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;

    fn calls(text: &str) -> Vec<(Range<usize>, String)> {
        printed_calls(text).into_iter().map(|call| (call.lines, call.file)).collect()
    }

    #[test]
    fn calls_of_every_language_are_read_with_their_code() {
        let python = "Traceback (most recent call last):\n  File \"/x/site-packages/_pytest/a.py\", line 1, in f\n    \
                      g()\n    ~^^\n  File \"shop/cart.py\", line 3, in g\n    raise ValueError\nValueError\n";
        assert_eq!(calls(python), [(1..4, "/x/site-packages/_pytest/a.py".into()), (4..6, "shop/cart.py".into())]);
        let short = "tests/test_a.py:1: in <module>\n    import pkg\nE   ImportError: x\n";
        assert_eq!(calls(short), [(0..2, "tests/test_a.py".to_owned())]);
        let node =
            "TypeError: x\n    at f (src/a.js:1:2)\n    at new Promise (<anonymous>)\n    at node:internal/a:3:4\n";
        let expected = [(1, "src/a.js"), (2, "<anonymous>"), (3, "node:internal/a")];
        assert_eq!(calls(node), expected.map(|(line, file)| (line..line + 1, file.to_owned())));
        let rust = "stack backtrace:\n   0: core::panicking::panic\n             at /rustc/1/library/core/src/panicking.rs:1:2\n   \
                    1: shop::total\n             at ./src/lib.rs:3:4\n   2: unknown\n";
        let expected = [(1..3, "/rustc/1/library/core/src/panicking.rs"), (3..5, "./src/lib.rs")];
        assert_eq!(calls(rust), expected.map(|(lines, file)| (lines, file.to_owned())));
        assert_eq!(calls("no stack\n  at all\n"), []);
    }
}
