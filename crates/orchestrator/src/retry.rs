//! Delay before a failed task is retried.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::time::Duration;

use autoheal_engine::TaskId;

/// No wait is longer.
const LONGEST: Duration = Duration::from_hours(1);

/// Returns the wait of a task after one more failure: `base` after the first one, doubled with each further one, an
/// hour at most. Up to a quarter of it is subtracted, depending on the task and the attempt, so that tasks that failed
/// together do not retry together.
pub(crate) fn wait(base: Duration, failed_before: u32, task: TaskId) -> Duration {
    let factor = 1_u32.checked_shl(failed_before).unwrap_or(u32::MAX);
    let most = base.saturating_mul(factor).min(LONGEST);
    let mut hasher = DefaultHasher::new();
    (task, failed_before).hash(&mut hasher);
    let thousandths = u32::try_from(hasher.finish() % 1000).unwrap_or(0);
    most.saturating_sub(most / 4 * thousandths / 1000)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_wait_is_between_three_quarters_and_the_whole_of_what_doubles(
            seconds in 1_u64..10_000, failed in 0_u32..200, task in 0_i64..1000,
        ) {
            let base = Duration::from_secs(seconds);
            let doubled = base.saturating_mul(2_u32.saturating_pow(failed)).min(LONGEST);
            let waited = wait(base, failed, TaskId(task));
            prop_assert!(waited <= doubled && waited >= doubled * 3 / 4, "{waited:?} of {doubled:?}");
        }
    }

    #[test]
    fn what_failed_together_comes_back_apart() {
        let waits: BTreeSet<Duration> = (0..100).map(|task| wait(Duration::from_secs(30), 0, TaskId(task))).collect();
        assert!(waits.len() > 50, "{waits:?}");
    }
}
