//! Everything that knows JavaScript and TypeScript.

pub(crate) mod complaint;
mod depth;
pub mod environment;
pub mod fix;
pub(crate) mod grammar;
pub mod index;
pub mod module;
pub mod parse;
pub mod probe;
mod reader;
pub(crate) mod tokens;
