//! Asks what CI says until there is a verdict.

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_forge::github::ci::{Check, CheckState, CommitChecks};
use autoheal_forge::{BranchName, CommitId};

use super::watch::{CiVerdict, Next, Patience, Watch};
use super::{Hosted, api_error};
use crate::ci_commands::Workflows;
use crate::state::HealState;

/// Watches a commit of a branch. Every look is kept in the state.
pub(crate) async fn verdict(
    state: &mut HealState,
    hosted: &Hosted,
    branch: &BranchName,
    commit: &CommitId,
    workflows: &Workflows,
    context: &StepContext,
) -> Result<(CiVerdict, Vec<Check>), StepError> {
    let may_start = state.request.hosting.dispatch_workflows.then_some((branch, workflows.startable.as_slice()));
    let watch = Watch::new(commit.as_str(), patience(state, workflows), context.now());
    watched(state, hosted, commit, watch, may_start, context).await
}

/// Starts the failed jobs of these checks again and watches their commit anew; `None`: nothing could be started.
pub(crate) async fn second_verdict(
    state: &mut HealState,
    hosted: &Hosted,
    commit: &CommitId,
    checks: &[Check],
    workflows: &Workflows,
    context: &StepContext,
) -> Result<Option<(CiVerdict, Vec<Check>)>, StepError> {
    let mut started = BTreeSet::new();
    for check in checks.iter().filter(|check| check.state == CheckState::Failure) {
        // A job of another CI that is red stays red.
        let Some(run) = check.run else { return Ok(None) };
        context.ensure_owner().await?;
        match hosted.github.rerun_failed_jobs(&hosted.repository, run).await {
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
    let watch = Watch::of_rerun(commit.as_str(), started, patience(state, workflows), context.now());
    watched(state, hosted, commit, watch, None, context).await.map(Some)
}

fn patience(state: &HealState, workflows: &Workflows) -> Patience {
    let asked = &state.request.hosting;
    Patience {
        timeout: Duration::from_secs(asked.ci_seconds),
        grace: Duration::from_secs(asked.grace_seconds),
        expects_runs: workflows.are_expected,
    }
}

/// `may_start`: the branch on which workflows are started when nothing ran, and their paths.
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
        let (next, checks) = match hosted.github.checks(&hosted.repository, commit).await {
            Ok(CommitChecks { checks, unread }) => {
                if let Some(error) = &unread {
                    state.warn(format!(
                        "what other CI than Actions says could not be read; only a run of Actions can speak for the branch: {error}"
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
        state.warn(format!("no run of Actions succeeded, so nothing speaks for the branch but: {}", words(&checks)));
    }
    context.note("ci", format!("{}: {}", verdict.words(), words(&checks)));
    state.ci_looks.extend(watch.into_looks());
    Ok((verdict, checks))
}

/// Starts the workflows that can be started by hand; whether there was one.
async fn start(
    state: &mut HealState,
    hosted: &Hosted,
    branch: &BranchName,
    startable: &[String],
    context: &StepContext,
) -> Result<bool, StepError> {
    let known = hosted.github.workflows(&hosted.repository).await.map_err(|error| api_error(&error))?;
    let mut is_started = false;
    for workflow in known.iter().filter(|workflow| workflow.is_active() && startable.contains(&workflow.path)) {
        context.ensure_owner().await?;
        match hosted.github.dispatch(&hosted.repository, workflow.id, branch).await {
            Ok(()) => {
                context.note("ci", format!("started {}", workflow.path));
                is_started = true;
            }
            Err(error) => state.warnings.push(format!("{} could not be started: {error}", workflow.path)),
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
