//! The Rust fixers. A new one is a file here and a line in [`fixers`].

mod compiler_suggestion;
mod dependency;
mod ground;
mod moved_item;
mod name_spelling;
mod syntax;

use crate::fix::Fixer;

/// Returns all Rust fixers.
pub(super) fn fixers() -> &'static [&'static dyn Fixer] {
    &[
        &syntax::SyntaxRepair,
        &compiler_suggestion::CompilerSuggestion,
        &moved_item::MovedItem,
        &dependency::Dependency,
        &name_spelling::NameSpelling,
    ]
}

/// Returns the fixers for what clippy finds: those that the compiler itself has an opinion on.
pub(super) fn lint_fixers() -> &'static [&'static dyn Fixer] {
    &[
        &compiler_suggestion::CompilerSuggestion,
        &moved_item::MovedItem,
        &dependency::Dependency,
        &name_spelling::NameSpelling,
    ]
}
