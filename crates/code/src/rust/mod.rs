//! Everything that knows Rust.
//!
//! # Layout
//!
//! - `tokens`, `syntax`: the text of a file; `grammar`: its tokens as repairs see them
//! - `module`: one file; `index`: all of them; `crates`: the crates that files belong to
//! - `test_units`, `expectation`, `prose`: tests in a file, what they expect, and what a repair must not add
//! - `files`: files of cargo
//! - [`compiler`], [`libtest`]: output of the compiler and of the test harness; `panics`: places that panics name;
//!   `log`: the same in any text
//! - `fix`: fixers; `search`: the search for faults of LOGIC; `schema`: many of its changes in one text

mod attributes;
pub mod compiler;
mod crates;
mod expectation;
mod files;
mod fix;
pub(crate) mod grammar;
mod index;
mod language;
pub mod libtest;
mod log;
mod module;
mod panics;
pub(crate) mod prose;
mod schema;
mod search;
pub(crate) mod syntax;
mod test_units;
pub(crate) mod tokens;

pub(crate) use self::language::Rust;

use crate::language::LanguageId;

/// Identity of Rust.
pub const ID: LanguageId = LanguageId::new("rust");

/// Extension of the names of Rust files.
pub const EXTENSIONS: &[&str] = &["rs"];
