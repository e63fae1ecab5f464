//! Program text and test reports as data: parsing, a symbol index, and candidate edits. No I/O.
//!
//! # Layout
//!
//! - [`edit`]: replacements in files, and the candidates built from them; [`replacement`]: replacements as a
//!   language model writes them
//! - [`sources`]: texts of the repository's files, and which files may be changed
//! - [`language`]: language of a file; [`environment`]: properties of the interpreters
//! - [`fix`]: input and output of a fixer; `fix_example`: examples of fixers, as tests; [`languages`]: the fixers of all languages
//! - [`python`], [`javascript`], [`rust`]: code for one language; `outline`: their files as code for all languages sees them
//! - [`excerpt`]: the code that matters for a failure
//! - [`imports`]: imports between files; [`judging`]: signs that a file belongs to tests; [`stack`]: calls that
//!   led to an error
//! - [`test_regions`]: tests inside files of the program
//! - [`expectation`]: tests with another expected value; [`tampering`]: changes that tools or tests would ignore
//! - [`formatting`]: comparison of two texts that ignores formatting
//! - [`search`]: small changes for faults that no rule covers
//! - [`report`]: test reports and linter output as findings
//! - [`warm`]: runner that tries changes without starting an interpreter for each

pub mod edit;
pub mod environment;
pub mod excerpt;
pub mod expectation;
pub mod fix;
#[cfg(test)]
mod fix_example;
pub mod formatting;
pub mod hang;
pub mod imports;
pub mod javascript;
pub mod judging;
pub mod language;
pub mod languages;
pub mod logic;
pub mod python;
mod recursion;
mod repair;
pub mod replacement;
pub mod report;
pub mod rust;
pub mod schemata;
pub mod search;
pub mod sources;
pub mod span;
pub mod stack;
pub mod tampering;
pub mod test_regions;
pub mod vary;
pub mod warm;

pub use edit::{Candidate, Edit, FileEdit};
pub use environment::Environment;
pub use fix::{FixContext, Fixer};
pub use language::LanguageId;
pub use sources::Sources;
pub use span::Span;
