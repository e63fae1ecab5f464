//! Results of the checks, and the diagnostics in them.

use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::{Delta, DiagnosticsLog, Finding, delta};
use autoheal_engine::workflow::{Record, StepContext};
use serde::{Deserialize, Serialize};

use super::LspDiagnostics;
use crate::check_result::CheckResult;
use crate::flaky::FlakyTest;

/// Results of the checks. Changed by `diagnose`, by `patch` after each accepted fix, and by `monitor`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Diagnosis {
    /// The first result of the run; set by `diagnose`.
    pub baseline: Option<CheckResult>,
    /// The latest result and the tree it is of.
    pub current: Option<Observed>,
    /// Result of the latest verification; set by `monitor`.
    pub verified: Option<CheckResult>,
    /// Everything seen so far.
    pub log: DiagnosticsLog,
    /// Diagnostics of language servers, kept apart from what is to be healed; changed by `diagnose`.
    pub lsp: LspDiagnostics,
    /// Changes of the diagnostics over time, for the report's timeline.
    pub timeline: Vec<TimelineEntry>,
    /// Tests whose outcome depends on more than the program; changed by `diagnose` and `monitor`.
    pub flaky: Vec<FlakyTest>,
}

impl Diagnosis {
    /// Stores the current state of each diagnostic with the step.
    pub(crate) fn record(&self, context: &StepContext) {
        for entry in self.log.entries().iter().chain(self.lsp.log.entries()) {
            context.record(Record::Diagnostic(entry.clone()));
        }
    }

    /// Adds a result to the log and the timeline.
    pub(super) fn observe(&mut self, result: &CheckResult, what: &str, round: u32, now: Timestamp) {
        let before: Vec<Finding> = self.log.current().map(|entry| entry.finding.clone()).collect();
        let after: Vec<Finding> = result.all_findings().cloned().collect();
        self.log.observe(&after, now);
        self.timeline.push(TimelineEntry {
            at: now,
            round,
            what: what.to_owned(),
            delta: delta(&before, &after),
            open: result.keys().len(),
        });
    }

    /// Returns whether the tree was checked and is green.
    pub(crate) fn is_green(&self) -> bool {
        self.current.as_ref().is_some_and(|observed| observed.result.is_green())
    }

    /// Returns the latest result: of the verification, if there was one, else of the tree.
    pub(crate) fn latest(&self) -> Option<&CheckResult> {
        self.verified.as_ref().or(self.current.as_ref().map(|observed| &observed.result))
    }
}

/// A result and the tree it is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// Result of the checks.
    pub result: CheckResult,
    /// Number of accepted fixes in the tree.
    pub accepted: usize,
}

/// Change of the diagnostics at one point of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// Time of the observation.
    pub at: Timestamp,
    /// Number of the round, from 1.
    pub round: u32,
    /// Description of the tree that was checked, for the user.
    pub what: String,
    /// Changes since the previous check result.
    pub delta: Delta,
    /// Number of distinct failures left.
    pub open: usize,
}
