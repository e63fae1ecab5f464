//! Uncommitted changes in the user's working tree.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Operation;
use crate::{CommitId, CommitRequest, ForgeError, Git, inside};

/// A file that differs from the commit that is checked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UncommittedChange {
    /// Path of the file in the repository.
    pub path: String,
    /// True if the file was deleted.
    pub is_deleted: bool,
}

impl Git {
    /// Returns the differences between the folder `checkout` and the commit checked out in `clone`, a fresh clone of it: changed,
    /// deleted and new files, without those that git ignores.
    ///
    /// The folder's own git configuration is not used, since its filters and monitors would be run.
    ///
    /// # Errors
    ///
    /// See [`ForgeError`].
    pub async fn uncommitted_changes(
        &self,
        checkout: &Path,
        clone: &Path,
    ) -> Result<Vec<UncommittedChange>, ForgeError> {
        let failed = |source| ForgeError::Io { doing: Operation::Uncommitted, source };
        let index = tempfile::tempdir_in(&self.surroundings.home).map_err(failed)?;
        let index_file = index.path().join("index");
        let mut excludes = std::ffi::OsString::from("core.excludesFile=");
        excludes.push(checkout.join(".git/info/exclude"));
        let command = || {
            let invocation = self.invocation(Operation::Uncommitted).within(clone).with_work_tree(checkout);
            invocation.with_environment("GIT_INDEX_FILE", &index_file).arg("-c").arg(&excludes)
        };
        let head = self.head(clone).await?;
        self.read_tree(command(), self.admit(clone, &head).await?).await?;
        let arguments =
            ["status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all", "--ignore-submodules=all"];
        let bytes = self.run(command().args(arguments)).await?.bytes()?;
        let text = String::from_utf8_lossy(&bytes);
        // `XY path`; a path with a slash at its end is a repository in the repository, which is not a change of this one.
        let entries = text.split('\0').filter(|entry| entry.len() > 3 && !entry.ends_with('/'));
        Ok(entries
            .map(|entry| UncommittedChange { path: entry[3..].to_owned(), is_deleted: entry.as_bytes()[1] == b'D' })
            .collect())
    }

    /// Returns whether [`Git::uncommitted_changes`] finds any changes.
    ///
    /// # Errors
    ///
    /// See [`ForgeError`].
    pub async fn is_dirty(&self, checkout: &Path, clone: &Path) -> Result<bool, ForgeError> {
        Ok(!self.uncommitted_changes(checkout, clone).await?.is_empty())
    }

    /// Makes the files of `clone`, a fresh clone of `checkout`, as they are in `checkout`, and says which were changed.
    ///
    /// # Errors
    ///
    /// [`ForgeError::OutsideTree`] for a symbolic link that leads out of the repository.
    pub async fn copy_uncommitted(&self, checkout: &Path, clone: &Path) -> Result<Vec<UncommittedChange>, ForgeError> {
        let changes = self.uncommitted_changes(checkout, clone).await?;
        for change in &changes {
            copy(checkout, clone, change)?;
        }
        Ok(changes)
    }

    /// Copies the uncommitted changes of `checkout` to `clone`, a fresh clone of it, as a commit on top of the one that is
    /// checked out there; `None`: nothing is uncommitted. Modes and symbolic links are kept. `request`: everything but the files.
    ///
    /// # Errors
    ///
    /// [`ForgeError::OutsideTree`] for a symbolic link that leads out of the repository.
    pub async fn commit_uncommitted(
        &self,
        checkout: &Path,
        clone: &Path,
        request: &CommitRequest,
    ) -> Result<Option<CommitId>, ForgeError> {
        let changes = self.copy_uncommitted(checkout, clone).await?;
        if changes.is_empty() {
            return Ok(None);
        }
        let failed = |source| ForgeError::Io { doing: Operation::Uncommitted, source };
        let index = tempfile::tempdir_in(&self.surroundings.home).map_err(failed)?;
        let index_file = index.path().join("index");
        let command =
            || self.invocation(Operation::Uncommitted).within(clone).with_environment("GIT_INDEX_FILE", &index_file);
        let paths: String = changes.iter().flat_map(|change| [change.path.as_str(), "\0"]).collect();
        let head = self.head(clone).await?;
        self.read_tree(command(), self.admit(clone, &head).await?).await?;
        let arguments = ["update-index", "-z", "--add", "--remove", "--replace", "--stdin"];
        self.run(command().with_stdin(paths).args(arguments)).await?.bytes()?;
        self.commit_index(clone, &head, &index_file, request).await.map(Some)
    }
}

fn copy(checkout: &Path, clone: &Path, change: &UncommittedChange) -> Result<(), ForgeError> {
    let failed = |source| ForgeError::Io { doing: Operation::Uncommitted, source };
    let from = checkout.join(&change.path);
    // The existing entry of the clone is removed first, so that a link there is replaced, never followed.
    let to = clone.join(&change.path);
    let parent = Path::new(&change.path).parent().and_then(Path::to_str).unwrap_or_default();
    if !parent.is_empty() {
        inside(checkout, parent)?;
        clear_way(clone, parent).map_err(failed)?;
    }
    inside(clone, &change.path).or_else(|error| if to.is_symlink() { Ok(to.clone()) } else { Err(error) })?;
    match to.symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => fs::remove_dir_all(&to).map_err(failed)?,
        Ok(_) => fs::remove_file(&to).map_err(failed)?,
        Err(_) => {}
    }
    if change.is_deleted {
        return Ok(());
    }
    if from.is_symlink() {
        let target = fs::read_link(&from).map_err(failed)?;
        if leaves_tree(Path::new(&change.path), &target) {
            return Err(ForgeError::OutsideTree { path: PathBuf::from(&change.path) });
        }
        return std::os::unix::fs::symlink(target, &to).map_err(failed);
    }
    fs::copy(&from, &to).map(drop).map_err(failed)
}

/// Creates the folders of `parent` in the clone; obstacles (a file or link that became a folder) are removed.
fn clear_way(clone: &Path, parent: &str) -> std::io::Result<()> {
    let mut folder = clone.to_owned();
    for part in Path::new(parent).components() {
        folder.push(part);
        if folder.symlink_metadata().is_ok_and(|metadata| !metadata.is_dir()) {
            fs::remove_file(&folder)?;
        }
        if !folder.exists() {
            fs::create_dir(&folder)?;
        }
    }
    Ok(())
}

/// Returns whether a link at `path` to `target` leads out of the repository, judged by the paths alone.
fn leaves_tree(path: &Path, target: &Path) -> bool {
    use std::path::Component;
    let mut depth = path.components().count().saturating_sub(1);
    for component in target.components() {
        match component {
            Component::Normal(part) if part.eq_ignore_ascii_case(".git") => return true,
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return true,
        }
    }
    false
}
