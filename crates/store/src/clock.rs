//! One clock for all machines: the database's.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use autoheal_engine::Timestamp;

const TOLERANCE_MILLIS: u64 = 1000;

/// A clock of this machine.
pub type LocalClock = fn() -> Timestamp;

/// The time by this machine's own clock, which other machines need not agree with.
pub fn system_time() -> Timestamp {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(0).plus(since_epoch)
}

/// The database's clock, as last seen by this process: the local clock, corrected by the difference found last.
#[derive(Clone)]
pub(crate) struct Clock {
    local: LocalClock,
    /// Time by which the database is ahead of `local`, in milliseconds.
    ahead: Arc<AtomicI64>,
}

impl Clock {
    pub(crate) fn new(local: LocalClock) -> Self {
        Self { local, ahead: Arc::default() }
    }

    pub(crate) fn now(&self) -> Timestamp {
        let local = (self.local)().as_millis();
        Timestamp::from_millis(local.saturating_add(self.ahead.load(Ordering::Relaxed)))
    }

    /// Records the database's time, as read a moment ago. A difference smaller than the possible delay of the answer is ignored,
    /// so that the clock does not jump back and forth.
    pub(crate) fn observe(&self, database: Timestamp) {
        let ahead = database.as_millis().saturating_sub((self.local)().as_millis());
        if ahead.abs_diff(self.ahead.load(Ordering::Relaxed)) > TOLERANCE_MILLIS {
            self.ahead.store(ahead, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_and_the_time_of_an_answer_does_not() {
        let clock = Clock::new(|| Timestamp::from_millis(1_000_000));
        clock.observe(Timestamp::from_millis(1_000_900));
        assert_eq!(clock.now().as_millis(), 1_000_000);
        clock.observe(Timestamp::from_millis(400_000));
        clock.observe(Timestamp::from_millis(400_700));
        assert_eq!(clock.now().as_millis(), 400_000);
        clock.observe(Timestamp::from_millis(1_000_000));
        assert_eq!(clock.now().as_millis(), 1_000_000);
    }
}
