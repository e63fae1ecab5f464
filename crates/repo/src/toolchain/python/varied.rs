//! The suite of a Python project under other conditions.

use super::programs;
use super::runners::{PYTEST, UNITTEST};
use crate::flaky::conditions::Conditions;
use crate::test_scope::Scope;
use crate::toolchain::Place;

/// The command line for a scope. What shuffles tests or seeds what is random by itself is switched off where that is decided here.
pub(crate) fn words(place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String> {
    let mut words = super::suite::words(place, scope);
    let is_ours = conditions.is_listed || conditions.seed.is_some();
    if is_ours && place.setup.suite().tests.runner == PYTEST {
        words.extend(["-p", "no:randomly", "-p", "no:random_order"].map(str::to_owned));
    }
    words
}

/// Returns the variables that make the interpreter load our modules by itself, and that set the seed of its
/// hashes.
pub(crate) fn environment(place: &Place<'_>, conditions: &Conditions) -> Vec<(String, String)> {
    let tree = if conditions.is_before { place.folders.before() } else { place.folders.tree() };
    let roots = place.setup.roots.iter().map(|root| tree.join(root).display().to_string());
    let ours = super::python_modules(place.folders).display().to_string();
    let path: Vec<String> = std::iter::once(place.tool(programs::VARY)).chain(roots).chain([ours]).collect();
    let seed = conditions.seed.map(|seed| ("PYTHONHASHSEED".to_owned(), seed.to_string()));
    std::iter::once(("PYTHONPATH".to_owned(), path.join(":"))).chain(seed).collect()
}

pub(crate) fn own_command(place: &Place<'_>, selectors: &[String]) -> String {
    let tests = &place.setup.suite().tests;
    let words: Vec<&str> = match tests.runner {
        UNITTEST => vec!["python", "-m", "unittest"],
        PYTEST => vec!["python", "-m", "pytest"],
        _ => tests.words.iter().map(String::as_str).collect(),
    };
    shell_words::join(words.into_iter().chain(selectors.iter().map(String::as_str)))
}
