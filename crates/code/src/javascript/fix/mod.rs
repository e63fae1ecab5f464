//! The JavaScript fixers. A new one is a file here and a line in [`fixers`].

use crate::fix::Fixer;

mod annotations;
mod arguments;
pub(crate) mod blame;
mod constant;
pub(super) mod dependency;
mod export_spelling;
mod import_missing;
mod import_source;
mod inert;
pub mod linting;
mod local_repair;
pub(crate) mod member_spelling;
mod module_kind;
mod module_path;
mod name_spelling;
mod plausibility;
mod slips;
mod suggested;
pub mod syntax;
mod tags;

/// Returns the fixers for linter findings. A linter is satisfied as soon as the fault is no longer visible, so
/// no fixer that tries anything that fits is included: only those that restore something known.
pub fn lint_fixers() -> &'static [&'static dyn Fixer] {
    &[
        &syntax::SyntaxRepair,
        &name_spelling::NameSpelling,
        &module_path::ModulePath,
        &import_missing::ImportMissing,
        &dependency::Dependency,
        &constant::Constant,
    ]
}

/// Returns the fixers for findings of a compiler.
pub fn checker_fixers() -> &'static [&'static dyn Fixer] {
    &[
        &suggested::Suggested,
        &annotations::Annotations,
        &name_spelling::NameSpelling,
        &member_spelling::MemberSpelling,
        &module_path::ModulePath,
        &export_spelling::ExportSpelling,
        &import_missing::ImportMissing,
        &dependency::Dependency,
    ]
}

/// Returns all JavaScript fixers.
pub fn fixers() -> &'static [&'static dyn Fixer] {
    &[
        &syntax::SyntaxRepair,
        &suggested::Suggested,
        &annotations::Annotations,
        &name_spelling::NameSpelling,
        &member_spelling::MemberSpelling,
        &module_path::ModulePath,
        &export_spelling::ExportSpelling,
        &import_missing::ImportMissing,
        &import_source::ImportSource,
        &module_kind::ModuleKind,
        &dependency::Dependency,
        &constant::Constant,
        &local_repair::LocalRepair,
        &arguments::Arguments,
        &slips::Slips,
    ]
}
