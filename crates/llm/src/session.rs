//! Requests within limits: retries, fallback models, budgets, and a ledger entry for every request.

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use autoheal_engine::RunId;
use autoheal_engine::budget::{Exhausted, Limits, Usage};
use autoheal_engine::ledger::{Answered, CallLedger, ModelUsage, Planned};
use futures_util::{StreamExt as _, stream};
use tokio::sync::oneshot;
use uuid::Uuid;

use crate::connection::ChatModel;
use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest, Finish, TokenUsage};
use crate::price::Prices;
use crate::question::{Notice, Progress, Question, Tell, hash_of, unaccounted};

/// Settings of the models of this process: retries, timeouts and budgets.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Waits before the second, third and fourth attempt.
    pub waits: Vec<Duration>,
    /// Maximum duration of one attempt; `None`: the timeout of the request.
    pub timeout: Option<Duration>,
    /// Maximum wait that a provider may request; an attempt with a longer one counts as failed.
    pub longest_wait: Duration,
    /// Budget of one run.
    pub per_run: Limits,
    /// Budget of all runs of a day together, on all machines.
    pub per_day: Limits,
    /// Maximum number of characters kept of each request and answer; zero: nothing is kept.
    pub kept_text: usize,
    /// Prices of the models, from which the cost of requests is computed.
    pub prices: Prices,
    /// Maximum number of independent requests of a run at the same time.
    pub at_once: usize,
}

impl Default for Settings {
    /// 2, 4 and 8 seconds; at most a minute; 40 calls and 400,000 tokens for a run, ten times that for a day; 4,000 characters; four questions
    /// at once.
    fn default() -> Self {
        let limits = |calls, tokens| Limits { calls: Some(calls), tokens: Some(tokens), ..Limits::default() };
        Self {
            waits: [2, 4, 8].map(Duration::from_secs).to_vec(),
            timeout: None,
            longest_wait: Duration::from_mins(1),
            per_run: limits(40, 400_000),
            per_day: limits(400, 4_000_000),
            kept_text: 4000,
            prices: Prices::with(std::collections::BTreeMap::new()),
            at_once: 4,
        }
    }
}

/// Number of consecutive requests that a provider may fail, each after all its retries, before it is paused.
const MOST_FAILURES: u32 = 5;

/// Duration of the pause, unless the provider requests a longer one.
const REST: Duration = Duration::from_mins(1);

/// Maximum duration of a pause.
const LONGEST_REST: Duration = Duration::from_hours(1);

/// Recent failures of a provider.
#[derive(Debug, Default)]
struct Standing {
    failures: u32,
    /// End of the pause: no requests are sent before it.
    until: Option<Instant>,
}

/// The models of this process, in the order in which they are tried. Cheap to clone.
#[derive(Clone)]
pub struct Models(Arc<Inner>);

struct Inner {
    chain: Vec<(Arc<dyn ChatModel>, Mutex<Standing>)>,
    ledger: Arc<dyn CallLedger>,
    settings: Settings,
    redact: fn(&str) -> String,
}

impl Models {
    /// Creates the chain of models, which are tried in order. `redact` removes secrets from texts that are stored.
    pub fn new(
        chain: Vec<Arc<dyn ChatModel>>,
        ledger: Arc<dyn CallLedger>,
        settings: Settings,
        redact: fn(&str) -> String,
    ) -> Self {
        let chain = chain.into_iter().map(|model| (model, Mutex::default())).collect();
        Self(Arc::new(Inner { chain, ledger, settings, redact }))
    }

    /// Asks questions that do not depend on each other, a few at once, and returns their answers in order.
    pub async fn each<T>(&self, questions: impl IntoIterator<Item = impl Future<Output = T>>) -> Vec<T> {
        stream::iter(questions).buffered(self.0.settings.at_once.max(1)).collect().await
    }

    /// Opens a session for a run; its usage includes what the run used before it was resumed. `None`: the session counts as
    /// a separate run.
    pub fn session(&self, target: Option<String>, user: Option<String>, run: Option<RunId>) -> Session {
        let run = run.unwrap_or_else(|| RunId(Uuid::now_v7()));
        Session { models: self.clone(), target, user, run, tell: None }
    }
}

