//! Everything that knows Python.

pub(crate) mod depth;
pub mod distributions;
pub mod environment;
pub(crate) mod expectation;
pub mod fix;
pub(crate) mod grammar;
pub mod index;
pub mod module;
pub mod parse;
pub mod probe;
pub(crate) mod prose;
mod reader;
pub(crate) mod same_program;
pub(crate) mod search;
mod spacing;
pub(crate) mod standard_library;
pub(crate) mod test_units;
pub(crate) mod tokens;

pub(crate) use crate::repair::ngram;
