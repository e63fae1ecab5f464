//! Reasons a model returns no answer.

use std::time::Duration;

use autoheal_engine::budget::Exhausted;

/// Reason a model returned no answer, one variant for each cause that is treated differently. It holds no key
/// and no prompt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The provider limits the rate of requests.
    #[error("{model}: the provider asks to come less often: {message}")]
    RateLimited {
        /// Name of the model.
        model: String,
        /// Message of the provider.
        message: String,
        /// Wait that the provider requests.
        retry_after: Option<Duration>,
    },
    /// The provider is overloaded or down, or cannot be reached.
    #[error("{model}: the provider does not answer now: {message}")]
    Unavailable {
        /// Name of the model.
        model: String,
        /// Description of the failure.
        message: String,
        /// Wait that the provider requests.
        retry_after: Option<Duration>,
    },
    /// The answer ended before it was complete.
    #[error("{model}: the answer broke off after {received} characters: {message}")]
    BrokenOff {
        /// Name of the model.
        model: String,
        /// Description of the failure.
        message: String,
        /// Number of characters that had arrived.
        received: usize,
    },
    /// The model did not answer within the time limit.
    #[error("{model}: no answer within {} s", limit.as_secs())]
    TimedOut {
        /// Name of the model.
        model: String,
        /// Time limit of the attempt.
        limit: Duration,
    },
    /// The key is missing, wrong, or may not do this; or the account has no money left.
    #[error("{model}: {message}; check the key and the account")]
    Unauthorized {
        /// Name of the model.
        model: String,
        /// Message of the provider.
        message: String,
    },
    /// The provider rejects the request: use another model, or a shorter prompt.
    #[error("{model}: the provider refuses the request: {message}")]
    Rejected {
        /// Name of the model.
        model: String,
        /// Message of the provider.
        message: String,
    },
    /// The provider's response does not have the format of its API.
    #[error("{model}: the provider's answer makes no sense: {message}")]
    Malformed {
        /// Name of the model.
        model: String,
        /// Description of the invalid part of the response.
        message: String,
    },
    /// The provider failed so often that it receives no requests for a while.
    #[error(
        "{model}: the provider has failed {failures} questions in a row and is left alone for a while; try again later"
    )]
    Down {
        /// Name of the model.
        model: String,
        /// Number of consecutive failures.
        failures: u32,
    },
    /// The caller has stopped waiting: the connection was ended.
    #[error("{model}: the request was cancelled")]
    Cancelled {
        /// Name of the model.
        model: String,
        /// Number of characters that had arrived; `None`: nothing of a streamed answer had.
        received: Option<usize>,
    },
    /// The request would exceed a budget.
    #[error("{0}; raise the limit, or wait for the next day")]
    Exhausted(#[from] Exhausted),
    /// The recording has no answer to this question.
    #[error("the recording has no answer to this question ({hash}); record it anew")]
    NotRecorded {
        /// Hash of the request.
        hash: String,
    },
    /// The usage of models cannot be read or written.
    #[error("what models have used cannot be accounted for: {0}")]
    Ledger(String),
}

impl ChatError {
    /// Returns whether the same request may succeed a little later.
    pub const fn may_pass(&self) -> bool {
        matches!(
            self,
            Self::RateLimited { .. } | Self::Unavailable { .. } | Self::BrokenOff { .. } | Self::TimedOut { .. }
        )
    }

    /// Returns whether another model may answer the request.
    pub const fn is_about_the_model(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Unavailable { .. }
            | Self::BrokenOff { .. }
            | Self::TimedOut { .. }
            | Self::Unauthorized { .. }
            | Self::Rejected { .. }
            | Self::Malformed { .. }
            | Self::Down { .. } => true,
            Self::Cancelled { .. } | Self::Exhausted(_) | Self::NotRecorded { .. } | Self::Ledger(_) => false,
        }
    }

    /// Returns the wait that the provider requests.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// Returns the outcome in one word, for the ledger.
    pub const fn outcome(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "RATE_LIMITED",
            Self::Unavailable { .. } => "UNAVAILABLE",
            Self::BrokenOff { .. } => "BROKEN_OFF",
            Self::TimedOut { .. } => "TIMED_OUT",
            Self::Unauthorized { .. } => "UNAUTHORIZED",
            Self::Rejected { .. } => "REJECTED",
            Self::Malformed { .. } => "MALFORMED",
            Self::Down { .. } => "DOWN",
            Self::Cancelled { .. } => "CANCELLED",
            Self::Exhausted(_) => "EXHAUSTED",
            Self::NotRecorded { .. } => "NOT_RECORDED",
            Self::Ledger(_) => "LEDGER",
        }
    }
}
