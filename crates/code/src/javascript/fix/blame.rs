//! Places that a failure points to, and its complaint: the frames of its stack as places in
//! the repository's files, the deepest first.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use autoheal_engine::diagnostics::{Category, Finding, Source};
use regex::Regex;

use super::inert;
use crate::edit::FileEdit;
use crate::environment::Runtime;
use crate::fix::FixContext;
use crate::javascript::complaint::{self, Complaint};
use crate::javascript::globals::is_global;
use crate::javascript::index::Index;
use crate::javascript::is_own;
use crate::javascript::module::{Module, Role, Word};
use crate::javascript::parse;
use crate::repair::ngram::Model;
use crate::repair::region::line_of;
use crate::repair::shortlist::Ground;
use crate::search::terrain::Terrain;
use crate::sources::Sources;
use crate::span::Span;

const MAX_PLACES: usize = 8;
const MAX_FRAMES: usize = 200;

/// A line of the repository on the way to the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::javascript) struct Place {
    pub(in crate::javascript) file: String,
    pub(in crate::javascript) line: u32,
    /// Span of the line.
    pub(in crate::javascript) span: Span,
    /// Byte that the engine points at, if it reports one.
    pub(in crate::javascript) at: Option<usize>,
}

impl Place {
    /// Its file, its line and the text of the line.
    fn parts(&self) -> (&str, u32, Span) {
        (&self.file, self.line, self.span)
    }
}

/// An error and where it came from.
pub(in crate::javascript) struct Blame<'a> {
    pub(in crate::javascript) context: FixContext<'a>,
    pub(in crate::javascript) index: &'a Index,
    pub(in crate::javascript) complaint: Complaint,
    /// Places in files that may be changed, the deepest first.
    pub(in crate::javascript) places: Vec<Place>,
    /// Places in files that may not be changed (tests), the deepest first.
    pub(in crate::javascript) witnesses: Vec<Place>,
}

impl<'a> Blame<'a> {
    /// Facts about the interpreter of the tests.
    pub(super) fn runtime(&self) -> &'a Runtime {
        self.context.environment.of(crate::javascript::ID)
    }

    pub(in crate::javascript) fn new(context: &FixContext<'a>) -> Self {
        let index = Index::of(context.sources);
        let finding = context.finding;
        let mut all: Vec<Place> = Vec::new();
        if let (Some(file), Some(location)) = (&finding.file, finding.location) {
            all.extend(place(context, index, file, location.line, location.column));
        }
        for (file, line, column) in frames(finding.stack.as_deref().unwrap_or_default()) {
            let Some(name) = file_of(file, context.sources) else { continue };
            let Some(found) = place(context, index, name, line, column) else { continue };
            match all.iter_mut().find(|known| known.file == found.file && known.line == found.line) {
                Some(known) => known.at = known.at.or(found.at),
                None => all.push(found),
            }
        }
        let (mut places, mut witnesses): (Vec<Place>, Vec<Place>) =
            all.into_iter().partition(|place| context.sources.is_editable(&place.file));
        places.truncate(MAX_PLACES);
        witnesses.truncate(MAX_PLACES);
        Self { context: *context, index, complaint: Complaint::of(&finding.message), places, witnesses }
    }

    pub(in crate::javascript) fn text(&self, file: &str) -> &'a str {
        self.context.sources.text(file).unwrap_or_default()
    }

    pub(in crate::javascript) fn module(&self, file: &str) -> Option<&'a Module> {
        self.index.module(file)
    }

    /// The failure as the search sees it.
    pub(in crate::javascript) fn terrain(&self) -> Terrain<'a> {
        let own_file = self.context.finding.file.as_deref();
        let (places, witnesses) = (self.places.iter().map(Place::parts), self.witnesses.iter().map(Place::parts));
        Terrain::new(self.context.sources, self.index, own_file, places, witnesses)
    }

    /// Places of both kinds, those that may be changed first.
    pub(in crate::javascript) fn all_places(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().chain(&self.witnesses)
    }

    /// Returns the replacement that a tool suggests.
    pub(in crate::javascript) fn suggestion(&self) -> Option<&'a str> {
        complaint::suggestion(&self.context.finding.message)
    }

    /// Returns whether a linter reported the finding. A linter accepts any edit that hides the fault.
    pub(in crate::javascript) fn is_linted(&self) -> bool {
        self.context.finding.source == Source::Lint
    }

    /// Returns whether a linter complains of a name that Node or browsers declare: the code
    /// is right, the linter's settings are wrong.
    pub(in crate::javascript) fn is_linted_global(&self, name: &str) -> bool {
        self.is_linted() && (is_global(name) || self.runtime().builtins.contains(name))
    }

    /// Returns the places where the values used at `place` were made: the declarations of its names, and the
    /// statements that assign to them.
    pub(in crate::javascript) fn origins(&self, place: &Place) -> Vec<Place> {
        const MAX_ORIGINS: usize = 8;
        let (Some(module), text) = (self.module(&place.file), self.text(&place.file)) else { return Vec::new() };
        let used = module.words.iter().filter(|word| word.role == Role::Use && place.span.contains(word.span));
        let mut starts: Vec<usize> = Vec::new();
        for word in used {
            let Some(declared) = module.declaration(&word.text, word.scope) else { continue };
            starts.push(declared.start);
            let same = |other: &&Word| {
                other.role == Role::Use
                    && other.text == word.text
                    && module.declaration(&other.text, other.scope) == Some(declared)
            };
            let is_assigned = |other: &&Word| {
                let after = text.get(other.span.end..).unwrap_or_default().trim_start();
                after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>")
            };
            starts.extend(module.words.iter().filter(same).filter(is_assigned).map(|other| other.span.start));
        }
        starts.sort_unstable();
        starts.dedup();
        let outside = |start: &usize| *start < place.span.start || *start >= place.span.end;
        let span = |start: usize| Span { start, end: module.statement_end(text, start) };
        let origin =
            |start: usize| Place { file: place.file.clone(), line: line_of(text, start), span: span(start), at: None };
        starts.into_iter().filter(outside).take(MAX_ORIGINS).map(origin).collect()
    }

    /// Files that the failure names, those that may be changed first; the finding's own first of all.
    pub(in crate::javascript) fn files(&self) -> Vec<&'a str> {
        let mut seen = BTreeSet::new();
        let own = self.context.finding.file.as_deref().into_iter();
        let named = own.chain(self.all_places().map(|place| place.file.as_str()));
        let known = |file: &str| self.index.modules().map(|(name, _)| name).find(|name| *name == file);
        named.filter_map(known).filter(|file| seen.insert(*file)).collect()
    }
}

