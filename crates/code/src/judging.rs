//! Signs in a file that it judges programs instead of being one: it says what a test framework says, or fails as assertions do.

use crate::javascript::module::Role;
use crate::language::Language;
use crate::sources::Sources;

/// Packages that only tests need, by what their names begin with up to a dot, a slash or the end.
const PYTHON_FRAMEWORKS: [&str; 9] =
    ["pytest", "_pytest", "unittest", "unittest2", "nose", "hypothesis", "behave", "testtools", "doctest"];
const NODE_FRAMEWORKS: [&str; 26] = [
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

/// Globals that JavaScript's test runners provide in every file.
const NODE_GLOBALS: [&str; 9] =
    ["expect", "jest", "describe", "it", "beforeEach", "afterEach", "beforeAll", "afterAll", "chai"];

/// Prefixes of the names of functions that assert.
const ASSERTIONS: [&str; 3] = ["assert", "expect", "should"];

/// Returns whether a file shows one of these signs. In a file that only tests load, a sign means that the
/// file belongs to them; a program may show one, too.
pub fn judges(file: &str, sources: &Sources) -> bool {
    let text = sources.text(file).unwrap_or_default();
    match Language::of(file) {
        Some(Language::Python) => of_python(file, text, sources),
        Some(Language::JavaScript) => of_javascript(file, text, sources),
        None => false,
    }
}

/// Methods that decide whether a value is the expected one, when the expected value is an object of their class.
const COMPARISONS: [&str; 5] = ["__eq__", "__ne__", "__bool__", "__contains__", "asymmetricMatch"];

/// Returns whether a file defines how its objects compare with others. Of a file that nothing but tests load, and that none of them is about,
/// it means that the objects are what the tests expect.
pub fn compares(file: &str, sources: &Sources) -> bool {
    let decides = |name: &String| COMPARISONS.contains(&name.as_str());
    match Language::of(file) {
        Some(Language::Python) => {
            sources.index().module(file).is_some_and(|module| module.functions.iter().any(|f| decides(&f.name)))
        }
        Some(Language::JavaScript) => sources
            .javascript_index()
            .module(file)
            .is_some_and(|module| module.functions.iter().any(|f| decides(&f.name))),
        None => false,
    }
}

/// Returns whether a file defines only values.
pub fn holds_only_values(file: &str, sources: &Sources) -> bool {
    match Language::of(file) {
        Some(Language::Python) => {
            let module = sources.index().module(file);
            module.is_some_and(|module| {
                // An empty file, or one that hands on what it imports, holds none.
                let has_some = module.statements.len() > module.imports.len();
                has_some && module.functions.is_empty() && module.classes.is_empty()
            })
        }
        Some(Language::JavaScript) => {
            let module = sources.javascript_index().module(file);
            module.is_some_and(|module| {
                // An empty file, or one that hands on what it imports, holds none.
                let has_some = module.statements.len() > module.imports.len();
                has_some && module.functions.is_empty() && module.classes.is_empty()
            })
        }
        None => false,
    }
}

fn is_of(name: &str, packages: &[&str]) -> bool {
    packages.iter().any(|package| {
        name.strip_prefix(package).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', '-']))
    })
}

/// Returns whether a module of that name belongs to a test framework of Python.
pub(crate) fn is_python_framework(name: &str) -> bool {
    is_of(name, &PYTHON_FRAMEWORKS)
}

/// Returns whether a package of that name belongs to a test framework of JavaScript.
pub(crate) fn is_node_framework(name: &str) -> bool {
    is_of(name, &NODE_FRAMEWORKS)
}

/// Returns whether a function of that name asserts.
pub(crate) fn is_assertion(name: &str) -> bool {
    let rest = ASSERTIONS.iter().find_map(|begin| name.strip_prefix(begin));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('_') || rest.starts_with(char::is_uppercase))
}

fn of_python(file: &str, text: &str, sources: &Sources) -> bool {
    let Some(module) = sources.index().module(file) else { return false };
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
    let asserts = |function: &crate::python::module::Function| {
        let begins = ["check", "verify", "ensure"].iter().any(|begin| function.name.starts_with(begin));
        let mut lines = function.span.text(text).lines().map(str::trim_start);
        is_assertion(&function.name) || begins && lines.any(|line| line.starts_with("assert "))
    };
    imported.any(|name| is_of(&name, &PYTHON_FRAMEWORKS)) || says_assertion || module.functions.iter().any(asserts)
}

fn of_javascript(file: &str, text: &str, sources: &Sources) -> bool {
    let Some(module) = sources.javascript_index().module(file) else { return false };
    let imports = module.imports.iter().any(|import| is_of(&import.specifier, &NODE_FRAMEWORKS));
    let uses = module.words.iter().any(|word| {
        word.role == Role::Use && !word.is_bound && NODE_GLOBALS.contains(&word.text.as_str())
            || word.text == "AssertionError"
    });
    let throws = |function: &crate::javascript::module::Function| {
        is_assertion(&function.name) && function.span.text(text).contains("throw ")
    };
    imports || uses || module.functions.iter().any(throws)
}
