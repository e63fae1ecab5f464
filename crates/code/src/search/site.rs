//! Interface of a language to the ranking: a file that changes are made in, and a place in it that operators work at.

use std::ops::RangeInclusive;

use super::change::Change;
use super::priors::Family;
use crate::edit::Edit;

/// A file that parses.
pub(crate) trait Text {
    /// Returns the file's name, relative to the repository's root, with `/`.
    fn name(&self) -> &str;

    /// Returns the whole text of the file.
    fn text(&self) -> &str;

    /// The line, from 1, that a byte stands in.
    fn line_of(&self, at: usize) -> u32;

    /// Returns whether the edits may be made at all, as far as that is known without parsing.
    fn allows(&self, edits: &[Edit]) -> bool;

    /// Returns whether the text parses with the edits.
    fn parses(&self, edits: &[Edit]) -> bool;
}

/// A statement's own lines.
pub(crate) trait Site<'a> {
    /// The file it stands in.
    fn text(&self) -> &'a dyn Text;

    /// Its lines, from 1.
    fn lines(&self) -> RangeInclusive<u32>;

    /// Returns the number of expressions in it that may be changed.
    fn size(&self) -> usize;

    /// Returns the changes that every operator proposes, by the kind of fault.
    fn changes(&self) -> Vec<(Family, Vec<Change>)>;
}
