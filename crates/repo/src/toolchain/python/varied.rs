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
    // Where discovery begins in a folder, names are those of modules in it.
    let top = discovery_top(&tests.arguments).filter(|_| tests.runner == UNITTEST);
    // By `env`, as another program may start the command.
    let variable = top.map(|folder| format!("env PYTHONPATH={} ", shell_words::quote(folder))).unwrap_or_default();
    let words: Vec<&str> = match tests.runner {
        UNITTEST => vec!["python", "-m", "unittest"],
        PYTEST => vec!["python", "-m", "pytest"],
        _ => tests.words.iter().map(String::as_str).collect(),
    };
    let command = shell_words::join(words.into_iter().chain(selectors.iter().map(String::as_str)));
    format!("{variable}{command}")
}

/// The folder that unittest's discovery with these arguments imports from; `None`: the current one.
fn discovery_top(arguments: &[String]) -> Option<&str> {
    let after = |short: &str, long: &str| {
        let is_option = |word: &String| word == short || word == long;
        let next = arguments.iter().position(is_option).and_then(|at| arguments.get(at + 1));
        let joined = || arguments.iter().find_map(|word| word.strip_prefix(long)?.strip_prefix('='));
        next.map(String::as_str).or_else(joined)
    };
    let begins = || match arguments {
        [discover, folder, ..] if discover == "discover" && !folder.starts_with('-') => Some(folder.as_str()),
        _ => None,
    };
    let top = after("-t", "--top-level-directory").or_else(|| after("-s", "--start-directory")).or_else(begins);
    top.filter(|folder| *folder != ".")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("discover", None)]
    #[case("discover -s .", None)]
    #[case("discover -s tests -p *_test.py", Some("tests"))]
    #[case("discover tests -v", Some("tests"))]
    #[case("discover -s tests/unit -t tests", Some("tests"))]
    #[case("discover --start-directory=tests", Some("tests"))]
    #[case("tests.test_a", None)]
    fn discovery_imports_from_where_it_begins(#[case] arguments: &str, #[case] top: Option<&str>) {
        let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
        assert_eq!(discovery_top(&arguments), top);
    }
}
