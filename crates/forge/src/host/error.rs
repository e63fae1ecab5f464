//! Errors of requests to the API of a host.

use std::fmt;
use std::time::Duration;

use autoheal_engine::ErrorCode;
use url::Url;

use super::kind::HostKind;
use crate::SafeUrl;

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
    StartCi,
    /// Starting the failed jobs of a run again.
    RerunJobs,
    /// Finding, opening or changing a pull request.
    ChangeRequest,
    /// Writing a comment on a pull request.
    Comment,
    /// Setting the status of a commit.
    CommitStatus,
}

impl ApiOperation {
    const fn code(self) -> ErrorCode {
        match self {
            Self::ReadRepository => ErrorCode::RepoCloneFailed,
            Self::WatchCi | Self::ReadLog | Self::StartCi | Self::RerunJobs => ErrorCode::CiTimeout,
            Self::ChangeRequest | Self::Comment | Self::CommitStatus => ErrorCode::GitPushFailed,
        }
    }
}

/// An operation at a host, for messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiCall {
    /// The host.
    pub host: HostKind,
    /// The operation.
    pub operation: ApiOperation,
}

impl fmt::Display for ApiCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = self.host;
        match self.operation {
            ApiOperation::ReadRepository => write!(f, "asking {host} about the repository"),
            ApiOperation::WatchCi => write!(f, "asking {host} about the CI of a commit"),
            ApiOperation::ReadLog => f.write_str("reading the log of a CI job"),
            ApiOperation::StartCi => f.write_str("starting CI"),
            ApiOperation::RerunJobs => f.write_str("starting the failed jobs of a run again"),
            ApiOperation::ChangeRequest => write!(f, "asking for a {}", host.change_request()),
            ApiOperation::Comment => f.write_str("writing a comment"),
            ApiOperation::CommitStatus => f.write_str("setting the status of a commit"),
        }
    }
}

/// Reason a host gave no usable response. No message holds a credential: the host's messages are cut and the token is removed.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The URL is not an address of such a host.
    #[error("{given} is not an address of {}", host.address_form())]
    Address {
        /// The kind of host that was expected.
        host: HostKind,
        /// Rejected URL, without credentials.
        given: String,
    },
    /// No secure connection can be made from here.
    #[error("no secure connections can be made: {reason}")]
    Tls {
        /// Reason no secure connection is possible.
        reason: String,
    },
    /// The host rejects the token as invalid.
    #[error(
        "{doing}: {} does not accept the token ({said}); make a new one, or set it as {}",
        doing.host, doing.host.token_variable()
    )]
    Unauthorized {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// Message in the host's response.
        said: String,
    },
    /// The token may not do that.
    #[error(
        "{doing}: {} does not allow it ({said}); give the token the permission that {} names for it",
        doing.host, doing.host.manual()
    )]
    Forbidden {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// Message in the host's response.
        said: String,
    },
    /// The resource does not exist, or is not visible to this token.
    #[error("{doing}: {} does not show it ({said}); check the name, and what the token may see", doing.host)]
    NotFound {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// Message in the host's response.
        said: String,
    },
    /// The host rejects the request.
    #[error("{doing}: {} refuses it ({said})", doing.host)]
    Refused {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// Message in the host's response.
        said: String,
    },
    /// The host limits the rate of requests and asks for a longer wait than allowed.
    #[error("{doing}: {} asks to wait {} s, which is too long; try again then, or use a separate token", doing.host, wait.as_secs())]
    RateLimited {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// Time that the host asks to wait.
        wait: Duration,
    },
    /// The server responds with an error status.
    #[error("{doing}: {} answers with status {status}; try again later", doing.host)]
    Down {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// HTTP status of the response.
        status: u16,
    },
    /// The server sent no response.
    #[error("{doing}: no answer ({reason}); check the network and the address of the API")]
    Unreachable {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// Error of the HTTP client, with its root cause.
        reason: String,
    },
    /// The response is longer than any legitimate one.
    #[error("{doing}: the answer is longer than {limit} bytes or pages")]
    TooLarge {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// Maximum number of bytes or pages.
        limit: usize,
    },
    /// The answer is not what the host's description says.
    #[error("{doing}: the answer cannot be understood ({reason})")]
    Malformed {
        /// Operation that failed, for the message.
        doing: ApiCall,
        /// Error of the parser.
        reason: String,
    },
    /// The answer points to where nothing is followed.
    #[error("{doing}: the answer points elsewhere, which is not followed")]
    Redirected {
        /// Operation that failed, for the message.
        doing: ApiCall,
    },
}

impl HostError {
    /// Returns the error for a URL that is not an address of such a host.
    pub(crate) fn address(host: HostKind, url: &Url) -> Self {
        Self::Address { host, given: SafeUrl::new(url.clone()).to_string() }
    }

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
            | Self::Redirected { doing } => doing.operation.code(),
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
