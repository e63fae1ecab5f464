//! The tests of a Rust project: what runs them, and what is read of it.

use autoheal_code::report::TestReport;
use autoheal_code::rust::libtest::{self, DOC};
use autoheal_engine::diagnostics::Finding;
use autoheal_sandbox::Outcome;

use super::programs;
use crate::flaky::conditions::Conditions;
use crate::session::read_report;
use crate::test_scope::Scope;
use crate::toolchain::Place;

/// Between the parts of a selector: package, target, name.
pub(super) const SEPARATOR: &str = "::";

/// The command line for a scope.
pub(super) fn words(place: &Place<'_>, scope: &Scope) -> Vec<String> {
    with_report(place, &cargo_arguments(place, scope))
}

/// The same with options of cargo before all others.
pub(super) fn words_with(place: &Place<'_>, scope: &Scope, options: &[String]) -> Vec<String> {
    let arguments: Vec<String> = options.iter().cloned().chain(cargo_arguments(place, scope)).collect();
    with_report(place, &arguments)
}

/// The same under other conditions: one test after the other where concurrent work is to come in order.
pub(super) fn varied_words(place: &Place<'_>, scope: &Scope, conditions: &Conditions) -> Vec<String> {
    let mut arguments = cargo_arguments(place, scope);
    if conditions.threads.is_some() {
        if !arguments.iter().any(|word| word == "--") {
            arguments.push("--".to_owned());
        }
        arguments.push("--test-threads=1".to_owned());
    }
    with_report(place, &arguments)
}

fn with_report(place: &Place<'_>, arguments: &[String]) -> Vec<String> {
    let report = place.report_path().display().to_string();
    let start = ["sh".to_owned(), place.tool(programs::REPORT), report, place.program(), "test".to_owned()];
    start.into_iter().chain(arguments.iter().cloned()).collect()
}

fn cargo_arguments(place: &Place<'_>, scope: &Scope) -> Vec<String> {
    let own = &place.setup.suite().tests.arguments;
    let (cargo, harness) = split(own);
    let mut words = vec!["--message-format=json".to_owned()];
    match scope {
        Scope::All | Scope::Again(_) => words.push("--no-fail-fast".to_owned()),
        Scope::UntilFirstFailure | Scope::Only(_) => {}
    }
    match scope {
        Scope::All | Scope::UntilFirstFailure => {
            words.extend(cargo.iter().cloned());
            if !harness.is_empty() {
                words.push("--".to_owned());
                words.extend(harness.iter().cloned());
            }
        }
        Scope::Only(selectors) | Scope::Again(selectors) => {
            words.extend(options_only(cargo));
            words.extend(Selection::of(selectors).words());
        }
    }
    words
}

/// The arguments before and behind `--`.
fn split(arguments: &[String]) -> (&[String], &[String]) {
    match arguments.iter().position(|word| word == "--") {
        Some(at) => (&arguments[..at], arguments.get(at + 1..).unwrap_or_default()),
        None => (arguments, &[]),
    }
}

/// Options that say how it is built, without those that choose packages, targets or tests.
fn options_only(arguments: &[String]) -> Vec<String> {
    const BUILDS: [&str; 7] = ["--features", "-F", "--profile", "--target", "--manifest-path", "--config", "-Z"];
    const FLAGS: [&str; 3] = ["--all-features", "--no-default-features", "--release"];
    let mut kept = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let (option, is_joined) = word.split_once('=').map_or((word.as_str(), false), |(option, _)| (option, true));
        if FLAGS.contains(&option) {
            kept.push(word.clone());
        } else if BUILDS.contains(&option) {
            kept.push(word.clone());
            kept.extend((!is_joined).then(|| words.next()).flatten().cloned());
        }
    }
    kept
}

/// Tests that several selectors refer to.
#[derive(Debug, Default)]
struct Selection {
    packages: Vec<String>,
    /// Options that choose targets; empty: all of them.
    targets: Vec<String>,
    /// Names of tests; empty: all of the targets.
    names: Vec<String>,
    /// True if the names are whole: those of examples in documentation have line numbers.
    is_exact: bool,
}

