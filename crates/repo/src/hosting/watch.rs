//! Watch over the checks that CI runs for a commit, until there is a verdict. Pure: the caller passes the
//! time and the responses.

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::Timestamp;
use autoheal_forge::host::{Check, CheckState};
use serde::{Deserialize, Serialize};

/// One look at the CI of a commit, with its time (Property 36).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CiLook {
    /// Time of the query.
    pub at: Timestamp,
    /// Commit that was queried.
    pub commit: String,
    /// Checks of the commit; empty when there were none, or when the query failed.
    pub checks: Vec<Check>,
    /// Reason for which the query failed; `None`: it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_answer: Option<String>,
}

/// Verdict of CI on a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CiVerdict {
    /// CI succeeded, nothing failed, and nothing is left to wait for.
    Green,
    /// A check or run of CI failed.
    Red,
    /// Nothing ran that could be taken for a verdict.
    NoCiRun,
    /// It had no verdict in time.
    TimedOut,
}

impl CiVerdict {
    /// Returns the verdict in words, for the user.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Green => "green",
            Self::Red => "red",
            Self::NoCiRun => "no CI run is known to have come of the push",
            Self::TimedOut => "no verdict in time",
        }
    }
}

/// Next step after a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Query the checks again later.
    Again,
    /// Nothing appeared in time: start a workflow, if that is allowed, or give up.
    NothingCame,
    /// There is a verdict.
    Over(CiVerdict),
}

/// Conditions and time limits of a watch.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Maximum time until a verdict.
    pub timeout: Duration,
    /// Maximum time until a check appears.
    pub grace: Duration,
    /// The tree defines CI that a push or a change request starts: without a run that succeeded nothing is green.
    pub expects_runs: bool,
}

/// Watches the CI of one commit.
#[derive(Debug)]
pub struct Watch {
    commit: String,
    patience: Patience,
    began: Timestamp,
    waits_since: Timestamp,
    /// Runs whose failed jobs were started again, as long as they are not seen to run.
    restarting: BTreeSet<u64>,
    looks: Vec<CiLook>,
}

impl Watch {
    /// A watch that begins now.
    pub fn new(commit: &str, patience: Patience, now: Timestamp) -> Self {
        let restarting = BTreeSet::new();
        Self { commit: commit.to_owned(), patience, began: now, waits_since: now, restarting, looks: Vec::new() }
    }

    /// A watch that begins now, of runs whose failed jobs were started again.
    pub fn of_rerun(commit: &str, runs: BTreeSet<u64>, patience: Patience, now: Timestamp) -> Self {
        Self { restarting: runs, ..Self::new(commit, patience, now) }
    }

    /// Takes what was seen. `is_whole`: everything could be read; what could not may have failed.
    pub fn take(&mut self, checks: &[Check], is_whole: bool, now: Timestamp) -> Next {
        let is_settled = self.looks.last().is_some_and(|last| last.no_answer.is_none() && last.checks == checks);
        self.looks.push(CiLook { at: now, commit: self.commit.clone(), checks: checks.to_vec(), no_answer: None });
        let is_waiting = now.since(self.waits_since) < self.patience.grace.min(self.patience.timeout);
        let failed: BTreeSet<u64> =
            checks.iter().filter(|check| check.state == CheckState::Failure).filter_map(|check| check.run).collect();
        self.restarting.retain(|run| is_waiting && failed.contains(run));
        if !self.restarting.is_empty() {
            return Next::Again;
        }
        let has = |state: CheckState| checks.iter().any(|check| check.state == state);
        let is_late = now.since(self.began) >= self.patience.timeout;
        // What was cancelled may be run again; until then it is no verdict.
        let is_open = has(CheckState::Pending) || has(CheckState::Inconclusive);
        if has(CheckState::Failure) && (!is_open || is_late) {
            return Next::Over(CiVerdict::Red);
        }
        if is_open {
            return if is_late { Next::Over(CiVerdict::TimedOut) } else { Next::Again };
        }
        let has_run = checks.iter().any(|check| check.run.is_some() && check.state == CheckState::Success);
        // Anybody can set a status, and some are there at once: alone they count when nothing else can be expected any more.
        let is_enough = has_run || (has(CheckState::Success) && is_whole && !self.patience.expects_runs);
        match (is_enough, has_run || !is_waiting) {
            // Workflows of one push do not appear at once: what is there must be the same twice.
            (true, true) => match (is_settled, is_late) {
                (true, _) => Next::Over(CiVerdict::Green),
                (false, false) => Next::Again,
                (false, true) => Next::Over(CiVerdict::TimedOut),
            },
            (true | false, false) => Next::Again,
            (false, true) => Next::NothingCame,
        }
    }

