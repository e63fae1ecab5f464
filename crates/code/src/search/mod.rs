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
//! - `terrain`: where a failure points
//! - `tree`: a file's expressions and statements; `tables`: interface to a language: its scopes, functions and classes; `idioms`: how the
//!   language writes what is proposed
//! - `file`, `site`: a file and its statements as operators see them; `operators`: the changes that are tried, one file per kind of fault
//! - `change`: a change; `priors`: how common each kind of fault is; `ranking`: from changes to candidates
//! - `strangers`: members that the program mentions once, which are most often misspelled
//! - `stock`: pieces that another place of the file may lack; `donors`: how they are written there
//! - `layout`, `uses`, `literals`, `relation`: properties of a text, of a variable, of a literal and of two statements
//!
//! # A language
//!
//! All of the above is the same for every language. A language has a module `search` of the same form as `python::search`:
//!
//! - `reader`: makes a [`Tree`](tree::Tree) of a file; the only code that knows the parser's tree. Syntax without a counterpart
//!   in it is `Other`, and is left alone.
//! - `tables`: implements [`Tables`](tables::Tables): the scopes, functions and classes of a file, and a check that the file still parses.
//! - `idioms`: one static [`Idioms`](idioms::Idioms): the notation of all that the operators write, the language's usual functions and
//!   values, and every weight that is different in it. The compiler asks for each field; an empty list proposes nothing.
//! - `operators`: changes that are useful in no other language. They join the changes of the same kind of fault, or have a kind of their
//!   own in `priors`.
//! - `mod`: a [`Dialect`] of these, and `candidates`, which reads the suspicious files and calls [`candidates_in`].
//!
//! A language that needs an `if` in an operator here lacks a field of `Idioms`, or a form in `tree`.

pub(crate) mod change;
mod donors;
pub mod evidence;
mod file;
pub(crate) mod idioms;
pub(crate) mod layout;
mod literals;
pub(crate) mod operators;
pub(crate) mod priors;
mod ranking;
mod relation;
pub(crate) mod site;
pub(crate) mod stock;
pub(crate) mod strangers;
mod suspects;
pub(crate) mod tables;
pub(crate) mod terrain;
pub(crate) mod tree;
mod uses;

pub use change::describe;
pub use evidence::{Evidence, Lines, TestCoverage};
pub(crate) use ranking::{Dialect, Reading, Weighing, candidates_in};
pub(crate) use suspects::{files, suspects};

/// The fixer's name in candidates.
pub const NAME: &str = "logic_search";
