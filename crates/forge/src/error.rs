//! What can go wrong between here and a repository.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use autoheal_engine::ErrorCode;

use crate::{BranchName, CommitId};

/// What was being done when something went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Getting ready: the private home, the answering script.
    Prepare,
    /// Cloning.
    Clone,
    /// Asking where the branches of a repository are.
    LsRemote,
    /// Fetching a branch.
    Fetch,
    /// Reading commits and files of a clone.
    Read,
    /// Writing a commit's files into a folder.
    Export,
    /// Looking at, or taking along, uncommitted changes.
    Uncommitted,
    /// Creating a branch.
    Branch,
    /// Committing.
    Commit,
    /// Setting a clone to a commit.
    Reset,
    /// Pushing.
    Push,
}

impl Operation {
    const fn code(self) -> ErrorCode {
        match self {
            Self::Prepare
            | Self::Clone
            | Self::LsRemote
            | Self::Fetch
            | Self::Read
            | Self::Export
            | Self::Uncommitted => ErrorCode::RepoCloneFailed,
            Self::Branch | Self::Commit | Self::Reset | Self::Push => ErrorCode::GitPushFailed,
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Prepare => "preparing git",
            Self::Clone => "cloning",
            Self::LsRemote => "listing the remote branches",
            Self::Fetch => "fetching",
            Self::Read => "reading the repository",
            Self::Export => "writing out a commit",
            Self::Uncommitted => "reading the uncommitted changes",
            Self::Branch => "creating the branch",
            Self::Commit => "committing",
            Self::Reset => "resetting the clone",
            Self::Push => "pushing",
        })
    }
}

/// The limit that a commit's tree passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surplus {
    /// It has more files and folders.
    Entries {
        /// How many are allowed.
        limit: u64,
    },
    /// Its files are larger, all together.
    Bytes {
        /// How many bytes are allowed.
        limit: u64,
    },
    /// A path in it is longer than any system takes.
    Path {
        /// How many bytes an entry may have.
        limit: usize,
    },
}

impl fmt::Display for Surplus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Entries { limit } => {
                write!(f, "more than {limit} files and folders; if you trust it, raise the setting `git.tree_entries`")
            }
            Self::Bytes { limit } => {
                write!(f, "files of more than {limit} bytes; if you trust it, raise the setting `git.tree_mib`")
            }
            Self::Path { limit } => write!(f, "a path of more than {limit} bytes; rename it in the repository"),
        }
    }
}

