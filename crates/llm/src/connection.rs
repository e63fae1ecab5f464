//! The way to a provider: one request, one answer, streamed where the server can.

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use rustls::{ClientConfig, RootCertStore};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest};
use crate::provider::{KeyHeader, ModelName, Streamed};
use crate::stream::Events;

/// Maximum length of a response, in bytes.
const LONGEST_ANSWER: usize = 16 << 20;

/// Receives the number of characters of an answer that have arrived so far.
pub type OnReceived<'a> = &'a (dyn Fn(usize) + Send + Sync);

/// A language model that answers requests.
#[async_trait]
pub trait ChatModel: Send + Sync {
    /// Returns the name of the model.
    fn name(&self) -> &ModelName;

    /// Sends the request once, without retries.
    ///
    /// # Errors
    ///
    /// See [`ChatError`]. A refusal is an answer.
    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ChatError>;

    /// Does the same, and reports the progress of a streamed answer.
    ///
    /// # Errors
    ///
    /// As [`ChatModel::chat`].
    async fn chat_reporting(
        &self,
        request: &ChatRequest,
        _on_received: OnReceived<'_>,
    ) -> Result<ChatAnswer, ChatError> {
        self.chat(request).await
    }

    /// Notes an answer that is known from an earlier run and replaces a request.
    ///
    /// # Errors
    ///
    /// If the answer cannot be recorded.
    fn note_known(&self, _request: &ChatRequest, _answer: &ChatAnswer) -> Result<(), ChatError> {
        Ok(())
    }
}

/// Reason no connection to a provider can be created.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The provider needs a key, and none is configured.
    #[error(
        "{model} needs a key: set the environment variable {variable}, or name a file with llm.key_files.{provider}"
    )]
    NoKey {
        /// Name of the model.
        model: String,
        /// Environment variable that may hold the key.
        variable: &'static str,
        /// Name of the provider.
        provider: &'static str,
    },
    /// The base URL is not an HTTP address.
    #[error("{0} is no address of a provider: write http://... or https://...")]
    Address(String),
    /// TLS cannot be set up on this machine.
    #[error("no secure connections can be made: {0}")]
    Tls(String),
}

/// Minimum length of a provider's key, in bytes.
const SHORTEST_KEY: usize = 12;

/// A provider over HTTP.
pub struct Connection {
    name: ModelName,
    base: Url,
    is_own: bool,
    key: Option<SecretString>,
    client: Client,
    /// The server has refused to stream: some compatible servers cannot, and `OpenAI` does not stream some models to some
    /// accounts.
    refuses_streams: AtomicBool,
}

