//! Asks what CI says until there is a verdict.

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
    let asked = &state.request.hosting;
    let (timeout, grace) = (Duration::from_secs(asked.ci_seconds), Duration::from_secs(asked.grace_seconds));
    let interval = Duration::from_millis(asked.poll_millis);
    let mut may_start = asked.dispatch_workflows;
    let patience = Patience { timeout, grace, expects_runs: workflows.are_expected };
    let mut watch = Watch::new(commit.as_str(), patience, context.now());
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
            Next::NothingCame if may_start => {
                may_start = false;
                if !start(state, hosted, branch, &workflows.startable, context).await? {
                    break (CiVerdict::NoCiRun, checks);
                }
                watch.wait_anew(context.now());
            }
            Next::NothingCame => break (CiVerdict::NoCiRun, checks),
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
