//! The files of one language as they are seen by what treats languages alike: functions, the names that they use, and definitions.

use crate::sources::Sources;
use crate::span::Span;

/// A name that more definitions have says nothing about which one is meant.
const MOST_NAMESAKES: usize = 3;

/// The files of one language.
pub(crate) trait Outline {
    /// Returns the name of a file of the language, as the outline has it.
    fn known(&self, file: &str) -> Option<&str>;

    /// Returns the line, from 1, that a byte of a file is on; 1 where the file is not known.
    fn line_of(&self, file: &str, at: usize) -> u32;

    /// Returns the innermost function around a byte.
    fn function_at(&self, file: &str, at: usize) -> Option<FunctionAround>;

    /// Returns the lines, from 1, on which a file's statements outside of functions begin.
    fn loaded_lines(&self, file: &str) -> Vec<u32>;

    /// Returns the names that are used in a piece of a file, in its order.
    fn names_in(&self, file: &str, span: Span) -> Vec<&str>;

    /// Returns the functions and classes of a name, wherever they are.
    fn namesakes(&self, name: &str) -> Vec<(&str, Span)>;

    /// Returns what files import under this name of their own choice.
    fn imported_as(&self, name: &str) -> Vec<(&str, Span)>;

    /// Returns the names of the functions that a file defines, methods included.
    fn functions(&self, file: &str) -> Vec<&str>;

    /// Returns whether a file defines values, and neither functions nor classes. An empty file, or one that passes on what it imports,
    /// defines none.
    fn holds_only_values(&self, file: &str) -> bool;

    /// Returns every word of a file.
    fn words(&self, file: &str) -> Vec<&str>;

    /// Returns what a file imports from files of the repository, in the order of the text.
    fn imports(&self, file: &str) -> Vec<Imported<'_>>;
}

/// Import of a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Imported<'a> {
    /// The file that is imported.
    pub(crate) file: &'a str,
    /// Place of the statement.
    pub(crate) at: usize,
    /// Names that are loaded from the file; `*`: all that it offers.
    pub(crate) names: Vec<&'a str>,
    /// True if the file is imported as a whole and used by its members: any word of the importing file may name one.
    pub(crate) is_whole: bool,
}

/// A function that something is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionAround {
    /// All of it, with its decorators.
    pub(crate) span: Span,
    /// The function without its decorators.
    pub(crate) definition: Span,
    /// One past its parameters' last byte: what stands before runs when it is defined.
    pub(crate) parameters_end: usize,
}

impl dyn Outline + '_ {
    /// Returns what a name is defined as in files that may be changed; empty when it has too many definitions to be informative.
    pub(crate) fn definitions(&self, sources: &Sources, name: &str) -> Vec<(&str, Span)> {
        let is_editable = |(file, _): &(&str, Span)| sources.is_editable(file);
        let mut found = self.namesakes(name);
        found.retain(is_editable);
        if found.is_empty() {
            found = self.imported_as(name);
            found.retain(is_editable);
        }
        if found.len() > MOST_NAMESAKES { Vec::new() } else { found }
    }

    /// Returns the first and the last line, from 1, of a piece of a file.
    pub(crate) fn lines(&self, file: &str, span: Span) -> (u32, u32) {
        (self.line_of(file, span.start), self.line_of(file, span.end.saturating_sub(1)))
    }
}