impl Connection {
    /// The way to a model at `base`, or where its provider is.
    ///
    /// # Errors
    ///
    /// [`ConnectionError`].
    pub fn new(name: ModelName, base: Option<Url>, key: Option<SecretString>) -> Result<Self, ConnectionError> {
        let own = name.provider.base_url();
        let is_own = base.is_none();
        let base = base.map_or_else(|| Url::parse(own), Ok).map_err(|_| ConnectionError::Address(own.to_owned()))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(ConnectionError::Address(base.to_string()));
        }
        if let Some(variable) = name.provider.key_variable().filter(|_| key.is_none() && is_own) {
            let (model, provider) = (name.to_string(), name.provider.name());
            return Err(ConnectionError::NoKey { model, variable, provider });
        }
        let client = Client::builder()
            .tls_backend_preconfigured(tls()?)
            .user_agent(concat!("autoheal/", env!("CARGO_PKG_VERSION")))
            // A redirect by another party must not receive the key.
            .redirect(Policy::none())
            .connect_timeout(Duration::from_secs(15))
            .build()
            .map_err(|error| ConnectionError::Tls(error.to_string()))?;
        Ok(Self { name, base, is_own, key, client, refuses_streams: AtomicBool::new(false) })
    }

    async fn ask(&self, request: &ChatRequest, on_received: OnReceived<'_>) -> Result<ChatAnswer, ChatError> {
        if self.refuses_streams.load(Ordering::Relaxed) {
            return self.ask_once(request, false, on_received).await;
        }
        let streamed = self.ask_once(request, true, on_received).await;
        let Err(ChatError::Rejected { message, .. }) = &streamed else { return streamed };
        if !message.contains("stream") {
            return streamed;
        }
        let answer = self.ask_once(request, false, on_received).await?;
        tracing::debug!(model = %self.name, message, "the server does not stream");
        self.refuses_streams.store(true, Ordering::Relaxed);
        Ok(answer)
    }

    async fn ask_once(
        &self,
        request: &ChatRequest,
        in_stream: bool,
        on_received: OnReceived<'_>,
    ) -> Result<ChatAnswer, ChatError> {
        let response = self.send(request, in_stream).await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if let Some(events) = Events::of(&headers).filter(|_| is_success(status)) {
            return self.read_stream(response, events, on_received).await;
        }
        let body = self.without_key(status, self.read_whole(response).await?);
        self.name.decode(status, retry_after(&headers), &body)
    }

    async fn send(&self, request: &ChatRequest, in_stream: bool) -> Result<Response, ChatError> {
        let mut wire = self.name.encode(request, self.is_own);
        if in_stream {
            wire = self.name.in_stream(wire);
        }
        let address = format!("{}{}", self.base.as_str().trim_end_matches('/'), wire.path);
        let mut asking = self.client.post(address).header(CONTENT_TYPE, "application/json").body(wire.body.to_string());
        for (name, value) in wire.headers {
            asking = asking.header(name, value);
        }
        if let Some(key) = &self.key {
            asking = match self.name.key_header() {
                KeyHeader::Bearer => asking.bearer_auth(key.expose_secret()),
                KeyHeader::Plain(name) => asking.header(name, key.expose_secret()),
            };
        }
        asking.send().await.map_err(|error| unavailable(&self.name, error))
    }

    async fn read_whole(&self, mut response: Response) -> Result<Vec<u8>, ChatError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(|error| unavailable(&self.name, error))? {
            self.check_length(body.len() + piece.len())?;
            body.extend_from_slice(&piece);
        }
        Ok(body)
    }

    /// Reads a streamed answer, which is then decoded like one that came as a whole.
    async fn read_stream(
        &self,
        mut response: Response,
        mut events: Events,
        on_received: OnReceived<'_>,
    ) -> Result<ChatAnswer, ChatError> {
        let (mut answer, mut length) = (Streamed::default(), 0);
        on_received(0);
        loop {
            let piece = response.chunk().await;
            let piece = piece.map_err(|error| self.broken_off(&answer, cause_of(error)))?;
            let found = match &piece {
                Some(piece) => {
                    length += piece.len();
                    self.check_length(length)?;
                    events.push(piece)
                }
                None => events.finish().into_iter().collect(),
            };
            for event in found {
                let event = self.without_key(OK, event.into_bytes());
                self.name.add(&mut answer, &event).map_err(|error| match error {
                    ChatError::Unavailable { message, .. } => self.broken_off(&answer, message),
                    error => error,
                })?;
            }
            on_received(answer.received());
            if piece.is_none() {
                break;
            }
        }
        if !answer.is_complete() {
            return Err(self.broken_off(&answer, "the stream ended".to_owned()));
        }
        let document = self.name.whole(answer).to_string();
        // A key may have come in several events.
        self.name.decode(OK, None, &self.without_key(OK, document.into_bytes()))
    }

    fn check_length(&self, length: usize) -> Result<(), ChatError> {
        if length <= LONGEST_ANSWER {
            return Ok(());
        }
        let message = format!("it is longer than {LONGEST_ANSWER} bytes");
        Err(ChatError::Malformed { model: self.name.to_string(), message })
    }

    fn broken_off(&self, answer: &Streamed, message: String) -> ChatError {
        ChatError::BrokenOff { model: self.name.to_string(), message, received: answer.received() }
    }

    /// Removes the key from a response, because its text is printed and stored: a provider may repeat the key that it rejects.
    /// From answers it is only removed when it is long enough to be a key; a short one is a word (`ollama`) that an answer may
    /// contain.
    fn without_key(&self, status: u16, body: Vec<u8>) -> Vec<u8> {
        let shortest = if is_success(status) { SHORTEST_KEY } else { 1 };
        let Some(key) = self.key.as_ref().map(secrecy::ExposeSecret::expose_secret).filter(|key| key.len() >= shortest)
        else {
            return body;
        };
        let text = String::from_utf8_lossy(&body);
        if text.contains(key) { text.replace(key, "***").into_bytes() } else { body }
    }
}

/// Status of a response that is an answer.
const OK: u16 = 200;

fn is_success(status: u16) -> bool {
    (200..300).contains(&status)
}

fn unavailable(name: &ModelName, error: reqwest::Error) -> ChatError {
    ChatError::Unavailable { model: name.to_string(), message: cause_of(error), retry_after: None }
}

/// Returns the message of a failed request, with its innermost cause, which is the informative one.
fn cause_of(error: reqwest::Error) -> String {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(below) = cause.source() {
        cause = below;
    }
    if error.source().is_some() { format!("{error}: {cause}") } else { error.to_string() }
}

#[async_trait]
impl ChatModel for Connection {
    fn name(&self) -> &ModelName {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        self.chat_reporting(request, &|_| {}).await
    }

    async fn chat_reporting(
        &self,
        request: &ChatRequest,
        on_received: OnReceived<'_>,
    ) -> Result<ChatAnswer, ChatError> {
        let timed_out = |_| ChatError::TimedOut { model: self.name.to_string(), limit: request.timeout };
        tokio::time::timeout(request.timeout, self.ask(request, on_received)).await.map_err(timed_out)?
    }
}

/// Returns the wait that the provider requests: seconds, or a date (RFC 9110, section 10.2.3).
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(text).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

/// Returns a TLS configuration with the roots that the machine trusts, or those of Mozilla when the machine has no roots.
fn tls() -> Result<ClientConfig, ConnectionError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| ConnectionError::Tls(error.to_string()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
