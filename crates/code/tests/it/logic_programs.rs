//! Small classic programs with one fault each, written for the test of the search.

use std::sync::LazyLock;

/// A program, and how it was broken.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    /// The program that works.
    pub(crate) code: &'static str,
    /// The part of it, once in it, that the fault is in.
    pub(crate) right: &'static str,
    /// Faulty text in place of that part.
    pub(crate) wrong: &'static str,
}

mod first;
mod second;

/// All programs of both parts.
pub(crate) static PROGRAMS: LazyLock<Vec<&'static Program>> =
    LazyLock::new(|| first::PROGRAMS.iter().chain(second::PROGRAMS).collect());
