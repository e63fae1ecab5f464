use std::time::Duration;

use autoheal_engine::budget::{Exhausted, Limits, Usage};
use proptest::prelude::*;

fn usage() -> impl Strategy<Value = Usage> {
    (0..50_u64, 0..50_u64, 0..50_u64, 0..50_u64).prop_map(|(tokens, micro_dollars, calls, seconds)| Usage {
        tokens,
        micro_dollars,
        calls,
        wall_time: Duration::from_secs(seconds),
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    let limit = || proptest::option::of(0..120_u64);
    (limit(), limit(), limit(), limit()).prop_map(|(tokens, micro_dollars, calls, seconds)| Limits {
        tokens,
        micro_dollars,
        calls,
        wall_time: seconds.map(Duration::from_secs),
    })
}

fn passes(limit: Option<u64>, amount: u64) -> bool {
    limit.is_some_and(|limit| amount > limit)
}

proptest! {
    #![proptest_config(crate::cases())]

    #[test]
    fn spending_what_was_allowed_never_passes_a_limit(limits in limits(), spends in proptest::collection::vec(usage(), 0..12)) {
        let mut used = Usage::default();
        for next in spends {
            if limits.allow(used, next).is_ok() {
                used = used.plus(next);
            }
            prop_assert!(!passes(limits.tokens, used.tokens));
            prop_assert!(!passes(limits.micro_dollars, used.micro_dollars));
            prop_assert!(!passes(limits.calls, used.calls));
            prop_assert!(limits.wall_time.is_none_or(|limit| used.wall_time <= limit));
        }
    }

    #[test]
    fn a_refusal_names_a_limit_that_would_be_passed(limits in limits(), used in usage(), next in usage()) {
        let total = used.plus(next);
        match limits.allow(used, next) {
            Ok(()) => {}
            Err(Exhausted::Tokens) => prop_assert!(passes(limits.tokens, total.tokens)),
            Err(Exhausted::Money) => prop_assert!(passes(limits.micro_dollars, total.micro_dollars)),
            Err(Exhausted::Calls) => prop_assert!(passes(limits.calls, total.calls)),
            Err(Exhausted::WallTime) => prop_assert!(limits.wall_time.is_some_and(|limit| total.wall_time > limit)),
        }
    }

    #[test]
    fn what_is_refused_stays_refused_when_more_was_used(limits in limits(), used in usage(), next in usage(), more in usage()) {
        if limits.allow(used, next).is_err() {
            prop_assert!(limits.allow(used.plus(more), next).is_err());
            prop_assert!(limits.allow(used, next.plus(more)).is_err());
        }
    }
}

#[test]
fn what_was_added_can_be_taken_away_and_never_more() {
    let used = Usage { tokens: 7, micro_dollars: 5, calls: 2, wall_time: Duration::from_secs(3) };
    let more = Usage { tokens: 1, micro_dollars: 2, calls: 1, wall_time: Duration::from_secs(9) };
    assert_eq!(used.plus(more).minus(more), used);
    assert_eq!(Usage::default().minus(more), Usage::default());
}

#[test]
fn without_limits_even_the_largest_use_is_allowed() {
    let all = Usage { tokens: u64::MAX, micro_dollars: u64::MAX, calls: u64::MAX, wall_time: Duration::MAX };
    assert_eq!(Limits::default().allow(all, all), Ok(()));
}

#[test]
fn a_limit_may_be_reached_exactly() {
    let limits = Limits { calls: Some(2), ..Limits::default() };
    let call = Usage { calls: 1, ..Usage::default() };
    assert_eq!(limits.allow(call, call), Ok(()));
    assert_eq!(limits.allow(call.plus(call), call), Err(Exhausted::Calls));
}
