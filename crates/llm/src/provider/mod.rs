//! The providers: each module encodes requests in the provider's format and parses its answers. Nothing here sends requests.
//!
//! Another provider is a file here, a name in [`Provider`], and a row in each `match`.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod schema;
mod streamed;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest, Message, Role};

pub(crate) use self::streamed::Streamed;

/// Provider of models, by the format of its API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// `OpenAI`'s chat completions, and compatible servers.
    OpenAi,
    /// Anthropic's messages API.
    Anthropic,
    /// Google's Gemini API.
    Gemini,
    /// Ollama's chat API, usually on a local machine.
    Ollama,
}

impl Provider {
    /// All supported providers.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// Returns the name, as written before the `/` of a model's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Returns the default base URL.
    pub const fn base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com",
            Self::Gemini => "https://generativelanguage.googleapis.com",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// The environment variable that holds its key; `None` for one that needs none.
    pub const fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            Self::Ollama => None,
        }
    }
}

/// A provider and one of its models: `openai/gpt-4o-mini`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ModelName {
    /// Provider of the model.
    pub provider: Provider,
    /// Name of the model at the provider.
    pub model: String,
}

/// A text that names no model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} names no model: write PROVIDER/MODEL with openai, anthropic, gemini or ollama before the slash, or none"
)]
pub struct InvalidModelName(String);

impl FromStr for ModelName {
    type Err = InvalidModelName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidModelName(text.to_owned());
        let (provider, model) = text.split_once('/').ok_or_else(invalid)?;
        let provider = Provider::ALL.into_iter().find(|known| known.name() == provider).ok_or_else(invalid)?;
        // It becomes part of a path: a slash must not lead elsewhere, except in names of compatible servers such as `meta/llama`.
        let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_.:/@".contains(char);
        let is_name = !model.is_empty() && model.len() <= 200 && model.chars().all(is_plain) && !model.contains("..");
        if is_name { Ok(Self { provider, model: model.to_owned() }) } else { Err(invalid()) }
    }
}

impl TryFrom<String> for ModelName {
    type Error = InvalidModelName;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ModelName> for String {
    fn from(name: ModelName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.provider.name(), self.model)
    }
}

/// A request in a provider's format; the key is added when it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct WireRequest {
    /// Path below the base URL.
    pub path: String,
    /// Headers without the key, by name and value.
    pub headers: Vec<(&'static str, String)>,
    /// Body of the request.
    pub body: Value,
}

/// Header that carries the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// Sent as `Authorization: Bearer KEY`.
    Bearer,
    /// Sent as the whole value of this header.
    Plain(&'static str),
}

impl ModelName {
    /// Encodes the request in this provider's format. `is_own`: true if the provider itself is called, false for a compatible server.
    pub fn encode(&self, request: &ChatRequest, is_own: bool) -> WireRequest {
        match self.provider {
            Provider::OpenAi => openai::encode(&self.model, request, is_own),
            Provider::Anthropic => anthropic::encode(&self.model, request),
            Provider::Gemini => gemini::encode(&self.model, request),
            Provider::Ollama => ollama::encode(&self.model, request),
        }
    }

    /// Returns the same request for an answer that is streamed. Each provider enforces the schema of an answer there as well.
    #[must_use]
    pub fn in_stream(&self, mut request: WireRequest) -> WireRequest {
        match self.provider {
            Provider::OpenAi => openai::in_stream(&mut request),
            Provider::Anthropic => anthropic::in_stream(&mut request),
            Provider::Gemini => gemini::in_stream(&mut request),
            Provider::Ollama => ollama::in_stream(&mut request),
        }
        request
    }

    /// Adds an event of a streamed response to what has arrived of its answer.
    ///
    /// # Errors
    ///
    /// The error that the event reports, or [`ChatError::Malformed`].
    pub(crate) fn add(&self, answer: &mut Streamed, event: &[u8]) -> Result<(), ChatError> {
        // OpenAI's last event.
        if event.trim_ascii() == b"[DONE]" {
            return Ok(());
        }
        let malformed =
            |_| ChatError::Malformed { model: self.to_string(), message: "an event is not JSON".to_owned() };
        let document: Value = serde_json::from_slice(event).map_err(malformed)?;
        let error = &document["error"];
        if !error.is_null() {
            return Err(self.failure(status_of(error), None, Some(&document), event));
        }
        match self.provider {
            Provider::OpenAi => openai::add(answer, &document),
            Provider::Anthropic => anthropic::add(answer, &document),
            Provider::Gemini => gemini::add(answer, &document),
            Provider::Ollama => ollama::add(answer, &document),
        }
        Ok(())
    }

