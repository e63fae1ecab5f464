//! Everything that knows Python.

pub mod environment;
pub mod fix;
pub mod index;
pub mod module;
mod ngram;
pub(crate) mod ngram;
pub mod parse;
pub mod probe;
pub(crate) mod tokens;
mod tokens;
