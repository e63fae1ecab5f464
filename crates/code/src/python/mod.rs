//! Everything that knows Python.

pub mod environment;
pub mod fix;
pub(crate) mod ngram;
pub mod parse;
pub mod probe;
pub(crate) mod tokens;