    /// Takes note that there was no answer.
    pub fn take_no_answer(&mut self, reason: String, now: Timestamp) -> Next {
        let commit = self.commit.clone();
        self.looks.push(CiLook { at: now, commit, checks: Vec::new(), no_answer: Some(reason) });
        if now.since(self.began) >= self.patience.timeout { Next::Over(CiVerdict::TimedOut) } else { Next::Again }
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
        // Success is often, so that green is.
        let state = prop_oneof![Just(1), 0..states.len()];
        ("[a-b]", state, prop::option::of(1..3_u64)).prop_map(move |(name, state, run)| Check {
            name,
            state: states[state],
            url: None,
            run,
        })
    }

    /// Seconds since the previous response, and the response: the checks, and whether all of them could be
    /// read; `None`: the query failed.
    type Answer = (u64, Option<(Vec<Check>, bool)>);

    fn answers() -> impl Strategy<Value = Vec<Answer>> {
        let checks = prop::collection::vec(check(), 0..3);
        let answer = prop_oneof![4 => (checks, any::<bool>()).prop_map(Some), 1 => Just(None)];
        prop::collection::vec((0..40_u64, answer), 1..20)
    }

    fn watch(timeout: u64, grace: u64, expects_runs: bool) -> Watch {
        let (timeout, grace) = (Duration::from_secs(timeout), Duration::from_secs(grace));
        Watch::new("c0ffee", Patience { timeout, grace, expects_runs }, Timestamp::from_millis(0))
    }

    fn success(run: Option<u64>) -> Vec<Check> {
        vec![Check { name: "ci".to_owned(), state: CheckState::Success, url: None, run }]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        // Feature: autoheal-ci-agent, Property 36: CI Polling Timestamp Recording
        #[test]
        fn each_check_is_recorded_with_its_time(answers in answers()) {
            let mut watch = watch(200, 60, true);
            let (mut now, mut expected) = (0, Vec::new());
            for (wait, answer) in answers {
                now += wait * 1000;
                let at = Timestamp::from_millis(i64::try_from(now).unwrap());
                match &answer {
                    Some((checks, is_whole)) => watch.take(checks, *is_whole, at),
                    None => watch.take_no_answer("the network".to_owned(), at),
                };
                expected.push((at, answer.unwrap_or_default().0));
            }
            let looks = watch.into_looks();
            prop_assert!(looks.iter().all(|look| look.commit == "c0ffee"));
            let recorded: Vec<_> = looks.into_iter().map(|look| (look.at, look.checks)).collect();
            prop_assert_eq!(recorded, expected);
        }

        #[test]
        fn green_is_never_said_of_anything_that_is_not(answers in answers(), expects_runs in any::<bool>()) {
            let mut watch = watch(200, 60, expects_runs);
            let mut now = 0;
            let mut before: Option<Vec<Check>> = None;
            for (wait, answer) in answers {
                now += wait * 1000;
                let at = Timestamp::from_millis(i64::try_from(now).unwrap());
                let Some((checks, is_whole)) = answer else {
                    let next = watch.take_no_answer("the network".to_owned(), at);
                    prop_assert!(next != Next::Over(CiVerdict::Green) && next != Next::NothingCame);
                    before = None;
                    continue;
                };
                let next = watch.take(&checks, is_whole, at);
                let has = |state| checks.iter().any(|check: &Check| check.state == state);
                if next == Next::Over(CiVerdict::Green) {
                    let bad = [CheckState::Pending, CheckState::Failure, CheckState::Inconclusive];
                    prop_assert!(has(CheckState::Success) && !bad.into_iter().any(has));
                    prop_assert_eq!(before.as_ref(), Some(&checks));
                    let has_run = checks.iter().any(|check| check.run.is_some() && check.state == CheckState::Success);
                    prop_assert!(has_run || (now >= 60_000 && is_whole && !expects_runs), "{checks:?}");
                }
                if next == Next::Over(CiVerdict::Red) {
                    prop_assert!(has(CheckState::Failure));
                }
                if next == Next::NothingCame {
                    prop_assert!(!has(CheckState::Failure) && !has(CheckState::Pending) && now >= 60_000);
                    prop_assert!(!has(CheckState::Success) || !is_whole || expects_runs);
                }
                if now >= 200_000 {
                    prop_assert_ne!(next, Next::Again);
                }
                before = Some(checks);
            }
        }
    }

