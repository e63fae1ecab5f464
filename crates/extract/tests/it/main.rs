//! Extraction through the public API.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod adaptive;
mod dynamic;
mod hostile;
mod kinds;
mod prompts;
mod scripted;
mod wire;
