//! What the ranking asks of a language: a file that changes are made in, and a place in it that operators work at.

use std::ops::RangeInclusive;

use super::change::Change;
use super::priors::Family;
use crate::edit::Edit;

/// A file that parses.
pub(crate) trait Text {
    /// Relative to the repository's root, with `/`.
    fn name(&self) -> &str;

    /// All of it.
    fn text(&self) -> &str;

    /// The line, from 1, that a byte stands in.
    fn line_of(&self, at: usize) -> u32;

    /// Whether the edits may be made at all, as far as that is known without parsing.
    fn allows(&self, edits: &[Edit]) -> bool;

    /// Whether the text parses with the edits.
    fn parses(&self, edits: &[Edit]) -> bool;
}

/// A statement's own lines.
pub(crate) trait Site<'a> {
    /// The file it stands in.
    fn text(&self) -> &'a dyn Text;

    /// Its lines, from 1.
    fn lines(&self) -> RangeInclusive<u32>;

    /// How many expressions may be changed in it.
    fn size(&self) -> usize;

    /// What every operator proposes.
    fn changes(&self) -> Vec<(Family, Vec<Change>)>;
}
