//! The clone and the tree of a run on this machine, and how to make them again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use autoheal_engine::workflow::StepError;
use autoheal_forge::{CloneOptions, CommitId, CommitRequest, Git, Identity, RepositoryAddress};
use autoheal_sandbox::untrusted::clear;

use crate::commit_message::{BOUND, LIFT, REVERT, StatedBound, commit_message, revert_message};
use crate::external_files::{self, ExternalFiles};
use crate::folders::{Folders, is_there};
use crate::state::{AcceptedFix, Fixes, HealState};
use crate::step_error::{disk, forge_error};
use crate::tree;

/// Origin of the clone, and its folders on this machine.
pub(crate) struct Checkout {
    pub(crate) git: Arc<Git>,
    pub(crate) address: RepositoryAddress,
    pub(crate) folders: Folders,
}

/// The default branch of a repository, beside the branch that is healed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DefaultBranch {
    /// It is the one that is healed.
    Healed,
    /// It is another one, at this commit.
    Other(CommitId),
    /// The origin of the clone does not say.
    Unknown,
}

impl Checkout {
    /// Determines whether the default branch is the one to heal. Uncommitted changes that are included belong to the branch
    /// that is checked out.
    pub(crate) async fn default_branch(&self) -> Result<DefaultBranch, StepError> {
        let clone = self.folders.clone_folder();
        let head = self.git.head(&clone).await.map_err(|error| forge_error(&error))?;
        let default = self.git.default_commit(&clone, &self.address).await.map_err(|error| forge_error(&error))?;
        Ok(match default {
            Some(default) if default == head => DefaultBranch::Healed,
            Some(default) => DefaultBranch::Other(default),
            None => DefaultBranch::Unknown,
        })
    }

    /// Clones, unless that was done before; the commit that the clone stands on. With `include_uncommitted` that is a commit
    /// of ours over the cloned one, the same each time while the checkout does not change.
    pub(crate) async fn clone_repository(&self, state: &HealState) -> Result<CommitId, StepError> {
        let clone = self.folders.clone_folder();
        if !is_there(&clone) {
            // Spelled out: `Arc` has a `clone` of its own.
            let options = CloneOptions { branch: state.request.branch.clone(), ..CloneOptions::default() };
            Git::clone(&self.git, &self.address, &clone, &options).await.map_err(|error| forge_error(&error))?;
        }
        let head = self.git.head(&clone).await.map_err(|error| forge_error(&error))?;
        let Some(path) = self.address.path().filter(|_| state.request.include_uncommitted) else { return Ok(head) };
        let request = CommitRequest {
            files: BTreeMap::new(),
            message: "[AI-AGENT] Take the uncommitted changes of the checkout along".to_owned(),
            author: Identity::default(),
            at: state.started_at,
        };
        let taken = self.git.commit_uncommitted(path, &clone, &request).await.map_err(|error| forge_error(&error))?;
        Ok(taken.unwrap_or(head))
    }

    /// Writes the files of a commit of `clone`, with what it names and does not hold.
    pub(crate) async fn export(
        &self,
        clone: &Path,
        commit: &CommitId,
        into: &Path,
    ) -> Result<ExternalFiles, StepError> {
        self.git.export(clone, commit, into).await.map_err(|error| forge_error(&error))?;
        let origin = external_files::Origin { git: &self.git, address: &self.address, folder: self.folders.root() };
        external_files::complete(origin, clone, commit, into).await
    }

    /// Writes the tree: the start commit with the accepted fixes over it, and nothing else but what the commit names and does not hold.
    pub(crate) async fn write_tree(&self, fixes: &Fixes, start: &CommitId) -> Result<ExternalFiles, StepError> {
        let tree = self.folders.tree();
        clear(&tree).map_err(|error| disk("removing an old tree", &error))?;
        let external = self.export(&self.folders.clone_folder(), start, &tree).await?;
        for fix in &fixes.accepted {
            tree::write(&tree, &fix.files).map_err(|error| disk("writing an accepted fix", &error))?;
        }
        Ok(external)
    }