    /// Returns the document that the provider would have sent as a whole.
    pub(crate) fn whole(&self, answer: Streamed) -> Value {
        match self.provider {
            Provider::OpenAi => openai::whole(answer),
            Provider::Anthropic => anthropic::whole(answer),
            Provider::Gemini => gemini::whole(answer),
            Provider::Ollama => ollama::whole(answer),
        }
    }

    /// Decodes the answer from the provider's response.
    ///
    /// # Errors
    ///
    /// The error that the status and the provider's message indicate, or [`ChatError::Malformed`].
    pub fn decode(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> Result<ChatAnswer, ChatError> {
        let document: Option<Value> = serde_json::from_slice(body).ok();
        if !(200..300).contains(&status) {
            return Err(self.failure(status, retry_after, document.as_ref(), body));
        }
        let malformed = |message: String| ChatError::Malformed { model: self.to_string(), message };
        let document = document.ok_or_else(|| malformed("it is no JSON".to_owned()))?;
        let answer = match self.provider {
            Provider::OpenAi => openai::decode(&document),
            Provider::Anthropic => anthropic::decode(&document),
            Provider::Gemini => gemini::decode(&document),
            Provider::Ollama => ollama::decode(&document),
        };
        answer.map_err(|field| malformed(format!("it has no {field}")))
    }

    pub(crate) const fn key_header(&self) -> KeyHeader {
        match self.provider {
            Provider::OpenAi | Provider::Ollama => KeyHeader::Bearer,
            Provider::Anthropic => KeyHeader::Plain("x-api-key"),
            Provider::Gemini => KeyHeader::Plain("x-goog-api-key"),
        }
    }

    fn failure(&self, status: u16, retry_after: Option<Duration>, document: Option<&Value>, body: &[u8]) -> ChatError {
        let model = self.to_string();
        let error = document.map_or(&Value::Null, |document| &document["error"]);
        // All four have `error.message`, but Ollama, whose `error` is the message.
        let told = error["message"].as_str().or_else(|| error.as_str()).map(str::to_owned);
        let told = told.unwrap_or_else(|| String::from_utf8_lossy(&body[..body.len().min(200)]).into_owned());
        let message = format!("status {status}: {}", told.chars().take(300).collect::<String>());
        let retry_after = retry_after.or_else(|| gemini::retry_delay(error));
        // An account without money does not get some by waiting.
        let is_broke = error["code"] == "insufficient_quota";
        match status {
            401 | 403 => ChatError::Unauthorized { model, message },
            429 if is_broke => ChatError::Unauthorized { model, message },
            429 => ChatError::RateLimited { model, message, retry_after },
            408 | 500 | 502 | 503 | 504 | 529 => ChatError::Unavailable { model, message, retry_after },
            _ => ChatError::Rejected { model, message },
        }
    }
}

/// Returns the HTTP status that an error within a stream would have had: Gemini and llama.cpp name it, Anthropic and `OpenAI`
/// name the type of the error. Others are taken for failures of the server, which may pass.
fn status_of(error: &Value) -> u16 {
    let named = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    named.filter(|code| (400..600).contains(code)).unwrap_or_else(|| match error["type"].as_str() {
        Some("invalid_request_error" | "not_found_error" | "request_too_large") => 400,
        Some("authentication_error") => 401,
        Some("permission_error" | "billing_error") => 403,
        Some("rate_limit_error" | "insufficient_quota") => 429,
        Some("overloaded_error") => 529,
        _ => 500,
    })
}

/// Returns the conversation without its system messages, for providers that require it to begin with a user message. One is
/// added before a model's answer that was stored without its request.
fn turns(request: &ChatRequest) -> Vec<Message> {
    let said: Vec<Message> = request.messages.iter().filter(|message| message.role != Role::System).cloned().collect();
    let begins_with_answer = said.first().is_some_and(|first| first.role == Role::Assistant);
    let question = begins_with_answer.then(|| Message::user("[a question that is left out]"));
    question.into_iter().chain(said).collect()
}

/// The texts of all messages of one role, as one.
fn joined(request: &ChatRequest, role: Role) -> String {
    let texts = request.messages.iter().filter(|message| message.role == role).map(|message| message.text.as_str());
    texts.collect::<Vec<_>>().join("\n\n")
}

/// Returns a count of tokens; 0 when the provider omits it.
fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}
