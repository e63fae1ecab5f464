//! Asking within limits: retries, other models when one fails, budgets, and an entry in the accounts for every request.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use autoheal_engine::Timestamp;
use autoheal_engine::budget::{Exhausted, Limits, Usage};
use autoheal_engine::ledger::{CallLedger, CallRecord};
use sha2::{Digest as _, Sha256};

use crate::connection::ChatModel;
use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest, Finish, TokenUsage};
use crate::price::Prices;
use crate::prompt::cut;

/// What the models of this process may do.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// The waits before the second, third and fourth try.
    pub waits: Vec<Duration>,
    /// How long one try may take; `None`: as long as the question says.
    pub timeout: Option<Duration>,
    /// A provider that asks to wait longer has failed.
    pub longest_wait: Duration,
    /// What one run may use.
    pub per_run: Limits,
    /// What all runs of a day may use together, on all machines.
    pub per_day: Limits,
    /// How much of each question and answer is kept, in characters; zero: nothing.
    pub kept_text: usize,
    /// Prices.
    pub prices: Prices,
}

impl Default for Settings {
    /// 2, 4 and 8 seconds; at most a minute; 40 calls and 400,000 tokens for a run, ten times that for a day; 4,000 characters.
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
        }
    }
}

/// After so many questions in a row that a provider failed, each asked as often as may be, it is left alone.
const MOST_FAILURES: u32 = 5;

/// For so long; or for as long as it asks for, if that is longer.
const REST: Duration = Duration::from_mins(1);

/// And never longer.
const LONGEST_REST: Duration = Duration::from_hours(1);

/// How a provider has done lately.
#[derive(Debug, Default)]
struct Standing {
    failures: u32,
    /// It is not asked before.
    until: Option<Instant>,
}

/// The models of this process, in the order in which they are asked. Cheap to clone.
#[derive(Clone)]
pub struct Models(Arc<Inner>);

struct Inner {
    chain: Vec<(Arc<dyn ChatModel>, Mutex<Standing>)>,
    ledger: Arc<dyn CallLedger>,
    settings: Settings,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    redact: fn(&str) -> String,
    /// One question after the other is let in: what two would both find left is left once.
    admission: tokio::sync::Mutex<()>,
    /// What questions of all runs of this process may use that are not answered yet: it is in no ledger.
    reserved: Mutex<Usage>,
}

impl Models {
    /// The models, the first of which is asked first. `clock` tells the time, `redact` takes secrets out of what is kept.
    pub fn new(
        chain: Vec<Arc<dyn ChatModel>>,
        ledger: Arc<dyn CallLedger>,
        settings: Settings,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
        redact: fn(&str) -> String,
    ) -> Self {
        let chain = chain.into_iter().map(|model| (model, Mutex::default())).collect();
        let (admission, reserved) = (tokio::sync::Mutex::default(), Mutex::default());
        let clock = Box::new(clock);
        Self(Arc::new(Inner { chain, ledger, settings, clock, redact, admission, reserved }))
    }

    /// A run's own account. `used` is what it has used before, when it is resumed.
    pub fn session(&self, target: Option<String>, user: Option<String>, used: Usage) -> Session {
        let account = Arc::new(Mutex::new(Account { used, reserved: Usage::default() }));
        Session { models: self.clone(), target, user, account }
    }
}

/// A run that asks.
pub struct Session {
    models: Models,
    target: Option<String>,
    user: Option<String>,
    account: Arc<Mutex<Account>>,
}

/// What a run has used, and what its questions that are not answered yet may use.
#[derive(Debug, Clone, Copy)]
struct Account {
    used: Usage,
    reserved: Usage,
}

/// What one question may use, kept from all others until it is answered.
struct Reservation {
    models: Arc<Inner>,
    account: Arc<Mutex<Account>>,
    estimate: Usage,
    used: Usage,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        {
            let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
            account.used = account.used.plus(self.used);
            account.reserved = account.reserved.minus(self.estimate);
        }
        let mut reserved = self.models.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        *reserved = reserved.minus(self.estimate);
    }
}

