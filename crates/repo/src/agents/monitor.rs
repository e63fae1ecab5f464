//! The CI monitor: verifies the branch where it was pushed. First here: the branch cloned fresh, its tests run in a fresh sandbox, nothing
//! shared with the place in which the fixes were found. What is green here is then judged by the CI that runs at its host, where there is one.

use std::sync::Arc;
use std::time::Duration;

use autoheal_code::Sources;
use autoheal_engine::diagnostics::{Category, Finding};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_engine::{ErrorCode, RunId, StopReason, counted};
use autoheal_forge::host::{Check, StatusState};
use autoheal_forge::{BranchName, CloneOptions, CommitId, Git};
use autoheal_sandbox::Sandbox;
use autoheal_sandbox::untrusted::{clear, remove_tree};

use crate::check_result::CheckResult;
use crate::checkout::Checkout;
use crate::flaky::{self, FlakyTest, Healing, Question};
use crate::hosting::expected::ExpectedCi;
use crate::hosting::watch::CiVerdict;
use crate::hosting::{Hosted, delivery, logs, poll, trial};
use crate::request::CiMode;
use crate::session::Session;
use crate::setup::Setup;
use crate::state::{Delivered, HealState, Observed, TestRuns};
use crate::step_error::{disk, forge_error};
use crate::test_scope::Scope;
use crate::tree;

/// Verifies what `commit` delivered, and decides whether another round follows.
pub(crate) async fn run(
    state: &mut HealState,
    checkout: &Checkout,
    hosted: Option<&Hosted>,
    sandbox: &Arc<dyn Sandbox>,
    context: &StepContext,
) -> Result<(), StepError> {
    let judged = judge(state, checkout, hosted, sandbox, context).await;
    if let (Err(StepError::Passing { .. } | StepError::Permanent { .. }), Some(hosted)) = (&judged, hosted) {
        // This may be the end; when it is tried again, the next verdict takes its place.
        delivery::status(state, hosted, StatusState::Failure, context).await?;
    }
    judged
}

async fn judge(
    state: &mut HealState,
    checkout: &Checkout,
    hosted: Option<&Hosted>,
    sandbox: &Arc<dyn Sandbox>,
    context: &StepContext,
) -> Result<(), StepError> {
    let (Some(delivered), Some(setup)) = (state.delivery.branch.clone(), state.analysis.setup.clone()) else {
        return Ok(());
    };
    let hosted = hosted.filter(|_| delivered.pushed);
    let watched = match state.request.ci {
        CiMode::None => {
            let is_green = state.diagnosis.is_green();
            state.rounds.close(is_green, state.diagnosis.log.current().count(), context.now());
            if let Some(setup) = &mut state.analysis.setup {
                setup.not_run.push("the branch was not verified by itself, as was asked for (--ci none)".to_owned());
            }
            state.stop_with(if is_green { StopReason::PartlyChecked } else { StopReason::NoProgress });
            return Ok(());
        }
        CiMode::Local => None,
        CiMode::Auto => hosted,
        CiMode::Host => Some(hosted.ok_or_else(not_hosted)?),
    };
    let verified = verify(state, &delivered, setup, checkout, watched, sandbox, context).await?;
    state.totals.test_runs.add(verified.test_runs);
    note_flaky(state, &verified.flaky);
    match watched.filter(|_| verified.result.is_green()) {
        Some(watched) => judge_by_ci(state, &delivered, verified, checkout, watched, context).await?,
        None => state.conclude_round(verified.result, context.now()),
    }
    let green = state.stop == Some(StopReason::Green);
    let failures = state.diagnosis.verified.as_ref().map_or(0, |result| result.keys().len());
    context.note(
        "verdict",
        if green {
            "green".to_owned()
        } else if state.stop == Some(StopReason::PartlyChecked) {
            "partly checked: what was run passes".to_owned()
        } else {
            format!("red: {} left", counted(failures, "failure"))
        },
    );
    if let Some(hosted) = hosted {
        let status = if green { StatusState::Success } else { StatusState::Failure };
        delivery::status(state, hosted, status, context).await?;
        delivery::pull_request(state, hosted, checkout, context).await?;
    }
    Ok(())
}

