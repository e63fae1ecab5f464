//! What CI says about a commit, look after look, until there is a verdict. Pure: time and answers are given.

use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_forge::github::ci::{Check, CheckState};
use serde::{Deserialize, Serialize};

/// One look at the CI of a commit, with its time (Property 36).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CiLook {
    /// When.
    pub at: Timestamp,
    /// Of which commit.
    pub commit: String,
    /// What was there; empty when nothing was, or when there was no answer.
    pub checks: Vec<Check>,
    /// Why there was no answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_answer: Option<String>,
}

/// What CI came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CiVerdict {
    /// Something succeeded, nothing failed, and nothing is left to wait for.
    Green,
    /// Something failed.
    Red,
    /// Nothing ran.
    NoCiRun,
    /// It had no verdict in time.
    TimedOut,
}

impl CiVerdict {
    /// For a person.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Red => "red",
            Self::NoCiRun => "no CI run came of the push",
            Self::TimedOut => "no verdict in time",
        }
    }
}

/// What is to be done after a look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Look again.
    Again,
    /// Nothing appeared in time: start a workflow, if that is allowed, or give up.
    NothingCame,
    /// There is a verdict.
    Over(CiVerdict),
}

/// Watches the CI of one commit.
#[derive(Debug)]
pub struct Watch {
    commit: String,
    timeout: Duration,
    grace: Duration,
    began: Timestamp,
    waits_since: Timestamp,
    looks: Vec<CiLook>,
}

impl Watch {
    /// A watch that begins now. `timeout`: how long a verdict may take; `grace`: how long until something must have appeared.
    pub fn new(commit: &str, timeout: Duration, grace: Duration, now: Timestamp) -> Self {
        Self { commit: commit.to_owned(), timeout, grace, began: now, waits_since: now, looks: Vec::new() }
    }

    /// Takes what was seen.
    pub fn take(&mut self, checks: &[Check], now: Timestamp) -> Next {
        let is_settled = self.looks.last().is_some_and(|last| last.no_answer.is_none() && last.checks == checks);
        self.looks.push(CiLook { at: now, commit: self.commit.clone(), checks: checks.to_vec(), no_answer: None });
        let has = |state: CheckState| checks.iter().any(|check| check.state == state);
        let is_late = now.since(self.began) >= self.timeout;
        // What was cancelled may be run again; until then it is no verdict.
        let is_open = has(CheckState::Pending) || has(CheckState::Inconclusive);
        if has(CheckState::Failure) && (!is_open || is_late) {
            return Next::Over(CiVerdict::Red);
        }
        if is_open {
            return if is_late { Next::Over(CiVerdict::TimedOut) } else { Next::Again };
        }
        if has(CheckState::Success) {
            // Workflows of one push do not appear at once: what is there must be the same twice.
            return match (is_settled, is_late) {
                (true, _) => Next::Over(CiVerdict::Green),
                (false, false) => Next::Again,
                (false, true) => Next::Over(CiVerdict::TimedOut),
            };
        }
        if now.since(self.waits_since) >= self.grace.min(self.timeout) { Next::NothingCame } else { Next::Again }
    }

    /// Takes note that there was no answer.
    pub fn take_no_answer(&mut self, reason: String, now: Timestamp) -> Next {
        let commit = self.commit.clone();
        self.looks.push(CiLook { at: now, commit, checks: Vec::new(), no_answer: Some(reason) });
        if now.since(self.began) >= self.timeout { Next::Over(CiVerdict::TimedOut) } else { Next::Again }
    }

    /// A workflow was started: something must appear within the grace time from now on.
    pub fn wait_anew(&mut self, now: Timestamp) {
        self.waits_since = now;
    }