impl Session {
    /// What the run has used, and what questions may use that are not answered yet.
    pub fn used(&self) -> Usage {
        let account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        account.used.plus(account.reserved)
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

    /// Asks one model, again when it may pass by itself; with less to read when it took too long.
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
            tokio::time::sleep(asked.max(*wait)).await;
        }
    }

    /// Once it is asked, an answer is waited for and written down whoever goes away meanwhile: it is paid for.
    async fn ask_once(
        &self,
        model: &Arc<dyn ChatModel>,
        purpose: &str,
        request: &ChatRequest,
    ) -> Result<ChatAnswer, ChatError> {
        let settings = &self.models.0.settings;
        let price = settings.prices.of(model.name());
        let estimate =
            TokenUsage { input: request.estimated_tokens(), output: u64::from(request.max_tokens), cached: 0 };
        let next = spent(estimate, price.map(|price| price.micro_dollars(estimate)));
        // What cannot be priced cannot be kept within a limit of money.
        let is_limited = settings.per_run.micro_dollars.is_some() || settings.per_day.micro_dollars.is_some();
        if is_limited && price.is_none() {
            return Err(ChatError::Exhausted(Exhausted::Money));
        }
        let question = Question {
            model: Arc::clone(model),
            reservation: self.reserve(next).await?,
            request: request.clone(),
            estimate,
            purpose: purpose.to_owned(),
            target: self.target.clone(),
            user: self.user.clone(),
        };
        let asked = tokio::spawn(question.ask()).await;
        asked.unwrap_or_else(|error| Err(unaccounted(&error)))
    }

    /// Keeps what a question may use from all others, where the limits allow it.
    async fn reserve(&self, estimate: Usage) -> Result<Reservation, ChatError> {
        let models = Arc::clone(&self.models.0);
        let _admitted = models.admission.lock().await;
        let now = (models.clock)();
        let used_today = models.ledger.used_since(start_of_day(now)).await;
        let used_today = used_today.map_err(|error| unaccounted(&error))?;
        match self.admit(&models, used_today, estimate) {
            Ok(()) => {}
            Err(Refused::ByRun(exhausted)) => return Err(exhausted.into()),
            Err(Refused::ByDay(exhausted)) => {
                models.ledger.day_exhausted(now, exhausted).await.map_err(|error| unaccounted(&error))?;
                return Err(exhausted.into());
            }
        }
        let (models, account) = (Arc::clone(&models), Arc::clone(&self.account));
        Ok(Reservation { models, account, estimate, used: estimate })
    }

    /// Sets aside what a question may use, where the limits allow it.
    fn admit(&self, models: &Inner, used_today: Usage, estimate: Usage) -> Result<(), Refused> {
        let mut account = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        models.settings.per_run.allow(account.used.plus(account.reserved), estimate).map_err(Refused::ByRun)?;
        let mut reserved = models.reserved.lock().unwrap_or_else(PoisonError::into_inner);
        models.settings.per_day.allow(used_today.plus(*reserved), estimate).map_err(Refused::ByDay)?;
        account.reserved = account.reserved.plus(estimate);
        *reserved = reserved.plus(estimate);
        Ok(())
    }
}

/// Whose limit a question would pass.
enum Refused {
    ByRun(Exhausted),
    ByDay(Exhausted),
}

/// A question that is let in.
struct Question {
    model: Arc<dyn ChatModel>,
    reservation: Reservation,
    request: ChatRequest,
    estimate: TokenUsage,
    purpose: String,
    target: Option<String>,
    user: Option<String>,
}

