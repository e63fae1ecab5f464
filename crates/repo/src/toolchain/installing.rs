//! Installing dependencies: the one kind of command that has a network, and the folders that keep what it made.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use autoheal_engine::ErrorCode;
use autoheal_engine::workflow::StepError;
use autoheal_forge::CommitId;
use autoheal_sandbox::{Command, Mount, Network, Outcome, SandboxKind, Workspace, WorkspaceSpec};

use super::Search;
use crate::caches::{Cache, InUse, Installing, Room, evict, hash_of};
use crate::repo_config::FILE;
use crate::repo_config::Version;
use crate::session::output_record;
use crate::setup::Interpreter;
use crate::state::HealState;
use crate::step_error::{disk, forge_error, ran, sandbox_error};
use crate::workspace;

/// Finding out whether an interpreter works may take this long.
const CHECK_TIME: Duration = Duration::from_mins(1);

/// Runs a candidate to find out its version, the first word of `--version` with a number in front (`v20.1.0`, `cargo 1.95.0 (f2d3ce0bd)`);
/// `None`: it does not run, or says no version.
pub(crate) async fn version(
    candidate: &Interpreter,
    search: Search<'_>,
    state: &HealState,
) -> Result<Option<(u8, u8)>, StepError> {
    let setup = search.setup.with_interpreter(candidate.clone());
    let spec = workspace::spec(search.context.run, &search.checkout.folders, &setup);
    let mut workspace = search.settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let program = candidate.program.display().to_string();
    let command =
        Command { limits: state.request.limits.within(CHECK_TIME), ..Command::new([program, "--version".to_owned()]) };
    let outcome = ran(workspace.run(&command).await)?;
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    let said = String::from_utf8_lossy(&outcome.stdout);
    Ok(said.split_whitespace().find_map(major_and_minor).filter(|_| outcome.end.is_success()))
}

fn major_and_minor(word: &str) -> Option<(u8, u8)> {
    let mut numbers = word.trim_start_matches('v').split('.');
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

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
    let outcome = ran(workspace.run(&command).await)?;
    search.context.record(output_record(search.context, words, &outcome));
    Ok(outcome)
}

/// Runs a command of ours that asks the registries.
pub(crate) async fn ask_registries(
    search: Search<'_>,
    state: &HealState,
    words: Vec<String>,
) -> Result<Outcome, StepError> {
    let Search { setup, checkout, settings, context, .. } = search;
    let spec = workspace::spec(context.run, &checkout.folders, setup);
    let mut workspace = settings.sandbox.open(spec).await.map_err(|error| sandbox_error(&error))?;
    let outcome = run(&mut *workspace, &words, "", search, state).await?;
    workspace.close().await.map_err(|error| sandbox_error(&error))?;
    Ok(outcome)
}

/// Returns the time before which versions that no lock file holds were resolved too long ago for a run. The same for the whole run, so that
/// nothing changes in its middle.
pub(crate) fn resolved_since(search: Search<'_>, state: &HealState) -> SystemTime {
    let usual = state.started_at.minus(search.settings.caches.resolved);
    let since = state.drift.resolved_since.map_or(usual, |later| later.max(usual));
    SystemTime::UNIX_EPOCH + Duration::from_millis(u64::try_from(since.as_millis()).unwrap_or_default())
}

/// Takes an installation as complete, and makes room for it.
pub(crate) async fn complete(installing: Installing, search: Search<'_>) -> Result<PathBuf, StepError> {
    let folder = installing.complete().await?;
    let (data_dir, limits) = (search.settings.data_dir.clone(), search.settings.caches);
    if let Ok(Err(error)) = tokio::task::spawn_blocking(move || evict(&data_dir, &limits)).await {
        search.context.note("warning", format!("installations that are not used cannot be removed: {error}"));
    }
    Ok(folder)
}

