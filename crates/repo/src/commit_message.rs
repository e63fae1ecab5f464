//! Messages of the commits that this tool makes (spec: "Commit Message Format").

use autoheal_engine::diagnostics::Category;
use autoheal_forge::{CommitInfo, Identity};

/// Name of the fixer of a fix that reverts another one.
pub(crate) const REVERT: &str = "withdrawal";

/// Name of the fixer of a bound on a dependency.
pub(crate) const BOUND: &str = "drift";

/// Name of the fixer that lifts bounds.
pub(crate) const LIFT: &str = "lift";

/// Beginning of a line in the message of a commit that states a bound.
pub(crate) const BOUND_TRAILER: &str = "Bound: ";

/// A bound as the message of its commit names it: `Bound: gadget <2 since 2.0.1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct StatedBound {
    /// Name of the package.
    pub(crate) package: String,
    /// The bound: `<2`.
    pub(crate) range: String,
    /// The newest release that was seen to break the tests.
    pub(crate) broken: String,
}

impl StatedBound {
    /// Returns the line of the message.
    pub(crate) fn trailer(&self) -> String {
        let Self { package, range, broken } = self;
        format!("{BOUND_TRAILER}{package} {range} since {broken}")
    }
}

/// Returns the bounds that the message of a commit names.
pub(crate) fn stated_bounds(message: &str) -> Vec<StatedBound> {
    let bound = |line: &str| {
        let words: Vec<&str> = line.strip_prefix(BOUND_TRAILER)?.split_whitespace().collect();
        let [package, range, "since", broken] = words.as_slice() else { return None };
        let [package, range, broken] = [package, range, broken].map(ToString::to_string);
        Some(StatedBound { package, range, broken })
    };
    message.lines().filter_map(bound).collect()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_bound_is_read_as_it_was_written() {
        let bound = |package: &str| StatedBound {
            package: package.to_owned(),
            range: "<2".to_owned(),
            broken: "2.0.1".to_owned(),
        };
        let bounds = vec![bound("gadget"), bound("@scope/kit")];
        let trailers: Vec<String> = bounds.iter().map(StatedBound::trailer).collect();
        assert_eq!(trailers[0], "Bound: gadget <2 since 2.0.1");
        assert_eq!(stated_bounds(&format!("title\n\nwhy\n\n{}\n", trailers.join("\n"))), bounds);
        assert_eq!(stated_bounds("Bound: to fail\nBound: gadget <2 after 2.0.1\n"), []);
    }
}
