use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_engine::breaker::{Action, Breaker, NameCheck, Reason, Verdict, is_domain_dead};
use proptest::prelude::*;

const HOUR: u64 = 60 * 60 * 1000;

fn at(millis: u64) -> Timestamp {
    Timestamp::from_millis(i64::try_from(millis).unwrap())
}

/// Attempts within ten days, often close together, and a moment to ask.
fn history() -> impl Strategy<Value = (Vec<Timestamp>, Timestamp)> {
    let moment = || prop_oneof![0..240 * HOUR, (0..240_u64).prop_map(|hour| hour * HOUR)];
    (proptest::collection::vec(moment().prop_map(at), 0..9), moment().prop_map(at))
}

/// The rule read aloud: some attempt within the last 24 hours was the third within less than 24 hours.
fn is_open(attempts: &[Timestamp], now: Timestamp) -> bool {
    let day = Duration::from_millis(24 * HOUR);
    attempts.iter().enumerate().any(|(last_index, &last)| {
        let strikes = attempts
            .iter()
            .enumerate()
            .filter(|&(index, &attempt)| (attempt, index) <= (last, last_index) && last.since(attempt) < day);
        last <= now && now.since(last) < day && strikes.count() >= 3
    })
}

proptest! {
    #![proptest_config(crate::cases())]

    #[test]
    fn three_attempts_in_any_day_open_it_for_a_day((attempts, now) in history()) {
        let verdict = Breaker::default().check(&attempts, now);
        prop_assert_eq!(verdict.can_attempt(), !is_open(&attempts, now));
        prop_assert_eq!(verdict.alert_human(), !verdict.can_attempt());
    }

    #[test]
    fn a_quarantine_holds_until_its_end_and_then_ends((attempts, now) in history(), share in 0.0..1.0_f64) {
        // Attempts made after `now` are not known yet: a run asks with what it has seen.
        let known: Vec<Timestamp> = attempts.into_iter().filter(|attempt| *attempt <= now).collect();
        let breaker = Breaker::default();
        if let Verdict::Refuse { reason, action, until } = breaker.check(&known, now) {
            prop_assert_eq!((reason, action), (Reason::MaxAttemptsReached, Action::Quarantine));
            let until = until.unwrap();
            prop_assert!(until > now);
            prop_assert!(until.since(now) <= breaker.quarantine);
            let between = now.plus(until.since(now).mul_f64(share)).min(until.minus(Duration::from_millis(1)));
            prop_assert!(!breaker.check(&known, between).can_attempt());
            prop_assert!(breaker.check(&known, until).can_attempt());
        }
    }

    #[test]
    fn while_it_stays_open_time_alone_only_helps((attempts, now) in history(), later in 0..100 * HOUR) {
        let known: Vec<Timestamp> = attempts.into_iter().filter(|attempt| *attempt <= now).collect();
        let breaker = Breaker::default();
        let later = now.plus(Duration::from_millis(later));
        match (breaker.check(&known, now), breaker.check(&known, later)) {
            (Verdict::Allow { attempts_remaining: before }, Verdict::Allow { attempts_remaining: after }) => {
                prop_assert!(after >= before);
            }
            (Verdict::Allow { .. }, Verdict::Refuse { .. }) => prop_assert!(false, "closed by waiting"),
            (Verdict::Refuse { until: before, .. }, Verdict::Refuse { until: after, .. }) => prop_assert_eq!(before, after),
            (Verdict::Refuse { .. }, Verdict::Allow { .. }) => {}
        }
    }

    #[test]
    fn as_many_attempts_as_were_promised_are_allowed((attempts, now) in history()) {
        let breaker = Breaker::default();
        let mut known: Vec<Timestamp> = attempts.into_iter().filter(|attempt| *attempt <= now).collect();
        if let Verdict::Allow { attempts_remaining } = breaker.check(&known, now) {
            prop_assert!((1..=breaker.max_attempts).contains(&attempts_remaining));
            for _ in 0..attempts_remaining {
                prop_assert!(breaker.check(&known, now).can_attempt());
                known.push(now);
            }
            // Whatever came of them: no outcome is asked for, so a success cannot reset the count.
            prop_assert!(!breaker.check(&known, now).can_attempt());
        }
    }

    #[test]
    fn the_order_of_attempts_does_not_matter((attempts, now) in history()) {
        let mut reversed = attempts.clone();
        reversed.reverse();
        let breaker = Breaker::default();
        prop_assert_eq!(breaker.check(&attempts, now), breaker.check(&reversed, now));
    }

    #[test]
    fn a_host_is_dead_only_after_three_unknown_checks_over_a_day(
        checks in proptest::collection::vec((0..40_u64, any::<bool>(), any::<bool>()), 0..10),
        now in 0..50_u64,
    ) {
        let checks: Vec<NameCheck> = checks
            .into_iter()
            .map(|(hour, target_known, control_known)| NameCheck { at: at(hour * HOUR), target_known, control_known })
            .collect();
        let now = at(now * HOUR);
        if is_domain_dead(&checks, now) {
            let last_known = checks.iter().filter(|check| check.target_known && check.at <= now).map(|check| check.at).max();
            let unknown: Vec<Timestamp> = checks
                .iter()
                .filter(|check| !check.target_known && check.control_known && check.at <= now)
                .filter(|check| last_known.is_none_or(|known| check.at >= known))
                .map(|check| check.at)
                .collect();
            prop_assert!(unknown.len() >= 3);
            let first = unknown.iter().min().unwrap();
            prop_assert!(unknown.iter().max().unwrap().since(*first) >= Duration::from_millis(24 * HOUR));
        }
    }

    #[test]
    fn nobody_is_dead_while_the_control_host_is_unknown_too(hours in proptest::collection::vec(0..100_u64, 0..10)) {
        let checks: Vec<NameCheck> = hours
            .into_iter()
            .map(|hour| NameCheck { at: at(hour * HOUR), target_known: false, control_known: false })
            .collect();
        prop_assert!(!is_domain_dead(&checks, at(1000 * HOUR)));
    }
}

#[test]
fn three_unknown_checks_over_a_day_are_death_and_one_known_is_life() {
    let check = |hour: u64, target_known| NameCheck { at: at(hour * HOUR), target_known, control_known: true };
    let unknown = [check(0, false), check(12, false), check(24, false)];
    assert!(is_domain_dead(&unknown, at(24 * HOUR)));
    assert!(!is_domain_dead(&unknown[1..], at(48 * HOUR)));
    assert!(!is_domain_dead(&[unknown[0], check(13, true), unknown[1], unknown[2]], at(24 * HOUR)));
    assert!(!is_domain_dead(&unknown, at(23 * HOUR)));
}

#[test]
fn the_third_strike_is_the_last() {
    let breaker = Breaker::default();
    let strikes = [at(0), at(HOUR), at(2 * HOUR)];
    assert_eq!(breaker.check(&strikes[..2], at(2 * HOUR)), Verdict::Allow { attempts_remaining: 1 });
    let refused =
        Verdict::Refuse { reason: Reason::MaxAttemptsReached, action: Action::Quarantine, until: Some(at(26 * HOUR)) };
    assert_eq!(breaker.check(&strikes, at(2 * HOUR)), refused);
    assert_eq!(breaker.check(&strikes, at(26 * HOUR)), Verdict::Allow { attempts_remaining: 3 });
}
