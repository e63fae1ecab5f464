//! The Git agent: one commit per fix, on our own branch, pushed to where the clone came from; then the pull request, if one is wanted.
//!
//! Dates come from the fixes, so doing it again gives the same commits and the push finds them there already.

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_forge::host::StatusState;
use autoheal_forge::{BranchName, CommitId, Pushed};

use crate::checkout::Checkout;
use crate::hosting::{Hosted, delivery};
use crate::request::{CiMode, Delivery};
use crate::state::{Delivered, HealState};
use crate::step_error::forge_error;

/// Commits every accepted fix and pushes the branch.
pub(crate) async fn run(
    state: &mut HealState,
    checkout: &Checkout,
    hosted: Option<&Hosted>,
    context: &StepContext,
) -> Result<(), StepError> {
    let Some(origin) = state.analysis.origin.clone() else { return Ok(()) };
    let accepted = state.fixes.accepted.len();
    let branch = BranchName::parse(&origin.branch).map_err(|error| forge_error(&error))?;
    let start = CommitId::parse(&origin.start_commit).map_err(|error| forge_error(&error))?;
    let clone = checkout.folders.clone_folder();
    let tip = checkout.commit_fixes(state, &start, accepted).await?;
    match state.request.delivery {
        // Without a branch the commits are reachable by nobody but the monitor.
        Delivery::DryRun => context.note("commit", "dry run: no branch"),
        Delivery::NoPush => {
            checkout.git.create_branch(&clone, &branch, &tip).await.map_err(|error| forge_error(&error))?;
            context.note("commit", format!("{branch} in the run's own clone ({})", tip.short()));
        }
        Delivery::Push => {
            let before = match &state.delivery.branch {
                Some(delivered) => Some(&delivered.commit),
                None => origin.remote_tip.as_ref(),
            };
            if let Err(refused) = push(checkout, context, &tip, &branch, before).await {
                return Err(with_comment(refused, state, checkout, hosted, &tip, context).await?);
            }
        }
    }
    let pushed = state.request.delivery == Delivery::Push;
    state.delivery.branch = Some(Delivered { commit: tip.as_str().to_owned(), accepted, pushed });
    if let Some(hosted) = hosted.filter(|_| pushed) {
        delivery::pull_request(state, hosted, checkout, context).await?;
        // Nobody would say more where nothing is verified.
        if state.request.ci != CiMode::None {
            delivery::status(state, hosted, StatusState::Pending, context).await?;
        }
    }
    Ok(())
}

/// Posts the patch as a comment if the token may not push. The run still ends with the error, since the
/// branch was not pushed.
async fn with_comment(
    refused: StepError,
    state: &HealState,
    checkout: &Checkout,
    hosted: Option<&Hosted>,
    tip: &CommitId,
    context: &StepContext,
) -> Result<StepError, StepError> {
    match (refused, hosted) {
        (StepError::Permanent { code: code @ ErrorCode::RepoAccessDenied, message }, Some(hosted)) => {
            let told = delivery::comment_with_patch(state, checkout, hosted, tip, context).await?;
            Ok(StepError::Permanent { code, message: format!("{message}; {told}") })
        }
        (refused, _) => Ok(refused),
    }
}

async fn push(
    checkout: &Checkout,
    context: &StepContext,
    tip: &CommitId,
    branch: &BranchName,
    before: Option<&String>,
) -> Result<(), StepError> {
    let expected = before.map(|commit| CommitId::parse(commit)).transpose().map_err(|error| forge_error(&error))?;
    context.ensure_owner().await?;
    let clone = checkout.folders.clone_folder();
    let pushed = checkout
        .git
        .push(&clone, &checkout.address, tip, branch, expected.as_ref())
        .await
        .map_err(|error| forge_error(&error))?;
    let how = match pushed {
        Pushed::Now => "pushed to",
        Pushed::Before => "was already at",
    };
    context.note("commit", format!("{branch} {how} {} ({})", checkout.address, tip.short()));
    Ok(())
}
