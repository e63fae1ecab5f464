//! Messages of the commits that this tool makes (spec: "Commit Message Format").

use autoheal_engine::diagnostics::Category;
use autoheal_forge::{CommitInfo, Identity};

/// Name of the fixer of a fix that reverts another one.
pub(crate) const REVERT: &str = "withdrawal";

/// Name of the fixer of a bound on a dependency.
pub(crate) const BOUND: &str = "drift";

/// Prefix of every commit message.
pub const PREFIX: &str = "[AI-AGENT]";

/// Returns the message of a commit, such as `[AI-AGENT] Fix SYNTAX error in validator.py line 8`. It contains only the name of
/// the file; characters in it that could break the line are replaced.
pub fn commit_message(category: Category, file: &str, line: u32) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    format!("{PREFIX} Fix {category} error in {name} line {line}")
}

/// Returns the message of a commit that reverts a fix.
pub fn revert_message(category: Category, file: &str, line: u32) -> String {
    commit_message(category, file, line).replacen("Fix", "Take back the fix of the", 1)
}

/// Returns whether this tool made a commit, judged by its author or committer and its message. The repository may configure another author,
/// and a host that takes over a branch becomes the committer.
pub fn is_ours(commit: &CommitInfo) -> bool {
    [&commit.author, &commit.committer].contains(&&Identity::default()) && commit.message.starts_with(PREFIX)
}
