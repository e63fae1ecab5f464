//! Places that a failing run points to: the frames of its traceback as places in the repository's files, the deepest first.

use autoheal_engine::diagnostics::{Category, Finding};

use crate::edit::FileEdit;
use crate::environment::Runtime;
use crate::fix::FixContext;
use crate::python::EXTENSIONS;
use crate::python::index::Index;
use crate::python::module::{Module, Span};
use crate::python::parse;
use crate::python::report::traceback::{self, Frame, Traceback};
use crate::repair::ngram::Model;
use crate::repair::shortlist::Ground;
use crate::search::terrain::Terrain;
use crate::sources::Sources;

const MAX_PLACES: usize = 8;

/// A line of the repository on the way to the error.
#[derive(Debug, Clone)]
pub(in crate::python) struct Place {
    pub(in crate::python) file: String,
    pub(in crate::python) line: u32,
    /// The part that failed, or the whole statement's head.
    pub(in crate::python) span: Span,
    /// True if the interpreter marked the part, so that `span` is exact.
    pub(in crate::python) is_exact: bool,
}

impl Place {
    /// Its file, its line and the text of the line.
    fn parts(&self) -> (&str, u32, Span) {
        (&self.file, self.line, self.span)
    }
}

/// An error and where it came from.
pub(in crate::python) struct Blame<'a> {
    pub(in crate::python) context: FixContext<'a>,
    pub(in crate::python) index: &'a Index,
    /// The exception's class without its module.
    pub(in crate::python) error: String,
    /// Message of the exception.
    pub(in crate::python) message: String,
    /// Places in files that may be changed, the deepest first.
    pub(in crate::python) places: Vec<Place>,
    /// Places in files that may not be changed (tests), the deepest first.
    pub(in crate::python) witnesses: Vec<Place>,
}

impl<'a> Blame<'a> {
    /// Facts about the interpreter of the tests.
    pub(super) fn runtime(&self) -> &'a Runtime {
        self.context.environment.of(crate::python::ID)
    }

    pub(in crate::python) fn new(context: &FixContext<'a>) -> Self {
        let index = Index::of(context.sources);
        let (error, message) = context.finding.message.split_once(": ").unwrap_or((&context.finding.message, ""));
        let mut all = Vec::new();
        if let Some(stack) = &context.finding.stack {
            let chain = traceback::parse(stack);
            let is_it = |one: &&Traceback| one.error_name() == error && one.message == message;
            // The exception itself first, then what led to it.
            let culprit = chain.iter().rev().find(is_it).or_else(|| chain.last());
            for one in culprit.into_iter().chain(chain.iter().rev().filter(|one| !is_it(one))) {
                all.extend(one.frames.iter().rev().filter_map(|frame| place(frame, context, index)));
            }
        }
        if let (Some(file), Some(location)) = (&context.finding.file, context.finding.location)
            && !all.iter().any(|place| &place.file == file && place.line == location.line)
        {
            let frame = Frame { file: file.clone(), line: location.line, function: None, marked: None };
            all.extend(place(&frame, context, index));
        }
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|place| seen.insert((place.file.clone(), place.line)));
        let (mut places, mut witnesses): (Vec<Place>, Vec<Place>) =
            all.into_iter().partition(|place| context.sources.is_editable(&place.file));
        places.truncate(MAX_PLACES);
        witnesses.truncate(MAX_PLACES);
        Self { context: *context, index, error: error.to_owned(), message: message.to_owned(), places, witnesses }
    }

    pub(in crate::python) fn sources(&self) -> &'a Sources {
        self.context.sources
    }

    pub(in crate::python) fn text(&self, file: &str) -> &'a str {
        self.context.sources.text(file).unwrap_or_default()
    }

    /// The place's file as tables.
    pub(in crate::python) fn module(&self, file: &str) -> Option<&'a Module> {
        self.index.module(file)
    }

    /// The failure as the search sees it.
    pub(in crate::python) fn terrain(&self) -> Terrain<'a> {
        let own_file = self.context.finding.file.as_deref();
        let (places, witnesses) = (self.places.iter().map(Place::parts), self.witnesses.iter().map(Place::parts));
        Terrain::new(self.context.sources, self.index, own_file, places, witnesses)
    }

    /// Places of both kinds, those that may be changed first.
    pub(in crate::python) fn all_places(&self) -> impl Iterator<Item = &Place> {
        self.places.iter().chain(&self.witnesses)
    }

    /// The words between quotes in the message, in order.
    pub(in crate::python) fn quoted(&self) -> Vec<&str> {
        quoted(&self.message)
    }

    /// Returns the name that the interpreter suggests (`Did you mean: '...'`).
    pub(in crate::python) fn suggestion(&self) -> Option<&str> {
        let rest = self.message.split("Did you mean: '").nth(1)?;
        rest.split('\'').next()
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

    fn parses(&self, _file: &str, text: &str) -> bool {
        parse::compiles(text, None)
    }

    fn affected<'t>(&self, edit: &FileEdit, repaired: &'t str) -> &'t str {
        affected(self, edit, repaired).unwrap_or(repaired)
    }
}

