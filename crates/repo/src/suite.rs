//! Running the test suite and reading what it reports.

use std::time::Duration;

use autoheal_code::python::environment::PythonEnvironment;
use autoheal_code::report::{self, TestCase, TestOutcome, TestReport};
use autoheal_engine::diagnostics::{Category, Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::{End, Outcome};

use crate::look::Look;
use crate::session::{Scope, Session, disk, read_report};
use crate::setup::TestRunner;

/// Runs the suite as far as `scope` says.
pub(crate) async fn run(
    session: &mut Session,
    scope: &Scope,
    limit: Duration,
    context: &StepContext,
) -> Result<Look, StepError> {
    let path = session.report_path();
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(disk("removing an old report", &error));
        }
        Ok(()) | Err(_) => {}
    }
    let outcome = session.run(words(session, scope), limit, context).await?;
    let report = match session.setup().tests.runner {
        TestRunner::Opaque => None,
        TestRunner::Pytest | TestRunner::Unittest => {
            read_report(&path).ok().and_then(|xml| report::junit::parse(&xml).ok())
        }
    };
    Ok(read(session, report.as_ref(), &outcome))
}

/// The command line for a scope.
fn words(session: &Session, scope: &Scope) -> Vec<String> {
    let tests = &session.setup().tests;
    let report = session.report_path().display().to_string();
    let mut words = Vec::new();
    match tests.runner {
        TestRunner::Pytest => {
            words.extend([session.program(), "-m".to_owned(), "pytest".to_owned()]);
            match scope {
                Scope::All | Scope::UntilFirstFailure => words.extend(tests.arguments.iter().cloned()),
                Scope::Only(selectors) | Scope::Again(selectors) => words.extend(selectors.iter().cloned()),
            }
            let stop = match scope {
                // Without it one module that cannot be imported hides every other test.
                Scope::All | Scope::Again(_) => "--continue-on-collection-errors",
                Scope::UntilFirstFailure | Scope::Only(_) => "--exitfirst",
            };
            let ours = ["-p", "no:cacheprovider", "-o", "junit_family=xunit1", "--tb=native", stop, "--junitxml"];
            words.extend(ours.map(str::to_owned));
            words.push(report);
        }
        TestRunner::Unittest => {
            words.extend([session.program(), session.unittest_runner(), report]);
            match scope {
                Scope::All => words.extend(tests.arguments.iter().cloned()),
                Scope::UntilFirstFailure => {
                    words.extend(tests.arguments.iter().cloned());
                    words.push("--failfast".to_owned());
                }
                Scope::Only(selectors) => {
                    words.push("--failfast".to_owned());
                    words.extend(selectors.iter().cloned());
                }
                Scope::Again(selectors) => words.extend(selectors.iter().cloned()),
            }
        }
        TestRunner::Opaque => words.extend(tests.arguments.iter().cloned()),
    }
    words
}

fn read(session: &Session, report: Option<&TestReport>, outcome: &Outcome) -> Look {
    let prefixes = session.prefixes();
    // Without what the probe told: a failure must read the same before and after the interpreter was asked.
    let environment = PythonEnvironment::default();
    let known = report::Look { prefixes: &prefixes, sources: session.sources(), environment: &environment };
    let mut look = Look { millis: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX), ..Look::default() };
    if let Some(report) = report {
        look.tests = Look::tests_of(report);
        look.test_files = report.cases.iter().filter_map(|case| file_of(session, case)).collect();
        // One finding per red case, in the order of the report.
        look.findings = report::findings_from(report, &known);
        let red = report.cases.iter().filter(|case| case.outcome.is_red());
        look.selectors = red.enumerate().filter_map(|(index, case)| Some((selector(session, case)?, index))).collect();
    }
    match outcome.end {
        End::LimitHit(limit) => {
            look.cut_short = Some(format!("{limit} limit"));
            if look.findings.is_empty() {
                look.findings.push(ended_by(&format!("the test run was ended by its {limit} limit")));
            }
        }
        End::Exited(0) => {}
        End::Exited(_) | End::Signaled(_) if look.findings.is_empty() => {
            let stdout = String::from_utf8_lossy(&outcome.stdout);
            let stderr = String::from_utf8_lossy(&outcome.stderr);
            look.findings = report::findings_from_output(&stdout, &stderr, &outcome.end.to_string(), &known);
        }
        End::Exited(_) | End::Signaled(_) => {}
    }
    if session.setup().tests.runner == TestRunner::Opaque && outcome.end.is_success() {
        // All that is seen of an opaque command is that it succeeded: one test by that name.
        look.tests.insert(session.setup().tests.words.join(" "), crate::look::TestState::Passed);
    }
    look
}

fn ended_by(message: &str) -> Finding {
    Finding {
        source: Source::Runtime,
        category: Category::Logic,
        file: None,
        location: None,
        message: message.to_owned(),
        stack: None,
    }
}

/// The file of the repository that a test was collected from. An example in a docstring stands in the code that it is about, which it does
/// not make a test.
fn file_of(session: &Session, case: &TestCase) -> Option<String> {
    let (class, name) = case.id.rsplit_once("::").unwrap_or(("", &case.id));
    let is_example = name.split_once('[').map_or(name, |(name, _)| name).contains('.');
    if is_example {
        return None;
    }
    let dotted: Vec<&str> = class.split('.').collect();
    let modules = (1..=dotted.len()).rev().map(|count| format!("{}.py", dotted[..count].join("/")));
    let setup = session.setup();
    let folders: Vec<&str> =
        std::iter::once(setup.directory.as_str()).chain(setup.roots.iter().map(String::as_str)).collect();
    let named = case.file.iter().cloned().chain(modules);
    named
        .flat_map(|file| {
            let below =
                folders.iter().map(|folder| format!("{}/{file}", folder.trim_end_matches('/'))).collect::<Vec<_>>();
            std::iter::once(file).chain(below)
        })
        .map(|file| file.trim_start_matches("./").trim_start_matches('/').to_owned())
        .find(|file| session.sources().text(file).is_some())
}

/// How to run this case, and as little else as can be said safely: parameters are left out, for they may hold anything.
fn selector(session: &Session, case: &TestCase) -> Option<String> {
    let (class, name) = case.id.rsplit_once("::").unwrap_or(("", &case.id));
    match session.setup().tests.runner {
        TestRunner::Opaque => None,
        TestRunner::Unittest => {
            let dotted = if class.is_empty() { name.to_owned() } else { format!("{class}.{name}") };
            let plain = |part: char| part.is_alphanumeric() || part == '_' || part == '.';
            dotted.chars().all(plain).then_some(dotted)
        }
        TestRunner::Pytest if case.outcome == TestOutcome::CollectionError => case.file.clone().or_else(|| {
            let file = format!("{}.py", name.replace('.', "/"));
            session.sources().text(&file).map(|_| file)
        }),
        TestRunner::Pytest => {
            let file = case.file.clone()?;
            let module = file.trim_end_matches(".py").replace('/', ".");
            let classes = class.strip_prefix(&module)?.trim_start_matches('.');
            let function = name.split('[').next().unwrap_or(name);
            let path = classes.split('.').filter(|part| !part.is_empty()).chain([function]);
            Some(path.fold(file, |selector, part| format!("{selector}::{part}")))
        }
    }
}
