//! Cloning of repositories.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use crate::command::{self, FolderLimit, Invocation, Output};
use crate::error::Operation;
use crate::{ForgeError, Git, RepositoryAddress};

/// Options of a clone: its depth, time limit and branch, and use of the token.
#[derive(Debug, Clone)]
pub struct CloneOptions {
    /// Number of commits of history; `None`: all.
    pub depth: Option<u32>,
    /// Time limit of the clone.
    pub timeout: Duration,
    /// The branch to check out; `None`: the one the repository's `HEAD` names.
    pub branch: Option<String>,
    /// True if the token is not sent: for a repository whose address comes from a third party.
    pub is_anonymous: bool,
}

impl Default for CloneOptions {
    /// The whole history within 10 minutes.
    fn default() -> Self {
        Self { depth: None, timeout: Duration::from_mins(10), branch: None, is_anonymous: false }
    }
}

impl Git {
    /// Clones `address` into the folder `into`, which must not exist or be empty. Either the whole clone is there afterwards or
    /// nothing: it grows next to `into` and is moved there at its end.
    ///
    /// History comes first; the files of the commit that is checked out are summed before they are written.
    ///
    /// Of a folder nothing is run and nothing is shared: objects are copied through git's own transport, not by links. Submodules are not fetched.
    ///
    /// # Errors
    ///
    /// The spec's `REPO_*` codes, see [`ForgeError::code`]; [`ForgeError::BranchMissing`], [`ForgeError::Empty`],
    /// [`ForgeError::TooLarge`], [`ForgeError::TreeTooLarge`], [`ForgeError::TooManyReferences`].
    pub async fn clone(
        &self,
        address: &RepositoryAddress,
        into: &Path,
        options: &CloneOptions,
    ) -> Result<(), ForgeError> {
        check_folder(address)?;
        if let Some(branch) = &options.branch
            && let Some(reason) = crate::branch::fault(branch)
        {
            return Err(ForgeError::InvalidBranch { name: branch.clone(), reason });
        }
        let failed = |source| ForgeError::Io { doing: Operation::Clone, source };
        let into = std::path::absolute(into).map_err(failed)?;
        let parent = into.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(parent).map_err(failed)?;
        // Removed on every way out of here, also when this future is dropped.
        let growing = tempfile::Builder::new().prefix(".clone-").tempdir_in(parent).map_err(failed)?;
        let clone = growing.path().join("clone");

        let limit = FolderLimit { bytes: self.limits.clone_bytes, entries: self.limits.entries };
        let mut invocation = Invocation::new(Operation::Clone, options.timeout)
            .with_remote(address)
            .with_size_limit(growing.path(), limit)
            .args(["clone", "--quiet", "--no-checkout", "--no-local", "--template=", "--no-recurse-submodules"])
            .arg(format!("--upload-pack={}", command::serving("upload-pack")));
        if options.is_anonymous {
            invocation = invocation.without_token();
        }
        if let Some(depth) = options.depth {
            invocation = invocation.arg(format!("--depth={depth}"));
        }
        if let Some(branch) = &options.branch {
            invocation = invocation.arg(format!("--branch={branch}"));
        }
        let output = self.run(invocation.arg("--").arg(address.argument()).arg(&clone)).await?;
        let too_large = || ForgeError::TooLarge { address: address.to_string(), limit: limit.bytes };
        if !output.is_success() {
            return Err(if output.wrote_too_long_a_file() {
                too_large()
            } else {
                clone_error(address, options, &output)
            });
        }
        let Ok(head) = self.head(&clone).await else {
            return Err(ForgeError::Empty { address: address.to_string() });
        };
        let history = command::folder_size(&clone, limit).ok_or_else(too_large)?;
        let files = self.tree_size(&clone, &head).await?.bytes;
        if history.saturating_add(files) > limit.bytes {
            return Err(too_large());
        }
        self.count_references(address, &clone).await?;
        self.check_out(&clone, self.admit(&clone, &head).await?).await?;
        std::fs::rename(&clone, &into).map_err(failed)
    }
}

impl Git {
    /// Refuses a clone with more branches and tags than the limit: every later command would read them all.
    async fn count_references(&self, address: &RepositoryAddress, clone: &Path) -> Result<(), ForgeError> {
        let limit = self.limits.references;
        let mut count = 0;
        let arguments = ["for-each-ref", "--format=", &format!("--count={}", limit.saturating_add(1))];
        let invocation = self.invocation(Operation::Clone).within(clone).args(arguments);
        // One line each, which is empty.
        let mut add = |piece: &[u8]| {
            count += u64::try_from(piece.len()).unwrap_or(u64::MAX);
            ControlFlow::Continue(())
        };
        self.surroundings.stream(invocation, &mut add).await?.bytes()?;
        if count > limit {
            return Err(ForgeError::TooManyReferences { address: address.to_string(), limit });
        }
        Ok(())
    }
}

/// Checks that a local repository exists, before git runs: a folder that is not a repository gets another error than one that git
/// cannot read.
fn check_folder(address: &RepositoryAddress) -> Result<(), ForgeError> {
    let Some(path) = address.path() else { return Ok(()) };
    if !path.is_dir() {
        return Err(ForgeError::NotFound { address: address.to_string() });
    }
    let is_bare = path.join("HEAD").is_file() && path.join("objects").is_dir();
    if is_bare || path.join(".git").exists() {
        Ok(())
    } else {
        Err(ForgeError::NotARepository { path: path.to_owned() })
    }
}

fn clone_error(address: &RepositoryAddress, options: &CloneOptions, output: &Output) -> ForgeError {
    if let Some(branch) = &options.branch
        && output.stderr.contains(&format!("Remote branch {branch} not found"))
    {
        return ForgeError::BranchMissing { address: address.to_string(), branch: branch.clone() };
    }
    remote_error(address, output)
}

/// Returns the error that git's output about a remote repository means. (`LC_ALL=C.UTF-8` keeps its messages English.)
pub(crate) fn remote_error(address: &RepositoryAddress, output: &Output) -> ForgeError {
    const DENIED: &[&str] = &[
        "Authentication failed",
        "could not read Username",
        "could not read Password",
        "unable to read askpass response",
        "error: 401",
        "error: 403",
        "Permission denied",
        "Permission to ",
        "access denied",
    ];
    const ABSENT: &[&str] = &["not found", "does not exist", "does not appear to be a git repository", "error: 404"];
    let said = |phrases: &[&str]| phrases.iter().any(|phrase| output.stderr.contains(phrase));
    let reason = output.reason();
    let address = address.to_string();
    if let Some(full) = output.disk_full() {
        full
    } else if said(DENIED) {
        ForgeError::AccessDenied { address, reason }
    } else if said(ABSENT) {
        ForgeError::NotFound { address }
    } else {
        ForgeError::CloneFailed { address, reason }
    }
}
