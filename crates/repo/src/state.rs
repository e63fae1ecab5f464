//! State that the agents share and that a checkpoint stores.
//!
//! Content, never only a path: the base commit and the accepted patches are enough to make the workspace again on another
//! machine.
//!
//! # Layout
//!
//! The state is made of parts. Each has a file of its own that names the agents that write it: `analysis`, `diagnosis` (with
//! `lsp_diagnostics`), `drift`, `plan`, `models`, `tried` (with `search`), `fixes`, `delivery`, `ci`, `rounds`, `totals`.

mod analysis;
mod ci;
mod delivery;
mod diagnosis;
mod drift;
mod fixes;
mod lsp_diagnostics;
mod models;
mod plan;
mod rounds;
mod search;
mod totals;
mod tried;

use std::time::Duration;

use autoheal_engine::diagnostics::Finding;
use autoheal_engine::error_code::CodedError;
use autoheal_engine::{StopReason, Timestamp, budget};
use autoheal_llm::ChatError;
use serde::{Deserialize, Serialize};

use crate::check_result::CheckResult;
use crate::hosting::watch::CiVerdict;
use crate::request::HealRequest;

pub use analysis::{Analysis, Origin};
pub use ci::{CiFailures, CiState};
pub use delivery::{Delivered, DeliveryState};
pub use diagnosis::{Diagnosis, Observed, TimelineEntry};
pub use drift::{BoundOutcome, DriftReport, DriftState, InstalledPackage, Offender, Release, TriedBound};
pub use fixes::{AcceptedFix, FileText, Fixes};
pub use lsp_diagnostics::LspDiagnostics;
#[cfg(test)]
pub(crate) use lsp_diagnostics::tests::diagnostic_in;
pub use models::{ModelAttempt, ModelEnd, ModelError, ModelUse};
pub use plan::{ModelStep, PatchVerdict, Plan, Proposal};
pub use rounds::{CiStatus, IterationStatus, Rounds};
pub use search::Search;
pub use totals::{TestRuns, Totals, Trials};
pub use tried::{Exhausted, JudgeOf, PatchLogEntry, PatchStatus, Tried};

/// The shared state of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HealState {
    /// Request that started the run; narrowed by `analyze` to what the repository's settings allow.
    pub request: HealRequest,
    /// Start time of the run.
    pub started_at: Timestamp,
    /// Starting point and setup of the repository.
    pub analysis: Analysis,
    /// Results of the checks.
    pub diagnosis: Diagnosis,
    /// Dependencies that drifted.
    #[serde(default)]
    pub drift: DriftState,
    /// Work of the round.
    pub plan: Plan,
    /// Use of language models.
    pub models: ModelUse,
    /// Record of what was tried.
    pub tried: Tried,
    /// Accepted fixes.
    pub fixes: Fixes,
    /// Delivery of the fixes.
    pub delivery: DeliveryState,
    /// Results of the CI at the host.
    pub ci: CiState,
    /// Rounds of the run.
    pub rounds: Rounds,
    /// Totals of the run.
    pub totals: Totals,
    /// Warnings for the user, in order; added by any agent.
    pub warnings: Vec<String>,
    /// Reason the run ended; set by the agent that ends it, or by the workflow.
    pub stop: Option<StopReason>,
    /// The error behind a stop, in the spec's format; set by the workflow.
    pub error: Option<CodedError>,
}

impl HealState {
    /// The version of this shape: raised when an older checkpoint could not be read rightly.
    pub const VERSION: u32 = 4;

    /// The state a run begins with.
    pub fn new(request: HealRequest, started_at: Timestamp) -> Self {
        Self {
            request,
            started_at,
            analysis: Analysis::default(),
            diagnosis: Diagnosis::default(),
            drift: DriftState::default(),
            plan: Plan::default(),
            models: ModelUse::default(),
            tried: Tried::default(),
            fixes: Fixes::default(),
            delivery: DeliveryState::default(),
            ci: CiState::default(),
            rounds: Rounds::default(),
            totals: Totals::default(),
            warnings: Vec::new(),
            stop: None,
            error: None,
        }
    }

    /// The time that the run was given is over.
    pub fn is_out_of_time(&self, now: Timestamp) -> bool {
        let limits = budget::Limits {
            wall_time: Some(Duration::from_secs(self.request.limits.run_seconds)),
            ..budget::Limits::default()
        };
        let used = budget::Usage { wall_time: now.since(self.started_at), ..budget::Usage::default() };
        limits.allow(used, budget::Usage::default()).is_err()
    }

    /// Stops the use of language models in this run, and warns the user of it.
    pub(crate) fn give_up_models(&mut self, error: &ChatError) {
        let warning = self.models.give_up(error);
        self.warnings.push(warning);
    }

    /// Ends the run; the first reason stands.
    pub fn stop_with(&mut self, reason: StopReason) {
        self.stop.get_or_insert(reason);
    }

    /// Takes the monitor's result: ends the run when it is green or the rounds are used up, else begins the next round
    /// (spec `should_retry`; Properties 9 and 10).
    pub fn conclude_round(&mut self, result: CheckResult, now: Timestamp) {
        self.observe(&result, "the branch, cloned fresh", now);
        let green = result.is_green();
        self.rounds.close(green, result.keys().len(), now);
        self.diagnosis.verified = Some(result);
        if green {
            self.stop_with(if self.is_wholly_checked() { StopReason::Green } else { StopReason::PartlyChecked });
        } else if self.rounds.retry_count >= self.request.retry_limit {
            self.stop_with(StopReason::Attempts);
        } else {
            self.rounds.retry_count += 1;
        }
    }

    /// Returns whether everything that decides CI was run here and is green, or CI itself reported success.
    fn is_wholly_checked(&self) -> bool {
        self.not_run().is_empty() || self.ci.verdict == Some(CiVerdict::Green)
    }

    /// Returns the parts of CI that are not known to pass: steps that are not run here, and linters with findings from before the last commit.
    pub(crate) fn not_run(&self) -> Vec<String> {
        let Some(setup) = &self.analysis.setup else { return Vec::new() };
        let is_old = |finding: &&Finding| setup.old_findings.advice.contains(&finding.key());
        let result = self.diagnosis.latest();
        let left =
            result.map_or(0, |result| result.advice.iter().filter(is_old).count()) + setup.old_findings.uncounted;
        let old = (left > 0).then(|| {
            format!("linters: {left} of their findings are older than the last commit, and CI is red with them")
        });
        setup.not_run.iter().cloned().chain(old).collect()
    }

    /// The reason of a run that found nothing red and changed nothing.
    pub(crate) fn reason_of_idleness(&self) -> StopReason {
        let is_continued =
            self.analysis.origin.as_ref().is_some_and(|origin| origin.start_commit != origin.base_commit);
        match self.is_wholly_checked() {
            _ if is_continued => StopReason::Unmerged,
            true => StopReason::NothingToDo,
            false => StopReason::PartlyChecked,
        }
    }

    /// Warns of something, once.
    pub fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Adds a result to the log and the timeline.
    pub fn observe(&mut self, result: &CheckResult, what: &str, now: Timestamp) {
        self.diagnosis.observe(result, what, self.rounds.current(), now);
    }
}
