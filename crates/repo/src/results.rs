//! `results.json` (spec "Results JSON Schema").

use std::time::Duration;

use autoheal_engine::diagnostics::{Category, Finding};
use autoheal_engine::error_code::CodedError;
use autoheal_engine::ledger::ModelUsage;
use autoheal_engine::time::minutes_and_seconds;
use autoheal_engine::{ErrorCode, Outcome, StopReason, Timestamp};
use serde::{Deserialize, Serialize};

use crate::commit_message::commit_message;
use crate::flaky::FlakyTest;
use crate::hosting::watch::{CiLook, CiVerdict};
use crate::setup::Setup;
use crate::state::{
    CiStatus, DriftReport, HealState, InstalledPackage, IterationStatus, PatchLogEntry, PatchStatus, Search, TestRuns,
};

/// The result document of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HealingResults {
    /// The repository as a URI: what was given, or `file://` for a path.
    pub repository: String,
    /// Name of the team, as in the request.
    pub team_name: String,
    /// Name of the leader, as in the request.
    pub leader_name: String,
    /// The branch the fixes are on, or would be.
    pub branch_name: String,
    /// Distinct failures seen during the run.
    pub total_failures: u32,
    /// Number of accepted edits.
    pub fixes_applied: u32,
    /// Number of rounds, the length of `iteration_history`.
    pub iterations: u32,
    /// Verdict of the run: green, or not.
    pub ci_status: CiStatus,
    /// Duration of the run, such as `4m 22s`.
    pub total_time: String,
    /// One entry per accepted edit and per failure left.
    pub fixes: Vec<FixResult>,
    /// One entry per round.
    pub iteration_history: Vec<IterationStatus>,
    /// Outcome of the run.
    pub outcome: Outcome,
    /// Reason the run ended.
    pub stop_reason: StopReason,
    /// Commits on the branch that this run made.
    pub commit_count: u32,
    /// Maximum number of rounds after the first.
    pub retry_limit: u32,
    /// The commands that decided what green is.
    pub commands: Vec<String>,
    /// Outcome of the host's CI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosted_ci: Option<HostedCi>,
    /// The page of the pull request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    /// Parts of CI that were not run here: while there are any, the run is not green.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_run: Vec<String>,
    /// Tests whose outcome depends on more than the program; none of them was "fixed".
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<FlakyTest>,
    /// Dependencies whose new release broke the tests; `None`: there was no reason to search for any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftReport>,
    /// Packages that were installed for the first run of the tests; empty if there was no reason to look at them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub installed: Vec<InstalledPackage>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Changes that were tried and not kept, at most [`RefusedChange::MOST`], the first ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedChange>,
    /// Searches for repairs that no rule knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<Search>,
    /// Runs of the tests, those of a search not counted.
    #[serde(default)]
    pub test_runs: TestRuns,
    /// Usage of language models; `None` if they had no requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language_model: Option<ModelUsage>,
    /// The error behind a FAILED (spec "Error Response Format", the inner object).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<CodedError>,
}

/// Outcome of the host's CI.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostedCi {
    /// Verdict of CI.
    pub verdict: CiVerdict,
    /// Observations with their times; the last one contains the state of a run that did not end in time.
    pub looks: Vec<CiLook>,
}

/// A fix in the results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FixResult {
    /// Path of the file, relative to the repository's root.
    pub file: String,
    /// Bug type of the failure.
    pub bug_type: Category,
    /// Line number, from 1; 1 for a failure without a line.
    pub line: u32,
    /// Message of the fix's commit; for a failure left, the message that its commit would have had.
    pub commit_message: String,
    /// Status of the failure: fixed, or left.
    pub status: FixStatus,
    /// Origin of the fix; `None` for a failure left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<FixOrigin>,
    /// The change as a unified diff; empty for a failure left.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// Other changes that the tests allow, too: only a person can tell which one is meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_allowed: Vec<String>,
    /// Summary of the fix, such as `LINTING error in src/utils.py line 15 → Fix: remove the import statement`.
    pub summary: String,
}

/// Origin of a fix: how much vouches for it besides the tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FixOrigin {
    /// A rule, which knows from the error what is wrong.
    Rule,
    /// A search among small changes: the tests alone vouch for it.
    Search,
    /// A language model; the tests alone vouch for it.
    Model,
}

impl FixOrigin {
    /// All origins.
    pub const ALL: [Self; 3] = [Self::Rule, Self::Search, Self::Model];

    /// The name of the origin in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Search => "search",
            Self::Model => "model",
        }
    }

    fn of(fixer: &str) -> Self {
        match fixer {
            crate::search::FIXER => Self::Search,
            crate::model::FIXER => Self::Model,
            _ => Self::Rule,
        }
    }
}

/// A change that was tried and not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedChange {
    /// Path of the file, relative to the repository's root.
    pub file: String,
    /// Line number, from 1.
    pub line: u32,
    /// Name of the fixer that proposed the change.
    pub fixer: String,
    /// Description of the change, as an imperative.
    pub description: String,
    /// Reason the change was not kept.
    pub reason: String,
}

impl RefusedChange {
    /// Maximum number of them in the results.
    pub const MOST: usize = 50;
}

/// Outcome of a failure: repaired or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FixStatus {
    /// By an accepted edit.
    Fixed,
    /// It is still there.
    Failed,
}

