//! Interfaces for clients: the HTTP API, and tools for assistants over the Model Context Protocol and over HTTP.
//!
//! # Layout
//!
//! - [`tools`]: the tools, one file each, independent of the transport
//! - [`mcp`]: the Model Context Protocol, over standard input and output
//! - [`api`]: the HTTP API, one file per resource; described in `openapi.json`
//! - [`http`]: the server: access control, and the same tools over HTTP, with progress as server-sent events
//! - `pages`: work on stored pages, done in a worker process; `marked`: stored pages as safe HTML

pub mod api;
pub mod http;
mod marked;
pub mod mcp;
mod pages;
pub mod tools;

pub use tools::{Healing, Services};
