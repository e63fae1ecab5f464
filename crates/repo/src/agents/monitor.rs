//! The CI monitor: verifies the branch where it was pushed. Today that is `local`: the branch cloned fresh, its tests run in
//! a fresh sandbox, nothing shared with the place in which the fixes were found.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use autoheal_engine::RunId;
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_forge::{BranchName, CloneOptions, CommitId, Git};
use autoheal_sandbox::Sandbox;

use crate::checkout::{Checkout, forge_error};
use crate::look::Look;
use crate::request::CiMode;
use crate::session::{Scope, Session, disk};
use crate::setup::Setup;
use crate::state::{Delivered, HealState};
use crate::stop_reason::StopReason;

/// Verifies what `commit` delivered, and decides whether another round follows.
pub(crate) async fn run(
    state: &mut HealState,
    checkout: &Checkout,
    sandbox: &Arc<dyn Sandbox>,
    context: &StepContext,
) -> Result<(), StepError> {
    let (Some(delivered), Some(setup)) = (state.delivered.clone(), state.setup.clone()) else { return Ok(()) };
    match state.request.ci {
        CiMode::None => {
            state.close_round(false, state.log.current().count(), context.now());
            state.stop_with(StopReason::NoCiRun);
            return Ok(());
        }
        CiMode::Auto | CiMode::Local => {}
    }
    let look = verify(state, &delivered, setup, checkout, sandbox, context).await?;
    let failures = look.keys().len();
    state.conclude_round(look, context.now());
    let green = state.stop == Some(StopReason::Green);
    context.note("verdict", if green { "green".to_owned() } else { format!("red: {failures} failures left") });
    Ok(())
}

async fn verify(
    state: &HealState,
    delivered: &Delivered,
    setup: Setup,
    checkout: &Checkout,
    sandbox: &Arc<dyn Sandbox>,
    context: &StepContext,
) -> Result<Look, StepError> {
    context.progress("running the tests on a fresh clone of the branch");
    let place = Checkout {
        git: Arc::clone(&checkout.git),
        address: checkout.address.clone(),
        folders: checkout.folders.for_monitor(),
    };
    remove(&place)?;
    let commit = CommitId::parse(&delivered.commit).map_err(|error| forge_error(&error))?;
    let source = if delivered.pushed { fresh_clone(state, &place).await? } else { checkout.folders.clone_folder() };
    checkout.git.export(&source, &commit, &place.folders.tree()).await.map_err(|error| forge_error(&error))?;
    let look = look_at(context.run, &place, setup, state, sandbox, context).await;
    remove(&place)?;
    look
}

async fn fresh_clone(state: &HealState, place: &Checkout) -> Result<std::path::PathBuf, StepError> {
    let clone = place.folders.clone_folder();
    let branch = state.origin.as_ref().map(|origin| BranchName::parse(&origin.branch));
    let branch = branch.transpose().map_err(|error| forge_error(&error))?.map(|branch| branch.to_string());
    let options = CloneOptions { branch, depth: Some(1), ..CloneOptions::default() };
    Git::clone(&place.git, &place.address, &clone, &options).await.map_err(|error| forge_error(&error))?;
    Ok(clone)
}

async fn look_at(
    run: RunId,
    place: &Checkout,
    setup: Setup,
    state: &HealState,
    sandbox: &Arc<dyn Sandbox>,
    context: &StepContext,
) -> Result<Look, StepError> {
    let limits = state.request.limits;
    let mut session = Session::open(run, place.folders.clone(), setup, limits, sandbox).await?;
    let look = session.look(&Scope::All, Duration::from_secs(limits.test_seconds), context).await;
    session.close().await?;
    look
}

fn remove(place: &Checkout) -> Result<(), StepError> {
    match fs::remove_dir_all(place.folders.root()) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(disk("removing the monitor's folder", &error))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}
