//! The client against servers that speak the providers' real forms.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod ledger;
mod providers;
mod recordings;
mod sessions;
mod streams;
