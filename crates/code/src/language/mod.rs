//! Interface to a programming language: all that shared code knows of one. To add one, implement [`Language`], and add it to `languages`.
//!
//! # Layout
//!
//! - `id`: identity of a language; `outline`: a language's files as shared code sees them
//! - `units`: the tests inside a file; `plan`: the values that a test expects
//! - `files`: files of its tools; `switch`: changes that a program chooses between
//! - `assertions`: names of what asserts; `guard`: marks of a change that only looks like a repair

pub(crate) mod assertions;
pub mod files;
pub(crate) mod guard;
mod id;
pub(crate) mod outline;
pub(crate) mod plan;
pub(crate) mod switch;
pub(crate) mod units;

use std::collections::BTreeSet;
use std::ops::Range;

use autoheal_engine::diagnostics::{Category, Finding};

use self::files::KnownFiles;
use self::guard::Guard;
pub use self::id::LanguageId;
use self::outline::Outline;
use self::plan::{Found, TestPlace};
use self::switch::{Change, Switch};
use self::units::Units;
use crate::edit::{Candidate, Edit, FileEdit};
use crate::fix::Fixer;
use crate::report::Look;
use crate::search::evidence::Evidence;
use crate::sources::Sources;

/// One call on the way to an error, in a file of the repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StackFrame {
    /// Relative to the repository's root.
    pub file: String,
    /// Line of the call, from 1.
    pub line: u32,
    /// Column of the call, from 1, if the engine reports it.
    pub column: Option<u32>,
}

/// One call in a printed stack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrintedCall {
    /// Lines of the text that are about the call, from 0: its head, and the code that is printed below it.
    pub lines: Range<usize>,
    /// Its file, as printed.
    pub file: String,
}

/// The word that a statement begins with; empty: it begins with something else.
pub(crate) fn first_word(statement: &str) -> &str {
    let end = statement.find(|character: char| !character.is_alphanumeric() && character != '_');
    end.map_or(statement, |end| &statement[..end])
}

/// A programming language: its text, its tests, its files together, and the repairs of its faults.
///
/// `file` is always a path relative to the repository's root, and `text` the content of that file.
pub(crate) trait Language: Sync {
    /// Identity of the language.
    fn id(&self) -> LanguageId;

    /// Extensions of the names of its files, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Files of its tools: manifests, locks, settings, tests.
    fn files(&self) -> &'static KnownFiles;

    // Text.

    /// Checks that a text parses.
    ///
    /// # Errors
    ///
    /// The message of the language's parser.
    fn check(&self, file: &str, text: &str) -> Result<(), String>;

    /// Returns whether an edit of a text that does not parse removes faults and adds none.
    fn removes_faults(&self, before: &str, edit: &FileEdit, after: &str) -> bool;

    /// Returns whether two texts of a file differ only in their format, as a formatter may leave it.
    fn is_same_program(&self, file: &str, before: &str, after: &str) -> bool;

    /// Number of type annotations in a text.
    fn annotations(&self, file: &str, text: &str) -> usize;

    /// Marks of a change that only looks like a repair.
    fn guard(&self) -> &'static Guard;

    /// Returns whether an edit keeps the parts of a file that are in no programming language. `true` where there are none.
    fn keeps_other_parts(&self, file: &str, before: &str, after: &str) -> bool;

    // Tests.

