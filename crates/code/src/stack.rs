//! The way to an error, as places in the repository's files.

use autoheal_engine::diagnostics::Finding;

pub use crate::language::StackFrame;
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
