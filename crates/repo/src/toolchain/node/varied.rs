//! The suite of a JavaScript project under other conditions.

use super::programs;
use super::runners::{JEST, MOCHA, NODE_TEST, VITEST};
use super::suite::{self, Selection, pattern_of};
use crate::flaky::conditions::Conditions;
use crate::test_scope::Scope;
use crate::toolchain::Place;

/// The command line for a scope. Where files say enough otherwise (`node --test`), single tests are chosen here.
pub(crate) fn words(place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String> {
    let mut words = suite::words(place, scope);
    let runner = place.setup.suite().tests.runner;
    let shuffled: Vec<String> = match (runner, conditions.shuffle) {
        (JEST, Some(seed)) => vec!["--randomize".to_owned(), format!("--seed={seed}")],
        (VITEST, Some(seed)) => {
            vec!["--sequence.shuffle".to_owned(), format!("--sequence.seed={seed}")]
        }
        _ => Vec::new(),
    };
    // After `jest` and `vitest run`: what follows may be a list of files.
    let at = words.len().min(if runner == VITEST { 2 } else { 1 });
    words.splice(at..at, shuffled);
    if let (NODE_TEST, Scope::Again(selectors) | Scope::Only(selectors)) = (runner, scope) {
        let at = words.len().min(2);
        words.splice(at..at, title_patterns(&Selection::of(selectors, &place.setup.suite().directory)));
    }
    words
}

/// Older versions of Node match a test's own title, later ones the titles from the outermost on.
fn title_patterns(selection: &Selection) -> Vec<String> {
    let last = selection.titles.iter().filter_map(|titles| titles.last());
    last.map(|title| format!("--test-name-pattern=(?:^|\\s){}$", pattern_of(title))).collect()
}

/// Returns the variable that makes Node load our script before anything else.
pub(crate) fn environment(place: &Place<'_>) -> Vec<(String, String)> {
    let own = super::node_options(place.folders, place.setup);
    let ours = format!("--require={}", place.tool(programs::VARY));
    vec![("NODE_OPTIONS".to_owned(), own.into_iter().chain([ours]).collect::<Vec<_>>().join(" "))]
}

pub(crate) fn own_command(place: &Place<'_>, selectors: &[String]) -> String {
    let tests = &place.setup.suite().tests;
    let selection = Selection::of(selectors, &place.setup.suite().directory);
    let titles: Vec<String> = selection.titles.iter().map(|titles| titles.join(" ")).collect();
    let title = (!titles.is_empty()).then(|| titles.join("|"));
    let (program, option): (&[&str], &str) = match tests.runner {
        JEST => (&["npx", "jest"], "-t"),
        MOCHA => (&["npx", "mocha"], "--grep"),
        VITEST => (&["npx", "vitest", "run"], "-t"),
        NODE_TEST => (&["node", "--test"], "--test-name-pattern"),
        _ => return tests.words.join(" "),
    };
    let mut words: Vec<String> = program.iter().map(|word| (*word).to_owned()).collect();
    words.extend(title.map(|title| format!("{option}={title}")));
    words.extend(selection.files);
    shell_words::join(words)
}
