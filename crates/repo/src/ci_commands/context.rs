//! Surroundings of a command.

use std::path::Path;

use super::script::EXPRESSION;

/// Location of the files that a command may refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Context<'a> {
    /// Root folder of the repository's tree.
    pub(crate) tree: &'a Path,
    /// The folder that the command starts in.
    pub(crate) directory: &'a str,
}

/// Returns whether a word holds an expression that only CI knows the value of.
pub(crate) fn holds_expression(word: &str) -> bool {
    word.contains(EXPRESSION)
}
