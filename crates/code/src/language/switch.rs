//! Changes that a program chooses between when it runs ([`crate::schemata`]), as a language writes them.

use std::ops::Range;

use crate::edit::Edit;

/// Environment variable that holds the number of the change to run; without it the program runs as it is.
pub(crate) const CHANGE: &str = "AUTOHEAL_CHANGE";

/// A change of one file, by its number, which is greater than 0.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change<'c> {
    pub(crate) number: usize,
    pub(crate) edits: &'c [Edit],
}

/// A function that chooses between its changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Switch {
    /// Bytes of the function in the new text.
    pub(crate) range: Range<usize>,
    /// The changes, each with the bytes of its copy of the function's body in the new text.
    pub(crate) changes: Vec<(usize, Range<usize>)>,
}
