//! Installing dependencies: the one kind of command that has a network, and the folders that keep what it made.

use std::fs;
use std::path::Path;
use std::time::Duration;

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::{Command, Network, Outcome, SandboxKind, Workspace};
use sha2::{Digest as _, Sha256};

use super::Search;
use crate::session::{output_record, sandbox_error};
use crate::state::HealState;

/// Written into a folder when everything is installed in it.
pub(crate) const COMPLETE: &str = "autoheal-complete";

/// Runs one command that installs, in `directory` of the tree.
pub(crate) async fn run(
    workspace: &mut dyn Workspace,
    words: &[String],
    directory: &str,
    search: Search<'_>,
    state: &HealState,
) -> Result<Outcome, StepError> {
    search.context.progress(words.join(" "));
    let command = Command {
        directory: search.checkout.folders.tree().join(directory),
        limits: state.request.limits.within(Duration::from_secs(state.request.limits.install_seconds)),
        network: Network::Registries(search.settings.registries.clone()),
        ..Command::new(words.to_vec())
    };
    let outcome = workspace.run(&command).await.map_err(|error| sandbox_error(&error))?;
    search.context.record(output_record(search.context, words, &outcome));
    Ok(outcome)
}

/// The code for an installation that failed: what is installed into a container is a layer of it.
pub(crate) const fn failure(kind: SandboxKind) -> ErrorCode {
    match kind {
        SandboxKind::Docker => ErrorCode::DockerBuildFailed,
        SandboxKind::Bubblewrap | SandboxKind::None => ErrorCode::TestExecutionFailed,
    }
}

/// The name of the folder for what `parts` say: equal names need no new installation.
pub(crate) fn key(parts: &[String]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    crate::tree::hexadecimal(&hasher.finalize())
}

/// Makes an empty folder, whatever was there.
pub(crate) fn recreate(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    fs::create_dir_all(folder)
}
