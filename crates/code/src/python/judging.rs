//! Signs in a Python file that it judges programs.

use super::module::{Function, Module};
use crate::language::assertions::{is_assertion, is_of};

/// Packages that only tests need, by what their names begin with up to a dot, a slash or the end.
const FRAMEWORKS: [&str; 9] =
    ["pytest", "_pytest", "unittest", "unittest2", "nose", "hypothesis", "behave", "testtools", "doctest"];

/// Returns whether a module of that name belongs to a test framework.
pub(super) fn is_framework(name: &str) -> bool {
    is_of(name, &FRAMEWORKS)
}

/// Returns whether a module says what a test framework says, or fails as assertions do.
pub(super) fn judges(module: &Module, text: &str) -> bool {
    let mut imported = module.imports.iter().filter(|import| import.level == 0).flat_map(|import| {
        import
            .from
            .iter()
            .cloned()
            .chain(import.names.iter().filter(|_| import.from.is_none()).map(|name| name.name.clone()))
    });
    let says_assertion = module
        .words
        .iter()
        .any(|word| word.text.split('.').any(|part| part == "AssertionError" || part == "failureException"));
    let asserts = |function: &Function| {
        let begins = ["check", "verify", "ensure"].iter().any(|begin| function.name.starts_with(begin));
        let mut lines = function.span.text(text).lines().map(str::trim_start);
        is_assertion(&function.name) || begins && lines.any(|line| line.starts_with("assert "))
    };
    imported.any(|name| is_of(&name, &FRAMEWORKS)) || says_assertion || module.functions.iter().any(asserts)
}