/// Why something with a repository did not work. No message holds a credential: addresses are printed by types that
/// mask them, and what git said is redacted before it comes here.
#[derive(Debug, thiserror::Error)]
pub enum ForgeError {
    /// The text is not the address of a repository that this program works on.
    #[error("not a repository address: {reason}")]
    InvalidAddress {
        /// What is wrong and what would be right.
        reason: String,
    },
    /// The text cannot name a branch of ours.
    #[error("invalid branch name {name:?}: {reason}")]
    InvalidBranch {
        /// The text.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The text is not the hash of a commit.
    #[error("not a commit id: {text:?}; 40 or 64 hexadecimal digits are one")]
    InvalidCommit {
        /// The text.
        text: String,
    },
    /// A folder, but no git repository.
    #[error("{} is not the top folder of a git repository; run `git init` and commit there, or name the top folder", path.display())]
    NotARepository {
        /// The folder.
        path: PathBuf,
    },
    /// Nothing is there.
    #[error(
        "the repository {address} does not exist; check the address, and for a private one set a token that may read it"
    )]
    NotFound {
        /// The masked address.
        address: String,
    },
    /// Something is there, and it is not for us.
    #[error("no permission to access {address} ({reason}); set a token that may read it, and write it for a push")]
    AccessDenied {
        /// The masked address.
        address: String,
        /// What git said.
        reason: String,
    },
    /// The branch to start from does not exist.
    #[error("{address} has no branch {branch}; name one that `git ls-remote --heads` shows")]
    BranchMissing {
        /// The masked address.
        address: String,
        /// The branch.
        branch: String,
    },
    /// A repository without a commit.
    #[error("{address} has no commits yet; commit something first")]
    Empty {
        /// The masked address.
        address: String,
    },
    /// The clone grew beyond the limit and was removed.
    #[error("{address} is larger than the limit of {limit} bytes; if you trust it, raise the setting `git.clone_mib`")]
    TooLarge {
        /// The masked address.
        address: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// A clone with more branches and tags than any repository needs.
    #[error("{address} has more than {limit} branches and tags; delete some there, or heal a clone of one branch")]
    TooManyReferences {
        /// The masked address.
        address: String,
        /// How many are allowed.
        limit: u64,
    },
    /// The tree of a commit is larger than may be written out; nothing of it was.
    #[error("the tree of commit {} holds {surplus}", commit.short())]
    TreeTooLarge {
        /// The commit.
        commit: CommitId,
        /// What is too large.
        surplus: Surplus,
    },
    /// The clone failed for another reason.
    #[error("failed to clone {address}: {reason}")]
    CloneFailed {
        /// The masked address.
        address: String,
        /// What git said.
        reason: String,
    },
    /// A command did not end in time and was killed.
    #[error("{doing} did not end within {} s; try again, or raise the timeout", after.as_secs())]
    TimedOut {
        /// What was being done.
        doing: Operation,
        /// How long it was given.
        after: Duration,
    },
    /// A commit or push to a branch that belongs to people: `main`, `master`, the default branch.
    #[error("refused to change the protected branch {branch}; work goes to a branch of its own")]
    ProtectedBranch {
        /// The branch.
        branch: String,
    },
    /// The branch is the one somebody works on in the repository that would receive it.
    #[error("the branch {branch} is checked out in {address}; switch to another branch there, or use another name")]
    CheckedOut {
        /// The branch.
        branch: BranchName,
        /// The masked address.
        address: String,
    },
    /// The remote branch is not where it was expected: somebody else pushed.
    #[error("the remote branch {branch} is at {}, expected {}; nothing was pushed", name(found.as_ref()), name(expected.as_ref()))]
    RemoteMoved {
        /// The branch.
        branch: BranchName,
        /// Where it was expected.
        expected: Option<CommitId>,
        /// Where it is.
        found: Option<CommitId>,
    },
    /// The push would drop commits that are on the remote branch.
    #[error("{commit} does not contain {expected}, which is on the remote branch {branch}; history is never rewritten")]
    WouldRewrite {
        /// The branch.
        branch: BranchName,
        /// What the branch holds.
        expected: CommitId,
        /// What was to be pushed.
        commit: CommitId,
    },
    /// The other side refused the push.
    #[error("the push of {branch} to {address} was rejected: {reason}")]
    PushRejected {
        /// The branch.
        branch: BranchName,
        /// The masked address.
        address: String,
        /// What git said.
        reason: String,
    },
    /// A commit would change nothing.
    #[error("nothing to commit: the files are as they were")]
    NothingToCommit,
    /// A path that leaves the repository, passes through a symbolic link, or names git's own files.
    #[error("{} is outside the repository, reached through a symbolic link, or git's own; it is left alone", path.display())]
    OutsideTree {
        /// The path.
        path: PathBuf,
    },
    /// git cannot be started.
    #[error("git cannot be started; install git and put it on PATH")]
    GitMissing {
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A git command failed in a way that has no name of its own.
    #[error("{doing} failed: {reason}")]
    Command {
        /// What was being done.
        doing: Operation,
        /// What git said.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{doing} failed")]
    Io {
        /// What was being done.
        doing: Operation,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

fn name(commit: Option<&CommitId>) -> String {
    commit.map_or_else(|| "no commit".to_owned(), ToString::to_string)
}

impl ForgeError {
    /// The spec's code for it.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::InvalidAddress { .. }
            | Self::InvalidBranch { .. }
            | Self::InvalidCommit { .. }
            | Self::BranchMissing { .. }
            | Self::NotARepository { .. } => ErrorCode::InvalidInput,
            Self::NotFound { .. } => ErrorCode::RepoNotFound,
            Self::AccessDenied { .. } => ErrorCode::RepoAccessDenied,
            Self::Empty { .. }
            | Self::TooLarge { .. }
            | Self::TooManyReferences { .. }
            | Self::TreeTooLarge { .. }
            | Self::CloneFailed { .. }
            | Self::GitMissing { .. } => ErrorCode::RepoCloneFailed,
            Self::TimedOut { doing, .. } | Self::Command { doing, .. } | Self::Io { doing, .. } => doing.code(),
            Self::ProtectedBranch { .. }
            | Self::CheckedOut { .. }
            | Self::RemoteMoved { .. }
            | Self::WouldRewrite { .. }
            | Self::PushRejected { .. }
            | Self::NothingToCommit => ErrorCode::GitPushFailed,
            Self::OutsideTree { .. } => ErrorCode::PatchApplyFailed,
        }
    }

    /// Whether another try may help by itself: the network, a busy host, a branch that moved.
    pub const fn is_passing(&self) -> bool {
        match self {
            Self::CloneFailed { .. } | Self::TimedOut { .. } | Self::RemoteMoved { .. } => true,
            Self::InvalidAddress { .. }
            | Self::InvalidBranch { .. }
            | Self::InvalidCommit { .. }
            | Self::NotARepository { .. }
            | Self::NotFound { .. }
            | Self::AccessDenied { .. }
            | Self::BranchMissing { .. }
            | Self::Empty { .. }
            | Self::TooLarge { .. }
            | Self::TooManyReferences { .. }
            | Self::TreeTooLarge { .. }
            | Self::ProtectedBranch { .. }
            | Self::CheckedOut { .. }
            | Self::WouldRewrite { .. }
            | Self::PushRejected { .. }
            | Self::NothingToCommit
            | Self::OutsideTree { .. }
            | Self::GitMissing { .. }
            | Self::Command { .. }
            | Self::Io { .. } => false,
        }
    }
}