impl HealingResults {
    /// Returns the results of a run as of `now`.
    pub fn of(state: &HealState, now: Timestamp) -> Self {
        let stop_reason = state.stop.unwrap_or(StopReason::Infra);
        let ci_status = if stop_reason.is_success() { CiStatus::Passed } else { CiStatus::Failed };
        let mut iteration_history = state.rounds.history.clone();
        if iteration_history.is_empty() {
            // A run that ended before its first verdict still was one round.
            iteration_history.push(IterationStatus {
                iteration: 1,
                status: ci_status,
                timestamp: now.to_rfc3339(),
                failure_count: saturating(state.diagnosis.log.current().count()),
            });
        }
        let fixes: Vec<FixResult> = state.fixes.retained().map(fixed).chain(left(state)).collect();
        let commit_count = state.delivery.branch.as_ref().map_or(0, |delivered| delivered.accepted);
        Self {
            repository: repository_uri(&state.request.repository),
            team_name: state.request.team_name.clone(),
            leader_name: state.request.leader_name.clone(),
            branch_name: branch_name(state),
            total_failures: saturating(state.diagnosis.log.entries().len()),
            fixes_applied: saturating(state.fixes.retained().count()),
            iterations: saturating(iteration_history.len()),
            ci_status,
            total_time: minutes_and_seconds(total_time(state, now)),
            fixes,
            iteration_history,
            outcome: stop_reason.outcome(saturating(state.fixes.retained().count())),
            stop_reason,
            commit_count: saturating(commit_count),
            retry_limit: state.request.retry_limit,
            commands: state.analysis.setup.as_ref().map(Setup::command_lines).unwrap_or_default(),
            hosted_ci: state.ci.verdict.map(|verdict| HostedCi { verdict, looks: state.ci.looks.clone() }),
            pull_request: state.delivery.pull_request.clone(),
            not_run: state.not_run(),
            flaky: state.diagnosis.flaky.clone(),
            drift: state.drift.report.clone(),
            installed: state.drift.installed.clone(),
            warnings: state.warnings.clone(),
            refused: refused(state),
            searches: state.tried.searches.clone(),
            test_runs: state.totals.test_runs,
            language_model: Some(state.models.usage).filter(|usage| usage.calls > 0),
            error: error(state, stop_reason, now),
        }
    }
}

/// Returns the duration of the run so far (Property 37).
pub fn total_time(state: &HealState, now: Timestamp) -> Duration {
    now.since(state.started_at)
}

fn branch_name(state: &HealState) -> String {
    match &state.analysis.origin {
        Some(origin) => origin.branch.clone(),
        None => crate::branch_name::create_branch_name(&state.request.team_name, &state.request.leader_name)
            .map_or_else(|_| "UNNAMED_AI_Fix".to_owned(), |name| name.to_string()),
    }
}

fn error(state: &HealState, stop_reason: StopReason, now: Timestamp) -> Option<CodedError> {
    if stop_reason.is_success() {
        return None;
    }
    state.error.clone().or_else(|| {
        let (code, message) = match (&state.models.error, stop_reason.error_code()) {
            (_, Some(code)) => (code, stop_reason.explanation().to_owned()),
            (Some(error), None) => (error.code, error.message.clone()),
            (None, None) => {
                // The last that was tried would not have parsed.
                let last = state.tried.patch_log.last().filter(|entry| entry.is_syntax_error())?;
                (ErrorCode::SyntaxValidationFailed, last.reason.clone())
            }
        };
        Some(
            CodedError::new(code, message, now)
                .with("repository", state.request.repository.clone())
                .with("stop_reason", stop_reason.name()),
        )
    })
}

fn fixed(fix: &crate::state::AcceptedFix) -> FixResult {
    FixResult {
        file: fix.file.clone(),
        bug_type: fix.category,
        line: fix.line.max(1),
        commit_message: commit_message(fix.category, &fix.file, fix.line.max(1)),
        status: FixStatus::Fixed,
        origin: Some(FixOrigin::of(&fix.fixer)),
        diff: fix.diff.clone(),
        also_allowed: fix.runners_up.clone(),
        summary: format!("{} error in {} line {} → Fix: {}", fix.category, fix.file, fix.line.max(1), fix.description),
    }
}

fn refused(state: &HealState) -> Vec<RefusedChange> {
    let entries = state.tried.patch_log.iter().filter(|entry| entry.status == PatchStatus::Failed);
    entries.take(RefusedChange::MOST).map(refused_change).collect()
}

fn refused_change(entry: &PatchLogEntry) -> RefusedChange {
    let PatchLogEntry { file, line, fixer, description, reason, .. } = entry.clone();
    RefusedChange { file, line, fixer, description, reason }
}

/// The failures that the last checks still found, each once.
fn left(state: &HealState) -> Vec<FixResult> {
    let entries = autoheal_engine::diagnostics::by_priority(&state.diagnosis.log, &std::collections::BTreeMap::new());
    entries.into_iter().map(|entry| unfixed(&entry.finding)).collect()
}

fn unfixed(finding: &Finding) -> FixResult {
    let file = finding.file.clone().unwrap_or_else(|| "unknown".to_owned());
    let line = finding.location.map_or(1, |location| location.line.max(1));
    FixResult {
        commit_message: commit_message(finding.category, &file, line),
        summary: format!("{} → not fixed: {}", finding.headline(), first_line(&finding.message)),
        file,
        bug_type: finding.category,
        line,
        status: FixStatus::Failed,
        origin: None,
        diff: String::new(),
        also_allowed: Vec::new(),
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn repository_uri(given: &str) -> String {
    if given.contains("://") {
        return given.to_owned();
    }
    url::Url::from_file_path(given).map_or_else(|()| format!("file:{given}"), |url| url.to_string())
}

fn saturating(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
