//! Errors of work with a repository.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use autoheal_engine::ErrorCode;

/// Git operation that failed, for messages and error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Getting ready: the private home, the answering script.
    Prepare,
    /// Cloning a repository.
    Clone,
    /// Asking where the branches of a repository are.
    LsRemote,
    /// Fetching a branch from the remote repository.
    Fetch,
    /// Reading commits and files of a clone.
    Read,
    /// Writing a commit's files into a folder.
    Export,
    /// Looking at, or taking along, uncommitted changes.
    Uncommitted,
    /// Creating a branch in a clone.
    Branch,
    /// Committing changes to a branch.
    Commit,
    /// Setting a clone to a commit.
    Reset,
    /// Pushing a branch to the remote repository.
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

/// Limit that the tree of a commit exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surplus {
    /// The tree has more files and folders.
    Entries {
        /// Maximum number of files and folders.
        limit: u64,
    },
    /// The files of the tree are larger in total.
    Bytes {
        /// Maximum size of all files, in bytes.
        limit: u64,
    },
    /// A path in it is longer than any system takes.
    Path {
        /// Maximum length of an entry, in bytes.
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

/// Failure of an operation on a repository. No message holds a credential: addresses are printed by types that mask them,
/// and the output of git is redacted before it is stored here.
#[derive(Debug, thiserror::Error)]
pub enum ForgeError {
    /// The text is not the address of a repository that this program works on.
    #[error("not a repository address: {reason}")]
    InvalidAddress {
        /// Description of the problem and of a valid address.
        reason: String,
    },
    /// The text cannot name a branch of ours.
    #[error("invalid branch name {name:?}: {reason}")]
    InvalidBranch {
        /// Rejected text.
        name: String,
        /// Description of the problem.
        reason: &'static str,
    },
    /// The text is not the hash of a commit.
    #[error("not a commit id: {text:?}; 40 or 64 hexadecimal digits are one")]
    InvalidCommit {
        /// Rejected text, at most 80 characters.
        text: String,
    },
    /// A folder, but no git repository.
    #[error("{} is not the top folder of a git repository; run `git init` and commit there, or name the top folder", path.display())]
    NotARepository {
        /// Path of the folder.
        path: PathBuf,
    },
    /// The repository does not exist, or is not visible to the token.
    #[error(
        "the repository {address} does not exist; check the address, and for a private one set a token that may read it"
    )]
    NotFound {
        /// Masked address of the repository.
        address: String,
    },
    /// Something is there, and it is not for us.
    #[error("no permission to access {address} ({reason}); set a token that may read it, and write it for a push")]
    AccessDenied {
        /// Masked address of the repository.
        address: String,
        /// Error message of git.
        reason: String,
    },
    /// The branch to start from does not exist.
    #[error("{address} has no branch {branch}; name one that `git ls-remote --heads` shows")]
    BranchMissing {
        /// Masked address of the repository.
        address: String,
        /// Name of the missing branch.
        branch: String,
    },
    /// A repository without a commit.
    #[error("{address} has no commits yet; commit something first")]
    Empty {
        /// Masked address of the repository.
        address: String,
    },
    /// The clone grew beyond the limit and was removed.
    #[error("{address} is larger than the limit of {limit} bytes; if you trust it, raise the setting `git.clone_mib`")]
    TooLarge {
        /// Masked address of the repository.
        address: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// A clone with more branches and tags than any repository needs.
    #[error("{address} has more than {limit} branches and tags; delete some there, or heal a clone of one branch")]
    TooManyReferences {
        /// Masked address of the repository.
        address: String,
        /// Maximum number of branches and tags.
        limit: u64,
    },
    /// The tree of a commit is larger than may be written out; nothing of it was.
    #[error("the tree of commit {commit} holds {surplus}")]
    TreeTooLarge {
        /// First digits of the commit's hash.
        commit: String,
        /// Limit that the tree exceeds.
        surplus: Surplus,
    },
    /// The clone failed for another reason.
    #[error("failed to clone {address}: {reason}")]
    CloneFailed {
        /// Masked address of the repository.
        address: String,
        /// Error message of git.
        reason: String,
    },
    /// A command did not end in time and was killed.
    #[error("{doing} did not end within {} s; try again, or raise the timeout", after.as_secs())]
    TimedOut {
        /// Operation that timed out.
        doing: Operation,
        /// Time limit of the operation.
        after: Duration,
    },
    /// A commit or push to a protected branch: `main`, `master`, the default branch.
    #[error("refused to change the protected branch {branch}; autoheal writes to separate branches only")]
    ProtectedBranch {
        /// Name of the protected branch.
        branch: String,
    },
    /// The branch is checked out in the repository that would receive the push.
    #[error("the branch {branch} is checked out in {address}; switch to another branch there, or use another name")]
    CheckedOut {
        /// Name of the branch.
        branch: String,
        /// Masked address of the receiving repository.
        address: String,
    },
    /// The remote branch is not at the expected commit: another client pushed.
    #[error(
        "the remote branch {branch} is at {}, expected {}; nothing was pushed",
        or_no_commit(found.as_deref()),
        or_no_commit(expected.as_deref())
    )]
    RemoteMoved {
        /// Name of the branch.
        branch: String,
        /// Commit at which the branch was expected; `None`: no such branch.
        expected: Option<String>,
        /// Commit at which the branch is; `None`: no such branch.
        found: Option<String>,
    },
    /// The push would drop commits that are on the remote branch.
    #[error("{commit} does not contain {expected}, which is on the remote branch {branch}; history is never rewritten")]
    WouldRewrite {
        /// Name of the branch.
        branch: String,
        /// Commit at the tip of the remote branch.
        expected: String,
        /// Commit that was to be pushed.
        commit: String,
    },
    /// The other side refused the push.
    #[error("the push of {branch} to {address} was rejected: {reason}")]
    PushRejected {
        /// Name of the branch.
        branch: String,
        /// Masked address of the receiving repository.
        address: String,
        /// Error message of git.
        reason: String,
    },
    /// A commit would change nothing.
    #[error("nothing to commit: the files are as they were")]
    NothingToCommit,
    /// A path that leaves the repository, passes through a symbolic link, or names git's own files.
    #[error("{} is outside the repository, reached through a symbolic link, or git's own; it is left alone", path.display())]
    OutsideTree {
        /// Rejected path.
        path: PathBuf,
    },
    /// git cannot be started.
    #[error("git cannot be started; install git and put it on PATH")]
    GitMissing {
        /// Error from starting git.
        #[source]
        source: std::io::Error,
    },
    /// A git command failed for another reason.
    #[error("{doing} failed: {reason}")]
    Command {
        /// Operation that failed, for the message.
        doing: Operation,
        /// Error message of git.
        reason: String,
    },
    /// git could not write a file, because the disk is full or its quota is used up.
    #[error(
        "{doing} failed, because the disk is full: {reason}; free some space, or set another folder with --data-dir"
    )]
    DiskFull {
        /// Operation that failed, for the message.
        doing: Operation,
        /// Error message of git.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("{doing} failed")]
    Io {
        /// Operation that failed, for the message.
        doing: Operation,
        /// Error of the file system.
        #[source]
        source: std::io::Error,
    },
}

fn or_no_commit(commit: Option<&str>) -> &str {
    commit.unwrap_or("no commit")
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
            Self::TimedOut { doing, .. } | Self::Command { doing, .. } => doing.code(),
            Self::DiskFull { .. } | Self::Io { .. } => ErrorCode::DiskFailed,
            Self::ProtectedBranch { .. }
            | Self::CheckedOut { .. }
            | Self::RemoteMoved { .. }
            | Self::WouldRewrite { .. }
            | Self::PushRejected { .. }
            | Self::NothingToCommit => ErrorCode::GitPushFailed,
            Self::OutsideTree { .. } => ErrorCode::PatchApplyFailed,
        }
    }

    /// Returns whether a retry may succeed without further changes: the network, a busy host, a branch that moved.
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
            | Self::DiskFull { .. }
            | Self::Io { .. } => false,
        }
    }
}