impl Question {
    async fn ask(mut self) -> Result<ChatAnswer, ChatError> {
        let models = Arc::clone(&self.reservation.models);
        let started = Instant::now();
        let outcome = self.model.chat(&self.request).await;
        let usage = match &outcome {
            // A provider that does not count has used what it was given.
            Ok(answer) if answer.usage == TokenUsage::default() => {
                TokenUsage { output: u64::try_from(answer.text.len() / 4).unwrap_or(u64::MAX), ..self.estimate }
            }
            Ok(answer) => answer.usage,
            // It may have been answered after nobody waited any more, and is paid for then.
            Err(ChatError::TimedOut { .. }) => self.estimate,
            Err(_) => TokenUsage::default(),
        };
        let price = models.settings.prices.of(self.model.name());
        self.reservation.used = spent(usage, price.map(|price| price.micro_dollars(usage)));
        let call = self.record(&models, &outcome, usage, started.elapsed());
        models.ledger.record(call).await.map_err(|error| unaccounted(&error))?;
        outcome
    }

    fn record(
        &self,
        models: &Inner,
        outcome: &Result<ChatAnswer, ChatError>,
        usage: TokenUsage,
        latency: Duration,
    ) -> CallRecord {
        let Inner { settings, clock, redact, .. } = models;
        let kept = |text: &str| (settings.kept_text > 0).then(|| cut(&redact(text), settings.kept_text));
        let prompt: Vec<&str> = self.request.messages.iter().map(|message| message.text.as_str()).collect();
        let outcome_name = match outcome {
            Ok(ChatAnswer { finish: Finish::Complete, .. }) => "ANSWERED",
            Ok(ChatAnswer { finish: Finish::Length, .. }) => "CUT_OFF",
            Ok(ChatAnswer { finish: Finish::Refused(_), .. }) => "REFUSED",
            Err(error) => error.outcome(),
        };
        CallRecord {
            at: clock(),
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
            micro_dollars: settings.prices.of(self.model.name()).map(|price| price.micro_dollars(usage)),
            latency,
            outcome: outcome_name.to_owned(),
        }
    }
}

fn unaccounted(error: &dyn std::error::Error) -> ChatError {
    ChatError::Ledger(error.to_string())
}

fn spent(usage: TokenUsage, micro_dollars: Option<u64>) -> Usage {
    let tokens = usage.input.saturating_add(usage.output);
    Usage { tokens, micro_dollars: micro_dollars.unwrap_or(0), calls: 1, wall_time: Duration::ZERO }
}

/// Midnight in UTC.
fn start_of_day(now: Timestamp) -> Timestamp {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    Timestamp::from_millis(now.as_millis().div_euclid(DAY) * DAY)
}

fn refuse_resting(model: &dyn ChatModel, standing: &Mutex<Standing>) -> Result<(), ChatError> {
    let mut standing = standing.lock().unwrap_or_else(PoisonError::into_inner);
    match standing.until {
        Some(until) if Instant::now() < until => {
            Err(ChatError::Down { model: model.name().to_string(), failures: standing.failures })
        }
        Some(_) => {
            // One more try; if it fails, the rest begins anew.
            standing.until = None;
            standing.failures = MOST_FAILURES - 1;
            Ok(())
        }
        None => Ok(()),
    }
}

/// What a question that failed for good says about the provider. Errors that are about the question say nothing.
fn note_failure(standing: &Mutex<Standing>, error: &ChatError) {
    let mut standing = standing.lock().unwrap_or_else(PoisonError::into_inner);
    match error {
        ChatError::Unavailable { .. } | ChatError::TimedOut { .. } => {
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
        | ChatError::Exhausted(_)
        | ChatError::NotRecorded { .. }
        | ChatError::Ledger(_) => {}
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// What a question is known by: SHA-256 of its JSON, hexadecimal.
pub fn hash_of(request: &ChatRequest) -> String {
    // How long somebody waits for the answer is no part of the question.
    let question = ChatRequest { timeout: ChatRequest::PATIENCE, ..request.clone() };
    // Maps are sorted and floats written in one way, so the same question is the same text.
    let text = serde_json::to_string(&question).unwrap_or_default();
    hexadecimal(&Sha256::digest(text.as_bytes()))
}