/// The code for an installation that failed: what is installed into a container is a layer of it.
pub(crate) const fn failure(kind: SandboxKind) -> ErrorCode {
    match kind {
        SandboxKind::Docker => ErrorCode::DockerBuildFailed,
        SandboxKind::Bubblewrap | SandboxKind::None => ErrorCode::TestExecutionFailed,
    }
}

/// Runs that may use an installation: later runs of the same repository on commits that are trusted as much.
pub(crate) struct Scope {
    /// The sandbox, the repository, and its default branch or the one commit.
    owner: Vec<String>,
    /// Hash of the tree with the accepted fixes: code of the repository that runs while packages are
    /// installed may be any part of it.
    code: String,
}

impl Scope {
    /// Returns the scope of the commit that the run began at. A commit outside the default branch may not have been reviewed: packages
    /// that it installs are used for that commit alone.
    pub(crate) async fn of(search: Search<'_>, state: &HealState) -> Result<Self, StepError> {
        let Search { checkout, settings, .. } = search;
        let clone = checkout.folders.clone_folder();
        let start = state.analysis.origin.as_ref().map(|origin| origin.start_commit.as_str()).unwrap_or_default();
        let start = CommitId::parse(start).map_err(|error| forge_error(&error))?;
        let is_trusted = checkout.git.is_on_default_branch(&clone, &checkout.address, &start).await;
        let is_trusted = is_trusted.map_err(|error| forge_error(&error))?;
        let tree = checkout.git.tree_hash(&clone, &start).await.map_err(|error| forge_error(&error))?;
        let fixes = state.fixes.accepted.iter().flat_map(|fix| &fix.files);
        let fixes = fixes.flat_map(|file| [file.file.as_bytes(), file.text.as_bytes()]);
        let trust = if is_trusted { "the default branch".to_owned() } else { start.as_str().to_owned() };
        Ok(Self {
            owner: vec![settings.sandbox.kind().to_string(), checkout.address.to_string(), trust],
            code: hash_of(std::iter::once(tree.as_bytes()).chain(fixes)),
        })
    }

    /// The place for what is installed. `runs_code`: whether code of the repository runs while it is.
    pub(crate) fn cache(&self, search: Search<'_>, room: Room, content: Vec<String>, runs_code: bool) -> Cache {
        let code = if runs_code { self.code.clone() } else { String::new() };
        let parts: Vec<String> = self.owner.iter().cloned().chain([code]).chain(content).collect();
        Cache::new(&search.settings.data_dir, room, &parts, search.settings.sandbox.kind())
    }

    /// Shows the folder in which package managers keep what they fetched, at the same path. What is returned keeps it.
    pub(crate) fn show_downloads(
        &self,
        spec: &mut WorkspaceSpec,
        variable: &str,
        search: Search<'_>,
    ) -> Result<Option<InUse>, StepError> {
        let cache = self.cache(search, Room::Downloads, vec![variable.to_owned()], false);
        let (folder, in_use) = cache.downloads().map_err(|error| disk("making the folder for downloads", &error))?;
        spec.environment.insert(variable.to_owned(), folder.display().to_string());
        spec.mounts.push(Mount { host: folder.clone(), inside: folder, writable: true });
        Ok(in_use)
    }
}

/// Returns the message for a version that the repository requires and that is not on this machine. `others`:
/// the versions that are.
pub(crate) fn not_here(language: &str, wanted: Version, others: &[(u8, u8)]) -> String {
    let others: BTreeSet<String> = others.iter().map(|(major, minor)| format!("{major}.{minor}")).collect();
    let others = Vec::from_iter(others).join(", ");
    let here = if others.is_empty() { "none is".to_owned() } else { format!("{others} is") };
    format!("{FILE} asks for {language} {wanted}, and {here} here: install it, or change the file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_begin_with_two_numbers() {
        let version = |said: &str| said.split_whitespace().find_map(major_and_minor);
        assert_eq!(version("v20.20.2\n"), Some((20, 20)));
        assert_eq!(version("cargo 1.95.0 (f2d3ce0bd 2026-03-21)\n"), Some((1, 95)));
        assert_eq!(version("not found\n"), None);
    }
}