    /// Writes the tree of the commit before the base, if there is one: what was wrong there already is not what broke.
    pub(crate) async fn write_before(&self, base: &CommitId) -> Result<(), StepError> {
        let clone = self.folders.clone_folder();
        let parent = self.git.parent(&clone, base).await.map_err(|error| forge_error(&error))?;
        if let Some(parent) = parent {
            clear(&self.folders.before()).map_err(|error| disk("removing an old tree", &error))?;
            self.export(&clone, &parent, &self.folders.before()).await?;
        }
        Ok(())
    }

    /// Commits the first `count` accepted fixes on top of the start commit in the clone, one commit each, and returns the last commit.
    /// The commits have the dates of the fixes, so that a repetition gives the same commits. They belong to no branch, so that only this
    /// run sees them.
    pub(crate) async fn commit_fixes(
        &self,
        state: &HealState,
        start: &CommitId,
        count: usize,
    ) -> Result<CommitId, StepError> {
        let (clone, author) = (self.folders.clone_folder(), state.request.overrides.author.clone().unwrap_or_default());
        let mut tip = start.clone();
        for fix in state.fixes.accepted.iter().take(count) {
            let request = fix_commit(fix, state, &author);
            tip = self.git.commit_on(&clone, &tip, &request).await.map_err(|error| forge_error(&error))?;
        }
        Ok(tip)
    }

    /// Makes clone and tree as the state says, for a run that another process or machine began.
    pub(crate) async fn restore(&self, state: &HealState) -> Result<(), StepError> {
        let Some(origin) = &state.analysis.origin else { return Ok(()) };
        self.clone_repository(state).await?;
        let start = CommitId::parse(&origin.start_commit).map_err(|error| forge_error(&error))?;
        let branch = autoheal_forge::BranchName::parse(&origin.branch).map_err(|error| forge_error(&error))?;
        if origin.remote_tip.is_some() {
            let clone = self.folders.clone_folder();
            self.git.fetch_branch(&clone, &self.address, &branch).await.map_err(|error| forge_error(&error))?;
        }
        if state.diagnosis.baseline.is_none() {
            let base = CommitId::parse(&origin.base_commit).map_err(|error| forge_error(&error))?;
            self.write_before(&base).await?;
        }
        if let Some(delivered) = &state.delivery.branch {
            self.commit_fixes(state, &start, delivered.accepted).await?;
        }
        let external = self.write_tree(&state.fixes, &start).await?;
        state.analysis.setup.as_ref().map_or(Ok(()), |setup| external.ensure_like(&setup.external_files))
    }
}

/// Adds the reason of a bound to its message, which cannot be seen in the change alone, and what a later run has to know to lift it.
fn with_reason(fix: &AcceptedFix, state: &HealState, message: String) -> String {
    let AcceptedFix { fixer, description, .. } = fix;
    match fixer.as_str() {
        BOUND => {
            let trailers: Vec<String> = state.drift.stated_bounds().iter().map(StatedBound::trailer).collect();
            format!("{message}\n\n{description}\n\n{}", trailers.join("\n"))
        }
        LIFT => format!("{message}\n\n{description}"),
        _ => message,
    }
}

fn fix_commit(fix: &AcceptedFix, state: &HealState, author: &Identity) -> CommitRequest {
    let files: BTreeMap<String, Option<Vec<u8>>> =
        fix.files.iter().map(|file| (file.file.clone(), Some(file.text.clone().into_bytes()))).collect();
    CommitRequest {
        files,
        message: if fix.fixer == REVERT {
            revert_message(fix.category, &fix.file, fix.line)
        } else {
            with_reason(fix, state, commit_message(fix.category, &fix.file, fix.line))
        },
        author: author.clone(),
        at: fix.at,
    }
}
