//! The way to a provider: one request, one answer.

use std::error::Error as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use reqwest::Client;
use reqwest::header::{CONTENT_TYPE, HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;
use rustls::{ClientConfig, RootCertStore};
use secrecy::{ExposeSecret as _, SecretString};
use url::Url;

use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest};
use crate::provider::{KeyHeader, ModelName};

/// Maximum length of a response, in bytes.
const LONGEST_ANSWER: usize = 16 << 20;

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
        Ok(Self { name, base, is_own, key, client })
    }

    async fn ask(&self, request: &ChatRequest) -> Result<(u16, HeaderMap, Vec<u8>), ChatError> {
        let wire = self.name.encode(request, self.is_own);
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
        let failed = |error| unavailable(&self.name, error);
        let mut response = asking.send().await.map_err(failed)?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(failed)? {
            if body.len() + piece.len() > LONGEST_ANSWER {
                let message = format!("it is longer than {LONGEST_ANSWER} bytes");
                return Err(ChatError::Malformed { model: self.name.to_string(), message });
            }
            body.extend_from_slice(&piece);
        }
        Ok((status, headers, self.without_key(status, body)))
    }

    /// Removes the key from a response, because its text is printed and stored: a provider may repeat the key that it rejects.
    /// From answers it is only removed when it is long enough to be a key; a short one is a word (`ollama`) that an answer may
    /// contain.
    fn without_key(&self, status: u16, body: Vec<u8>) -> Vec<u8> {
        let is_answer = (200..300).contains(&status);
        let shortest = if is_answer { SHORTEST_KEY } else { 1 };
        let Some(key) = self.key.as_ref().map(secrecy::ExposeSecret::expose_secret).filter(|key| key.len() >= shortest)
        else {
            return body;
        };
        let text = String::from_utf8_lossy(&body);
        if text.contains(key) { text.replace(key, "***").into_bytes() } else { body }
    }
}

/// Returns the error of a failed request, with its innermost cause, which is the informative one.
fn unavailable(name: &ModelName, error: reqwest::Error) -> ChatError {
    let error = error.without_url();
    let mut cause: &dyn std::error::Error = &error;
    while let Some(below) = cause.source() {
        cause = below;
    }
    let message = if error.source().is_some() { format!("{error}: {cause}") } else { error.to_string() };
    ChatError::Unavailable { model: name.to_string(), message, retry_after: None }
}

#[async_trait]
impl ChatModel for Connection {
    fn name(&self) -> &ModelName {
        &self.name
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        let timed_out = |_| ChatError::TimedOut { model: self.name.to_string(), limit: request.timeout };
        let (status, headers, body) =
            tokio::time::timeout(request.timeout, self.ask(request)).await.map_err(timed_out)??;
        self.name.decode(status, retry_after(&headers), &body)
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
