//! Repairs of LOGIC by search: where no message points to the fault, small changes of suspicious lines are
//! tried in order of likelihood; the caller runs the tests.
//!
//! A candidate's likelihood is that of its line (`suspects`), of the kind of fault (`priors`), and of the one change among
//! all changes of that kind in that line (a language's `operators`); how natural the result reads in its project moves it a
//! little (`ranking`). The cost is its negative logarithm, as with the other fixers.
//!
//! # Layout
//!
//! - `evidence`: facts about where the fault may be; `suspects`: the lines, weighted by these facts
//! - `terrain`: where a failure points; `site`: interface to a language: the places in its files that may be changed
//! - `change`: a change; `priors`: how common each kind of fault is; `ranking`: from changes to candidates
//! - `strangers`: members that the program mentions once, which are most often misspelled
//! - `layout`, `uses`, `literals`, `relation`: properties of a text, of a variable, of a literal and of two
//!   statements that the operators of every language use; `donors`: code of the file, written for another place
//!   in it
//!
//! The kinds of changes belong to each language, one file per kind of fault: `operators` in `python::search`
//! and `javascript::search`.

use std::ops::RangeInclusive;

use autoheal_engine::diagnostics::Finding;

use crate::edit::Candidate;
use crate::outline::FunctionAround;
use crate::sources::Sources;
use crate::{javascript, python};

pub(crate) mod change;
pub(crate) mod donors;
mod evidence;
pub(crate) mod layout;
pub(crate) mod literals;
pub(crate) mod priors;
mod ranking;
pub(crate) mod relation;
pub(crate) mod site;
pub(crate) mod strangers;
mod suspects;
pub(crate) mod terrain;
pub(crate) mod uses;

pub use evidence::{Evidence, Lines, TestCoverage};
pub(crate) use ranking::{Weighing, candidates_at};
pub(crate) use suspects::{files, suspects};

/// The fixer's name in candidates.
pub const NAME: &str = "logic_search";

/// The likeliest `most` changes that may repair the finding, likeliest first. Each changes one editable file, parses, and makes
/// another text than all others. What is suspicious decides about the language: a repository may hold several.
pub fn candidates(finding: &Finding, sources: &Sources, evidence: &Evidence, most: usize) -> Vec<Candidate> {
    let mut found = python::search::candidates(finding, sources, evidence, most);
    found.extend(javascript::search::candidates(finding, sources, evidence, most));
    found.retain(|candidate| !sources.touches_test(candidate));
    found.sort_by_key(|candidate| candidate.cost);
    found.truncate(most);
    found
}

/// The files that a failure may come from, the likeliest first: those on the way to the error, tests among them, and those that define
/// what is used there.
pub fn files_of_interest(finding: &Finding, sources: &Sources) -> Vec<String> {
    let mut found = python::search::files(finding, sources);
    found.extend(javascript::search::files(finding, sources));
    found.sort_by(|(left, _), (right, _)| right.total_cmp(left));
    found.into_iter().map(|(_, file)| file).collect()
}

/// The lines of the function that the candidate's one file is changed in. `None`: what is changed runs while modules are loaded, so any
/// test may depend on it.
pub fn region(candidate: &Candidate, sources: &Sources) -> Option<(String, RangeInclusive<u32>)> {
    let [file] = candidate.files.as_slice() else { return None };
    let first = file.edits.iter().map(|edit| edit.start).min()?;
    let last = file.edits.iter().map(|edit| edit.end).max()?;
    let outline = sources.outline_of(&file.file)?;
    let FunctionAround { definition, parameters_end, .. } = outline.function_at(&file.file, first)?;
    let is_inside = parameters_end <= first && last <= definition.end;
    let lines = outline.line_of(&file.file, definition.start)..=outline.line_of(&file.file, definition.end);
    is_inside.then(|| (file.file.clone(), lines))
}
