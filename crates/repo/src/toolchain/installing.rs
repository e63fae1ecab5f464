//! Installing dependencies: the one kind of command that has a network, and the folders that keep what it made.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::StepError;
use autoheal_sandbox::{Command, Network, Outcome, SandboxKind, Workspace};
use sha2::{Digest as _, Sha256};

use super::Search;
use crate::own_settings::FILE;
use crate::session::{output_record, sandbox_error};
use crate::state::HealState;
use crate::wanted::Version;

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

/// What a person is told when the version that the repository asks for is not on this machine. `others`: those that are.
pub(crate) fn not_here(language: &str, wanted: Version, others: &[(u8, u8)]) -> String {
    let others: BTreeSet<String> = others.iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
    let others = Vec::from_iter(others).join(", ");
    let here = if others.is_empty() { "none is".to_owned() } else { format!("{others} is") };
    format!("{FILE} asks for {language} {wanted}, and {here} here: install it, or change the file")
}

/// Makes an empty folder, whatever was there.
pub(crate) fn recreate(folder: &Path) -> std::io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    fs::create_dir_all(folder)
}
