//! Program text and test reports as data: parsing, a symbol index, and candidate edits. No I/O.
//!
//! # Layout
//!
//! - [`edit`]: replacements in files and candidates made of them; [`replacement`]: the same as a language model writes them
//! - [`sources`]: the repository's text, and which files may be changed
//! - [`language`]: which language a file is in; [`environment`]: what the interpreters know
//! - [`fix`]: what a fixer is given and gives, and every fixer of a language
//! - [`python`], [`javascript`]: everything that knows one language
//! - [`imports`]: which file loads which; [`judging`]: signs that a file belongs to tests; [`stack`]: the way to an error
//! - [`test_regions`]: tests that stand in a file of the program
//! - [`expectation`]: tests that expect something else; [`tampering`]: changes that tools or tests would look away from
//! - [`formatting`]: whether two texts are the same program
//! - [`search`]: small changes where no rule knows what is wrong
//! - [`report`]: test reports and linter output as findings
//! - [`warm`]: the runner that tries changes without starting an interpreter for each

pub mod edit;
pub mod environment;
pub mod expectation;
pub mod fix;
pub mod formatting;
pub mod imports;
pub mod javascript;
pub mod judging;
pub mod language;
pub mod python;
mod recursion;
mod repair;
pub mod replacement;
pub mod report;
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
pub use language::Language;
pub use sources::Sources;
pub use span::Span;
