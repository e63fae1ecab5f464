//! A failure in Python files, as the search asks for it.

use std::ops::RangeInclusive;

use crate::python::fix::blame::Blame;
use crate::python::fix::excerpt::{MOST_NAMESAKES, definitions, names_in};
use crate::python::module::Span;
use crate::search::terrain::Terrain;
use crate::sources::Sources;

impl<'a> Terrain<'a> for Blame<'a> {
    fn sources(&self) -> &'a Sources {
        self.context.sources
    }

    fn editable(&self, file: &str) -> Option<&'a str> {
        self.known(file).filter(|name| self.context.sources.is_editable(name))
    }

    fn known(&self, file: &str) -> Option<&'a str> {
        self.index.modules().map(|(name, _)| name).find(|name| *name == file)
    }

    fn own_file(&self) -> Option<&str> {
        self.context.finding.file.as_deref()
    }

    fn frames(&self) -> Vec<(&str, u32)> {
        self.places.iter().map(|place| (place.file.as_str(), place.line)).collect()
    }

    fn places(&self) -> Vec<(&str, Span)> {
        let around = |file: &str, span: Span| {
            let function = self.index.module(file).and_then(|module| module.function_at(span.start));
            function.map_or(span, |function| function.span)
        };
        self.all_places().map(|place| (place.file.as_str(), around(&place.file, place.span))).collect()
    }

    fn loaded_lines(&self, file: &str) -> Vec<u32> {
        let Some(module) = self.index.module(file) else { return Vec::new() };
        let starts = module.statements.iter().map(|statement| statement.span.start);
        starts.filter(|start| module.function_at(*start).is_none()).map(|start| module.line_of(start)).collect()
    }

    fn lines(&self, file: &str, span: Span) -> RangeInclusive<u32> {
        let line_of = |at| self.index.module(file).map_or(1, |module| module.line_of(at));
        line_of(span.start)..=line_of(span.end.saturating_sub(1))
    }

    fn names_in(&self, file: &str, span: Span) -> Vec<&'a str> {
        names_in(self.index, file, span).collect()
    }

    fn definitions(&self, name: &str) -> Vec<(&'a str, Span)> {
        let found = definitions(self.index, self.context.sources, name);
        if found.len() > MOST_NAMESAKES { Vec::new() } else { found }
    }
}
