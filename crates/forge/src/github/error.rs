//! Errors of requests to GitHub's API.

use std::fmt;
use std::time::Duration;

use autoheal_engine::ErrorCode;

/// API operation that failed, for messages and error codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiOperation {
    /// Reading a repository's entry.
    ReadRepository,
    /// Watching the CI of a commit.
    WatchCi,
    /// Reading the log of a job.
    ReadLog,
    /// Starting a workflow run.
    StartWorkflow,
    /// Starting the failed jobs of a run again.
    RerunJobs,
    /// Finding, opening or changing a pull request.
    PullRequest,
    /// Writing a comment on a pull request.
    Comment,
    /// Setting the status of a commit.
    CommitStatus,
}

impl ApiOperation {
    const fn code(self) -> ErrorCode {
        match self {
            Self::ReadRepository => ErrorCode::RepoCloneFailed,
            Self::WatchCi | Self::ReadLog | Self::StartWorkflow | Self::RerunJobs => ErrorCode::CiTimeout,
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
            Self::RerunJobs => "starting the failed jobs of a run again",
            Self::PullRequest => "asking for a pull request",
            Self::Comment => "writing a comment",
            Self::CommitStatus => "setting the status of a commit",
        })
    }
}

/// Reason GitHub gave no usable response. No message holds a credential: GitHub's messages are cut and the token is removed.
#[derive(Debug, thiserror::Error)]
pub enum GitHubError {
    /// The URL is not the address of a GitHub API.
    #[error(
        "{given} is no address of GitHub's API; write https://api.github.com, or https://HOST/api/v3 for GitHub Enterprise"
    )]
    Address {
        /// Rejected URL.
        given: String,
    },
    /// No secure connection can be made from here.
    #[error("no secure connections can be made: {reason}")]
    Tls {
        /// Reason no secure connection is possible.
        reason: String,
    },
    /// GitHub rejects the token as invalid.
    #[error("{doing}: GitHub does not accept the token ({said}); make a new one, or set it as AUTOHEAL_GITHUB_TOKEN")]
    Unauthorized {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// Message in GitHub's response.
        said: String,
    },
    /// The token may not do that.
    #[error(
        "{doing}: GitHub does not allow it ({said}); give the token the permission that docs/github.md names for it"
    )]
    Forbidden {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// Message in GitHub's response.
        said: String,
    },
    /// The resource does not exist, or is not visible to this token.
    #[error("{doing}: GitHub does not show it ({said}); check the name, and what the token may see")]
    NotFound {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// Message in GitHub's response.
        said: String,
    },
    /// GitHub rejects the request.
    #[error("{doing}: GitHub refuses it ({said})")]
    Refused {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// Message in GitHub's response.
        said: String,
    },
    /// GitHub limits the rate of requests and asks for a longer wait than allowed.
    #[error("{doing}: GitHub asks to wait {} s, which is too long; try again then, or use a token of its own", wait.as_secs())]
    RateLimited {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// Time that GitHub asks to wait.
        wait: Duration,
    },
    /// The server responds with an error status.
    #[error("{doing}: GitHub answers with status {status}; try again later")]
    Down {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// HTTP status of the response.
        status: u16,
    },
    /// The server sent no response.
    #[error("{doing}: no answer ({reason}); check the network and the address of the API")]
    Unreachable {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// Error of the HTTP client, with its root cause.
        reason: String,
    },
    /// The response is longer than any legitimate one.
    #[error("{doing}: the answer is longer than {limit} bytes or pages")]
    TooLarge {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// Maximum number of bytes or pages.
        limit: usize,
    },
    /// The answer is not what GitHub's description says.
    #[error("{doing}: the answer cannot be understood ({reason})")]
    Malformed {
        /// Operation that failed, for the message.
        doing: ApiOperation,
        /// Error of the parser.
        reason: String,
    },
    /// The answer points to where nothing is followed.
    #[error("{doing}: the answer points elsewhere, which is not followed")]
    Redirected {
        /// Operation that failed, for the message.
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

    /// Returns whether a retry may succeed without further changes.
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
