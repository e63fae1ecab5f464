//! What language models were asked, and what that cost: the port through which their clients keep accounts.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::RunId;
use crate::budget::{Exhausted, Limits, Usage};

/// One request to a model, whatever became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
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

/// A request that is about to be made, and the limits that it has to stay within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    /// The run that pays for it.
    pub run: RunId,
    /// The most that it may use.
    pub worst_case: Usage,
    /// The limits of the run.
    pub per_run: Limits,
    /// The limits of a day, in UTC, for all runs on all machines.
    pub per_day: Limits,
    /// The longest time until it is settled: the reservation of a process that died ends after it.
    pub longest: Duration,
}

/// A reservation for one request, until [`CallLedger::settle`] replaces it by what the request has used.
#[derive(Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Its number in the accounts.
    pub number: i64,
    /// The run that pays for it.
    pub run: RunId,
}

/// Keeps the accounts, for all workers together.
pub trait CallLedger: Send + Sync {
    /// Reserves the worst case of a request, or refuses it: used, reserved and worst case together never pass a limit, whoever else asks at
    /// the same time. A refusal by the limits of the day raises an alert.
    fn reserve(&self, planned: Planned) -> Keeping<'_, Result<Reservation, Exhausted>>;

    /// Keeps a call and releases its reservation, in one step.
    fn settle(&self, reservation: Reservation, call: CallRecord) -> Keeping<'_, ()>;

    /// Returns what a run has used and reserved. Wall time is not counted.
    fn used_by(&self, run: RunId) -> Keeping<'_, Usage>;
}
