//! Asks what CI says until there is a verdict.

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_forge::host::{Check, CheckState, CommitChecks};
use autoheal_forge::{BranchName, CommitId};

use super::expected::ExpectedCi;
use super::watch::{CiVerdict, Next, Patience, Watch};
use super::{Hosted, api_error};
use crate::state::HealState;

/// Watches a commit of a branch. Every look is kept in the state.
pub(crate) async fn verdict(
    state: &mut HealState,
    hosted: &Hosted,
    branch: &BranchName,
    commit: &CommitId,
    expected: &ExpectedCi,
    context: &StepContext,
) -> Result<(CiVerdict, Vec<Check>), StepError> {
    let may_start = state.request.hosting.dispatch_workflows.then_some((branch, expected.startable.as_slice()));
    let watch = Watch::new(commit.as_str(), patience(state, expected), context.now());
    watched(state, hosted, commit, watch, may_start, context).await
}

/// Starts the failed jobs of these checks again and watches their commit anew; `None`: nothing could be started.
pub(crate) async fn second_verdict(
    state: &mut HealState,
    hosted: &Hosted,
    commit: &CommitId,
    checks: &[Check],
    expected: &ExpectedCi,
    context: &StepContext,
) -> Result<Option<(CiVerdict, Vec<Check>)>, StepError> {
    let mut started = BTreeSet::new();
    for check in checks.iter().filter(|check| check.state == CheckState::Failure) {
        // A job of another CI that is red stays red.
        let Some(run) = check.run else { return Ok(None) };
        context.ensure_owner().await?;
        match hosted.host.rerun_failed_jobs(&hosted.repository, run).await {
            Ok(()) => {
                context.note("ci", format!("{} failed; its failed jobs were started again, unchanged", check.name));
                started.insert(run);
            }
            Err(error) => {
                state.warn(format!("the failed jobs of {} could not be started again: {error}", check.name));
                return Ok(None);
            }
        }
    }
    let watch = Watch::of_rerun(commit.as_str(), started, patience(state, expected), context.now());
    watched(state, hosted, commit, watch, None, context).await.map(Some)
}

fn patience(state: &HealState, expected: &ExpectedCi) -> Patience {
    let asked = &state.request.hosting;
    Patience {
        timeout: Duration::from_secs(asked.ci_seconds),
        grace: Duration::from_secs(asked.grace_seconds),
        expects_runs: expected.is_expected,
    }
}

/// `may_start`: the branch on which CI is started when nothing ran, and the paths of workflows that can be started.
async fn watched(
    state: &mut HealState,
    hosted: &Hosted,
    commit: &CommitId,
    mut watch: Watch,
    mut may_start: Option<(&BranchName, &[String])>,
    context: &StepContext,
) -> Result<(CiVerdict, Vec<Check>), StepError> {
    let interval = Duration::from_millis(state.request.hosting.poll_millis);
    let mut told = String::new();
    let (verdict, checks) = loop {
        let (next, checks) = match hosted.host.checks(&hosted.repository, commit).await {
            Ok(CommitChecks { checks, unread }) => {
                if let Some(error) = &unread {
                    let own = hosted.host.kind().own_ci();
                    state.warn(format!(
                        "what other CI than {own} says could not be read; only a run of {own} can speak for the branch: {error}"
                    ));
                }
                (watch.take(&checks, unread.is_none(), context.now()), checks)
            }
            Err(error) if error.is_passing() => (watch.take_no_answer(error.to_string(), context.now()), Vec::new()),
            Err(error) => return Err(api_error(&error)),
        };
        let said = words(&checks);
        if said != told {
            context.progress(format!("CI of {}: {said}", commit.short()));
            told = said;
        }
        match next {
            Next::Over(verdict) => break (verdict, checks),
            Next::NothingCame => {
                let Some((branch, startable)) = may_start.take() else { break (CiVerdict::NoCiRun, checks) };
                if !start(state, hosted, branch, startable, context).await? {
                    break (CiVerdict::NoCiRun, checks);
                }
                watch.wait_anew(context.now());
            }
            Next::Again => {}
        }
        tokio::time::sleep(interval).await;
    };
    if verdict == CiVerdict::NoCiRun && !checks.is_empty() {
        let own = hosted.host.kind().own_ci();
        state.warn(format!("no run of {own} succeeded, so nothing speaks for the branch but: {}", words(&checks)));
    }
    context.note("ci", format!("{}: {}", verdict.words(), words(&checks)));
    state.ci.looks.extend(watch.into_looks());
    Ok((verdict, checks))
}

/// Starts the CI that can be started by hand; whether there was any.
async fn start(
    state: &mut HealState,
    hosted: &Hosted,
    branch: &BranchName,
    startable: &[String],
    context: &StepContext,
) -> Result<bool, StepError> {
    let known = hosted.host.startable(&hosted.repository, startable).await.map_err(|error| api_error(&error))?;
    let mut is_started = false;
    for startable in &known {
        context.ensure_owner().await?;
        match hosted.host.start(&hosted.repository, startable, branch).await {
            Ok(()) => {
                context.note("ci", format!("started {}", startable.name));
                is_started = true;
            }
            Err(error) => state.warnings.push(format!("{} could not be started: {error}", startable.name)),
        }
    }
    Ok(is_started)
}

/// Describes the checks of CI in one line.
pub(crate) fn words(checks: &[Check]) -> String {
    if checks.is_empty() {
        return "nothing yet".to_owned();
    }
    let word = |state: CheckState| match state {
        CheckState::Pending => "pending",
        CheckState::Success => "success",
        CheckState::Failure => "failure",
        CheckState::Neutral => "skipped",
        CheckState::Inconclusive => "cancelled",
    };
    checks.iter().map(|check| format!("{} {}", check.name, word(check.state))).collect::<Vec<_>>().join(", ")
}
