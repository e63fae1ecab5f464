//! Why there is no answer.

use std::time::Duration;

use autoheal_engine::budget::Exhausted;

/// Why a model gave no answer, one variant for each cause that is treated differently. No key and no prompt is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChatError {
    /// The provider asks to come less often.
    #[error("{model}: the provider asks to come less often: {message}")]
    RateLimited {
        /// Which model.
        model: String,
        /// The provider's words.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// The provider is overloaded or down, or cannot be reached.
    #[error("{model}: the provider does not answer now: {message}")]
    Unavailable {
        /// Which model.
        model: String,
        /// What happened.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// No answer within the time.
    #[error("{model}: no answer within {} s", limit.as_secs())]
    TimedOut {
        /// Which model.
        model: String,
        /// The time.
        limit: Duration,
    },
    /// The key is missing, wrong, or may not do this; or the account has no money left.
    #[error("{model}: {message}; check the key and the account")]
    Unauthorized {
        /// Which model.
        model: String,
        /// The provider's words.
        message: String,
    },
    /// The provider does not understand the request: another model, or a shorter question.
    #[error("{model}: the provider refuses the request: {message}")]
    Rejected {
        /// Which model.
        model: String,
        /// The provider's words.
        message: String,
    },
    /// The provider answers something that is none of its answers.
    #[error("{model}: the provider's answer makes no sense: {message}")]
    Malformed {
        /// Which model.
        model: String,
        /// What is wrong with it.
        message: String,
    },
    /// The provider failed so often that it is not asked for a while.
    #[error(
        "{model}: the provider has failed {failures} questions in a row and is left alone for a while; try again later"
    )]
    Down {
        /// Which model.
        model: String,
        /// How often.
        failures: u32,
    },
    /// A limit of what may be spent would be passed.
    #[error("{0}; raise the limit, or wait for the next day")]
    Exhausted(#[from] Exhausted),
    /// The recording has no answer to this question.
    #[error("the recording has no answer to this question ({hash}); record it anew")]
    NotRecorded {
        /// What the question is known by.
        hash: String,
    },
    /// What was used cannot be read or written.
    #[error("what models have used cannot be accounted for: {0}")]
    Ledger(String),
}

impl ChatError {
    /// Whether the same question may be answered a little later.
    pub const fn may_pass(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unavailable { .. } | Self::TimedOut { .. })
    }

    /// Whether another model may answer.
    pub const fn is_about_the_model(&self) -> bool {
        match self {
            Self::RateLimited { .. }
            | Self::Unavailable { .. }
            | Self::TimedOut { .. }
            | Self::Unauthorized { .. }
            | Self::Rejected { .. }
            | Self::Malformed { .. }
            | Self::Down { .. } => true,
            Self::Exhausted(_) | Self::NotRecorded { .. } | Self::Ledger(_) => false,
        }
    }

    /// How long the provider asks to wait.
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after, .. } | Self::Unavailable { retry_after, .. } => *retry_after,
            _ => None,
        }
    }

    /// In one word, for the ledger.
    pub const fn outcome(&self) -> &'static str {
        match self {
            Self::RateLimited { .. } => "RATE_LIMITED",
            Self::Unavailable { .. } => "UNAVAILABLE",
            Self::TimedOut { .. } => "TIMED_OUT",
            Self::Unauthorized { .. } => "UNAUTHORIZED",
            Self::Rejected { .. } => "REJECTED",
            Self::Malformed { .. } => "MALFORMED",
            Self::Down { .. } => "DOWN",
            Self::Exhausted(_) => "EXHAUSTED",
            Self::NotRecorded { .. } => "NOT_RECORDED",
            Self::Ledger(_) => "LEDGER",
        }
    }
}
