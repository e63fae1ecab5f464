//! JavaScript and TypeScript as shared code sees them.

use std::collections::BTreeSet;

use autoheal_engine::diagnostics::{Category, Finding};

use super::index::Index;
use super::{
    EXTENSIONS, components, expectation, fix, imports, judging, markup, parse, prose, report, search, test_units,
};
use crate::edit::{Candidate, Edit, FileEdit};
use crate::fix::Fixer;
use crate::language::files::KnownFiles;
use crate::language::guard::Guard;
use crate::language::outline::Outline;
use crate::language::plan::{Found, TestPlace};
use crate::language::switch::{Change, Switch};
use crate::language::units::Units;
use crate::language::{Language, LanguageId, PrintedCall, StackFrame, first_word};
use crate::report::Look;
use crate::search::evidence::Evidence;
use crate::sources::Sources;

/// JavaScript and TypeScript.
pub(crate) struct JavaScript;

impl Language for JavaScript {
    fn id(&self) -> LanguageId {
        super::ID
    }

    fn extensions(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn files(&self) -> &'static KnownFiles {
        &super::files::KNOWN
    }

    fn check(&self, file: &str, text: &str) -> Result<(), String> {
        parse::check(file, text).map_err(|fault| fault.to_string())
    }

    fn removes_faults(&self, before: &str, edit: &FileEdit, after: &str) -> bool {
        parse::removes_fault(&edit.file, before, after, &edit.edits)
    }

    fn is_same_program(&self, file: &str, before: &str, after: &str) -> bool {
        parse::is_same(file, before, after)
    }

    fn annotations(&self, file: &str, text: &str) -> usize {
        parse::annotations(file, text)
    }

    fn guard(&self) -> &'static Guard {
        &prose::GUARD
    }

    fn keeps_other_parts(&self, file: &str, before: &str, after: &str) -> bool {
        !components::is_component(file) || markup::keeps_markup(file, before, after)
    }

    fn signs_of_tests(&self) -> &'static [&'static str] {
        &["import.meta.vitest"]
    }

    fn units(&self, file: &str, text: &str, is_collected: bool) -> Units {
        test_units::read(file, text, is_collected)
    }

    fn tests_begun(&self, text: &str, _: bool) -> usize {
        test_units::begun(text)
    }

    fn are_tests_marked(&self) -> bool {
        true
    }

    fn expectation(&self, file: &str, text: &str, place: &TestPlace) -> Option<Found> {
        expectation::find(file, text, place)
    }

    fn hollow(&self, file: &str, text: &str, at: usize) -> Option<Edit> {
        expectation::hollow(file, text, at)
    }

    fn raises(&self, statement: &str) -> bool {
        first_word(statement) == "throw"
    }

    /// There is no error class for it, only words.
    fn says_unwritten(&self, statement: &str) -> bool {
        let words = statement.to_lowercase();
        ["not implemented", "notimplemented", "unimplemented"].iter().any(|word| words.contains(word))
    }

    fn judges(&self, file: &str, sources: &Sources) -> bool {
        let module = Index::of(sources).module(file);
        module.is_some_and(|module| judging::judges(module, sources.text(file).unwrap_or_default()))
    }

    fn outline<'s>(&self, sources: &'s Sources) -> &'s dyn Outline {
        Index::of(sources)
    }

    fn loaded_with<'s>(&self, file: &str, sources: &'s Sources) -> BTreeSet<&'s str> {
        imports::loaded_with(file, sources)
    }

    fn entries<'s>(&self, manifest: &str, sources: &'s Sources) -> BTreeSet<&'s str> {
        imports::entries(manifest, sources)
    }

    fn module<'s>(&self, _: &str, _: &'s Sources) -> Option<&'s str> {
        None
    }

    /// Node tells the causes of an error with it.
    fn stack(&self, finding: &Finding, sources: &Sources, _: bool) -> Vec<StackFrame> {
        let frames = fix::blame::stack(finding, sources).into_iter();
        frames.map(|(file, line, column)| StackFrame { file: file.to_owned(), line, column }).collect()
    }

    fn printed_calls(&self, text: &str) -> Vec<PrintedCall> {
        report::stack::printed_calls(text)
    }

    fn findings_in_text(&self, text: &str, look: &Look<'_>) -> Vec<Finding> {
        report::findings::findings_in_text(text, look)
    }

    fn fixers(&self) -> &'static [&'static dyn Fixer] {
        fix::fixers()
    }

    fn lint_fixers(&self) -> &'static [&'static dyn Fixer] {
        fix::lint_fixers()
    }

    fn reads_linters(&self) -> bool {
        true
    }

    fn checker_fixers(&self) -> &'static [&'static dyn Fixer] {
        fix::checker_fixers()
    }

    fn proposed(&self, output: &str, prefixes: &[String], sources: &Sources, finding: &Finding) -> Vec<Candidate> {
        fix::linting::candidates(output, prefixes, sources, finding)
    }

    fn meant(&self, _: &Finding, _: &Sources) -> Option<Candidate> {
        None
    }

    /// The compiler's words are read like Node's.
    fn as_runtime_error(&self, hint: &Finding) -> Option<(Category, String)> {
        Some((hint.category, hint.message.clone()))
    }

    fn searched(&self, finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
        search::candidates(finding, sources, evidence, most)
    }

    fn suspected(&self, finding: &Finding, sources: &Sources) -> Vec<(f64, String)> {
        search::files(finding, sources)
    }

    /// Nothing is compiled: a warm process tries changes faster.
    fn schema(&self, _: &str, _: &[Change<'_>]) -> Option<(String, Vec<Switch>)> {
        None
    }
}
