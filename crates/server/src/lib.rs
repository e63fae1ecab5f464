//! What others talk to: the API, and tools for assistants, over the Model Context Protocol and over HTTP.
//!
//! # Layout
//!
//! - [`tools`]: what can be asked for, a file each, and nothing of how it is asked
//! - [`mcp`]: the Model Context Protocol, over standard input and output
//! - [`api`]: what can be asked over HTTP, a file for each thing; described in `openapi.json`
//! - [`http`]: the server: who may ask, and the same tools over HTTP, with progress as server-sent events

pub mod api;
pub mod http;
pub mod mcp;
pub mod tools;

pub use tools::{Healing, Services};
