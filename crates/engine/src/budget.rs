//! Budgets of a run and of a day, checked before each model call.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Limits; `None` means no limit of that kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Input and output tokens together.
    pub tokens: Option<u64>,
    /// Money, in millionths of a US dollar.
    pub micro_dollars: Option<u64>,
    /// Number of requests to models.
    pub calls: Option<u64>,
    /// Elapsed (wall-clock) time of the run.
    pub wall_time: Option<Duration>,
}

/// Resources that were used, or that are about to be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Input and output tokens together.
    pub tokens: u64,
    /// Money, in millionths of a US dollar.
    pub micro_dollars: u64,
    /// Number of requests to models.
    pub calls: u64,
    /// Elapsed (wall-clock) time.
    pub wall_time: Duration,
}

impl Usage {
    /// Both together; stays at the maximum instead of wrapping.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_add(other.tokens),
            micro_dollars: self.micro_dollars.saturating_add(other.micro_dollars),
            calls: self.calls.saturating_add(other.calls),
            wall_time: self.wall_time.saturating_add(other.wall_time),
        }
    }

    /// Subtracts the other usage; each amount stops at zero.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.saturating_sub(other.tokens),
            micro_dollars: self.micro_dollars.saturating_sub(other.micro_dollars),
            calls: self.calls.saturating_sub(other.calls),
            wall_time: self.wall_time.saturating_sub(other.wall_time),
        }
    }
}

/// A limit that would be passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Exhausted {
    /// The limit on input and output tokens.
    #[error("the token budget is used up")]
    Tokens,
    /// The limit on cost.
    #[error("the money budget is used up")]
    Money,
    /// The limit on the number of requests to models.
    #[error("the budget of model calls is used up")]
    Calls,
    /// The limit on elapsed time.
    #[error("the time budget is used up")]
    WallTime,
}

impl Limits {
    /// May `next` be spent on top of `used`? A limit may be reached exactly and not be passed.
    ///
    /// # Errors
    ///
    /// The first limit that would be passed.
    pub fn allow(&self, used: Usage, next: Usage) -> Result<(), Exhausted> {
        let total = used.plus(next);
        let within = |limit: Option<u64>, amount: u64| limit.is_none_or(|limit| amount <= limit);
        if !within(self.tokens, total.tokens) {
            return Err(Exhausted::Tokens);
        }
        if !within(self.micro_dollars, total.micro_dollars) {
            return Err(Exhausted::Money);
        }
        if !within(self.calls, total.calls) {
            return Err(Exhausted::Calls);
        }
        if self.wall_time.is_some_and(|limit| total.wall_time > limit) {
            return Err(Exhausted::WallTime);
        }
        Ok(())
    }
}
