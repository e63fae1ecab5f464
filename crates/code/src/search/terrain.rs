//! A failure as the search sees it: the places in a repository that it points at, in files of one language.

use std::ops::RangeInclusive;

use crate::language::outline::Outline;
use crate::sources::Sources;
use crate::span::Span;

/// A failure in files of one language.
pub(crate) struct Terrain<'a> {
    pub(crate) sources: &'a Sources,
    pub(crate) outline: &'a dyn Outline,
    /// The file that the failure is reported in.
    pub(crate) own_file: Option<&'a str>,
    /// Lines of files that may be changed on the way to the error, the deepest first.
    pub(crate) frames: Vec<(&'a str, u32)>,
    /// Every place on the way to the error, tests included: the file and the function around the place.
    pub(crate) places: Vec<(&'a str, Span)>,
}

impl<'a> Terrain<'a> {
    /// The terrain of a failure that is reported in `own_file`. Of its places, the file, the line from 1 and its text, the deepest first:
    /// those in files that may be changed, and the others.
    pub(crate) fn new<'p>(
        sources: &'a Sources,
        outline: &'a dyn Outline,
        own_file: Option<&'a str>,
        places: impl Iterator<Item = (&'p str, u32, Span)> + Clone,
        witnesses: impl Iterator<Item = (&'p str, u32, Span)>,
    ) -> Self {
        let known = |(file, line, span): (&str, u32, Span)| Some((outline.known(file)?, line, span));
        let around = |(file, _, span): (&'a str, u32, Span)| {
            (file, outline.function_at(file, span.start).map_or(span, |function| function.span))
        };
        Self {
            sources,
            outline,
            own_file,
            frames: places.clone().filter_map(known).map(|(file, line, _)| (file, line)).collect(),
            places: places.chain(witnesses).filter_map(known).map(around).collect(),
        }
    }

    /// The name of a file of the language that may be changed, as the sources have it.
    pub(crate) fn editable(&self, file: &str) -> Option<&'a str> {
        self.outline.known(file).filter(|name| self.sources.is_editable(name))
    }

    /// The lines, from 1, of a piece of a file.
    pub(crate) fn lines(&self, file: &str, span: Span) -> RangeInclusive<u32> {
        let (first, last) = self.outline.lines(file, span);
        first..=last
    }
}
