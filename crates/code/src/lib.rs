//! Program text and test reports as data: parsing, a symbol index, and candidate edits. No I/O.
//!
//! # Layout
//!
//! - [`edit`]: replacements in files and candidates made of them; [`replacement`]: the same as a language model writes them
//! - [`sources`]: the repository's text, and which files may be changed
//! - [`fix`]: what a fixer is given and gives
//! - [`python`]: everything that knows Python
//! - [`report`]: test reports and linter output as findings
//! - [`warm`]: the runner that tries changes without starting an interpreter for each

pub mod edit;
pub mod fix;
pub mod python;
pub mod replacement;
pub mod report;
pub mod sources;
pub mod warm;

pub use edit::{Candidate, Edit, FileEdit};
pub use fix::{FixContext, Fixer};
pub use sources::Sources;
