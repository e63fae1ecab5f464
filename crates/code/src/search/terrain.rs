//! Interface of a language to the search: the places in a repository that a failure points at, and its definitions.

use std::ops::RangeInclusive;

use crate::sources::Sources;
use crate::span::Span;

/// A failure in files of one language.
pub(crate) trait Terrain<'a> {
    /// Returns the texts of the repository's files.
    fn sources(&self) -> &'a Sources;

    /// The name of a file of the language that may be changed, as the sources have it.
    fn editable(&self, file: &str) -> Option<&'a str>;

    /// The name of a file of the language, as the sources have it.
    fn known(&self, file: &str) -> Option<&'a str>;

    /// The file that the failure is reported in.
    fn own_file(&self) -> Option<&str>;

    /// Lines of files that may be changed on the way to the error, the deepest first.
    fn frames(&self) -> Vec<(&str, u32)>;

    /// Every place on the way to the error, tests included: the file, the place, and the function around it.
    fn places(&self) -> Vec<(&str, Span)>;

    /// The lines, from 1, on which a file's statements outside of functions begin.
    fn loaded_lines(&self, file: &str) -> Vec<u32>;

    /// The lines, from 1, of a piece of a file.
    fn lines(&self, file: &str, span: Span) -> RangeInclusive<u32>;

    /// The names that are used in a piece of a file.
    fn names_in(&self, file: &str, span: Span) -> Vec<&'a str>;

    /// Returns the functions and classes of that name in files that may be changed; empty when the name has too
    /// many definitions to be informative.
    fn definitions(&self, name: &str) -> Vec<(&'a str, Span)>;
}
