//! Language models, the last resort: requests stay within limits, and every answer is checked before it is used.
//!
//! # Layout
//!
//! - [`message`]: requests and answers, independent of the provider
//! - [`provider`]: the formats of `OpenAI`, Anthropic, Gemini and Ollama
//! - [`connection`]: HTTP connections to providers; `stream`: the events of a streamed answer; [`recording`]: answers in a file
//! - [`session`]: retries, fallback models, budgets, the ledger; `question`: one request of it; [`price`]: prices of models
//! - [`prompt`]: filling templates, with external text fenced
//! - [`json`], [`structured`]: extracting the data of an answer, and checking it against a schema
//! - [`error`]: reasons for a missing answer

pub mod connection;
pub mod error;
pub mod json;
pub mod message;
pub mod price;
pub mod prompt;
pub mod provider;
mod question;
pub mod recording;
pub mod session;
mod stream;
pub mod structured;

pub use autoheal_engine::ledger::ModelUsage;
pub use connection::{ChatModel, Connection, ConnectionError, OnReceived};
pub use error::ChatError;
pub use message::{ChatAnswer, ChatRequest, Finish, Image, Message, OutputSchema, Role, TokenUsage};
pub use provider::{InvalidModelName, ModelName, Provider};
pub use question::{Notice, hash_of};
pub use session::{Models, Session, Settings};
pub use structured::AnswerFault;
