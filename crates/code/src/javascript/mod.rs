//! Everything that knows JavaScript and TypeScript.

mod depth;
pub mod environment;
pub mod fix;
pub(crate) mod grammar;
pub mod parse;
pub(crate) mod tokens;
