//! The diagnosis agent (the spec's verifier): runs the checks in the sandbox and takes what they say into the log.

mod changed;
mod unfit;

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::ErrorCode;
use autoheal_engine::diagnostics::{Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};

use crate::check_result::CheckResult;
use crate::flaky;
use crate::lint;
use crate::lsp_diagnostics;
use crate::protected::standing::Standings;
use crate::repo_config;
use crate::session::Session;
use crate::state::{HealState, Observed};
use crate::suite;
use crate::test_scope::Scope;
use crate::toolchains;

/// Runs the checks on the tree, unless `patch` has already run them on this very tree.
pub(crate) async fn run(state: &mut HealState, session: &mut Session, context: &StepContext) -> Result<(), StepError> {
    let accepted = state.fixes.accepted.len();
    if let Some(observed) = state.diagnosis.current.clone().filter(|observed| observed.accepted == accepted) {
        protect_tests(&observed.result, state, session);
        find_ignored(&observed.result, state, session);
        lsp_diagnostics::refresh(state, session, context).await?;
        state.diagnosis.record(context);
        return Ok(());
    }
    context.progress("running the tests");
    let limit = Duration::from_secs(state.request.limits.test_seconds);
    let mut result = session.run_checks(&Scope::All, limit, context).await?;
    if state.diagnosis.baseline.is_none()
        && !result.is_green()
        && unfit::leave_out(&result, state, session, limit, context).await?
    {
        result = session.run_checks(&Scope::All, limit, context).await?;
    }
    protect_tests(&result, state, session);
    if state.diagnosis.baseline.is_none() {
        let broken = changed::find_broken(state, session, context).await?;
        result.add_unread(broken);
    }
    settle_lint(&mut result, state, session, context).await?;
    if !result.is_green() {
        name_syntax_errors(&mut result, session, context).await?;
        let found = flaky::find(flaky::Question::Failing, &result, &state.diagnosis, session, limit, context).await?;
        state.diagnosis.flaky.extend(found);
    }
    let is_first = state.diagnosis.baseline.is_none();
    let says_nothing = |finding: &Finding| is_first && finding.message == suite::NO_TEST;
    if result.tests.is_empty() && result.findings.iter().all(says_nothing) {
        let (words, no_test) = (session.setup().main_suite.tests.words.join(" "), suite::NO_TEST);
        return Err(StepError::Permanent {
            code: ErrorCode::TestExecutionFailed,
            message: format!(
                "{no_test} ({words}); name another one with --test-command, or the folder of the tests with `directory` in .autoheal.toml"
            ),
        });
    }
    find_ignored(&result, state, session);
    state.ci.add_failures(&mut result, accepted);
    state.observe(&result, "the whole suite", context.now());
    for finding in distinct(result.all_findings()) {
        context.note("finding", format!("{}: {}", finding.headline(), first_line(&finding.message)));
    }
    state.diagnosis.baseline.get_or_insert_with(|| result.clone());
    state.diagnosis.current = Some(Observed { result, accepted });
    lsp_diagnostics::refresh(state, session, context).await?;
    state.diagnosis.record(context);
    Ok(())
}

/// Protects the files that define which tests exist, and those that serve only tests, from edits, whatever
/// their names are.
fn protect_tests(result: &CheckResult, state: &mut HealState, session: &mut Session) {
    let suites = session.setup().suites();
    let words = suites.flat_map(|suite| suite.tests.words.iter().map(move |word| (&suite.directory, word)));
    let parts = words.flat_map(|(directory, words)| words.split(['=', ':']).map(move |word| (directory, word)));
    let named = parts.flat_map(|(directory, word)| [word.to_owned(), format!("{directory}/{word}")]);
    let named = named.map(|file| file.trim_start_matches("./").trim_start_matches('/').to_owned());
    let named = named.filter(|file| session.sources().text(file).is_some());
    let known = &session.setup().protected_tests;
    // Of the program, tests that stand in it are protected, and not the file; what is a test by its name or folder is one as a whole.
    let is_program = |file: &String| {
        !known.contains(file) && session.sources().is_editable(file) && session.sources().holds_program(file)
    };
    let (holding, mut protected): (BTreeSet<String>, BTreeSet<String>) =
        result.test_files.iter().cloned().chain(named).partition(is_program);
    protected.extend(known.iter().cloned());
    session.keep_tests_in(&holding);
    // What a trusted repository excepts, names and folders do not protect again.
    let protection = repo_config::Protection::new(&session.setup().protect, true).unwrap_or_default();
    let standings = Standings::of(session.sources(), &protected);
    protected.extend(standings.judges().filter(|file| protection.is_protected(file, true)).map(str::to_owned));
    session.protect_tests(&protected);
    if let Some(setup) = &mut state.analysis.setup {
        setup.protected_tests.extend(protected);
        setup.holding_tests.extend(holding);
    }
}

/// Warns of failures caused by missing files that git ignores; these failures are not healed.
fn find_ignored(result: &CheckResult, state: &mut HealState, session: &Session) {
    let Some(setup) = &mut state.analysis.setup else { return };
    let warnings = setup.external_files.find_ignored(&result.findings, session.setup(), &session.tree());
    for warning in warnings {
        state.warn(warning);
    }
}

/// Separates the lint findings that the previous commit already had: they are not what broke, and are
/// reported separately from now on.
async fn settle_lint(
    result: &mut CheckResult,
    state: &mut HealState,
    session: &mut Session,
    context: &StepContext,
) -> Result<(), StepError> {
    let is_lint = |finding: &Finding| finding.source == Source::Lint;
    let first = state.diagnosis.baseline.is_none();
    if !first || !result.all_findings().any(is_lint) {
        return Ok(());
    }
    let before = session.tree_before();
    let old = lint::old_findings(session, before.as_deref(), context).await?;
    session.keep_old_findings(old.clone());
    let linted = lint::run(session, context).await?;
    result.findings.retain(|finding| !is_lint(finding));
    result.findings.extend(linted.findings);
    result.advice = linted.advice;
    let left_alone = old.advice.len() + old.ignored.len();
    if left_alone > 0 {
        state.warnings.push(format!(
            "the linters find {left_alone} things here that were there before the last commit; they are not what broke"
        ));
    }
    if let Some(setup) = &mut state.analysis.setup {
        setup.old_findings = old;
    }
    Ok(())
}

/// Completes the syntax errors: a test report has only the importer's message, the compile check has the location.
async fn name_syntax_errors(
    result: &mut CheckResult,
    session: &mut Session,
    context: &StepContext,
) -> Result<(), StepError> {
    let broken: BTreeSet<String> = result
        .findings
        .iter()
        .filter(|finding| finding.category.hides_others())
        .filter_map(|finding| finding.file.clone())
        .filter(|file| session.sources().text(file).is_some())
        .filter(|file| toolchains::of(session.setup().language_for(file)).explains_syntax())
        .collect();
    let files: Vec<String> = broken.into_iter().collect();
    let compiled = session.parse_check(&files, context).await?;
    for finding in &mut result.findings {
        if let Some(exact) = compiled.iter().find(|exact| exact.file == finding.file) {
            finding.category = exact.category;
            finding.location = exact.location.or(finding.location);
            finding.message.clone_from(&exact.message);
        }
    }
    Ok(())
}

fn distinct<'result>(findings: impl Iterator<Item = &'result Finding>) -> Vec<&'result Finding> {
    let mut seen = BTreeSet::new();
    findings.filter(|finding| seen.insert(finding.key())).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}