/// A run that asks.
pub struct Session {
    models: Models,
    target: Option<String>,
    user: Option<String>,
    run: RunId,
    tell: Option<Tell>,
}

/// Time for which a reservation outlasts its request: time to record the usage of the request.
const TO_SETTLE: Duration = Duration::from_mins(1);

impl Session {
    /// Returns the same session, which passes news of each request to `tell`, such as `asking openai/gpt-4o (fix_code)`.
    #[must_use]
    pub fn telling(self, tell: impl Fn(Notice) + Send + Sync + 'static) -> Self {
        Self { tell: Some(Arc::new(tell)), ..self }
    }

    fn tell(&self, line: impl FnOnce() -> String) {
        if let Some(tell) = &self.tell {
            tell(Notice::Line(line()));
        }
    }

    /// Returns the usage of the run.
    ///
    /// # Errors
    ///
    /// [`ChatError::Ledger`] when the accounts cannot be read.
    pub async fn usage(&self) -> Result<ModelUsage, ChatError> {
        self.models.0.ledger.usage_of(self.run).await.map_err(|error| unaccounted(&error))
    }

    /// Returns a text without secrets, as it is stored.
    pub fn redacted(&self, text: &str) -> String {
        (self.models.0.redact)(text)
    }

    /// Asks as [`Session::ask`] does, but no model that has answered the same question about the same target in the last weeks: its
    /// answer is given again, and costs nothing. An answer that was not kept as a whole is not found.
    ///
    /// # Errors
    ///
    /// As those of [`Session::ask`].
    pub async fn ask_unless_answered(&self, purpose: &str, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        let Inner { chain, ledger, settings, .. } = &*self.models.0;
        for (model, _) in chain {
            let question = Answered {
                target: self.target.clone(),
                purpose: purpose.to_owned(),
                model: model.name().to_string(),
                prompt_hash: hash_of(request),
            };
            let kept = ledger.answer_to(&question).await.map_err(|error| unaccounted(&error))?;
            if let Some(text) = kept.filter(|text| text.chars().count() <= settings.kept_text) {
                tracing::debug!(model = question.model, purpose, "the answer to the same question is used again");
                let answer = ChatAnswer { text, finish: Finish::Complete, usage: TokenUsage::default() };
                model.note_known(request, &answer)?;
                return Ok(answer);
            }
        }
        self.ask(purpose, request).await
    }

    /// Asks the first model that answers. `purpose` is the name of the prompt.
    ///
    /// # Errors
    ///
    /// The last model's error, or [`ChatError::Exhausted`] before a request that would pass a limit.
    pub async fn ask(&self, purpose: &str, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        let mut last = None;
        for (model, standing) in &self.models.0.chain {
            match self.ask_patiently(model, standing, purpose, request).await {
                Err(error) if error.is_about_the_model() => {
                    tracing::warn!(%error, "the next model is asked");
                    last = Some(error);
                }
                outcome => return outcome,
            }
        }
        let none = || ChatError::Unavailable {
            model: "none".to_owned(),
            message: "no model is set: name one with --model".to_owned(),
            retry_after: None,
        };
        Err(last.unwrap_or_else(none))
    }

    /// Sends a request to one model; retries transient failures, with a shorter prompt after a timeout.
    async fn ask_patiently(
        &self,
        model: &Arc<dyn ChatModel>,
        standing: &Mutex<Standing>,
        purpose: &str,
        request: &ChatRequest,
    ) -> Result<ChatAnswer, ChatError> {
        let settings = &self.models.0.settings;
        let mut request = ChatRequest { timeout: settings.timeout.unwrap_or(request.timeout), ..request.clone() };
        let mut waits = settings.waits.iter();
        loop {
            refuse_resting(model.as_ref(), standing)?;
            self.tell(|| format!("asking {} ({purpose})", model.name()));
            let outcome = self.ask_once(model, purpose, &request).await;
            let Err(error) = outcome else {
                *standing.lock().unwrap_or_else(PoisonError::into_inner) = Standing::default();
                return outcome;
            };
            let asked = error.retry_after().unwrap_or_default();
            let Some(wait) = waits.next().filter(|_| error.may_pass() && asked <= settings.longest_wait) else {
                note_failure(standing, &error);
                return Err(error);
            };
            if matches!(error, ChatError::TimedOut { .. }) {
                request = request.shortened().unwrap_or(request);
            }
            tracing::debug!(%error, wait_ms = wait.as_millis(), "asking again");
            let wait = asked.max(*wait);
            self.tell(|| format!("{error}; asking again in {} s", wait.as_secs_f64().ceil()));
            tokio::time::sleep(wait).await;
        }
    }

