//! The Python fixers. A new one is a file here and a line in [`fixers`].

use crate::fix::Fixer;
use crate::repair::{merge_markers, proposal, shortlist, spelling, token_edits};

mod annotations;
mod argument_order;
mod arguments;
mod attribute_spelling;
pub(crate) mod blame;
mod call_error;
mod decorators;
mod dependency;
mod import_missing;
mod import_spelling;
mod import_statement;
mod import_ways;
mod indentation;
mod lint_rules;
pub mod linting;
mod local_repair;
mod lost_return;
mod moved_names;
mod name_spelling;
mod operands;
mod orphans;
mod parameters;
mod pattern_flags;
mod plausibility;
mod python2;
mod quote_edits;
mod site;
pub mod syntax;
mod text_and_bytes;
mod told_names;
mod told_rules;

/// Returns the fixers for findings of a type checker.
pub fn checker_fixers() -> &'static [&'static dyn Fixer] {
    &[
        &annotations::Annotations,
        &name_spelling::NameSpelling,
        &attribute_spelling::AttributeSpelling,
        &import_spelling::ImportSpelling,
        &import_missing::ImportMissing,
        &dependency::Dependency,
        &lost_return::LostReturn,
    ]
}

/// Returns all Python fixers.
pub fn fixers() -> &'static [&'static dyn Fixer] {
    &[
        &syntax::SyntaxRepair,
        &moved_names::MovedNames,
        &told_names::ToldNames,
        &pattern_flags::PatternFlags,
        &name_spelling::NameSpelling,
        &attribute_spelling::AttributeSpelling,
        &import_spelling::ImportSpelling,
        &import_missing::ImportMissing,
        &dependency::Dependency,
        &text_and_bytes::TextAndBytes,
        &local_repair::LocalRepair,
        &arguments::Arguments,
        &lost_return::LostReturn,
        &operands::Operands,
        &argument_order::ArgumentOrder,
        &decorators::Decorators,
        &orphans::Orphans,
    ]
}
