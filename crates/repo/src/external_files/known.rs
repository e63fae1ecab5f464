//! Files of a tree that its commit does not contain, as far as they are known.

use std::collections::{BTreeMap, BTreeSet};

use autoheal_engine::ErrorCode;
use autoheal_engine::diagnostics::{Finding, Key};
use autoheal_engine::workflow::StepError;
use serde::{Deserialize, Serialize};

/// First line of the pointer that replaces an LFS file (the specification of Git LFS, "The Pointer").
pub(super) const POINTER: &str = "version https://git-lfs.github.com/spec/v1\n";

/// Maximum number of files that a warning names.
const NAMED: usize = 3;

/// Submodules, files of Git LFS and ignored files: those that a tree has in addition to the files of its commit, and those that it lacks.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExternalFiles {
    /// Folders of submodules and files of LFS: nothing there is this repository's to change.
    pub foreign: BTreeSet<String>,
    /// Submodules that are not there, with the reason.
    pub missing_submodules: BTreeMap<String, String>,
    /// Files of LFS of which only the pointer is there.
    pub missing_files: BTreeSet<String>,
    /// Files that git ignores and that are not there, with the failures that name them.
    pub ignored_files: BTreeMap<String, BTreeSet<Key>>,
}

impl ExternalFiles {
    /// Returns whether a file belongs to another repository, or is not kept in this one.
    pub(crate) fn is_foreign(&self, file: &str) -> bool {
        let folders = file.match_indices('/').map(|(at, _)| &file[..at]);
        folders.chain([file]).any(|path| self.foreign.contains(path))
    }

    /// Returns whether a failure names a file that git ignores and that is not there, or one of which only the pointer is there. Such a failure
    /// is not a fault of the program, and a change that makes its test pass does not repair it.
    pub(crate) fn are_lacked_by(&self, finding: &Finding) -> bool {
        let told = [Some(finding.message.as_str()), finding.stack.as_deref()];
        let is_told = |what: &str| told.iter().flatten().any(|text| text.contains(what));
        let is_named = |path: &String| is_told(path.rsplit('/').next().unwrap_or(path));
        if self.ignored_files.values().any(|keys| keys.contains(&finding.key())) {
            return true;
        }
        !self.missing_files.is_empty() && (is_told(POINTER.trim_end()) || self.missing_files.iter().any(is_named))
    }

    /// Returns the warnings for the user about missing files.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let submodules = self.missing_submodules.iter();
        let mut warnings: Vec<String> = submodules
            .map(|(path, why)| format!("the submodule {path} is missing, and what needs it fails: {why}"))
            .collect();
        if !self.missing_files.is_empty() {
            let named = self.missing_files.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
            warnings.push(format!(
                "{} files are kept by Git LFS and not here, and what needs them fails: {named}; heal a checkout that has them (`git lfs pull`)",
                self.missing_files.len()
            ));
        }
        warnings
    }

    /// Refuses a tree that lacks what was there before.
    pub(crate) fn ensure_like(&self, before: &Self) -> Result<(), StepError> {
        let lost = self.missing_submodules.keys().find(|path| !before.missing_submodules.contains_key(*path));
        let lost = lost.or_else(|| self.missing_files.difference(&before.missing_files).next());
        match lost {
            None => Ok(()),
            Some(path) => Err(StepError::Passing {
                code: ErrorCode::RepoCloneFailed,
                message: format!("{path} was there before, and cannot be had now"),
            }),
        }
    }
}
