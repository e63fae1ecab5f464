//! A flaky test, as results tell it.

use std::fmt;

use autoheal_engine::diagnostics::Key;
use serde::{Deserialize, Serialize};

/// Condition, other than the program, that the outcome of a test depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlakyKind {
    /// Other tests that run before it.
    Order,
    /// The date, the time of the day, or the time zone.
    Time,
    /// Random numbers, or the order of sets.
    Randomness,
    /// A network, which is never there when tests are run here.
    Network,
    /// The order of concurrent work (threads, processes, timers), and the speed of the machine.
    Concurrency,
    /// Limited resources of the machine, or leftovers on it: ports, files, memory.
    Resource,
    /// It comes and goes, and nothing that was varied says why.
    Unknown,
}

impl FlakyKind {
    /// All kinds of flaky tests.
    pub const ALL: [Self; 7] =
        [Self::Order, Self::Time, Self::Randomness, Self::Network, Self::Concurrency, Self::Resource, Self::Unknown];

    /// The kind as results write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Order => "order",
            Self::Time => "time",
            Self::Randomness => "randomness",
            Self::Network => "network",
            Self::Concurrency => "concurrency",
            Self::Resource => "resource",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the explanation for the user: `on a network`.
    pub const fn explanation(self) -> &'static str {
        match self {
            Self::Order => "on the tests that run before it",
            Self::Time => "on the date, the time or the time zone",
            Self::Randomness => "on random numbers or the order of sets",
            Self::Network => "on a network",
            Self::Concurrency => "on what is done first of things that go on at once",
            Self::Resource => "on ports, files or memory of the machine",
            Self::Unknown => "on something that was not found",
        }
    }
}

impl fmt::Display for FlakyKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// Healing that may still be tried for such a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Healing {
    /// Nothing: it comes and goes.
    Never,
    /// Rules that the error itself names a repair to: it fails each time that everything is as it is in CI.
    Rules,
    /// Everything: it fails each time, and did not before the last commit.
    Anything,
}

/// A test whose outcome depends on more than the program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlakyTest {
    /// Key of the test's failure.
    pub key: Key,
    /// Selector that makes the runner run it.
    pub test: String,
    /// Condition that it depends on.
    pub kind: FlakyKind,
    /// Observations, one sentence each.
    pub evidence: Vec<String>,
    /// The smallest command that shows it.
    pub reproduction: String,
    /// Healing that may still be tried.
    pub healing: Healing,
}
