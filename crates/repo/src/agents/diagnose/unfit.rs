//! Suites and programs that CI runs and that cannot be run here, as the first check shows: they are left out
//! and reported.

use std::time::Duration;

use autoheal_code::Sources;
use autoheal_engine::diagnostics::{Category, Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};

use crate::build;
use crate::check_result::CheckResult;
use crate::session::Session;
use crate::setup::{BuildCommand, Suite};
use crate::state::HealState;
use crate::test_scope::Scope;

/// Leaves further suites and programs out that fail for a reason that is not the repository's. Returns whether there are any.
pub(super) async fn leave_out(
    result: &CheckResult,
    state: &mut HealState,
    session: &mut Session,
    limit: Duration,
    context: &StepContext,
) -> Result<bool, StepError> {
    let mut unfit: Vec<(Suite, String)> = Vec::new();
    let mut suites = Vec::new();
    for (number, suite) in session.setup().other_suites.clone().into_iter().enumerate() {
        let has_tests = result.tests.keys().any(|id| id.starts_with(&suite.label));
        let is_repeat = |(dropped, _): &&(Suite, String)| dropped.is_repeated_by(&suite);
        let why = match unfit.iter().find(is_repeat) {
            Some((_, why)) => Some(why.clone()),
            None if has_tests => None,
            None => why_no_tests(session, number + 1, limit, context).await?,
        };
        match why {
            Some(why) => unfit.push((suite, why)),
            None => suites.push(suite),
        }
    }
    let mut reasons: Vec<String> =
        unfit.iter().map(|(suite, why)| format!("`{}`: {why}", suite.command_line())).collect();
    let mut checks = Vec::new();
    let have_failed = result.findings.iter().any(|finding| finding.source == Source::Build);
    for check in session.setup().checks.clone() {
        let why = if have_failed { why_unfit(session, &check, limit, context).await? } else { None };
        match why {
            Some(why) => reasons.push(format!("`{}`: {why}", check.words.join(" "))),
            None => checks.push(check),
        }
    }
    if reasons.is_empty() {
        return Ok(false);
    }
    session.keep_fit(suites.clone(), checks.clone());
    if let Some(setup) = &mut state.analysis.setup {
        (setup.other_suites, setup.checks) = (suites, checks);
        setup.not_run.extend(reasons);
    }
    Ok(true)
}

/// The reason for which a suite collects no test, when that is not a fault of the repository.
async fn why_no_tests(
    session: &mut Session,
    number: usize,
    limit: Duration,
    context: &StepContext,
) -> Result<Option<String>, StepError> {
    let result = session.check_suite(number, &Scope::All, limit, context).await?;
    let are_foreign = result.tests.is_empty() && are_foreign(&result.findings, session.sources());
    let first = result.findings.first().filter(|_| are_foreign);
    Ok(first.map(|finding| finding.message.lines().next().unwrap_or_default().to_owned()))
}

/// The reason for which a program fails, when that is not what broke.
async fn why_unfit(
    session: &mut Session,
    check: &BuildCommand,
    limit: Duration,
    context: &StepContext,
) -> Result<Option<String>, StepError> {
    let now = build::check_one(session, check, &check.directory, limit, context).await?;
    if now.is_empty() {
        return Ok(None);
    }
    let Some(before) = session.tree_before() else {
        let are_foreign = are_foreign(&now, session.sources());
        return Ok(are_foreign.then(|| "it does not end well, and no file is named".to_owned()));
    };
    let directory = before.join(&check.directory).display().to_string();
    let then = build::check_one(session, check, &directory, limit, context).await?;
    Ok((!then.is_empty()).then(|| "it did not end well before the last commit, either".to_owned()))
}

/// Returns whether none of the findings is about the repository's own files.
fn are_foreign(findings: &[Finding], sources: &Sources) -> bool {
    findings.iter().all(|finding| finding.file.is_none() || lacks_package(finding, sources))
}

/// Returns whether a package is missing that is not one of the repository's modules.
fn lacks_package(finding: &Finding, sources: &Sources) -> bool {
    const BEFORE: [&str; 3] = ["No module named ", "Cannot find module ", "Cannot find package "];
    let name = BEFORE.iter().find_map(|before| finding.message.split_once(before)).and_then(|(_, rest)| {
        let quoted = rest.trim_start().trim_start_matches(['\'', '"']);
        quoted.split(['\'', '"', '.', '/']).next().filter(|name| !name.is_empty())
    });
    let is_own = |name: &str| {
        let file = format!("{name}.py");
        sources.iter().any(|(path, _)| path.split('/').any(|part| part == name || part == file))
    };
    finding.category == Category::Import && name.is_some_and(|name| !is_own(name))
}
