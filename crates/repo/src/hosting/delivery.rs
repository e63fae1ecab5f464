//! The change request, the comment and the status. The fixes are pushed by then: what goes wrong here is a warning, never the end.

use std::collections::BTreeSet;

use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_forge::CommitId;
use autoheal_forge::host::{ChangeRequestText, HostError, Opened, StatusState};

use super::{Hosted, summary};
use crate::checkout::Checkout;
use crate::state::{HealState, Origin};
use crate::step_error::forge_error;

/// Opens the change request, or brings the one that is open up to date, when one was asked for.
pub(crate) async fn pull_request(
    state: &mut HealState,
    hosted: &Hosted,
    checkout: &Checkout,
    context: &StepContext,
) -> Result<(), StepError> {
    let Some(origin) = state.analysis.origin.clone().filter(|_| state.request.hosting.pull_request) else {
        return Ok(());
    };
    if state.fixes.retained().next().is_none() && state.delivery.pull_request.is_none() {
        return Ok(());
    }
    context.ensure_owner().await?;
    let commits = offered(state, checkout, &origin).await?;
    let word = hosted.host.kind().change_request();
    match open(state, hosted, &origin.branch, commits, context).await {
        Ok(Opened::New(pull)) => {
            context.note(word, format!("opened {}", pull.page));
            state.delivery.pull_request = Some(pull.page);
        }
        Ok(Opened::Updated(pull)) => {
            context.note(word, format!("brought {} up to date", pull.page));
            state.delivery.pull_request = Some(pull.page);
        }
        Ok(Opened::Refused(pull)) => {
            state.warn(format!("no {word} was opened: somebody closed {}, which offered the same", pull.page));
        }
        Ok(Opened::Left(pull)) => {
            state.warn(format!(
                "no {word} was opened: {} is open from {} and is not one of ours for this branch; it was left as it is",
                pull.page, origin.branch
            ));
        }
        Err(error) => {
            state.warn(format!("{}: there is no {word}: {error}", error.code()));
        }
    }
    Ok(())
}

/// The commits of the branch that is there now.
async fn offered(state: &HealState, checkout: &Checkout, origin: &Origin) -> Result<BTreeSet<String>, StepError> {
    let Some(delivered) = &state.delivery.branch else { return Ok(BTreeSet::new()) };
    let base = CommitId::parse(&origin.base_commit).map_err(|error| forge_error(&error))?;
    let tip = CommitId::parse(&delivered.commit).map_err(|error| forge_error(&error))?;
    let clone = checkout.folders.clone_folder();
    let log = checkout.git.log(&clone, Some(&base), &tip).await.map_err(|error| forge_error(&error))?;
    Ok(log.into_iter().map(|entry| entry.id.to_string()).collect())
}

async fn open(
    state: &HealState,
    hosted: &Hosted,
    branch: &str,
    commits: BTreeSet<String>,
    context: &StepContext,
) -> Result<Opened, HostError> {
    let base = match &state.request.branch {
        Some(base) => base.clone(),
        None => hosted.host.default_branch(&hosted.repository).await?,
    };
    let text = ChangeRequestText {
        head: branch.to_owned(),
        base,
        title: summary::title(state),
        body: summary::body(state, hosted.host.kind(), context.now()),
        commits,
    };
    hosted.host.open_change_request(&hosted.repository, &text).await
}

/// Says on our commit how it stands.
pub(crate) async fn status(
    state: &mut HealState,
    hosted: &Hosted,
    status: StatusState,
    context: &StepContext,
) -> Result<(), StepError> {
    let Some(delivered) = state.delivery.branch.clone().filter(|delivered| delivered.pushed) else { return Ok(()) };
    let commit = CommitId::parse(&delivered.commit).map_err(|error| forge_error(&error))?;
    context.ensure_owner().await?;
    let description = summary::status(state, status);
    if let Err(error) = hosted.host.set_status(&hosted.repository, &commit, status, &description).await {
        state.warn(format!("{}: the status of the commit could not be set: {error}", error.code()));
    }
    Ok(())
}

/// Adds the patch as a comment to the open change request of the healed branch, for a run that may not push.
/// Returns the result as a message for the user.
pub(crate) async fn comment_with_patch(
    state: &HealState,
    checkout: &Checkout,
    hosted: &Hosted,
    tip: &CommitId,
    context: &StepContext,
) -> Result<String, StepError> {
    let Some(origin) = &state.analysis.origin else { return Ok(String::new()) };
    let base = CommitId::parse(&origin.base_commit).map_err(|error| forge_error(&error))?;
    let clone = checkout.folders.clone_folder();
    let patch = checkout.git.diff(&clone, &base, tip).await.map_err(|error| forge_error(&error))?;
    context.ensure_owner().await?;
    let told = match comment(state, hosted, &patch).await {
        Ok(Some(page)) => format!("the patch is in a comment: {page}"),
        Ok(None) => {
            let word = hosted.host.kind().change_request();
            format!("no {word} is open for the branch that was healed, so the patch is in the report only")
        }
        Err(error) => format!("and no comment could be written: {error}"),
    };
    context.note("commit", told.clone());
    Ok(told)
}

async fn comment(state: &HealState, hosted: &Hosted, patch: &str) -> Result<Option<String>, HostError> {
    let healed = match &state.request.branch {
        Some(branch) => branch.clone(),
        None => hosted.host.default_branch(&hosted.repository).await?,
    };
    let pulls = hosted.host.change_requests(&hosted.repository, &healed).await?;
    let Some(open) = pulls.iter().find(|pull| pull.is_open()) else { return Ok(None) };
    let text = summary::comment(state, patch);
    hosted.host.comment(&hosted.repository, open.number, &text).await.map(Some)
}
