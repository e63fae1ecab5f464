//! The JavaScript fixers. A new one is a file here and a line in [`fixers`].

use crate::fix::Fixer;

mod layout;
mod plausibility;
pub mod syntax;

/// Every JavaScript fixer.
pub fn fixers() -> &'static [&'static dyn Fixer] {
    &[&syntax::SyntaxRepair]
}
