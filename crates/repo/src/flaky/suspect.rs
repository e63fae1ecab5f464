//! A test that failed, and what it did in further runs.

use autoheal_engine::diagnostics::{Finding, Key};

use crate::check_result::{CheckResult, TestState};

/// Number of equal outcomes in a row after which an outcome counts.
pub(super) const SURE: usize = 3;

/// A test that failed.
#[derive(Debug, Clone)]
pub(super) struct Suspect {
    pub(super) selector: String,
    id: String,
    pub(super) key: Key,
    pub(super) finding: Finding,
}

impl Suspect {
    pub(super) fn of(result: &CheckResult, key: Key) -> Option<Self> {
        let selector = result.failing_selectors(&key).into_iter().next()?;
        let id = result.selected.get(&selector)?.clone();
        let finding = result.findings.get(*result.selectors.get(&selector)?)?.clone();
        Some(Self { selector, id, key, finding })
    }

    /// As the runner of its suite calls it.
    pub(super) fn without(&self, label: &str) -> Self {
        let own = |name: &str| name.strip_prefix(label).unwrap_or(name).to_owned();
        Self { selector: own(&self.selector), id: own(&self.id), ..self.clone() }
    }

    /// The tests to run it after these.
    pub(super) fn after(&self, others: &[String]) -> Vec<String> {
        others.iter().chain([&self.selector]).cloned().collect()
    }

    /// Returns whether it passed in a run; `None`: it was skipped, or did not run to its end.
    pub(super) fn state_in(&self, result: &CheckResult) -> Option<bool> {
        match result.tests.get(&self.id).filter(|_| result.cut_short.is_none())? {
            TestState::Passed => Some(true),
            TestState::Failed => Some(false),
            TestState::Skipped => None,
        }
    }
}

/// Outcomes of a test in several runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Tally {
    pub(super) passed: usize,
    pub(super) failed: usize,
}

impl Tally {
    /// Takes one more run.
    pub(super) fn add(&mut self, passed: Option<bool>) {
        self.passed += usize::from(passed == Some(true));
        self.failed += usize::from(passed == Some(false));
    }

    /// Returns the number of runs that passed or failed.
    pub(super) const fn count(self) -> usize {
        self.passed + self.failed
    }

    /// Always the same, and often enough.
    pub(super) const fn is_always(self, passed: bool) -> bool {
        let (those, others) = if passed { (self.passed, self.failed) } else { (self.failed, self.passed) };
        those >= SURE && others == 0
    }

    /// Describes the runs with this outcome, for the user.
    pub(super) fn words(self, passed: bool) -> String {
        let (verb, those) = if passed { ("passed", self.passed) } else { ("failed", self.failed) };
        format!("{verb} in {those} of {} runs", self.count())
    }
}
