//! Ledger of requests to language models and their cost: the port through which model clients record them.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::RunId;
use crate::budget::{Exhausted, Limits, Usage};
use crate::counted;

/// One request to a model, with any outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallRecord {
    /// Subject of the request: a source, a repository, a page.
    pub target: Option<String>,
    /// User who is billed for the request; `None` where no user is billed.
    pub user: Option<String>,
    /// Purpose of the request: the name of the prompt.
    pub purpose: String,
    /// Model that received the request, as `provider/name`.
    pub model: String,
    /// SHA-256 of the question, hexadecimal.
    pub prompt_hash: String,
    /// The question without secrets, cut to the length that the settings allow; `None`: not kept.
    pub prompt: Option<String>,
    /// Answer of the model, without secrets and cut in the same way; `None`: not kept.
    pub answer: Option<String>,
    /// Tokens of the question.
    pub input_tokens: u64,
    /// Tokens of the answer.
    pub output_tokens: u64,
    /// Tokens of the question that came from a cache.
    pub cached_tokens: u64,
    /// Cost in millionths of a US dollar; `None`: the price of the model is unknown.
    pub micro_dollars: Option<u64>,
    /// Duration of the request.
    pub latency: Duration,
    /// `ANSWERED`, `REFUSED`, `CUT_OFF`, or how it failed.
    pub outcome: String,
}

/// Usage of models by the requests that have an answer, or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelUsage {
    /// Number of requests.
    pub calls: u64,
    /// Tokens of the questions.
    pub input_tokens: u64,
    /// Tokens of the answers.
    pub output_tokens: u64,
    /// Tokens of the questions that came from a cache.
    pub cached_tokens: u64,
    /// Cost of the requests whose price is known, in millionths of a US dollar.
    pub micro_dollars: u64,
    /// Number of requests whose price is unknown.
    pub unpriced_calls: u64,
}

impl ModelUsage {
    /// Tokens of questions and answers together.
    pub const fn tokens(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// The known cost in dollars, rounded up to a hundredth of a cent, such as `0.0123`.
    pub fn dollars(self) -> String {
        let hundredths = self.micro_dollars.div_ceil(100);
        format!("{}.{:04}", hundredths / 10_000, hundredths % 10_000)
    }

    /// The cost, such as `$0.0123`; names the requests that are missing from it because their price is unknown.
    pub fn cost(self) -> String {
        match self.unpriced_calls {
            0 => format!("${}", self.dollars()),
            unpriced if unpriced == self.calls => "unknown price".to_owned(),
            unpriced => format!("${} and {} of unknown price", self.dollars(), counted(unpriced, "request")),
        }
    }
}

impl fmt::Display for ModelUsage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (input, output) = (self.input_tokens, self.output_tokens);
        let cached = match self.cached_tokens {
            0 => String::new(),
            cached => format!(", {cached} of them from a cache"),
        };
        let calls = counted(self.calls, "request");
        write!(f, "{calls}, {} tokens ({input} in{cached}, {output} out), {}", self.tokens(), self.cost())
    }
}

/// Reason the ledger cannot be read or written.
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

/// A reservation for one request, until [`CallLedger::settle`] replaces it by the actual usage.
#[derive(Debug, PartialEq, Eq)]
pub struct Reservation {
    /// Number of the reservation in the ledger.
    pub number: i64,
    /// The run that pays for it.
    pub run: RunId,
}

/// A question that may have been answered before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// Subject of the question.
    pub target: Option<String>,
    /// Purpose of the question.
    pub purpose: String,
    /// Model, as `provider/name`.
    pub model: String,
    /// SHA-256 of the question, hexadecimal.
    pub prompt_hash: String,
}

/// Keeps the accounts, for all workers together.
pub trait CallLedger: Send + Sync {
    /// Reserves the worst case of a request, or refuses it. Used, reserved and worst-case amounts together never exceed a
    /// limit, even when several workers reserve at the same time. A refusal by the daily limits raises an alert.
    fn reserve(&self, planned: Planned) -> Keeping<'_, Result<Reservation, Exhausted>>;

    /// Keeps a call and releases its reservation, in one step.
    fn settle(&self, reservation: Reservation, call: CallRecord) -> Keeping<'_, ()>;

    /// Returns the kept answer to the same question, if a model has answered it in the last weeks.
    fn answer_to<'call>(&'call self, question: &'call Answered) -> Keeping<'call, Option<String>>;

    /// Returns what the requests of a run have used so far.
    fn usage_of(&self, run: RunId) -> Keeping<'_, ModelUsage>;
}

#[cfg(test)]
mod tests {
    use super::ModelUsage;

    #[test]
    fn a_cost_says_what_is_missing_from_it() {
        let usage = |calls, unpriced_calls, micro_dollars| ModelUsage {
            calls,
            input_tokens: 3100,
            output_tokens: 466,
            cached_tokens: 0,
            micro_dollars,
            unpriced_calls,
        };
        assert_eq!(usage(1, 0, 12_301).to_string(), "1 request, 3566 tokens (3100 in, 466 out), $0.0124");
        assert_eq!(usage(2, 2, 0).cost(), "unknown price");
        assert_eq!(usage(3, 1, 1_250_000).cost(), "$1.2500 and 1 request of unknown price");
        assert_eq!(usage(1, 0, 0).cost(), "$0.0000");
        let cached = ModelUsage { cached_tokens: 1000, ..usage(2, 0, 1) };
        assert_eq!(
            cached.to_string(),
            "2 requests, 3566 tokens (3100 in, 1000 of them from a cache, 466 out), $0.0001"
        );
    }
}
