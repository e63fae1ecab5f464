//! The engine's laws, as property tests through its public API.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod breaker;
mod budget;
mod diagnostics;
mod graph;
mod names;
mod time;

use proptest::test_runner::Config;

/// Returns the configuration of property tests: the number of cases for each property.
fn cases() -> Config {
    Config { cases: 256, failure_persistence: None, ..Config::default() }
}
