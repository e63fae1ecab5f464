//! Result of the checks of a tree: the outcome of every test and all findings.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use autoheal_code::report::{TestOutcome, TestReport};
use autoheal_engine::diagnostics::{Finding, Key};
use serde::{Deserialize, Serialize};

/// A duration in whole milliseconds, as the state and the results keep it.
pub(crate) fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Outcome of one test.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestState {
    /// The test passed.
    Passed,
    /// It failed, or could not be set up.
    Failed,
    /// It did not run: skipped, or expected to fail.
    Skipped,
}

/// Result of the checks of a tree.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CheckResult {
    /// Every collected test by its id.
    pub tests: BTreeMap<String, TestState>,
    /// Findings that make the tree red, of tests and of the linters that CI runs; one entry per failing test, so keys repeat.
    pub findings: Vec<Finding>,
    /// Findings of linters that CI does not run, and findings that the commit before had, too: worth a fix, but they do not make the tree red.
    #[serde(default)]
    pub advice: Vec<Finding>,
    /// Files that the tests were collected from, as far as the report contains them.
    #[serde(default)]
    pub test_files: BTreeSet<String>,
    /// For each failing test, the selector with which the runner runs it alone, and the index of its finding.
    pub selectors: BTreeMap<String, usize>,
    /// Ids of the failing tests, by selector.
    #[serde(default)]
    pub selected: BTreeMap<String, String>,
    /// Labels of suites that were not run, because others have to pass before they are repeated.
    #[serde(default)]
    pub not_repeated: BTreeSet<String>,
    /// Duration of the test command, in milliseconds.
    pub millis: u64,
    /// Limit that stopped the test command early, in words.
    pub cut_short: Option<String>,
}

impl CheckResult {
    /// Number of tests that are enough to see whether a failure is gone.
    pub(crate) const A_FEW: usize = 3;

    /// Adds findings of files that do not parse, unless a test has reported the file.
    pub(crate) fn add_unread(&mut self, findings: Vec<Finding>) {
        let told = |finding: &Finding| {
            self.findings.iter().any(|other| other.category.hides_others() && other.file == finding.file)
        };
        let new: Vec<Finding> = findings.into_iter().filter(|finding| !told(finding)).collect();
        self.findings.extend(new);
    }

    /// Takes out findings, each with the selectors of the tests that showed it.
    pub(crate) fn leave_out(&mut self, is_left_out: impl Fn(&Finding, &[&str]) -> bool) {
        let mut selectors: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for (selector, index) in &self.selectors {
            selectors.entry(*index).or_default().push(selector);
        }
        let shown_by = |index: usize| selectors.get(&index).map(Vec::as_slice).unwrap_or_default();
        let kept: Vec<usize> = (0..self.findings.len())
            .filter(|index| !self.findings.get(*index).is_some_and(|finding| is_left_out(finding, shown_by(*index))))
            .collect();
        self.findings = kept.iter().filter_map(|index| self.findings.get(*index).cloned()).collect();
        self.selectors.retain(|_, index| {
            let now = kept.binary_search(index);
            *index = now.unwrap_or_default();
            now.is_ok()
        });
    }

    /// Adds the result of another suite, whose tests have names that begin with `label`.
    pub(crate) fn add_suite(&mut self, suite: Self, label: &str) {
        let named = |name: String| format!("{label}{name}");
        let offset = self.findings.len();
        self.tests.extend(suite.tests.into_iter().map(|(id, state)| (named(id), state)));
        self.findings.extend(suite.findings);
        self.advice.extend(suite.advice);
        self.test_files.extend(suite.test_files);
        self.selectors.extend(suite.selectors.into_iter().map(|(selector, index)| (named(selector), index + offset)));
        self.selected.extend(suite.selected.into_iter().map(|(selector, id)| (named(selector), named(id))));
        self.millis += suite.millis;
        self.cut_short = self.cut_short.take().or(suite.cut_short);
    }

    /// Returns the tests of a report. A case for a module that could not be collected is not a test but a finding.
    pub fn tests_of(report: &TestReport) -> BTreeMap<String, TestState> {
        report
            .cases
            .iter()
            .filter_map(|case| {
                let state = match case.outcome {
                    TestOutcome::Passed => TestState::Passed,
                    TestOutcome::Failed | TestOutcome::Errored => TestState::Failed,
                    TestOutcome::Skipped => TestState::Skipped,
                    TestOutcome::CollectionError => return None,
                };
                Some((case.id.clone(), state))
            })
            .collect()
    }

    /// Everything that CI would run passes: at least one test ran, nothing was found, and nothing was cut short.
    pub fn is_green(&self) -> bool {
        self.findings.is_empty() && self.cut_short.is_none() && self.count(TestState::Passed) > 0
    }

    /// Green, and no linter has any advice.
    pub fn is_clean(&self) -> bool {
        self.is_green() && self.advice.is_empty()
    }

    /// Returns all findings, red or not.
    pub fn all_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().chain(&self.advice)
    }

    /// Counts the tests that ended in `state`.
    pub fn count(&self, state: TestState) -> usize {
        self.tests.values().filter(|other| **other == state).count()
    }

    /// The distinct findings, red or not: what the planner works on.
    pub fn keys(&self) -> BTreeSet<Key> {
        self.all_findings().map(Finding::key).collect()
    }

    /// Number of findings with this key.
    pub fn times(&self, key: &Key) -> usize {
        self.all_findings().filter(|finding| finding.key() == *key).count()
    }

    /// Returns the selectors of at most three tests that showed the failure `key`; a few are enough, because these tests share their cause.
    pub fn failing_selectors(&self, key: &Key) -> Vec<String> {
        let mut selectors = self.selectors_of(key);
        selectors.truncate(Self::A_FEW);
        selectors
    }

    /// Returns the selectors of the tests that showed a failure at its place. At other places, the same words may have another cause: keys
    /// hold no numbers, so `7 != 12` in one test and `5 != 22` in the next one are equal.
    pub(crate) fn selectors_in_place(&self, failure: &Finding) -> Vec<String> {
        let key = failure.key();
        let own = self.selectors_where(|other| other.location == failure.location && other.key() == key);
        if own.is_empty() { self.selectors_of(&key) } else { own }
    }

    /// Returns the selectors of all tests that showed the failure `key`.
    pub fn selectors_of(&self, key: &Key) -> Vec<String> {
        self.selectors_where(|finding| finding.key() == *key)
    }

    fn selectors_where(&self, is_wanted: impl Fn(&Finding) -> bool) -> Vec<String> {
        let shows = |index: &usize| self.findings.get(*index).is_some_and(&is_wanted);
        self.selectors.iter().filter(|(_, index)| shows(index)).map(|(selector, _)| selector.clone()).collect()
    }

    /// Returns the selectors of the tests that showed a failure; where cases of one test share a selector, those of the failures at the
    /// same place.
    pub(crate) fn selectors_at(&self, failure: &Finding) -> Vec<String> {
        let own = self.selectors_of(&failure.key());
        if !own.is_empty() {
            return own;
        }
        self.selectors_where(|other| other.file == failure.file && other.location == failure.location)
    }

    /// Returns the duration of the test command.
    pub fn duration(&self) -> Duration {
        Duration::from_millis(self.millis)
    }
}
