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

pub(crate) mod change;
pub(crate) mod donors;
pub mod evidence;
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