/// Returns the top-level statement that contains the edits, after them; `None`: the whole file is to be parsed.
fn affected<'t>(blame: &Blame<'_>, edit: &FileEdit, repaired: &'t str) -> Option<&'t str> {
    let text = blame.text(&edit.file);
    let (first, last) = (edit.edits.first()?, edit.edits.last()?);
    let edits = Span { start: first.start, end: last.end };
    let mut statements = blame.module(&edit.file)?.statements.iter();
    let span = statements.find(|statement| statement.span.contains(edits))?.span;
    if !text.get(..span.start).is_some_and(|before| before.is_empty() || before.ends_with('\n')) {
        return None;
    }
    // Unclosed brackets and quotes would reach beyond the statement: they do not parse alone either.
    let end = repaired.len().checked_sub(text.len() - span.end)?;
    repaired.get(span.start..end)
}

/// The words between single quotes.
pub(in crate::python) fn quoted(message: &str) -> Vec<&str> {
    message.split('\'').skip(1).step_by(2).collect()
}

/// A frame as a place, when its file belongs to the repository.
fn place(frame: &Frame, context: &FixContext<'_>, index: &Index) -> Option<Place> {
    let file = file_of(&frame.file, context.sources)?;
    let module = index.module(file)?;
    let text = context.sources.text(file)?;
    let line = module.line_span(frame.line)?;
    let shown = line.text(text);
    let indent = shown.len() - shown.trim_start().len();
    let marked = frame.marked.and_then(|(from, to)| {
        let visible = shown.get(indent..)?;
        let byte = |column: usize| visible.char_indices().nth(column).map_or(visible.trim_end().len(), |(at, _)| at);
        let start = line.start + indent;
        Some(Span { start: start + byte(from), end: start + byte(to) })
    });
    let statement = module.statement_at(text, frame.line);
    let span = marked.or(statement).unwrap_or(line);
    Some(Place { file: file.to_owned(), line: frame.line, span, is_exact: marked.is_some() })
}

/// The repository's name for a file that a traceback names by an absolute path of the sandbox: the longest end of the path
/// that is a file of the repository; nothing that lies in the interpreter's own library.
fn file_of<'a>(path: &str, sources: &'a Sources) -> Option<&'a str> {
    let path = path.trim_start_matches("./");
    let path = match path.rsplit_once("-packages/") {
        Some((_, installed)) => installed,
        None if path.contains("/lib/python3") || path.starts_with('<') => return None,
        None => path,
    };
    let ends = std::iter::once(0).chain(path.match_indices('/').map(|(at, _)| at + 1));
    let name = ends.filter_map(|at| path.get(at..)).find(|end| sources.text(end).is_some())?;
    sources.with_extension(EXTENSIONS).map(|(file, _)| file).find(|file| *file == name)
}

/// Returns the stack of the exception that a finding reports, as files of the repository and lines, the deepest first; behind it the stacks
/// of the exceptions that led to that one.
pub(crate) fn stacks<'a>(finding: &Finding, sources: &'a Sources) -> Vec<Vec<(&'a str, u32)>> {
    let mut chain = traceback::parse(finding.stack.as_deref().unwrap_or_default());
    chain.reverse();
    let error = finding.message.split(": ").next().unwrap_or_default();
    let culprit = chain.iter().position(|one| one.error_name() == error).unwrap_or_default();
    chain.get_mut(..=culprit).into_iter().for_each(|first| first.rotate_right(1));
    let frames = |one: &Traceback| {
        let own = one.frames.iter().rev();
        own.filter_map(|frame| Some((file_of(&frame.file, sources)?, frame.line))).collect()
    };
    chain.iter().map(frames).collect()
}