impl Selection {
    fn of(selectors: &[String]) -> Self {
        let mut selection = Self { is_exact: true, ..Self::default() };
        let (mut has_docs, mut has_programs, mut is_whole) = (false, false, false);
        for selector in selectors {
            let mut parts = selector.splitn(3, SEPARATOR);
            let (package, target, name) =
                (parts.next().unwrap_or_default(), parts.next().unwrap_or_default(), parts.next());
            put(&mut selection.packages, package);
            if target == DOC {
                has_docs = true;
            } else {
                has_programs = true;
                match target.split_once('/') {
                    Some(("bin", name)) => put(&mut selection.targets, &format!("--bin={name}")),
                    Some(("tests", name)) => put(&mut selection.targets, &format!("--test={name}")),
                    Some(("examples", name)) => put(&mut selection.targets, &format!("--example={name}")),
                    Some(("benches", name)) => put(&mut selection.targets, &format!("--bench={name}")),
                    Some(_) | None => put(&mut selection.targets, "--lib"),
                }
            }
            match name {
                Some(name) if target == DOC => put(&mut selection.names, word_of_example(name)),
                Some(name) => put(&mut selection.names, name),
                None => is_whole = true,
            }
        }
        match (has_docs, has_programs) {
            (true, true) => selection.targets.clear(),
            (true, false) => selection.targets = vec!["--doc".to_owned()],
            (false, _) => {}
        }
        selection.is_exact = !has_docs;
        if is_whole {
            selection.names.clear();
        }
        selection
    }

    fn words(&self) -> Vec<String> {
        let packages = self.packages.iter().flat_map(|package| ["-p".to_owned(), package.clone()]);
        let mut words: Vec<String> = packages.chain(self.targets.iter().cloned()).collect();
        if !self.names.is_empty() {
            words.push("--".to_owned());
            words.extend(self.is_exact.then(|| "--exact".to_owned()));
            words.extend(self.names.iter().cloned());
        }
        words
    }
}

/// A word that names an example in documentation: `Cart<T>::add` of `src/a.rs - Cart<T>::add - compile fail #2`, or the file for one that is
/// about the file. rustdoc treats each word of a name as a separate name.
fn word_of_example(name: &str) -> &str {
    let plain = name.split(" #").next().unwrap_or(name);
    let mut parts = plain.split(" - ");
    let file = parts.next().and_then(|file| file.split_whitespace().next());
    parts.next().and_then(|item| item.split_whitespace().last()).or(file).unwrap_or(plain)
}

fn put(list: &mut Vec<String>, word: &str) {
    if !list.iter().any(|known| known == word) {
        list.push(word.to_owned());
    }
}

/// The command with which the user runs these tests.
pub(super) fn own_command(selectors: &[String]) -> String {
    let words = ["cargo", "test"].map(str::to_owned).into_iter().chain(Selection::of(selectors).words());
    shell_words::join(words)
}

pub(super) fn report(place: &Place<'_>) -> Option<TestReport> {
    let prefixes = place.prefixes();
    libtest::parse(&read_report(place.folders).ok()?, &place.look(&prefixes))
}

/// At least one finding: the errors of the build, which are in the report.
pub(super) fn findings_in_output(place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
    let prefixes = place.prefixes();
    let (stdout, stderr) = outcome.text();
    let report = read_report(place.folders).unwrap_or_default();
    let output = if report.is_empty() { format!("{stdout}\n{stderr}") } else { report };
    libtest::findings_in_output(&output, &outcome.end.to_string(), &place.look(&prefixes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_become_options_and_names() {
        let words = |selectors: &[&str]| {
            let selectors: Vec<String> = selectors.iter().map(|selector| (*selector).to_owned()).collect();
            own_command(&selectors)
        };
        assert_eq!(
            words(&["shop::lib::cart::tests::adds", "shop::tests/it::whole"]),
            "cargo test -p shop --lib '--test=it' -- --exact cart::tests::adds whole"
        );
        assert_eq!(words(&["shop::doc::src/cart.rs - add #2"]), "cargo test -p shop --doc -- add");
        assert_eq!(words(&["shop::doc::src/cart.rs - add - compile fail"]), "cargo test -p shop --doc -- add");
        assert_eq!(
            words(&["shop::doc::src/lib.rs -", "shop::doc::src/lib.rs - Cart<K, V>::add"]),
            "cargo test -p shop --doc -- src/lib.rs 'V>::add'"
        );
        assert_eq!(words(&["shop::tests/it"]), "cargo test -p shop '--test=it'");
        assert_eq!(words(&["shop::lib::a", "shop::doc::src/cart.rs - add"]), "cargo test -p shop -- a add");
    }

    #[test]
    fn what_is_built_stays_and_what_is_chosen_goes() {
        let arguments = ["--workspace", "--features", "a,b", "--release", "adds", "--test", "it"].map(str::to_owned);
        assert_eq!(options_only(&arguments), ["--features", "a,b", "--release"]);
    }
}
