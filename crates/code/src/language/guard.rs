//! Marks of a change that only looks like a repair.

use crate::repair::tokens::Token;

/// Definition of the tampering to detect in a language.
pub(crate) struct Guard {
    /// Comments and texts that stand alone; a suppression comment is included with the line that it applies to.
    pub(crate) prose: fn(&str) -> Vec<&str>,
    /// The tokens of a text.
    pub(crate) tokens: fn(&str) -> Vec<Token>,
    /// Pieces of code, without white space, that end a process, skip or change tests, or ask whether one runs.
    pub(crate) phrases: &'static [&'static str],
    /// Pieces of code, without white space, that start programs, open connections or run text as code.
    pub(crate) powers: &'static [&'static str],
    /// Words that make a type checker accept more.
    pub(crate) escapes: &'static [&'static str],
}
