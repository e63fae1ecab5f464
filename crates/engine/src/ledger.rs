//! What language models were asked, and what that cost: the port through which their clients keep accounts.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Timestamp;
use crate::budget::{Exhausted, Usage};

/// One request to a model, whatever became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    /// When it ended.
    pub at: Timestamp,
    /// What it was about: a source, a repository, a page.
    pub target: Option<String>,
    /// For whom, where somebody is billed.
    pub user: Option<String>,
    /// What was wanted: the name of the prompt.
    pub purpose: String,
    /// `provider/name`.
    pub model: String,
    /// SHA-256 of the question, hexadecimal.
    pub prompt_hash: String,
    /// The question without secrets, cut to the length that the settings allow; `None`: not kept.
    pub prompt: Option<String>,
    /// The answer, likewise.
    pub answer: Option<String>,
    /// Tokens of the question.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// Tokens of the question that came from a cache.
    pub cached_tokens: u64,
    /// The cost in millionths of a US dollar; `None`: nobody knows the price.
    pub micro_dollars: Option<u64>,
    /// How long it took.
    pub latency: Duration,
    /// `ANSWERED`, `REFUSED`, `CUT_OFF`, or how it failed.
    pub outcome: String,
}

/// Why the accounts cannot be kept.
#[derive(Debug)]
pub struct LedgerError(pub Box<dyn std::error::Error + Send + Sync>);

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed to reach the accounts of what models have used")
    }
}

impl std::error::Error for LedgerError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.0.as_ref())
    }
}

/// A call of the port that is under way.
pub type Keeping<'call, T> = Pin<Box<dyn Future<Output = Result<T, LedgerError>> + Send + 'call>>;

/// Keeps the accounts, for all workers together.
pub trait CallLedger: Send + Sync {
    /// What all have used since a time. Wall time is not counted.
    fn used_since(&self, since: Timestamp) -> Keeping<'_, Usage>;

    /// Keeps a call.
    fn record(&self, call: CallRecord) -> Keeping<'_, ()>;

    /// Somebody was refused because the day's budget is used up: a person may want to know.
    fn day_exhausted(&self, _at: Timestamp, _what: Exhausted) -> Keeping<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}
