//! Language models: asked last, within limits, and believed only as far as their answers can be checked.
//!
//! # Layout
//!
//! - [`message`]: a question and an answer, in no provider's form
//! - [`provider`]: the forms of `OpenAI`, Anthropic, Gemini and Ollama
//! - [`connection`]: the way to a provider; [`recording`]: answers in a file
//! - [`session`]: retries, other models, budgets, accounts; [`price`]: what calls cost
//! - [`prompt`]: filling templates, with what comes from outside fenced
//! - [`json`], [`structured`]: finding the data in an answer, and checking its form
//! - [`error`]: why there is no answer

pub mod connection;
pub mod error;
pub mod json;
pub mod message;
pub mod price;
pub mod prompt;
pub mod provider;
pub mod recording;
pub mod session;
pub mod structured;

pub use connection::{ChatModel, Connection, ConnectionError};
pub use error::ChatError;
pub use message::{ChatAnswer, ChatRequest, Finish, Image, Message, OutputSchema, Role, TokenUsage};
pub use provider::{InvalidModelName, ModelName, Provider};
pub use session::{Models, Session, Settings};
pub use structured::AnswerFault;
