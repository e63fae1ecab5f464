//! The server over real connections.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod http;
