//! Output of the test runners, compilers and linters of JavaScript and TypeScript, as data.
//!
//! # Layout
//!
//! - [`jest`]: its JSON; [`entries`]: the output of our own reporters for mocha, vitest and node:test
//! - [`stack`]: V8's stacks, and the places that parsers and compilers name
//! - [`kind`]: the category of an error, one of six
//! - [`findings`]: a report, or the output of a run that left none, as findings
//! - [`tsc`], [`eslint`], [`build`]: the compiler, the linter and bundlers

pub mod build;
pub mod entries;
pub mod eslint;
pub mod findings;
pub mod jest;
pub mod kind;
pub mod stack;
pub mod tsc;

use std::collections::BTreeMap;

use super::TestCase;
use super::findings::relative;
use crate::sources::Sources;

/// Context in which a report is read.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The absolute folders that the repository lay in while the tests ran.
    pub prefixes: &'a [String],
    /// Working directory of the command, relative to the repository: printed names may be relative to it.
    pub directory: &'a str,
    /// Texts of the repository's files, and which of them are tests (protected).
    pub sources: &'a Sources,
}

impl Look<'_> {
    /// Returns the repository's name for a file, given its printed name; `None` if it is not one of the
    /// repository's text files.
    pub fn file(&self, printed: &str) -> Option<String> {
        let printed = printed.strip_prefix("file://").unwrap_or(printed);
        let printed = printed.split(['?', '#']).next().unwrap_or(printed);
        let inside = relative(printed, self.prefixes)?;
        let below = format!("{}/{inside}", self.directory);
        [inside, below.trim_start_matches('/')]
            .into_iter()
            .find(|file| self.sources.text(file).is_some())
            .map(str::to_owned)
    }

    /// Returns the same as [`Self::file`], or the printed name if it is not one of the repository's text files.
    pub fn name(&self, printed: &str) -> String {
        self.file(printed).unwrap_or_else(|| relative(printed, self.prefixes).unwrap_or(printed).to_owned())
    }
}

/// A file's name without the folder that the repository lay in; `None`: it lay elsewhere.
pub(crate) fn named(printed: &str, prefixes: &[String]) -> Option<String> {
    relative(printed.strip_prefix("file://").unwrap_or(printed), prefixes).map(str::to_owned)
}

/// The id of a test: its file and its titles from the outermost. Brackets become parentheses: elsewhere they mark parameters.
pub(crate) fn id(file: Option<&str>, path: &[String]) -> String {
    let titles = path.join(" > ").replace('[', "(").replace(']', ")");
    match file {
        Some(file) => format!("{file}::{titles}"),
        None => titles,
    }
}

/// Two tests may have one title: the later ones are numbered, in the order of the report.
pub(crate) fn number(cases: &mut [TestCase]) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for case in cases {
        let count = seen.entry(case.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            case.id = format!("{} #{count}", case.id);
        }
    }
}
