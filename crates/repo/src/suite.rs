//! Running the test suite and reading what it reports.

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_code::report::TestReport;
use autoheal_engine::diagnostics::{Category, Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_sandbox::{End, Outcome};

use crate::check_result::{CheckResult, millis};
use crate::flaky::conditions::Conditions;
use crate::session::Session;
use crate::step_error::disk;
use crate::test_runner::TestRunner;
use crate::test_scope::Scope;
use crate::toolchains;

/// Runs the suite as far as `scope` says.
pub(crate) async fn run(
    session: &mut Session,
    scope: &Scope,
    limit: Duration,
    context: &StepContext,
) -> Result<CheckResult, StepError> {
    session.place().folders.remove_report().map_err(|error| disk("removing an old report", &error))?;
    let toolchain = toolchains::of(session.setup().language());
    let words = toolchain.test_words(&session.place(), scope);
    let outcome = session.run(words, limit, context).await?;
    let report = toolchain.test_report(&session.place(), &outcome);
    let waited = report.as_ref().map_or(Duration::ZERO, |report| session.learn_patience(report));
    let result = read(session, report.as_ref(), &outcome);
    Ok(CheckResult { millis: result.millis.saturating_sub(millis(waited)), ..result })
}

/// Runs tests of the suite at hand so that their failures show values whole. Returns the failures; none if the runner has no such option.
pub(crate) async fn detailed(
    session: &mut Session,
    selectors: Vec<String>,
    limit: Duration,
    context: &StepContext,
) -> Result<Vec<Finding>, StepError> {
    let toolchain = toolchains::of(session.setup().language());
    let options = toolchain.detail_options(session.setup().suite().tests.runner);
    if options.is_empty() {
        return Ok(Vec::new());
    }
    session.place().folders.remove_report().map_err(|error| disk("removing an old report", &error))?;
    let mut words = toolchain.test_words(&session.place(), &Scope::Only(selectors));
    words.extend(options.iter().map(|option| (*option).to_owned()));
    let outcome = session.run(words, limit, context).await?;
    let report = toolchain.test_report(&session.place(), &outcome);
    Ok(report.map(|report| toolchain.findings(&session.place(), &report)).unwrap_or_default())
}

/// Result of a run under other conditions.
pub(crate) struct Rerun {
    /// Outcomes of the tests.
    pub(crate) result: CheckResult,
    /// Selectors of the tests, as the runner understands them, in the order in which the tests ran.
    pub(crate) order: Vec<String>,
    /// Things that change from run to run and that the repository's own code depends on, if the run was watched.
    pub(crate) touched: BTreeSet<String>,
}

/// Runs a part of the suite at hand under other conditions.
pub(crate) async fn rerun(
    session: &mut Session,
    scope: &Scope,
    conditions: &Conditions,
    limit: Duration,
    context: &StepContext,
) -> Result<Rerun, StepError> {
    let failed = |error| disk("removing an old report", &error);
    session.place().folders.remove_report().map_err(failed)?;
    session.place().folders.take_touched().map_err(failed)?;
    let toolchain = toolchains::of(session.setup().language());
    let words = toolchain.varied_words(&session.place(), scope, conditions);
    let outcome = session.run_under(conditions, words, limit, context).await?;
    let report = toolchain.test_report(&session.place(), &outcome);
    let touched = session.place().folders.take_touched().map_err(failed)?;
    let mut order: Vec<String> = Vec::new();
    for case in report.iter().flat_map(|report| &report.cases) {
        let selector = toolchain.selector(&session.place(), case);
        // Cases of one function are told to the runner by its name alone.
        order.extend(selector.filter(|selector| order.last() != Some(selector)));
    }
    let result = read(session, report.as_ref(), &outcome);
    Ok(Rerun { result, order, touched: touched.lines().map(str::to_owned).collect() })
}

fn read(session: &Session, report: Option<&TestReport>, outcome: &Outcome) -> CheckResult {
    let (toolchain, place) = (toolchains::of(session.setup().language()), session.place());
    let mut result = CheckResult { millis: millis(outcome.duration), ..CheckResult::default() };
    if let Some(report) = report {
        result.tests = CheckResult::tests_of(report);
        result.test_files = report.cases.iter().filter_map(|case| toolchain.file_of(&place, case)).collect();
        // One finding per red case, in the order of the report.
        result.findings = toolchain.findings(&place, report);
        let red = report.cases.iter().filter(|case| case.outcome.is_red());
        for (index, case) in red.enumerate() {
            if let Some(selector) = toolchain.selector(&place, case) {
                result.selected.insert(selector.clone(), case.id.clone());
                result.selectors.insert(selector, index);
            }
        }
    }
    match outcome.end {
        End::LimitHit(limit) => {
            result.cut_short = Some(format!("{limit} limit"));
            if result.findings.is_empty() {
                result.findings.push(ended_by(&format!("the test run was ended by its {limit} limit")));
            }
        }
        End::Exited(0) => {}
        End::Exited(_) | End::Signaled(_) if result.findings.is_empty() => {
            result.findings = toolchain.findings_in_output(&place, outcome);
        }
        End::Exited(_) | End::Signaled(_) => {}
    }
    if session.setup().suite().tests.runner == TestRunner::OPAQUE && outcome.end.is_success() {
        // All that is seen of an opaque command is that it succeeded: one test by that name.
        result.tests.insert(session.setup().suite().tests.words.join(" "), crate::check_result::TestState::Passed);
    }
    result
}

/// Message of the only finding of a run in which there was no test.
pub(crate) const NO_TEST: &str = "the test command ran no test";

/// The finding of a run in which there was no test.
pub(crate) fn no_test() -> Finding {
    ended_by(NO_TEST)
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
