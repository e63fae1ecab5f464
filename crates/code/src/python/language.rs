//! Python as shared code sees it.

use std::collections::BTreeSet;

use autoheal_engine::diagnostics::{Category, Finding};

use super::index::Index;
use super::{EXTENSIONS, expectation, fix, imports, judging, parse, prose, report, same_program, search, test_units};
use crate::edit::{Candidate, Edit, FileEdit};
use crate::fix::Fixer;
use crate::language::files::KnownFiles;
use crate::language::guard::Guard;
use crate::language::outline::Outline;
use crate::language::plan::{Found, TestPlace};
use crate::language::switch::{Change, Switch};
use crate::language::units::Units;
use crate::language::{Language, LanguageId, PrintedCall, StackFrame, first_word};
use crate::report::{Look, lsp};
use crate::search::evidence::Evidence;
use crate::sources::Sources;

/// Python.
pub(crate) struct Python;

impl Language for Python {
    fn id(&self) -> LanguageId {
        super::ID
    }

    fn extensions(&self) -> &'static [&'static str] {
        EXTENSIONS
    }

    fn files(&self) -> &'static KnownFiles {
        &super::files::KNOWN
    }

    fn check(&self, _: &str, text: &str) -> Result<(), String> {
        parse::check(text).map_err(|problem| problem.to_string())
    }

    fn removes_faults(&self, before: &str, edit: &FileEdit, after: &str) -> bool {
        parse::removes_faults(before, after, &edit.edits)
    }

    fn is_same_program(&self, _: &str, before: &str, after: &str) -> bool {
        same_program::is_same(before, after)
    }

    fn annotations(&self, _: &str, text: &str) -> usize {
        same_program::annotations(text)
    }

    fn guard(&self) -> &'static Guard {
        &prose::GUARD
    }

    fn keeps_other_parts(&self, _: &str, _: &str, _: &str) -> bool {
        true
    }

    fn signs_of_tests(&self) -> &'static [&'static str] {
        &["def test", "TestCase", ">>> ", "class Test"]
    }

    fn units(&self, _: &str, text: &str, is_collected: bool) -> Units {
        test_units::read(text, is_collected)
    }

    fn tests_begun(&self, text: &str, is_collected: bool) -> usize {
        test_units::begun(text, is_collected)
    }

    fn are_tests_marked(&self) -> bool {
        false
    }

    fn expectation(&self, _: &str, text: &str, place: &TestPlace) -> Option<Found> {
        expectation::of_example(text, place).map(Found::Example).or_else(|| expectation::find(text, place))
    }

    fn hollow(&self, _: &str, text: &str, at: usize) -> Option<Edit> {
        expectation::hollow(text, at)
    }

    fn raises(&self, statement: &str) -> bool {
        ["raise", "assert"].contains(&first_word(statement))
    }

    fn says_unwritten(&self, statement: &str) -> bool {
        statement.contains("NotImplementedError")
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

    fn module<'s>(&self, name: &str, sources: &'s Sources) -> Option<&'s str> {
        Index::of(sources).file_of(name)
    }

    fn stack(&self, finding: &Finding, sources: &Sources, with_causes: bool) -> Vec<StackFrame> {
        let stacks = fix::blame::stacks(finding, sources).into_iter().take(if with_causes { usize::MAX } else { 1 });
        let frame = |(file, line): (&str, u32)| StackFrame { file: file.to_owned(), line, column: None };
        stacks.flatten().map(frame).collect()
    }

    fn printed_calls(&self, text: &str) -> Vec<PrintedCall> {
        report::traceback::printed_calls(text)
    }

    fn findings_in_text(&self, text: &str, look: &Look<'_>) -> Vec<Finding> {
        report::findings::findings_in_text(text, look)
    }

    fn fixers(&self) -> &'static [&'static dyn Fixer] {
        fix::fixers()
    }

    fn lint_fixers(&self) -> &'static [&'static dyn Fixer] {
        fix::fixers()
    }

    fn reads_linters(&self) -> bool {
        false
    }

    fn checker_fixers(&self) -> &'static [&'static dyn Fixer] {
        fix::checker_fixers()
    }

    fn proposed(&self, output: &str, prefixes: &[String], sources: &Sources, finding: &Finding) -> Vec<Candidate> {
        fix::linting::candidates(output, prefixes, sources, finding)
    }

    fn meant(&self, finding: &Finding, sources: &Sources) -> Option<Candidate> {
        fix::linting::of_words(sources, finding)
    }

    fn as_runtime_error(&self, hint: &Finding) -> Option<(Category, String)> {
        lsp::of_python(&hint.message)
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
