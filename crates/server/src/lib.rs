//! What others talk to. Today: tools for assistants, over the Model Context Protocol and over HTTP.
//!
//! # Layout
//!
//! - [`tools`]: what can be asked for, a file each, and nothing of how it is asked
//! - [`mcp`]: the Model Context Protocol, over standard input and output
//! - [`http`]: the same tools over HTTP, with progress as server-sent events

pub mod http;
pub mod mcp;
pub mod tools;

pub use tools::{Healing, Services};