impl Ground for Blame<'_> {
    fn sources(&self) -> &Sources {
        self.context.sources
    }

    fn category(&self) -> Category {
        self.context.finding.category
    }

    fn model(&self) -> &Model {
        self.index.model()
    }

    fn parses(&self, file: &str, text: &str) -> bool {
        if !is_own(file) {
            return serde_json::from_str::<serde_json::Value>(text).is_ok();
        }
        parse::compiles(file, text)
    }

    fn is_sound(&self, edit: &FileEdit, repaired: &str) -> bool {
        if is_own(&edit.file) { inert::is_sound(edit, repaired) } else { self.parses(&edit.file, repaired) }
    }
}

fn place(context: &FixContext<'_>, index: &Index, file: &str, line: u32, column: Option<u32>) -> Option<Place> {
    let text = context.sources.text(file)?;
    let span = index.module(file)?.line_span(text, line)?;
    let at = column.and_then(|column| {
        // Columns count UTF-16 units.
        let wanted = usize::try_from(column).ok()?.checked_sub(1)?;
        let mut units = 0;
        for (at, character) in span.text(text).char_indices() {
            if units >= wanted {
                return Some(span.start + at);
            }
            units += character.len_utf16();
        }
        None
    });
    Some(Place { file: file.to_owned(), line, span, at })
}

/// The frames of stacks in a text, the deepest first: `at f (file:3:5)`, `at file:3:5`, `file:3` above a piece of code.
fn frames(stack: &str) -> Vec<(&str, u32, Option<u32>)> {
    static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"(?m)(?:^|\bat |\()(?:async )?(?:file://)?([^\s():<>|]+\.[cm]?[jt]sx?):(\d+)(?::(\d+))?\)?").ok()
    });
    let Some(pattern) = FRAME.as_ref() else { return Vec::new() };
    let number = |found: Option<regex::Match<'_>>| found.and_then(|found| found.as_str().parse().ok());
    pattern
        .captures_iter(stack)
        .take(MAX_FRAMES)
        .filter_map(|captures| Some((captures.get(1)?.as_str(), number(captures.get(2))?, number(captures.get(3)))))
        .collect()
}

/// The repository's name for a file that a stack names by an absolute path of the sandbox: the longest end of the path that is a
/// file of the repository; nothing that belongs to Node or to a package.
fn file_of<'p>(path: &'p str, sources: &Sources) -> Option<&'p str> {
    if path.starts_with("node:") || path.contains("node_modules/") || path.starts_with("internal/") {
        return None;
    }
    let path = path.trim_start_matches("./");
    let ends = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    ends.filter_map(|at| path.get(at..)).find(|end| sources.text(end).is_some())
}

/// Returns the stack of the error that a finding reports, deepest first: files of the repository, lines, and
/// the byte that the engine points at, if reported.
pub(crate) fn stack<'f>(finding: &'f Finding, sources: &Sources) -> Vec<(&'f str, u32, Option<u32>)> {
    let frames = frames(finding.stack.as_deref().unwrap_or_default());
    frames.into_iter().filter_map(|(file, line, column)| Some((file_of(file, sources)?, line, column))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_all_forms() {
        let stack = "/s/lib/a.js:3\n  foo();\n  ^\n\nReferenceError: foo is not defined\n    at bar (/s/lib/a.js:3:5)\n    at async file:///s/b.mjs:10:1\n    at Object.<anonymous> (test/x.test.ts:7:20)\n    at node:internal/main:1:1";
        assert_eq!(
            frames(stack),
            [
                ("/s/lib/a.js", 3, None),
                ("/s/lib/a.js", 3, Some(5)),
                ("/s/b.mjs", 10, Some(1)),
                ("test/x.test.ts", 7, Some(20))
            ]
        );
    }
}
