//! Rust as shared code sees it.

use std::collections::BTreeSet;

use autoheal_engine::diagnostics::{Category, Finding};

use super::index::Index;
use super::{EXTENSIONS, crates, expectation, fix, log, panics, prose, schema, search, syntax, test_units};
use crate::edit::{Candidate, Edit, FileEdit};
use crate::fix::Fixer;
use crate::language::assertions::is_assertion;
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

/// Rust.
pub(crate) struct Rust;

impl Language for Rust {
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
        match syntax::faults(text).into_iter().next() {
            None => Ok(()),
            Some(fault) => Err(fault.message),
        }
    }

    fn removes_faults(&self, before: &str, edit: &FileEdit, after: &str) -> bool {
        syntax::removes_faults(before, after, &edit.edits)
    }

    fn is_same_program(&self, _: &str, before: &str, after: &str) -> bool {
        syntax::is_same_program(before, after)
    }

    /// The compiler asks for each where it needs it.
    fn annotations(&self, _: &str, _: &str) -> usize {
        0
    }

    fn guard(&self) -> &'static Guard {
        &prose::GUARD
    }

    fn keeps_other_parts(&self, _: &str, _: &str, _: &str) -> bool {
        true
    }

    fn signs_of_tests(&self) -> &'static [&'static str] {
        test_units::SIGNS
    }

    fn units(&self, _: &str, text: &str, _: bool) -> Units {
        test_units::read(text)
    }

    fn tests_begun(&self, text: &str, _: bool) -> usize {
        test_units::begun(text)
    }

    fn are_tests_marked(&self) -> bool {
        true
    }

    fn expectation(&self, _: &str, text: &str, place: &TestPlace) -> Option<Found> {
        expectation::find(text, place)
    }

    /// Few functions can return at once: most have to return a value.
    fn hollow(&self, _: &str, _: &str, _: usize) -> Option<Edit> {
        None
    }

    fn raises(&self, statement: &str) -> bool {
        let name = first_word(statement);
        let is_macro = statement.strip_prefix(name).is_some_and(|rest| rest.starts_with('!'));
        is_macro && (is_assertion(name) || ["panic", "unreachable", "unimplemented", "todo"].contains(&name))
    }

    fn says_unwritten(&self, statement: &str) -> bool {
        statement.starts_with("todo!") || statement.starts_with("unimplemented!")
    }

    fn judges(&self, file: &str, sources: &Sources) -> bool {
        let functions = Index::of(sources).functions(file);
        functions.into_iter().any(is_assertion) && sources.text(file).is_some_and(|text| text.contains("assert"))
    }

    fn outline<'s>(&self, sources: &'s Sources) -> &'s dyn Outline {
        Index::of(sources)
    }

    /// All files of a package are built together.
    fn loaded_with<'s>(&self, file: &str, sources: &'s Sources) -> BTreeSet<&'s str> {
        let mut files = Index::of(sources).files_of_package(file);
        let manifests =
            sources.iter().map(|(name, _)| name).filter(|name| name.rsplit('/').next() == Some("Cargo.toml"));
        files.extend(manifests.filter(|manifest| {
            let folder = manifest.strip_suffix("Cargo.toml").unwrap_or_default().trim_end_matches('/');
            crates::is_below(file, folder)
        }));
        files
    }

    fn entries<'s>(&self, _: &str, _: &'s Sources) -> BTreeSet<&'s str> {
        BTreeSet::new()
    }

    fn module<'s>(&self, _: &str, _: &'s Sources) -> Option<&'s str> {
        None
    }

    fn stack(&self, finding: &Finding, sources: &Sources, _: bool) -> Vec<StackFrame> {
        panics::frames(finding, sources)
    }

    fn printed_calls(&self, text: &str) -> Vec<PrintedCall> {
        panics::printed_calls(text)
    }

    fn findings_in_text(&self, text: &str, look: &Look<'_>) -> Vec<Finding> {
        log::findings(text, look)
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
        fix::lint_fixers()
    }

    /// The compiler's suggestions come with its findings.
    fn proposed(&self, _: &str, _: &[String], _: &Sources, _: &Finding) -> Vec<Candidate> {
        Vec::new()
    }

    fn meant(&self, _: &Finding, _: &Sources) -> Option<Candidate> {
        None
    }

    fn as_runtime_error(&self, _: &Finding) -> Option<(Category, String)> {
        None
    }

    fn searched(&self, finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
        search::candidates(finding, sources, evidence, most)
    }

    fn suspected(&self, finding: &Finding, sources: &Sources) -> Vec<(f64, String)> {
        search::files(finding, sources)
    }

    fn schema(&self, text: &str, changes: &[Change<'_>]) -> Option<(String, Vec<Switch>)> {
        schema::schema(text, changes)
    }
}
