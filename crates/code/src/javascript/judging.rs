//! Signs in a JavaScript file that it judges programs.

use super::module::{Function, Module, Role};
use crate::language::assertions::{is_assertion, is_of};

/// Packages that only tests need, by what their names begin with up to a slash or the end.
const FRAMEWORKS: [&str; 26] = [
    "assert",
    "node:assert",
    "node:test",
    "chai",
    "vitest",
    "mocha",
    "jest",
    "@jest",
    "sinon",
    "should",
    "expect",
    "ava",
    "tap",
    "tape",
    "uvu",
    "jasmine",
    "supertest",
    "nock",
    "power-assert",
    "expect.js",
    "@testing-library",
    "enzyme",
    "cypress",
    "@playwright",
    "@sinonjs",
    "@vitest",
];

/// Globals that test runners provide in every file.
const GLOBALS: [&str; 9] =
    ["expect", "jest", "describe", "it", "beforeEach", "afterEach", "beforeAll", "afterAll", "chai"];

/// Returns whether a package of that name belongs to a test framework.
pub(super) fn is_framework(name: &str) -> bool {
    is_of(name, &FRAMEWORKS)
}

/// Returns whether a module says what a test framework says, or fails as assertions do.
pub(super) fn judges(module: &Module, text: &str) -> bool {
    let imports = module.imports.iter().any(|import| is_of(&import.specifier, &FRAMEWORKS));
    let uses = module.words.iter().any(|word| {
        word.role == Role::Use && !word.is_bound && GLOBALS.contains(&word.text.as_str())
            || word.text == "AssertionError"
    });
    let throws = |function: &Function| is_assertion(&function.name) && function.span.text(text).contains("throw ");
    imports || uses || module.functions.iter().any(throws)
}
