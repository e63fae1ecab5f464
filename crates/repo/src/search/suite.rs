//! Tests that have to pass, tests that have to keep passing, and tests that are worth watching.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::time::Duration;

use autoheal_code::Candidate;
use autoheal_code::search::{Lines, TestCoverage};
use autoheal_code::warm::{Answer, Request, TestEnd, TestRun};

use super::runner::{Runner, RunnerError};
use crate::toolchain::Toolchain;

/// Number of the target's tests that are run first; the others are run with the rest.
const FIRST: usize = 5;

/// Maximum number of failing tests that are watched.
const WATCHED_FAILING: usize = 50;

/// Maximum number of passing tests that are watched; more hardly change which lines are suspicious.
const WATCHED_PASSING: usize = 150;

/// Approximate factor by which watching slows down a test.
const WATCHING: f64 = 8.0;

/// Fraction of a search's time that watching may take.
const WATCHING_SHARE: f64 = 0.2;

/// Maximum distance of lines that are near each other: a statement has several, and the fault may be that a line does not run.
const NEAR: u32 = 10;

/// Time for the response of the runner after its own time limit: it stops slow tests by itself, and then responds.
const MARGIN: Duration = Duration::from_secs(10);

/// Maximum duration of a test, as a multiple of the slowest that passes: with less, changes that are right are lost.
const PATIENCE: f64 = 10.0;

/// Lines that tests were observed to run.
#[derive(Default)]
pub(super) struct Watched {
    pub(super) coverage: Vec<TestCoverage>,
    /// By id, of those that fail.
    pub(super) failing: BTreeMap<String, Lines>,
}

impl Watched {
    /// Returns whether a failing test ran a line near the changed one; in a short file, any line is near.
    pub(super) fn ran(&self, candidate: &Candidate) -> bool {
        let near = candidate.line.saturating_sub(NEAR)..=candidate.line.saturating_add(NEAR);
        let mut files = candidate.files.iter();
        files.any(|edit| {
            let mut lines = self.failing.values().filter_map(|lines| lines.get(&edit.file));
            lines.any(|lines| lines.range(near.clone()).next().is_some())
        })
    }
}

/// Tests of the project, grouped by their outcome and by what is expected of them.
pub(super) struct Suite {
    /// Tests of the target, shortest first: they fail.
    pub(super) first: Vec<String>,
    /// All tests that are not in `first`.
    pub(super) rest: Vec<String>,
    /// Those of `rest` that pass.
    pub(super) passing: Vec<String>,
    /// Tests of the target that are among the rest: they have to pass, too.
    pub(super) needed: BTreeSet<String>,
    toolchain: &'static dyn Toolchain,
    failing: Vec<TestRun>,
    passed: Vec<TestRun>,
}

/// Runs every test once.
pub(super) async fn observe(runner: &mut Runner, time: Duration) -> Result<Vec<TestRun>, RunnerError> {
    runner.send(&Request::All { seconds: time.as_secs_f64() }).await?;
    match runner.answer_in(time + MARGIN).await? {
        Answer::All { tests, complete: true } => Ok(tests),
        Answer::All { complete: false, .. } => Err(RunnerError::Broken(format!(
            "the tests took longer than {:.0} s; --search-seconds gives more time",
            time.as_secs_f64()
        ))),
        other => Err(RunnerError::Unreadable(format!("{other:?} instead of what the tests do"))),
    }
}

impl Suite {
    /// Groups the tests by what has to pass for a target. `selectors`: its tests, as the runner selects them.
    pub(super) fn new(
        toolchain: &'static dyn Toolchain,
        runs: &[TestRun],
        selectors: &[String],
    ) -> Result<Self, RunnerError> {
        let ended = |end: TestEnd| runs.iter().filter(move |run| run.outcome == end).cloned().collect::<Vec<_>>();
        let (mut failing, passed) = (ended(TestEnd::Failed), ended(TestEnd::Passed));
        failing.sort_by(|left, right| left.seconds.total_cmp(&right.seconds));
        let is_target = |test: &str| selectors.iter().any(|selector| toolchain.is_selected(selector, test));
        let (targets, others): (Vec<&TestRun>, Vec<&TestRun>) = failing.iter().partition(|run| is_target(&run.test));
        if targets.is_empty() {
            // A file of tests that cannot be loaded has no tests here. Started for each change, they fail as they did, or the search
            // without this runner sees that they do not.
            return Err(RunnerError::Broken("the failing tests do not fail when they are run together".to_owned()));
        }
        let names = |runs: &[&TestRun]| runs.iter().map(|run| run.test.clone()).collect::<Vec<_>>();
        let (first, needed) = targets.split_at(targets.len().min(FIRST));
        let passing: Vec<String> = passed.iter().map(|run| run.test.clone()).collect();
        let mut rest = names(needed);
        rest.extend(passing.iter().cloned());
        rest.extend(names(&others));
        Ok(Self {
            first: names(first),
            needed: names(needed).into_iter().collect(),
            rest,
            passing,
            toolchain,
            passed,
            failing: failing.clone(),
        })
    }

