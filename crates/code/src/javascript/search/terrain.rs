//! A failure in JavaScript and TypeScript files, as the search asks for it.

use std::ops::RangeInclusive;

use crate::javascript::fix::blame::Blame;
use crate::javascript::module::Role;
use crate::search::terrain::Terrain;
use crate::sources::Sources;
use crate::span::Span;

/// A name that more definitions have says nothing about which one is meant.
const MOST_NAMESAKES: usize = 3;

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
        let starts = module.statements.iter().map(|statement| statement.start);
        starts.filter(|start| module.function_at(*start).is_none()).map(|start| module.line_of(start)).collect()
    }

    fn lines(&self, file: &str, span: Span) -> RangeInclusive<u32> {
        let line_of = |at| self.index.module(file).map_or(1, |module| module.line_of(at));
        line_of(span.start)..=line_of(span.end.saturating_sub(1))
    }

    fn names_in(&self, file: &str, span: Span) -> Vec<&'a str> {
        let words = self.index.module(file).map(|module| module.words.as_slice()).unwrap_or_default();
        let used = words.iter().filter(|word| matches!(word.role, Role::Use | Role::Member));
        used.filter(|word| span.contains(word.span)).map(|word| word.text.as_str()).collect()
    }

    /// Returns the definitions of a name. If nothing defines it, but a file imports a module or its default
    /// export under that name, returns the export in the imported file.
    fn definitions(&self, name: &str) -> Vec<(&'a str, Span)> {
        let editable = || self.index.modules().filter(|(file, _)| self.context.sources.is_editable(file));
        let named = editable().flat_map(|(file, module)| {
            let functions = module.functions.iter().filter(|function| function.name == name);
            let classes = module.classes.iter().filter(|class| class.name == name);
            let spans = functions.map(|function| function.span).chain(classes.map(|class| class.span));
            spans.map(move |span| (file, span)).collect::<Vec<_>>()
        });
        let found: Vec<_> = named.collect();
        if found.len() > MOST_NAMESAKES {
            return Vec::new();
        }
        if !found.is_empty() {
            return found;
        }
        let mut whole: Vec<(&str, Span)> = Vec::new();
        for (file, module) in self.index.modules() {
            let Some((import, imported)) = module.imported(name) else { continue };
            let Some(source) = self.index.resolve(file, &import.specifier) else { continue };
            let is_whole = imported.kind != crate::javascript::module::ImportKind::Named;
            let default = self.index.module(source).and_then(|module| module.exports.default.or(module.exports.whole));
            if let Some(span) = default.filter(|_| is_whole && self.context.sources.is_editable(source))
                && !whole.contains(&(source, span))
            {
                whole.push((source, span));
            }
        }
        if whole.len() > MOST_NAMESAKES { Vec::new() } else { whole }
    }
}
