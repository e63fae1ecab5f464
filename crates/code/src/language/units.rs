//! Statements at the top level of a file that may hold tests, as a language finds them.

use std::collections::BTreeSet;

use crate::span::Span;

/// Kind of a statement at the top of a file, as far as tests are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UnitKind {
    /// A test, or what only a test framework reads.
    Test,
    /// The import of a test framework, or the start of one: a test's, without being one.
    Framework,
    /// Looks like what judges for tests: it asserts, or is private.
    Helper,
    /// Statement that defines a value.
    Value,
    /// A function or class.
    Definition,
    /// Statement of any other kind.
    Other,
}

/// A statement at the top of a file.
#[derive(Debug, Clone)]
pub(crate) struct Unit {
    pub(crate) span: Span,
    pub(crate) kind: UnitKind,
    /// The names it binds.
    pub(crate) binds: BTreeSet<String>,
    /// The names it reads.
    pub(crate) uses: BTreeSet<String>,
    /// True if the module offers it to others, or an example of its own documents it.
    pub(crate) is_offered: bool,
}

/// A file as its language reads it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Units {
    /// In order of the text.
    pub(crate) all: Vec<Unit>,
    /// Docstrings that hold examples, with the names that the examples use.
    pub(crate) examples: Vec<(Span, BTreeSet<String>)>,
    /// Every identifier outside of strings and comments, with its place.
    pub(crate) words: Vec<(String, Span)>,
}
