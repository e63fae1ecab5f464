//! The Python fixers. A new one is a file here and a line in [`fixers`].

use crate::fix::Fixer;

mod indentation;
mod plausibility;
mod proposal;
mod quote_edits;
mod site;
mod spacing;
pub mod syntax;
mod token_edits;

/// Every Python fixer.
pub fn fixers() -> &'static [&'static dyn Fixer] {
    &[&syntax::SyntaxRepair]
}
