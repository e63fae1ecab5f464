//! Everything that knows Python.

pub mod distributions;
pub mod environment;
pub mod fix;
pub mod index;
pub mod module;
mod ngram;
pub mod parse;
pub mod probe;
pub(crate) mod prose;
mod reader;
pub mod search;
pub(crate) mod standard_library;
mod tokens;
