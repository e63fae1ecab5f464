//! What a commit of ours says (spec: "Commit Message Format").

use autoheal_engine::diagnostics::Category;
use autoheal_forge::{CommitInfo, Identity};

/// What every message begins with.
pub const PREFIX: &str = "[AI-AGENT]";

/// `[AI-AGENT] Fix SYNTAX error in validator.py line 8`. Of the file only its name is told; a character in it that could
/// break the line is replaced.
pub fn commit_message(category: Category, file: &str, line: u32) -> String {
    let name = file.rsplit('/').next().unwrap_or(file);
    let name: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    format!("{PREFIX} Fix {category} error in {name} line {line}")
}

/// The message of a commit that takes a fix back.
pub fn withdrawal_message(category: Category, file: &str, line: u32) -> String {
    commit_message(category, file, line).replacen("Fix", "Take back the fix of the", 1)
}

/// Whether a commit is one of ours: by who made it and its message. The repository may name another author, and a host that takes a
/// branch over is another committer.
pub fn is_ours(commit: &CommitInfo) -> bool {
    [&commit.author, &commit.committer].contains(&&Identity::default()) && commit.message.starts_with(PREFIX)
}
