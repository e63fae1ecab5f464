//! Everything that knows Python.

pub(crate) mod depth;
pub mod distributions;
pub(crate) mod expectation;
mod files;
pub mod fix;
pub(crate) mod grammar;
mod imports;
pub mod index;
mod judging;
mod language;
pub mod literal;
pub mod module;
pub mod parse;
pub mod probe;
pub(crate) mod prose;
mod reader;
pub mod report;
pub mod requirements;
pub(crate) mod same_program;
pub(crate) mod search;
mod spacing;
pub(crate) mod standard_library;
pub(crate) mod test_units;
pub(crate) mod tokens;

pub(crate) use self::language::Python;

use crate::language::LanguageId;

/// Identity of Python.
pub const ID: LanguageId = LanguageId::new("python");

/// Extensions of the names of Python files.
pub(crate) const EXTENSIONS: &[&str] = &["py", "pyi"];

pub(crate) use crate::repair::ngram;
