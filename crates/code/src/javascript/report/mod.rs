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

use crate::report::{TestCase, relative};

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
