//! Everything that knows JavaScript and TypeScript.

pub(crate) mod complaint;
pub(crate) mod components;
mod depth;
pub(crate) mod expectation;
mod files;
pub mod fix;
mod flow;
pub(crate) mod globals;
pub(crate) mod grammar;
mod imports;
pub mod index;
mod judging;
mod language;
pub mod manifest;
mod markup;
pub mod module;
pub mod parse;
mod patterns;
mod place;
pub mod probe;
pub(crate) mod prose;
mod reader;
pub mod report;
pub(crate) mod search;
pub(crate) mod test_units;
pub(crate) mod tokens;

pub(crate) use self::language::JavaScript;

use crate::language::LanguageId;

/// Identity of JavaScript and TypeScript: modules and scripts, with and without JSX, and the scripts of Vue and Svelte components.
pub const ID: LanguageId = LanguageId::new("javascript");

/// Extensions of the names of JavaScript and TypeScript files, and of components with scripts in them.
pub const EXTENSIONS: &[&str] = &["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx", "vue", "svelte"];

/// Returns whether a file is in JavaScript or TypeScript, by its name.
pub(crate) fn is_own(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, extension)| EXTENSIONS.contains(&extension))
}
