//! The providers: each is how a question is written in its form, and how its answers are read. Nothing here asks anybody.
//!
//! Another provider is a file here, a name in [`Provider`], and a row in each `match`.

mod anthropic;
mod gemini;
mod ollama;
mod openai;
mod schema;

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::ChatError;
use crate::message::{ChatAnswer, ChatRequest, Message, Role};

/// Whose form is spoken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// `OpenAI`'s chat completions, and whoever speaks like it.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// Ollama's chat, on a machine of one's own.
    Ollama,
}

impl Provider {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// As it is written before the `/` of a model's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// Where it is asked when nothing else is said.
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
    /// Who is asked.
    pub provider: Provider,
    /// For which model.
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
        // It becomes part of a path: no second slash leads elsewhere, but for names of compatible servers such as `meta/llama`.
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

/// A question in a provider's form; the key is added when it is sent.
#[derive(Debug, Clone, PartialEq)]
pub struct WireRequest {
    /// What follows the base URL.
    pub path: String,
    /// Headers but the key's, by name and value.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Value,
}

/// How the key is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyHeader {
    /// `Authorization: Bearer KEY`.
    Bearer,
    /// This header, and nothing but the key.
    Plain(&'static str),
}

impl ModelName {
    /// The question in this provider's form. `is_own` tells whether the provider itself is asked, and not somebody who speaks like it.
    pub fn encode(&self, request: &ChatRequest, is_own: bool) -> WireRequest {
        match self.provider {
            Provider::OpenAi => openai::encode(&self.model, request, is_own),
            Provider::Anthropic => anthropic::encode(&self.model, request),
            Provider::Gemini => gemini::encode(&self.model, request),
            Provider::Ollama => ollama::encode(&self.model, request),
        }
    }

    /// The answer in what came back.
    ///
    /// # Errors
    ///
    /// What the status and the provider's words say, or [`ChatError::Malformed`].
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

/// The conversation without its rules, for providers that want this program to begin it: a model's words that were kept without the
/// question get one.
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

/// A count of tokens; what a provider leaves out is none.
fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}
