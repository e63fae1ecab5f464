//! Rate limits of requests to one host, shared so that many workers together are as polite as one.
//!
//! The arithmetic is the generic cell rate algorithm (ITU-T I.371): each host has one number, the time at which it would
//! be idle again if every request took its full interval. A request slot is *reserved*: the caller learns how long to
//! wait, and the next caller has to wait longer. So the number fits in a database row, and one statement updates it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use crate::Timestamp;

/// Maximum request rate for a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// Average time between two request slots; zero: no limit.
    pub interval: Duration,
    /// Maximum number of requests at once after an idle period; zero counts as one.
    pub burst: u32,
}

impl Pace {
    /// No limit at all.
    pub const UNLIMITED: Self = Self { interval: Duration::ZERO, burst: 1 };

    /// Returns the same pace, limited to one request slot per `interval`, as `Crawl-delay` requests.
    #[must_use]
    pub fn at_least(self, interval: Duration) -> Self {
        if interval > self.interval { Self { interval, burst: 1 } } else { self }
    }

    /// Reserves the next request slot at `now`, for a host that is idle again at `idle_at` (`None`: no slot was reserved before).
    ///
    /// # Example
    ///
    /// ```
    /// use std::time::Duration;
    /// use autoheal_engine::{Timestamp, politeness::Pace};
    ///
    /// let pace = Pace { interval: Duration::from_secs(1), burst: 2 };
    /// let now = Timestamp::from_millis(0);
    /// let first = pace.reserve(None, now);
    /// let second = pace.reserve(Some(first.idle_at), now);
    /// let third = pace.reserve(Some(second.idle_at), now);
    /// assert_eq!([first.wait, second.wait, third.wait], [0, 0, 1].map(Duration::from_secs));
    /// ```
    pub fn reserve(self, idle_at: Option<Timestamp>, now: Timestamp) -> Turn {
        let starts_from = idle_at.map_or(now, |idle_at| idle_at.max(now));
        let tolerance = self.interval.saturating_mul(self.burst.max(1) - 1);
        let allowed_at = starts_from.minus(tolerance);
        Turn { wait: allowed_at.since(now), idle_at: starts_from.plus(self.interval) }
    }
}

/// A reserved request slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Time to wait before sending the request.
    pub wait: Duration,
    /// State of the host to keep until the next reservation.
    pub idle_at: Timestamp,
}

/// Reason no request slot could be reserved: the shared state of hosts did not respond.
#[derive(Debug)]
pub struct ReservationError(pub Box<dyn std::error::Error + Send + Sync>);

impl fmt::Display for ReservationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("failed to reserve the host's next turn")
    }
}

impl std::error::Error for ReservationError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.0.as_ref())
    }
}

/// The future of a reservation.
pub type Reserving<'call> = Pin<Box<dyn Future<Output = Result<Duration, ReservationError>> + Send + 'call>>;

/// Keeper of the request slots of hosts: one process in its memory, or
/// many workers in the database that they share.
pub trait HostReservations: Send + Sync {
    /// Reserves the next request slot of `host` (a name or address, with its port unless it is the default one) and returns
    /// the time to wait for it.
    ///
    /// A slot further away than `patience` is not reserved; its wait is still returned, so that the caller can come back later.
    ///
    /// # Errors
    ///
    /// [`ReservationError`] when the shared state does not respond.
    fn reserve<'call>(&'call self, host: &'call str, pace: Pace, patience: Duration) -> Reserving<'call>;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_window_holds_more_turns_than_its_length_and_the_burst_allow(
            interval in 1_u64..5_000,
            burst in 0_u32..6,
            gaps in prop::collection::vec(0_i64..7_000, 1..60),
        ) {
            let pace = Pace { interval: Duration::from_millis(interval), burst };
            let mut now = Timestamp::from_millis(0);
            let mut idle_at = None;
            let mut asked_at = Vec::new();
            for gap in gaps {
                now = Timestamp::from_millis(now.as_millis() + gap);
                let turn = pace.reserve(idle_at, now);
                idle_at = Some(turn.idle_at);
                asked_at.push(now.plus(turn.wait).as_millis());
            }
            for (first, start) in asked_at.iter().enumerate() {
                for (count, end) in asked_at[first..].iter().enumerate() {
                    let allowed = (end - start) / i64::try_from(interval).unwrap() + i64::from(burst.max(1));
                    prop_assert!(i64::try_from(count).unwrap() < allowed);
                    prop_assert!(end >= start, "turns keep their order");
                }
            }
        }
    }

    #[test]
    fn rest_is_not_saved_up_beyond_the_burst() {
        let pace = Pace { interval: Duration::from_secs(1), burst: 2 };
        let long_ago = Some(Timestamp::from_millis(0));
        let now = Timestamp::from_millis(3_600_000);
        let first = pace.reserve(long_ago, now);
        let second = pace.reserve(Some(first.idle_at), now);
        let third = pace.reserve(Some(second.idle_at), now);
        assert_eq!((first.wait, second.wait, third.wait), (Duration::ZERO, Duration::ZERO, Duration::from_secs(1)));
    }

    #[test]
    fn without_an_interval_nobody_waits() {
        let now = Timestamp::from_millis(5);
        let turn = Pace::UNLIMITED.reserve(Some(now), now);
        assert_eq!(turn.wait, Duration::ZERO);
    }

    #[test]
    fn a_crawl_delay_slows_down_and_never_hurries() {
        let pace = Pace { interval: Duration::from_secs(2), burst: 3 };
        assert_eq!(pace.at_least(Duration::from_secs(1)), pace);
        assert_eq!(pace.at_least(Duration::from_secs(9)), Pace { interval: Duration::from_secs(9), burst: 1 });
    }
}
