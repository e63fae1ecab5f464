//! The way to an error, as places in the repository's files.

use autoheal_engine::diagnostics::Finding;

use crate::sources::Sources;
use crate::{javascript, python};

/// One call on the way to an error, in a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackFrame {
    /// Relative to the repository's root.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// Column of the call, from 1, if the engine reports it.
    pub column: Option<u32>,
}

/// The calls that led to the error of a finding, the deepest first. Calls in files that are not the repository's are left out.
pub fn stack(finding: &Finding, sources: &Sources) -> Vec<StackFrame> {
    let of_python = python::fix::blame::stack(finding, sources);
    if !of_python.is_empty() {
        return of_python.into_iter().map(of_line).collect();
    }
    of_javascript(finding, sources)
}

/// The same, and behind them the calls that led to the errors that led to this one.
pub(crate) fn stack_with_causes(finding: &Finding, sources: &Sources) -> Vec<StackFrame> {
    let of_python: Vec<_> = python::fix::blame::stacks(finding, sources).into_iter().flatten().collect();
    if of_python.is_empty() { of_javascript(finding, sources) } else { of_python.into_iter().map(of_line).collect() }
}

fn of_line((file, line): (&str, u32)) -> StackFrame {
    StackFrame { file: file.to_owned(), line, column: None }
}

fn of_javascript(finding: &Finding, sources: &Sources) -> Vec<StackFrame> {
    let of_javascript = javascript::fix::blame::stack(finding, sources);
    of_javascript.into_iter().map(|(file, line, column)| StackFrame { file: file.to_owned(), line, column }).collect()
}