    #[test]
    fn a_status_that_is_there_at_once_is_no_ci() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
        for (expects_runs, is_whole, end) in [
            (false, true, Next::Over(CiVerdict::Green)),
            (true, true, Next::NothingCame),
            (false, false, Next::NothingCame),
        ] {
            let mut watch = watch(100, 10, expects_runs);
            for second in 0..10 {
                assert_eq!(watch.take(&success(None), is_whole, at(second)), Next::Again);
            }
            assert_eq!(watch.take(&success(None), is_whole, at(10)), end);
        }
        let mut watch = watch(100, 10, true);
        assert_eq!(watch.take(&success(Some(1)), false, at(0)), Next::Again);
        assert_eq!(watch.take(&success(Some(1)), false, at(1)), Next::Over(CiVerdict::Green), "a run that succeeded");
    }

    #[test]
    fn a_cancelled_run_is_no_verdict() {
        let mut watch = watch(100, 10, false);
        let checks = vec![Check { name: "ci".to_owned(), state: CheckState::Inconclusive, url: None, run: None }];
        assert_eq!(watch.take(&checks, true, Timestamp::from_millis(50_000)), Next::Again);
        assert_eq!(watch.take(&checks, true, Timestamp::from_millis(100_000)), Next::Over(CiVerdict::TimedOut));
    }

    #[test]
    fn a_run_that_was_started_again_is_waited_for() {
        let at = |seconds: i64| Timestamp::from_millis(seconds * 1000);
        let checks = |state| vec![Check { name: "ci".to_owned(), state, url: None, run: Some(1) }];
        let (failure, pending) = (checks(CheckState::Failure), checks(CheckState::Pending));
        let patience =
            Patience { timeout: Duration::from_secs(100), grace: Duration::from_secs(10), expects_runs: true };
        let new = || Watch::of_rerun("c0ffee", [1].into(), patience, at(0));
        let mut never_seen = new();
        assert_eq!(never_seen.take(&failure, true, at(9)), Next::Again);
        assert_eq!(never_seen.take(&failure, true, at(10)), Next::Over(CiVerdict::Red));
        let mut seen = new();
        assert_eq!(seen.take(&failure, true, at(1)), Next::Again);
        assert_eq!(seen.take(&pending, true, at(2)), Next::Again);
        assert_eq!(seen.take(&failure, true, at(3)), Next::Over(CiVerdict::Red));
        let mut healed = new();
        assert_eq!(healed.take(&success(Some(1)), true, at(2)), Next::Again);
        assert_eq!(healed.take(&success(Some(1)), true, at(3)), Next::Over(CiVerdict::Green));
    }

    #[test]
    fn after_a_workflow_was_started_something_may_take_its_time_again() {
        let mut watch = watch(100, 10, false);
        assert_eq!(watch.take(&[], true, Timestamp::from_millis(9_000)), Next::Again);
        assert_eq!(watch.take(&[], true, Timestamp::from_millis(10_000)), Next::NothingCame);
        watch.wait_anew(Timestamp::from_millis(10_000));
        assert_eq!(watch.take(&[], true, Timestamp::from_millis(19_000)), Next::Again);
        assert_eq!(watch.take(&[], true, Timestamp::from_millis(20_000)), Next::NothingCame);
    }
}
