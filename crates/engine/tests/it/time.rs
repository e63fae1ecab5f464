use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::time::minutes_and_seconds;
use proptest::prelude::*;
use regex::Regex;

proptest! {
    #![proptest_config(crate::cases())]

    // Feature: autoheal-ci-agent, Property 13: Time Format Consistency
    #[test]
    fn total_time_is_minutes_and_seconds(millis in prop_oneof![0..7_200_000_u64, any::<u64>()]) {
        let text = minutes_and_seconds(Duration::from_millis(millis));
        prop_assert!(Regex::new(r"^\d+m \d+s$").unwrap().is_match(&text), "{text}");
        let (minutes, seconds) = text.split_once("m ").unwrap();
        let minutes: u64 = minutes.parse().unwrap();
        let seconds: u64 = seconds.strip_suffix('s').unwrap().parse().unwrap();
        prop_assert!(seconds < 60);
        prop_assert_eq!(minutes * 60 + seconds, millis / 1000);
    }

    #[test]
    fn going_forward_and_back_returns(start in -4_000_000_000_000..4_000_000_000_000_i64, step in 0..1_000_000_000_000_u64) {
        let start = Timestamp::from_millis(start);
        let step = Duration::from_millis(step);
        prop_assert_eq!(start.plus(step).minus(step), start);
        prop_assert_eq!(start.plus(step).since(start), step);
    }

    #[test]
    fn arithmetic_saturates(start in any::<i64>(), step in any::<u64>()) {
        let start = Timestamp::from_millis(start);
        let step = Duration::from_millis(step);
        prop_assert!(start.plus(step) >= start);
        prop_assert!(start.minus(step) <= start);
        prop_assert_eq!(start.since(start.plus(step)), Duration::ZERO);
    }

    #[test]
    fn rfc3339_sorts_like_time(left in 0..4_000_000_000_000_i64, step in -2_000..2_000_i64) {
        let right = (left + step).max(0);
        let text = |millis: i64| Timestamp::from_millis(millis).to_rfc3339();
        prop_assert_eq!(text(left).cmp(&text(right)), left.cmp(&right));
        let form = Regex::new(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$").unwrap();
        prop_assert!(form.is_match(&text(left)));
    }
}

#[test]
fn rfc3339_of_a_known_time() {
    assert_eq!(Timestamp::from_millis(1_792_590_301_250).to_rfc3339(), "2026-10-21T13:45:01.250Z");
}