    /// Sends a request once. It is accounted for even if the caller is dropped, which ends the connection: what has arrived of the
    /// answer until then is paid for.
    async fn ask_once(
        &self,
        model: &Arc<dyn ChatModel>,
        purpose: &str,
        request: &ChatRequest,
    ) -> Result<ChatAnswer, ChatError> {
        let settings = &self.models.0.settings;
        let price = settings.prices.of(model.name());
        let input = request.estimated_tokens();
        let estimate = TokenUsage { input, output: u64::from(request.max_tokens), cached: 0, written: input };
        let next = spent(estimate, price.map(|price| price.micro_dollars(estimate)));
        // Without a price, a limit of money cannot be enforced.
        let is_limited = settings.per_run.micro_dollars.is_some() || settings.per_day.micro_dollars.is_some();
        if is_limited && price.is_none() {
            return Err(ChatError::Exhausted(Exhausted::Money));
        }
        let planned = Planned {
            run: self.run,
            worst_case: next,
            per_run: settings.per_run,
            per_day: settings.per_day,
            longest: request.timeout.saturating_add(TO_SETTLE),
        };
        let Inner { ledger, redact, .. } = &*self.models.0;
        let reservation = ledger.reserve(planned).await.map_err(|error| unaccounted(&error))??;
        let question = Question {
            ledger: Arc::clone(ledger),
            price,
            kept_text: settings.kept_text,
            redact: *redact,
            model: Arc::clone(model),
            reservation,
            request: request.clone(),
            estimate,
            purpose: purpose.to_owned(),
            target: self.target.clone(),
            user: self.user.clone(),
            progress: Progress::new(self.tell.clone(), format!("asking {} ({purpose})", model.name())),
        };
        let (is_awaited, is_dropped) = oneshot::channel::<Infallible>();
        let asked = tokio::spawn(question.ask(is_dropped)).await;
        drop(is_awaited);
        asked.unwrap_or_else(|error| Err(unaccounted(&error)))
    }
}

fn spent(usage: TokenUsage, micro_dollars: Option<u64>) -> Usage {
    let tokens = usage.input.saturating_add(usage.output);
    Usage { tokens, micro_dollars: micro_dollars.unwrap_or(0), calls: 1, wall_time: Duration::ZERO }
}

fn refuse_resting(model: &dyn ChatModel, standing: &Mutex<Standing>) -> Result<(), ChatError> {
    let mut standing = standing.lock().unwrap_or_else(PoisonError::into_inner);
    match standing.until {
        Some(until) if Instant::now() < until => {
            Err(ChatError::Down { model: model.name().to_string(), failures: standing.failures })
        }
        Some(_) => {
            // One more try; if it fails, the pause starts again.
            standing.until = None;
            standing.failures = MOST_FAILURES - 1;
            Ok(())
        }
        None => Ok(()),
    }
}

/// Records the failure of a provider when a request finally failed.
/// Errors that are about the request do not count.
fn note_failure(standing: &Mutex<Standing>, error: &ChatError) {
    let mut standing = standing.lock().unwrap_or_else(PoisonError::into_inner);
    match error {
        ChatError::Unavailable { .. } | ChatError::BrokenOff { .. } | ChatError::TimedOut { .. } => {
            standing.failures += 1;
            if standing.failures >= MOST_FAILURES {
                standing.until = Some(Instant::now() + REST);
            }
        }
        ChatError::RateLimited { .. } => {
            standing.failures += 1;
            standing.until = Some(Instant::now() + error.retry_after().unwrap_or_default().clamp(REST, LONGEST_REST));
        }
        ChatError::Unauthorized { .. }
        | ChatError::Rejected { .. }
        | ChatError::Malformed { .. }
        | ChatError::Down { .. }
        | ChatError::Cancelled { .. }
        | ChatError::Exhausted(_)
        | ChatError::NotRecorded { .. }
        | ChatError::Ledger(_) => {}
    }
}
