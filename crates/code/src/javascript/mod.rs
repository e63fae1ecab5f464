//! Everything that knows JavaScript and TypeScript.

pub(crate) mod complaint;
pub(crate) mod components;
mod depth;
pub mod environment;
pub(crate) mod expectation;
pub mod fix;
mod flow;
pub(crate) mod globals;
pub(crate) mod grammar;
pub mod index;
pub mod module;
pub mod parse;
mod patterns;
pub mod probe;
pub(crate) mod prose;
mod reader;
pub(crate) mod search;
pub(crate) mod test_units;
pub(crate) mod tokens;

/// Lock files of the package managers, which no fix may change.
pub const LOCKS: [&str; 6] =
    ["package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb"];
