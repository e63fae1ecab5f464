//! The suite of a Python project: what runs it, and what its reports say.

use autoheal_code::python::report::findings;
use autoheal_code::report::{TestCase, TestOutcome, TestReport, junit};
use autoheal_engine::diagnostics::Finding;
use autoheal_sandbox::{End, Outcome};

use super::programs;
use super::runners::{PYTEST, UNITTEST};
use crate::session::read_report;
use crate::setup::TestCommand;
use crate::test_runner::TestRunner;
use crate::test_scope::Scope;
use crate::toolchain::Place;

/// Exit code of pytest, of unittest since Python 3.12 and of our runner for it, when there is no test.
const NO_TEST: i32 = 5;

/// Class name that our runner for unittest reports for an example in a docstring.
const EXAMPLE: &str = "doctest";

/// The command line of the runner that tries changes.
pub(crate) fn warm_words(place: &Place<'_>) -> Option<Vec<String>> {
    let tests = &place.setup.suite().tests;
    if tests.runner == TestRunner::OPAQUE || are_examples(tests) {
        return None;
    }
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let tree = place.folders.tree().display().to_string();
    let mut words =
        vec![place.program(), place.tool(programs::WARM), tests.runner.name.to_owned(), jobs.to_string(), tree];
    words.extend(tests.arguments.iter().cloned());
    Some(words)
}

/// Returns whether the suite is `python -m doctest`.
fn are_examples(tests: &TestCommand) -> bool {
    tests.runner == UNITTEST && tests.arguments.first().is_some_and(|first| first == "--doctest")
}

/// The options of pytest without which some tests are not found by their names.
fn collecting(arguments: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let takes_value = matches!(argument.as_str(), "--doctest-glob" | "-o" | "--override-ini" | "-c");
        if takes_value || argument.starts_with("--doctest-") || argument.starts_with("--override-ini=") {
            kept.push(argument.clone());
            if takes_value {
                kept.extend(arguments.next().cloned());
            }
        }
    }
    kept
}

/// The command line for a scope.
pub(crate) fn words(place: &Place<'_>, scope: &Scope) -> Vec<String> {
    let tests = &place.setup.suite().tests;
    let report = place.report_path().display().to_string();
    let mut words = Vec::new();
    match tests.runner {
        PYTEST => {
            words.extend([place.program(), "-m".to_owned(), "pytest".to_owned()]);
            match scope {
                Scope::All | Scope::UntilFirstFailure => words.extend(tests.arguments.iter().cloned()),
                Scope::Only(selectors) | Scope::Again(selectors) => {
                    words.extend(collecting(&tests.arguments));
                    words.extend(selectors.iter().cloned());
                }
            }
            let stop = match scope {
                // Without it one module that cannot be imported hides every other test.
                Scope::All | Scope::Again(_) => "--continue-on-collection-errors",
                Scope::UntilFirstFailure | Scope::Only(_) => "--exitfirst",
            };
            let ours = [
                "-p",
                programs::HANG,
                "-p",
                "no:cacheprovider",
                "-o",
                "junit_family=xunit1",
                "--tb=native",
                stop,
                "--junitxml",
            ];
            words.extend(ours.map(str::to_owned));
            words.push(report);
        }
        UNITTEST => {
            words.extend([place.program(), place.tool(programs::UNITTEST_RUNNER), report]);
            match scope {
                Scope::All => words.extend(tests.arguments.iter().cloned()),
                Scope::UntilFirstFailure | Scope::Only(_) | Scope::Again(_) if are_examples(tests) => {
                    words.extend(tests.arguments.iter().cloned());
                    if let Scope::Only(selectors) | Scope::Again(selectors) = scope {
                        words.extend(selectors.iter().cloned());
                    }
                }
                Scope::UntilFirstFailure => {
                    words.extend(tests.arguments.iter().cloned());
                    words.push("--failfast".to_owned());
                }
                Scope::Only(selectors) | Scope::Again(selectors) => {
                    words.extend(selectors.iter().map(|selector| format!("--test={selector}")));
                    words.extend(tests.arguments.iter().cloned());
                    words.extend(matches!(scope, Scope::Only(_)).then(|| "--failfast".to_owned()));
                }
            }
        }
        _ => {
            words.extend(tests.arguments.iter().cloned());
        }
    }
    words
}