/// Lets the CI at the host judge a branch that passed here. A red result there counts as red, whatever the
/// result here; the findings in its logs are the work of the next round.
async fn judge_by_ci(
    state: &mut HealState,
    delivered: &Delivered,
    verified: Verified,
    checkout: &Checkout,
    hosted: &Hosted,
    context: &StepContext,
) -> Result<(), StepError> {
    let Verified { mut result, sources, expected, .. } = verified;
    let branch = state.analysis.origin.as_ref().map(|origin| origin.branch.clone()).unwrap_or_default();
    let branch = BranchName::parse(&branch).map_err(|error| forge_error(&error))?;
    let commit = CommitId::parse(&delivered.commit).map_err(|error| forge_error(&error))?;
    let (mut verdict, mut checks) = poll::verdict(state, hosted, &branch, &commit, &expected, context).await?;
    let mut findings = findings_of(verdict, &checks, state, hosted, &sources, context).await;
    if verdict == CiVerdict::Red
        && state.request.hosting.rerun_failed
        && findings.iter().all(may_be_flaky)
        && let Some(again) = poll::second_verdict(state, hosted, &commit, &checks, &expected, context).await?
    {
        (verdict, checks) = again;
        if verdict == CiVerdict::Green {
            let failed: Vec<&str> = findings.iter().filter_map(|finding| finding.message.lines().next()).collect();
            let failed = failed.join("; ");
            state.warn(format!("flaky in CI: it failed, and passed when it ran again, unchanged: {failed}"));
        }
        findings = findings_of(verdict, &checks, state, hosted, &sources, context).await;
    }
    state.ci.verdict = Some(verdict);
    let before = state.ci.failures.findings.iter().map(Finding::key).collect();
    match verdict {
        CiVerdict::Green => {
            trial::note_failures(state, Vec::new());
            state.conclude_round(result, context.now());
        }
        CiVerdict::Red => {
            for finding in &findings {
                let line = finding.message.lines().next().unwrap_or_default();
                context.note("finding", format!("in CI: {}: {line}", finding.headline()));
            }
            trial::note_failures(state, findings);
            state.ci.add_failures(&mut result, state.fixes.accepted.len());
            if trial::revert(state, checkout, &before, context).await? {
                context.note("patch", "took the newest fix back: CI fails as before");
                super::commit::run(state, checkout, Some(hosted), context).await?;
            } else {
                state.diagnosis.current =
                    Some(Observed { result: result.clone(), accepted: state.fixes.accepted.len() });
            }
            state.conclude_round(result, context.now());
        }
        CiVerdict::NoCiRun | CiVerdict::TimedOut => {
            state.diagnosis.verified = Some(result);
            state.rounds.close(false, state.diagnosis.log.current().count(), context.now());
            let reason = if verdict == CiVerdict::NoCiRun { StopReason::NoCiRun } else { StopReason::CiTimeout };
            state.stop_with(reason);
        }
    }
    Ok(())
}

/// The findings in the logs of CI; none unless it is red.
async fn findings_of(
    verdict: CiVerdict,
    checks: &[Check],
    state: &mut HealState,
    hosted: &Hosted,
    sources: &Sources,
    context: &StepContext,
) -> Vec<Finding> {
    match verdict {
        CiVerdict::Red => logs::findings(state, hosted, checks, sources, context).await,
        CiVerdict::Green | CiVerdict::NoCiRun | CiVerdict::TimedOut => Vec::new(),
    }
}

/// Returns whether a failure of CI may be gone when CI runs again. The checks here pass.
fn may_be_flaky(finding: &Finding) -> bool {
    match finding.category {
        Category::Logic => true,
        Category::Syntax | Category::Indentation | Category::Import | Category::TypeError | Category::Linting => false,
    }
}

fn not_hosted() -> StepError {
    StepError::Permanent {
        code: ErrorCode::InvalidInput,
        message: "only a branch that is pushed to a code host of the settings can be judged by its CI; use --ci local"
            .to_owned(),
    }
}

