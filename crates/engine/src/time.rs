//! Points in time, as the store keeps them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Milliseconds since 1970-01-01T00:00:00 UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The point `millis` milliseconds after the epoch.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Milliseconds since the epoch.
    pub const fn as_millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since the epoch, rounded down, as git expects.
    pub const fn as_seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// The point `duration` later; stays at the end of time instead of wrapping.
    #[must_use]
    pub fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(millis(duration)))
    }

    /// The point `duration` earlier; stays at the beginning of time instead of wrapping.
    #[must_use]
    pub fn minus(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(millis(duration)))
    }

    /// Returns the time from `earlier` to `self`; zero if `earlier` is
    /// later (clocks of two machines may disagree).
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// The point that a text in the form of RFC 3339 names.
    pub fn from_rfc3339(text: &str) -> Option<Self> {
        text.parse::<jiff::Timestamp>().ok().map(|time| Self(time.as_millisecond()))
    }

    /// RFC 3339 in UTC, as the spec's error format and the iteration history show it; always with three decimals, so that texts sort as
    /// times do.
    pub fn to_rfc3339(self) -> String {
        jiff::Timestamp::from_millisecond(self.0).map_or_else(|_| format!("@{}ms", self.0), |time| format!("{time:.3}"))
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// A duration as the spec writes it: `4m 22s`, whole seconds, rounded down (spec: `total_time`, `^\d+m \d+s$`).
pub fn minutes_and_seconds(duration: Duration) -> String {
    let seconds = duration.as_secs();
    format!("{}m {}s", seconds / 60, seconds % 60)
}
