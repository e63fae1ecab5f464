//! Everything that knows Python.

pub mod environment;
pub mod fix;
pub mod index;
pub mod module;
pub(crate) mod ngram;
mod ngram;
pub mod parse;
pub mod probe;
mod tokens;
pub(crate) mod tokens;