/// Result of checking a fresh clone of the branch.
struct Verified {
    result: CheckResult,
    /// Tests that pass there, and are known to fail otherwise.
    flaky: Vec<FlakyTest>,
    test_runs: TestRuns,
    sources: Sources,
    expected: ExpectedCi,
}

async fn verify(
    state: &HealState,
    delivered: &Delivered,
    setup: Setup,
    checkout: &Checkout,
    hosted: Option<&Hosted>,
    sandbox: &Arc<dyn Sandbox>,
    context: &StepContext,
) -> Result<Verified, StepError> {
    context.progress("running the tests on a fresh clone of the branch");
    let place = Checkout {
        git: Arc::clone(&checkout.git),
        address: checkout.address.clone(),
        folders: checkout.folders.for_monitor(),
    };
    clear(place.folders.root()).map_err(|error| disk("making room for a fresh clone", &error))?;
    let commit = CommitId::parse(&delivered.commit).map_err(|error| forge_error(&error))?;
    let source = if delivered.pushed { fresh_clone(state, &place).await? } else { checkout.folders.clone_folder() };
    let tree = place.folders.tree();
    place.export(&source, &commit, &tree).await?.ensure_like(&setup.external_files)?;
    let sources = tree::read(&tree, &setup);
    let expected = ExpectedCi::of(hosted, &tree);
    let checked = check_in(context.run, &place, setup, state, sandbox, context).await;
    // What tests left is no part of the verdict, whatever it is.
    if let Err(error) = remove_tree(place.folders.root()) {
        context.note("warning", format!("what the last verification left cannot be removed: {error}"));
    }
    let (result, flaky, test_runs) = checked?;
    Ok(Verified { result, flaky, test_runs, sources, expected })
}

async fn fresh_clone(state: &HealState, place: &Checkout) -> Result<std::path::PathBuf, StepError> {
    let clone = place.folders.clone_folder();
    let branch = state.analysis.origin.as_ref().map(|origin| BranchName::parse(&origin.branch));
    let branch = branch.transpose().map_err(|error| forge_error(&error))?.map(|branch| branch.to_string());
    let options = CloneOptions { branch, depth: Some(1), ..CloneOptions::default() };
    Git::clone(&place.git, &place.address, &clone, &options).await.map_err(|error| forge_error(&error))?;
    Ok(clone)
}

async fn check_in(
    run: RunId,
    place: &Checkout,
    setup: Setup,
    state: &HealState,
    sandbox: &Arc<dyn Sandbox>,
    context: &StepContext,
) -> Result<(CheckResult, Vec<FlakyTest>, TestRuns), StepError> {
    let limits = state.request.limits;
    let mut session = Session::open(run, place.folders.clone(), setup, limits, sandbox).await?;
    let checked = check_twice(&mut session, state, context).await;
    let test_runs = session.take_test_runs();
    session.close().await?;
    let (result, flaky) = checked?;
    Ok((result, flaky, test_runs))
}

/// Runs everything, and what was healed once more, in other circumstances.
async fn check_twice(
    session: &mut Session,
    state: &HealState,
    context: &StepContext,
) -> Result<(CheckResult, Vec<FlakyTest>), StepError> {
    let limit = Duration::from_secs(state.request.limits.test_seconds);
    let result = session.run_checks(&Scope::All, limit, context).await?;
    let flaky = match &state.diagnosis.baseline {
        Some(baseline) if result.is_green() => {
            flaky::find(Question::Healed, baseline, &state.diagnosis, session, limit, context).await?
        }
        Some(_) | None => Vec::new(),
    };
    Ok((result, flaky))
}

/// Takes note of healed tests that are flaky. CI may be red with those that come and go.
fn note_flaky(state: &mut HealState, found: &[FlakyTest]) {
    state.diagnosis.flaky.extend(found.iter().cloned());
    let Some(setup) = &mut state.analysis.setup else { return };
    for flaky in found.iter().filter(|flaky| flaky.healing == Healing::Never) {
        setup.not_run.push(format!("{} passes with the fix, and does not each time", flaky.test));
    }
}