    /// Pieces of text of which a file of the program with tests in it holds at least one.
    fn signs_of_tests(&self) -> &'static [&'static str];

    /// Returns the statements at the top of a file. `is_collected`: a test runner found tests in it.
    fn units(&self, file: &str, text: &str, is_collected: bool) -> Units;

    /// Number of tests that begin in a text, also in one that does not parse.
    fn tests_begun(&self, text: &str, is_collected: bool) -> usize;

    /// Returns whether tests in a file are recognised although it does not parse, by the [signs](Self::signs_of_tests) alone.
    fn are_tests_marked(&self) -> bool;

    /// Returns what a test expects; `None` when the file cannot be read or holds no such test.
    fn expectation(&self, file: &str, text: &str, place: &TestPlace) -> Option<Found>;

    /// Returns the edit after which the function around a byte does nothing but return at once; `None` outside of functions.
    fn hollow(&self, file: &str, text: &str, at: usize) -> Option<Edit>;

    /// Returns whether a statement raises an error, or fails as assertions do: `raise ValueError()`.
    fn raises(&self, statement: &str) -> bool;

    /// Returns whether a statement that raises an error says that its function is not written yet: `raise NotImplementedError`.
    fn says_unwritten(&self, statement: &str) -> bool;

    /// Returns whether a file says what a test framework says, or fails as assertions do.
    fn judges(&self, file: &str, sources: &Sources) -> bool;

    // Files together.

    /// The language's files of a repository.
    fn outline<'s>(&self, sources: &'s Sources) -> &'s dyn Outline;

    /// Returns all files of the repository that may be loaded together with a file, packages around them included.
    fn loaded_with<'s>(&self, file: &str, sources: &'s Sources) -> BTreeSet<&'s str>;

    /// Returns the files of the repository that a file, if it is a manifest, names as what the project is for others.
    fn entries<'s>(&self, manifest: &str, sources: &'s Sources) -> BTreeSet<&'s str>;

    /// Returns the file of a module, by the name that settings of tools name it by; `None`: they name files by their paths.
    fn module<'s>(&self, name: &str, sources: &'s Sources) -> Option<&'s str>;

    /// Returns the calls that led to the error of a finding, the deepest first, in files of the repository. `with_causes`: and behind them
    /// those that led to the errors that led to this one.
    fn stack(&self, finding: &Finding, sources: &Sources, with_causes: bool) -> Vec<StackFrame>;

    /// Returns the calls that a text prints as a stack, in its order, whether their files are the repository's or not.
    fn printed_calls(&self, text: &str) -> Vec<PrintedCall>;

    /// Returns a finding for each error in a text that is in a file of the repository. The text may be anything, such as a job's log.
    fn findings_in_text(&self, text: &str, look: &Look<'_>) -> Vec<Finding>;

    // Repairs.

    /// Fixers of what tests and interpreters report.
    fn fixers(&self) -> &'static [&'static dyn Fixer];

    /// Fixers of what linters report in words that none of their own fixes goes with.
    fn lint_fixers(&self) -> &'static [&'static dyn Fixer];

    /// Returns whether its [lint fixers](Self::lint_fixers) read what linters say as it is; else only what an
    /// interpreter would [raise](Self::as_runtime_error) in its place.
    fn reads_linters(&self) -> bool;

    /// Fixers of what type checkers report: those that restore something known, none that tries anything that fits.
    fn checker_fixers(&self) -> &'static [&'static dyn Fixer];

    /// Returns the changes that a linter's output proposes for a finding. `prefixes`: paths of the repository's root, as tools print them.
    fn proposed(&self, output: &str, prefixes: &[String], sources: &Sources, finding: &Finding) -> Vec<Candidate>;

    /// Returns the change that a linter's words mean, where its output proposes none.
    fn meant(&self, finding: &Finding, sources: &Sources) -> Option<Candidate>;

    /// Returns the error that an interpreter would raise where a language server or type checker found a fault; `None`: none that is known.
    fn as_runtime_error(&self, hint: &Finding) -> Option<(Category, String)>;

    /// Returns the likeliest `most` changes that may repair a fault of logic.
    fn searched(&self, finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate>;

    /// Returns the files that a failure may come from, each with its weight.
    fn suspected(&self, finding: &Finding, sources: &Sources) -> Vec<(f64, String)>;

    /// Returns the text of a file with these changes in it ([`crate::schemata`]), and where they are; `None`: none of them can be chosen
    /// when the program runs, or nothing is gained, for the language is not compiled.
    fn schema(&self, text: &str, changes: &[Change<'_>]) -> Option<(String, Vec<Switch>)>;
}