pub(crate) fn report(place: &Place<'_>, _outcome: &Outcome) -> Option<TestReport> {
    match place.setup.suite().tests.runner {
        PYTEST | UNITTEST => read_report(place.folders).ok().and_then(|xml| junit::parse(&xml).ok()),
        _ => None,
    }
}

pub(crate) fn findings(place: &Place<'_>, report: &TestReport) -> Vec<Finding> {
    findings::findings_from(report, &place.look(&place.prefixes()))
}

pub(crate) fn findings_in_output(place: &Place<'_>, outcome: &Outcome) -> Vec<Finding> {
    // A program that exits with the same code leaves no report.
    let is_empty = || report(place, outcome).is_some_and(|report| report.cases.is_empty());
    if outcome.end == End::Exited(NO_TEST) && is_empty() {
        return vec![crate::suite::no_test()];
    }
    let (stdout, stderr) = outcome.text();
    findings::findings_from_output(&stdout, &stderr, &outcome.end.to_string(), &place.look(&place.prefixes()))
}

/// The file of the repository that a test was collected from. An example in a docstring stands in the code that it is about, which it does
/// not make a test.
pub(crate) fn file_of(place: &Place<'_>, case: &TestCase) -> Option<String> {
    let (class, name) = case.id.rsplit_once("::").unwrap_or(("", &case.id));
    let is_example = name.split_once('[').map_or(name, |(name, _)| name).contains('.');
    if is_example {
        return None;
    }
    let dotted: Vec<&str> = class.split('.').collect();
    let modules = (1..=dotted.len()).rev().map(|count| format!("{}.py", dotted[..count].join("/")));
    let setup = place.setup;
    let folders: Vec<&str> =
        std::iter::once(setup.suite().directory.as_str()).chain(setup.roots.iter().map(String::as_str)).collect();
    let named = case.file.iter().cloned().chain(modules);
    named
        .flat_map(|file| {
            let below =
                folders.iter().map(|folder| format!("{}/{file}", folder.trim_end_matches('/'))).collect::<Vec<_>>();
            std::iter::once(file).chain(below)
        })
        .map(|file| file.trim_start_matches("./").trim_start_matches('/').to_owned())
        .find(|file| place.sources.text(file).is_some())
}

/// Returns the selector that runs this case, and as little else as can be expressed safely: parameters are
/// left out, since they may hold anything.
pub(crate) fn selector(place: &Place<'_>, case: &TestCase) -> Option<String> {
    let (class, name) = case.id.rsplit_once("::").unwrap_or(("", &case.id));
    match place.setup.suite().tests.runner {
        UNITTEST if class == EXAMPLE && are_examples(&place.setup.suite().tests) => Some(format!("{EXAMPLE}.{name}")),
        // No name on the command line of unittest stands for an example in a docstring.
        UNITTEST if class == EXAMPLE => None,
        UNITTEST => {
            let dotted = if class.is_empty() { name.to_owned() } else { format!("{class}.{name}") };
            let plain = |part: char| part.is_alphanumeric() || part == '_' || part == '.';
            dotted.chars().all(plain).then_some(dotted)
        }
        PYTEST if case.outcome == TestOutcome::CollectionError => case.file.clone().or_else(|| {
            let file = format!("{}.py", name.replace('.', "/"));
            place.sources.text(&file).map(|_| file)
        }),
        PYTEST => {
            let file = case.file.clone()?;
            let module = file.trim_end_matches(".py").replace('/', ".");
            let classes = class.strip_prefix(&module)?.trim_start_matches('.');
            let function = name.split('[').next().unwrap_or(name);
            let path = classes.split('.').filter(|part| !part.is_empty()).chain([function]);
            Some(path.fold(file, |selector, part| format!("{selector}::{part}")))
        }
        _ => None,
    }
}