    /// Every look, in order.
    pub fn into_looks(self) -> Vec<CiLook> {
        self.looks
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check() -> impl Strategy<Value = Check> {
        let states = [
            CheckState::Pending,
            CheckState::Success,
            CheckState::Failure,
            CheckState::Neutral,
            CheckState::Inconclusive,
        ];
        ("[a-c]", 0..states.len()).prop_map(move |(name, state)| Check {
            name,
            state: states[state],
            url: None,
            run: None,
        })
    }

    /// What an answer may be: checks, or none.
    fn answers() -> impl Strategy<Value = Vec<(u64, Option<Vec<Check>>)>> {
        let answer = prop_oneof![4 => prop::collection::vec(check(), 0..4).prop_map(Some), 1 => Just(None)];
        prop::collection::vec((0..40_u64, answer), 1..20)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        // Feature: autoheal-ci-agent, Property 36: CI Polling Timestamp Recording
        #[test]
        fn each_check_is_recorded_with_its_time(answers in answers()) {
            let mut watch = Watch::new("c0ffee", Duration::from_secs(200), Duration::from_mins(1), Timestamp::from_millis(0));
            let (mut now, mut expected) = (0, Vec::new());
            for (wait, answer) in answers {
                now += wait * 1000;
                let at = Timestamp::from_millis(i64::try_from(now).unwrap());
                match &answer {
                    Some(checks) => watch.take(checks, at),
                    None => watch.take_no_answer("the network".to_owned(), at),
                };
                expected.push((at, answer.unwrap_or_default()));
            }
            let looks = watch.into_looks();
            prop_assert!(looks.iter().all(|look| look.commit == "c0ffee"));
            let recorded: Vec<_> = looks.into_iter().map(|look| (look.at, look.checks)).collect();
            prop_assert_eq!(recorded, expected);
        }

        #[test]
        fn green_is_never_said_of_anything_that_is_not(answers in answers()) {
            let mut watch = Watch::new("c0ffee", Duration::from_secs(200), Duration::from_mins(1), Timestamp::from_millis(0));
            let mut now = 0;
            let mut before: Option<Vec<Check>> = None;
            for (wait, answer) in answers {
                now += wait * 1000;
                let at = Timestamp::from_millis(i64::try_from(now).unwrap());
                let Some(checks) = answer else {
                    let next = watch.take_no_answer("the network".to_owned(), at);
                    prop_assert!(next != Next::Over(CiVerdict::Green) && next != Next::NothingCame);
                    before = None;
                    continue;
                };
                let next = watch.take(&checks, at);
                let has = |state| checks.iter().any(|check: &Check| check.state == state);
                if next == Next::Over(CiVerdict::Green) {
                    let bad = [CheckState::Pending, CheckState::Failure, CheckState::Inconclusive];
                    prop_assert!(has(CheckState::Success) && !bad.into_iter().any(has));
                    prop_assert_eq!(before.as_ref(), Some(&checks));
                }
                if next == Next::Over(CiVerdict::Red) {
                    prop_assert!(has(CheckState::Failure));
                }
                if next == Next::NothingCame {
                    prop_assert!(!has(CheckState::Success) && !has(CheckState::Failure) && !has(CheckState::Pending));
                }
                if now >= 200_000 {
                    prop_assert_ne!(next, Next::Again);
                }
                before = Some(checks);
            }
        }
    }

    #[test]
    fn a_cancelled_run_is_no_verdict() {
        let mut watch = Watch::new("c", Duration::from_secs(100), Duration::from_secs(10), Timestamp::from_millis(0));
        let checks = vec![Check { name: "ci".to_owned(), state: CheckState::Inconclusive, url: None, run: None }];
        assert_eq!(watch.take(&checks, Timestamp::from_millis(50_000)), Next::Again);
        assert_eq!(watch.take(&checks, Timestamp::from_millis(100_000)), Next::Over(CiVerdict::TimedOut));
    }

    #[test]
    fn after_a_workflow_was_started_something_may_take_its_time_again() {
        let mut watch = Watch::new("c", Duration::from_secs(100), Duration::from_secs(10), Timestamp::from_millis(0));
        assert_eq!(watch.take(&[], Timestamp::from_millis(9_000)), Next::Again);
        assert_eq!(watch.take(&[], Timestamp::from_millis(10_000)), Next::NothingCame);
        watch.wait_anew(Timestamp::from_millis(10_000));
        assert_eq!(watch.take(&[], Timestamp::from_millis(19_000)), Next::Again);
        assert_eq!(watch.take(&[], Timestamp::from_millis(20_000)), Next::NothingCame);
    }
}
