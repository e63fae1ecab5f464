//! What the test runners, compilers and linters of JavaScript and TypeScript print, as data.
//!
//! # Layout
//!
//! - [`jest`]: its JSON; [`entries`]: what our own reporters write for mocha, vitest and node:test
//! - [`stack`]: V8's stacks, and the places that parsers and compilers name
//! - [`kind`]: which of the six kinds of fault an error is
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

/// What is known when a report is read.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The absolute folders that the repository lay in while the tests ran.
    pub prefixes: &'a [String],
    /// The folder that the command started in, relative to the repository: what is printed may be relative to it.
    pub directory: &'a str,
    /// The repository's text: what belongs to it, and what is a test (protected).
    pub sources: &'a Sources,
}

impl Look<'_> {
    /// A printed name as the repository names the file; `None`: it is none of its text files.
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

    /// The same, or the name as it was printed when it is none of the repository's text files.
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
