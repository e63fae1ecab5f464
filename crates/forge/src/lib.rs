//! Git, and the services that host its repositories.
//!
//! Git is the `git` program. One module starts it, without the configuration of the user and of the machine, and nothing
//! that a repository brings is run. Addresses, branch names and commits are types: an address prints no credential, a
//! [`BranchName`] cannot be `main` or `master`, and a token reaches git through the environment, for one origin.
//!
//! A clone's `.git` folder is trusted, so a command that a repository controls must never be able to write it: give such
//! commands a folder written by [`Git::export`].
//!
//! # Layout
//!
//! - [`address`]: repository addresses, and URLs that mask credentials
//! - [`branch`]: names of branches that may be written
//! - [`commit`]: commits and requests for new ones
//! - [`error`]: errors, with the spec's code for each
//! - [`host`]: hosts of repositories, behind the trait [`host::CodeHost`]
//! - [`github`]: the API of GitHub and GitHub Enterprise
//! - [`gitlab`]: the API of GitLab
//! - [`limits`]: size limits for repositories
//! - `site`: addresses of a host, and names of repositories there
//! - `command`: the one place that starts git
//! - `clone`, `history`, `remote`, `submodule`, `uncommitted`: operations of [`Git`]
//!
//! # Example
//!
//! ```no_run
//! # async fn example() -> Result<(), autoheal_forge::ForgeError> {
//! use autoheal_forge::{CloneOptions, Git, GitSettings, RepositoryAddress};
//!
//! let git = Git::new(GitSettings::default())?;
//! let address = RepositoryAddress::parse("https://github.com/owner/repo")?;
//! let folder = std::path::Path::new("/tmp/repo");
//! git.clone(&address, folder, &CloneOptions::default()).await?;
//! let head = git.head(folder).await?;
//! # Ok(()) }
//! ```

pub mod address;
pub mod branch;
pub mod commit;
pub mod error;
pub mod github;
pub mod gitlab;
pub mod host;
pub mod limits;

mod clone;
mod command;
mod history;
mod remote;
mod site;
mod submodule;
mod uncommitted;

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use autoheal_process::OwnedFolder;
use secrecy::SecretString;
use url::Url;

pub use address::{RepositoryAddress, SafeUrl};
pub use branch::BranchName;
pub use clone::CloneOptions;
pub use commit::{CommitId, CommitInfo, CommitRequest, Identity};
pub use error::{ForgeError, Operation, Surplus};
pub use limits::SizeLimits;
pub use remote::Pushed;
pub use submodule::Submodule;
pub use uncommitted::UncommittedChange;

use command::{Invocation, Surroundings};

/// Settings of a [`Git`].
#[derive(Debug)]
pub struct GitSettings {
    /// Time limit of one command; a clone has its own.
    pub timeout: Duration,
    /// Tokens, and where each of them may go.
    pub tokens: Vec<HostToken>,
    /// Limits on the size of repositories.
    pub limits: SizeLimits,
}

/// A token and the one origin that may see it.
#[derive(Debug, Clone)]
pub struct HostToken {
    origin: String,
    /// The name that goes with it.
    user: &'static str,
    secret: SecretString,
}

impl HostToken {
    /// A token for repositories below `web` ([`host::HostSite::web`]): the same scheme, host and port, nothing else.
    pub fn new(web: &Url, user: &'static str, secret: SecretString) -> Self {
        Self { origin: web.origin().ascii_serialization(), user, secret }
    }
}

impl Default for GitSettings {
    /// Two minutes, no token, the default limits.
    fn default() -> Self {
        Self { timeout: Duration::from_mins(2), tokens: Vec::new(), limits: SizeLimits::default() }
    }
}

/// Runner of git commands, with size limits for repositories and time limits for commands.
#[derive(Debug)]
pub struct Git {
    surroundings: Surroundings,
    timeout: Duration,
    limits: SizeLimits,
    /// Commits whose trees were found to be within the limits.
    admitted: Mutex<BTreeSet<CommitId>>,
    /// Holds the empty home and the answering script; removed with this value.
    _folder: OwnedFolder,
}

impl Git {
    /// Makes the private folder that git takes for the user's home.
    ///
    /// # Errors
    ///
    /// [`ForgeError::Io`] when there is no place for temporary files.
    pub fn new(settings: GitSettings) -> Result<Self, ForgeError> {
        let failed = |source| ForgeError::Io { doing: Operation::Prepare, source };
        let folder = OwnedFolder::new("autoheal-git").map_err(failed)?;
        let home = folder.path().join("home");
        let askpass = folder.path().join("askpass");
        std::fs::create_dir(&home).map_err(failed)?;
        std::fs::write(&askpass, command::ASKPASS).map_err(failed)?;
        std::fs::set_permissions(&askpass, std::fs::Permissions::from_mode(0o700)).map_err(failed)?;
        let GitSettings { timeout, tokens, limits } = settings;
        let of_process =
            autoheal_process::Limits { memory: limits.memory, file: limits.clone_bytes.max(limits.tree_bytes) };
        let surroundings = Surroundings { home, askpass, tokens, limits: of_process };
        Ok(Self { surroundings, timeout, limits, admitted: Mutex::default(), _folder: folder })
    }

    /// The version of git that is used, such as `2.47.3`.
    ///
    /// # Errors
    ///
    /// [`ForgeError::GitMissing`].
    pub async fn version(&self) -> Result<String, ForgeError> {
        let text = self.run(self.invocation(Operation::Prepare).arg("version")).await?.text()?;
        Ok(text.trim().trim_start_matches("git version ").to_owned())
    }

    fn invocation(&self, doing: Operation) -> Invocation<'static> {
        Invocation::new(doing, self.timeout)
    }

    fn admitted(&self) -> MutexGuard<'_, BTreeSet<CommitId>> {
        self.admitted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(&self, invocation: Invocation<'_>) -> Result<command::Output, ForgeError> {
        self.surroundings.run(invocation).await
    }
}

/// Joins `top` and a path from the repository's top, as users or git write it. Returns an error if the path is absolute, leaves
/// the tree, names git's own files, or passes through a symbolic link. The file itself may be absent.
fn inside(top: &Path, path: &str) -> Result<PathBuf, ForgeError> {
    use std::path::Component;
    let refused = || ForgeError::OutsideTree { path: PathBuf::from(path) };
    let mut joined = top.to_owned();
    let mut parts = 0_usize;
    for component in Path::new(path).components() {
        let Component::Normal(part) = component else { return Err(refused()) };
        if part.eq_ignore_ascii_case(".git") {
            return Err(refused());
        }
        joined.push(part);
        parts += 1;
        if joined.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(refused());
        }
    }
    if parts == 0 || path.contains('\0') { Err(refused()) } else { Ok(joined) }
}
