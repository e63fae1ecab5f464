//! The server over real connections.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod api;
mod asking;
mod description;
mod healing;
mod http;
mod webhook;
