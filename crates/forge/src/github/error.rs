//! What can go wrong between here and GitHub's API.

use std::fmt;
use std::time::Duration;

use autoheal_engine::ErrorCode;

/// What was being asked when something went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiOperation {
    /// Reading a repository's entry.
    ReadRepository,
    /// Watching the CI of a commit.
    WatchCi,
    /// Reading the log of a job.
    ReadLog,
    /// Starting a workflow.
    StartWorkflow,
    /// Finding, opening or changing a pull request.
    PullRequest,
    /// Writing a comment.
    Comment,
    /// Setting the status of a commit.
    CommitStatus,
}

impl ApiOperation {
    const fn code(self) -> ErrorCode {
        match self {
            Self::ReadRepository => ErrorCode::RepoCloneFailed,
            Self::WatchCi | Self::ReadLog | Self::StartWorkflow => ErrorCode::CiTimeout,
            Self::PullRequest | Self::Comment | Self::CommitStatus => ErrorCode::GitPushFailed,
        }
    }
}

impl fmt::Display for ApiOperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReadRepository => "asking GitHub about the repository",
            Self::WatchCi => "asking GitHub about the CI of a commit",
            Self::ReadLog => "reading the log of a CI job",
            Self::StartWorkflow => "starting a workflow",
            Self::PullRequest => "asking for a pull request",
            Self::Comment => "writing a comment",
            Self::CommitStatus => "setting the status of a commit",
        })
    }
}

/// Why GitHub gave no answer that can be used. No message holds a credential: what GitHub said is cut, and the token taken out.
#[derive(Debug, thiserror::Error)]
pub enum GitHubError {
    /// The address is none of an API.
    #[error(
        "{given} is no address of GitHub's API; write https://api.github.com, or https://HOST/api/v3 for GitHub Enterprise"
    )]
    Address {
        /// As it was given.
        given: String,
    },
    /// No secure connection can be made from here.
    #[error("no secure connections can be made: {reason}")]
    Tls {
        /// Why.
        reason: String,
    },
    /// The token is none that GitHub knows.
    #[error("{doing}: GitHub does not accept the token ({said}); make a new one, or set it as AUTOHEAL_GITHUB_TOKEN")]
    Unauthorized {
        /// What was being asked.
        doing: ApiOperation,
        /// What GitHub said.
        said: String,
    },
    /// The token may not do that.
    #[error(
        "{doing}: GitHub does not allow it ({said}); give the token the permission that docs/github.md names for it"
    )]
    Forbidden {
        /// What was being asked.
        doing: ApiOperation,
        /// What GitHub said.
        said: String,
    },
    /// It is not there, or not for this token.
    #[error("{doing}: GitHub does not show it ({said}); check the name, and what the token may see")]
    NotFound {
        /// What was being asked.
        doing: ApiOperation,
        /// What GitHub said.
        said: String,
    },
    /// What was sent is refused.
    #[error("{doing}: GitHub refuses it ({said})")]
    Refused {
        /// What was being asked.
        doing: ApiOperation,
        /// What GitHub said.
        said: String,
    },
    /// Too much was asked.
    #[error("{doing}: GitHub asks to wait {} s, which is too long; try again then, or use a token of its own", wait.as_secs())]
    RateLimited {
        /// What was being asked.
        doing: ApiOperation,
        /// How long it asks to wait.
        wait: Duration,
    },
    /// The server failed.
    #[error("{doing}: GitHub answers with status {status}; try again later")]
    Down {
        /// What was being asked.
        doing: ApiOperation,
        /// The status.
        status: u16,
    },
    /// There was no answer.
    #[error("{doing}: no answer ({reason}); check the network and the address of the API")]
    Unreachable {
        /// What was being asked.
        doing: ApiOperation,
        /// Why.
        reason: String,
    },
    /// The answer is longer than any that makes sense.
    #[error("{doing}: the answer is longer than {limit} bytes or pages")]
    TooLarge {
        /// What was being asked.
        doing: ApiOperation,
        /// The limit.
        limit: usize,
    },
    /// The answer is not what GitHub's description says.
    #[error("{doing}: the answer cannot be understood ({reason})")]
    Malformed {
        /// What was being asked.
        doing: ApiOperation,
        /// Why.
        reason: String,
    },
    /// The answer points to where nothing is followed.
    #[error("{doing}: the answer points elsewhere, which is not followed")]
    Redirected {
        /// What was being asked.
        doing: ApiOperation,
    },
}

impl GitHubError {
    /// The spec's code for it.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Address { .. } => ErrorCode::InvalidInput,
            Self::Tls { .. } => ErrorCode::RepoCloneFailed,
            Self::Unauthorized { .. } | Self::Forbidden { .. } => ErrorCode::RepoAccessDenied,
            Self::NotFound { .. } => ErrorCode::RepoNotFound,
            Self::Refused { doing, .. }
            | Self::RateLimited { doing, .. }
            | Self::Down { doing, .. }
            | Self::Unreachable { doing, .. }
            | Self::TooLarge { doing, .. }
            | Self::Malformed { doing, .. }
            | Self::Redirected { doing } => doing.code(),
        }
    }

    /// Whether another try may help by itself.
    pub const fn is_passing(&self) -> bool {
        match self {
            Self::RateLimited { .. } | Self::Down { .. } | Self::Unreachable { .. } => true,
            Self::Address { .. }
            | Self::Tls { .. }
            | Self::Unauthorized { .. }
            | Self::Forbidden { .. }
            | Self::NotFound { .. }
            | Self::Refused { .. }
            | Self::TooLarge { .. }
            | Self::Malformed { .. }
            | Self::Redirected { .. } => false,
        }
    }
}
