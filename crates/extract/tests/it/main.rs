//! Extraction through the public API.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod hostile;
mod kinds;