    /// Returns the maximum computing times of a try for the first tests, in seconds: at first as the passing
    /// tests near them suggest, then as any test does. A failing test may hang, and would cost each try the
    /// whole limit.
    pub(super) fn limits(&self) -> [f64; 2] {
        let slowest = |runs: &mut dyn Iterator<Item = &TestRun>| runs.map(|run| run.seconds).reduce(f64::max);
        let beside: BTreeSet<&str> = self.first.iter().map(|test| self.toolchain.neighbourhood(test)).collect();
        let is_beside = |run: &&TestRun| beside.contains(self.toolchain.neighbourhood(&run.test));
        let any = slowest(&mut self.passed.iter());
        let expected = slowest(&mut self.passed.iter().filter(is_beside)).or(any);
        let failing = slowest(&mut self.failing.iter()).unwrap_or_default();
        let longest = any.unwrap_or_default().max(failing);
        [(PATIENCE * expected.unwrap_or(failing)).clamp(0.1, 10.0), (PATIENCE * longest).clamp(1.0, 10.0)]
    }

    /// Returns whether each of the first tests ran some of these lines of a file.
    pub(super) fn all_ran(&self, watched: &Watched, (file, lines): &(String, RangeInclusive<u32>)) -> bool {
        let ran = |test: &String| watched.failing.get(test).and_then(|ran| ran.get(file));
        self.first.iter().all(|test| ran(test).is_some_and(|ran| ran.range(lines.clone()).next().is_some()))
    }

    /// Returns the maximum computing time of a try for the rest, in seconds.
    pub(super) fn limit_of_rest(&self) -> f64 {
        let total: f64 = self.passed.iter().chain(&self.failing).map(|run| run.seconds).sum();
        (PATIENCE * total).clamp(10.0, 120.0)
    }

    /// Records the lines that failing tests run, and those of some passing tests: the nearest first, as long
    /// as there is time.
    pub(super) async fn watch(&self, runner: &mut Runner, time: Duration) -> Result<Watched, RunnerError> {
        let share = time.mul_f64(WATCHING_SHARE);
        let mut left = share.as_secs_f64();
        let failing: Vec<&TestRun> = self.failing.iter().take(WATCHED_FAILING).collect();
        let near: BTreeSet<&str> = failing.iter().map(|run| self.toolchain.neighbourhood(&run.test)).collect();
        let mut passing: Vec<&TestRun> = self.passed.iter().collect();
        passing.sort_by(|left, right| {
            let far = |run: &TestRun| !near.contains(self.toolchain.neighbourhood(&run.test));
            far(left).cmp(&far(right)).then(left.seconds.total_cmp(&right.seconds))
        });
        let mut watched: Vec<String> = failing.iter().map(|run| run.test.clone()).collect();
        for run in passing.into_iter().take(WATCHED_PASSING) {
            left -= run.seconds * WATCHING;
            if left < 0.0 {
                break;
            }
            watched.push(run.test.clone());
        }
        runner.send(&Request::Coverage { tests: &watched, seconds: share.as_secs_f64() }).await?;
        let tests = match runner.answer_in(share + MARGIN).await? {
            Answer::Coverage { tests } => tests,
            other => return Err(RunnerError::Unreadable(format!("{other:?} instead of what the tests run"))),
        };
        let failing: BTreeSet<&str> = failing.iter().map(|run| run.test.as_str()).collect();
        let mut watched = Watched::default();
        for test in tests {
            let lines: Lines =
                test.lines.into_iter().map(|(file, lines)| (file, lines.into_iter().collect())).collect();
            let is_failing = failing.contains(test.test.as_str());
            if is_failing {
                watched.failing.insert(test.test, lines.clone());
            }
            watched.coverage.push(TestCoverage { is_failing, lines });
        }
        Ok(watched)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(test: &str, outcome: TestEnd, seconds: f64) -> TestRun {
        TestRun { test: test.to_owned(), outcome, seconds }
    }

    fn limits(runs: &[TestRun]) -> Option<[Duration; 2]> {
        let suite = Suite::new(crate::toolchains::ALL[0], runs, &["test_a.py::test_hangs".to_owned()]).ok()?;
        Some(suite.limits().map(Duration::from_secs_f64))
    }

    #[test]
    fn a_failing_test_that_hangs_does_not_set_the_limit() {
        let passing = run("test_a.py::test_passes", TestEnd::Passed, 0.08);
        let hanging = run("test_a.py::test_hangs", TestEnd::Failed, 10.0);
        let (short, long) = (Duration::from_millis(800), Duration::from_secs(10));
        assert_eq!(limits(&[passing, hanging.clone()]), Some([short, long]));
        // Alone it is all that is known.
        assert_eq!(limits(&[hanging]), Some([long, long]));
    }
}
