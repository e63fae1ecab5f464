//! One request of a session: it is answered or cancelled, and accounted for.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use autoheal_engine::hexadecimal;
use autoheal_engine::ledger::{CallLedger, CallRecord, Reservation};
use sha2::{Digest as _, Sha256};
use tokio::sync::oneshot;

use crate::connection::ChatModel;
use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest, Finish, TokenUsage};
use crate::price::Price;
use crate::prompt::cut;

/// News of a request, for a user who waits for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A line to keep: a request is sent, or will be sent again.
    Line(String),
    /// A line that replaces the one before: so much of the answer has arrived.
    Received(String),
    /// No request is under way.
    Done,
}

impl Notice {
    /// Returns a receiver of notices that passes the lines to keep to `keep`, and the others to `show`.
    pub fn split(
        keep: impl Fn(String) + Send + Sync + 'static,
        show: impl Fn(String) + Send + Sync + 'static,
    ) -> impl Fn(Self) + Send + Sync + 'static {
        move |notice| match notice {
            Self::Line(line) => keep(line),
            Self::Received(line) => show(line),
            Self::Done => show("the language model has answered".to_owned()),
        }
    }
}

pub(crate) type Tell = Arc<dyn Fn(Notice) + Send + Sync>;

/// Minimum time between two notices of the progress of an answer.
const BETWEEN_NOTICES: Duration = Duration::from_millis(250);

/// A request whose worst case has been reserved.
pub(crate) struct Question {
    pub(crate) ledger: Arc<dyn CallLedger>,
    /// Price of the model; `None`: it is unknown.
    pub(crate) price: Option<Price>,
    /// Maximum number of characters kept of the request and the answer; zero: nothing is kept.
    pub(crate) kept_text: usize,
    /// Removes secrets from texts that are stored.
    pub(crate) redact: fn(&str) -> String,
    pub(crate) model: Arc<dyn ChatModel>,
    pub(crate) reservation: Reservation,
    pub(crate) request: ChatRequest,
    pub(crate) estimate: TokenUsage,
    pub(crate) purpose: String,
    pub(crate) target: Option<String>,
    pub(crate) user: Option<String>,
    pub(crate) progress: Progress,
}

impl Question {
    /// Asks, unless the caller is gone, whose half of `is_dropped` ends then.
    pub(crate) async fn ask(self, is_dropped: oneshot::Receiver<Infallible>) -> Result<ChatAnswer, ChatError> {
        let started = Instant::now();
        let report = |received| self.progress.report(received);
        let outcome = tokio::select! {
            biased;
            outcome = self.model.chat_reporting(&self.request, &report) => outcome,
            _ = is_dropped => Err(self.cancelled()),
        };
        self.progress.end();
        let written = |length: usize| u64::try_from(length / 4).unwrap_or(u64::MAX).min(self.estimate.output);
        let usage = match &outcome {
            // A provider that does not report usage is charged with the estimate.
            Ok(answer) if answer.usage == TokenUsage::default() => {
                TokenUsage { output: u64::try_from(answer.text.len() / 4).unwrap_or(u64::MAX), ..self.estimate }
            }
            Ok(answer) => answer.usage,
            // The provider has read the question, and charges for the part of the answer that it wrote.
            Err(ChatError::BrokenOff { received, .. } | ChatError::Cancelled { received: Some(received), .. }) => {
                TokenUsage { output: written(*received), ..self.estimate }
            }
            // The provider may answer after that, and charges for that answer.
            Err(ChatError::TimedOut { .. } | ChatError::Cancelled { received: None, .. }) => self.estimate,
            Err(_) => TokenUsage::default(),
        };
        let call = self.record(&outcome, usage, started.elapsed());
        self.ledger.settle(self.reservation, call).await.map_err(|error| unaccounted(&error))?;
        outcome
    }

    fn cancelled(&self) -> ChatError {
        ChatError::Cancelled { model: self.model.name().to_string(), received: self.progress.received() }
    }

    fn record(&self, outcome: &Result<ChatAnswer, ChatError>, usage: TokenUsage, latency: Duration) -> CallRecord {
        let kept = |text: &str| (self.kept_text > 0).then(|| cut(&(self.redact)(text), self.kept_text));
        let prompt: Vec<&str> = self.request.messages.iter().map(|message| message.text.as_str()).collect();
        let outcome_name = match outcome {
            Ok(ChatAnswer { finish: Finish::Complete, .. }) => "ANSWERED",
            Ok(ChatAnswer { finish: Finish::Length, .. }) => "CUT_OFF",
            Ok(ChatAnswer { finish: Finish::Refused(_), .. }) => "REFUSED",
            Err(error) => error.outcome(),
        };
        CallRecord {
            target: self.target.clone(),
            user: self.user.clone(),
            purpose: self.purpose.clone(),
            model: self.model.name().to_string(),
            prompt_hash: hash_of(&self.request),
            prompt: kept(&prompt.join("\n\n")),
            answer: outcome.as_ref().ok().and_then(|answer| kept(&answer.text)),
            input_tokens: usage.input,
            output_tokens: usage.output,
            cached_tokens: usage.cached,
            micro_dollars: self.price.map(|price| price.micro_dollars(usage)),
            latency,
            outcome: outcome_name.to_owned(),
        }
    }
}

/// Progress of one answer.
pub(crate) struct Progress {
    tell: Option<Tell>,
    line: String,
    /// Number of characters that have arrived, and the time of the last notice; `None`: nothing of a stream has.
    state: Mutex<Option<(usize, Instant)>>,
}

impl Progress {
    pub(crate) fn new(tell: Option<Tell>, line: String) -> Self {
        let progress = Self { tell, line, state: Mutex::default() };
        progress.tell(|line| Notice::Received(line.to_owned()));
        progress
    }

    fn tell(&self, notice: impl FnOnce(&str) -> Notice) {
        if let Some(tell) = &self.tell {
            tell(notice(&self.line));
        }
    }

    fn report(&self, received: usize) {
        let now = Instant::now();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let last = state.map(|(_, last)| last).filter(|last| now.duration_since(*last) < BETWEEN_NOTICES);
        *state = Some((received, last.unwrap_or(now)));
        drop(state);
        if last.is_none() && received > 0 {
            self.tell(|line| Notice::Received(format!("{line}: {received} characters so far")));
        }
    }

    fn received(&self) -> Option<usize> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).map(|(received, _)| received)
    }

    fn end(&self) {
        self.tell(|_| Notice::Done);
    }
}

pub(crate) fn unaccounted(error: &dyn std::error::Error) -> ChatError {
    ChatError::Ledger(error.to_string())
}

/// Returns the hash that identifies a request: SHA-256 of its JSON, hexadecimal.
pub fn hash_of(request: &ChatRequest) -> String {
    // The timeout is not part of the question.
    let question = ChatRequest { timeout: ChatRequest::PATIENCE, ..request.clone() };
    // Maps are sorted and floats written in one way, so the same question is the same text.
    let text = serde_json::to_string(&question).unwrap_or_default();
    hexadecimal(&Sha256::digest(text.as_bytes()))
}
