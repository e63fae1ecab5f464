//! The server over real connections.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod healing;
mod http;
