//! Results of a healing job as the spec's front end expects them: the fields of `results.json` in camel case.

use autoheal_engine::diagnostics::Category;
use autoheal_engine::{ErrorCode, Outcome, StopReason};
use autoheal_repo::results::{FixOrigin, FixStatus};
use autoheal_repo::state::CiStatus;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::schema;

/// Results of a healing job.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealingResults {
    /// The repository as a URI.
    pub repository: String,
    /// Name of the team, from the request.
    pub team_name: String,
    /// Name of the team's leader, from the request.
    pub leader_name: String,
    /// Branch of the fixes, or the name it would have if there were any.
    #[schema(pattern = "^[A-Z0-9_]+_AI_Fix$")]
    pub branch_name: String,
    /// Number of distinct failures that were found.
    pub total_failures: u32,
    /// Number of accepted edits.
    pub fixes_applied: u32,
    /// Number of rounds, the first one included.
    #[schema(minimum = 1)]
    pub iterations: u32,
    /// Verdict on the repository: `PASSED` when the checks pass, `FAILED` otherwise.
    pub ci_status: Verdict,
    /// Duration of the run, such as `4m 22s`.
    #[schema(pattern = r"^\d+m \d+s$")]
    pub total_time: String,
    /// The accepted edits, and the failures that are left.
    pub fixes: Vec<Fix>,
    /// Outcome of each round.
    pub iteration_history: Vec<IterationStatus>,
    /// Number of commits that were made.
    pub commit_count: u32,
    /// Maximum number of rounds after the first.
    pub retry_limit: u32,
    /// Outcome of the run.
    #[schema(schema_with = schema::outcome)]
    pub outcome: Outcome,
    /// Reason the run ended.
    #[schema(schema_with = schema::stop_reason)]
    pub stop_reason: StopReason,
    /// Commands whose result decides the verdict.
    pub commands: Vec<String>,
    /// Checks that CI requires and that were not run on the server.
    pub not_run: Vec<String>,
    /// Tests whose outcome depends on more than the program; none of them was edited into passing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<FlakyTest>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// Changes that were tried and not kept, at most 50, the first ones first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<RefusedChange>,
    /// The one thing to do next; absent if there is nothing to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<&'static str>,
    /// Explanation of the reason for which the run ended: a clause.
    pub explanation: &'static str,
    /// The page of the pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    /// The error behind a verdict that is not green.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ResultError>,
}

/// Verdict on a repository, as the spec defines it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// The checks pass.
    Passed,
    /// Any other outcome: a check fails, or the checks could not be run.
    Failed,
}

impl From<CiStatus> for Verdict {
    fn from(status: CiStatus) -> Self {
        match status {
            CiStatus::Passed => Self::Passed,
            CiStatus::Failed => Self::Failed,
        }
    }
}

/// Outcome for a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub enum FixOutcome {
    /// The failure is fixed.
    Fixed,
    /// The failure is left.
    Failed,
}

/// An accepted edit, or a failure that is left.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    /// Path of the file, relative to the repository's root.
    pub file: String,
    /// The kind of fault.
    #[schema(schema_with = schema::category)]
    pub bug_type: Category,
    /// Line in the file, counted from 1.
    #[schema(minimum = 1)]
    pub line: u32,
    /// Message of the commit, or the one it would have.
    #[schema(pattern = r"^\[AI-AGENT\]")]
    pub commit_message: String,
    /// Outcome for the failure.
    pub status: FixOutcome,
    /// Summary of the edit or of the failure, in one line.
    pub summary: String,
    /// Origin of the edit: a rule knows from the error what is wrong; for what a search or a model proposes, the tests alone vouch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(schema_with = schema::fix_origin)]
    pub origin: Option<&'static str>,
    /// The change as a unified diff; absent for a failure that is left.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// Other changes that the tests allow, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also_allowed: Vec<String>,
}

/// A change that was tried and not kept.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RefusedChange {
    /// Path of the file, relative to the repository's root.
    pub file: String,
    /// Line in the file, counted from 1.
    #[schema(minimum = 1)]
    pub line: u32,
    /// Name of the fixer that proposed the change.
    pub fixer: String,
    /// Description of the change, as an imperative.
    pub description: String,
    /// Reason the change was not kept.
    pub reason: String,
}

/// A test whose outcome depends on more than the program.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlakyTest {
    /// Identifier by which the test runner selects the test.
    pub test: String,
    /// Factor that the outcome depends on.
    #[schema(schema_with = schema::flaky_kind)]
    pub kind: &'static str,
    /// Observations that show it, one sentence each.
    pub evidence: Vec<String>,
    /// The smallest command that shows it.
    pub reproduction: String,
}

impl FlakyTest {
    fn of(test: autoheal_repo::FlakyTest) -> Self {
        let autoheal_repo::FlakyTest { test, kind, evidence, reproduction, .. } = test;
        Self { test, kind: kind.name(), evidence, reproduction }
    }
}

/// Outcome of a round.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IterationStatus {
    /// Number of the round, counted from 1.
    #[schema(minimum = 1)]
    pub iteration: u32,
    /// Verdict at the end of the round.
    pub status: Verdict,
    /// Time at which the round ended.
    #[schema(format = DateTime)]
    pub timestamp: String,
    /// Number of distinct failures that are left.
    pub failure_count: u32,
}

/// The error behind a verdict that is not green.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultError {
    /// Code of the error; `autoheal explain CODE` tells more.
    #[schema(schema_with = super::error::error_code)]
    pub code: &'static str,
    /// Message that describes the error.
    pub message: String,
    /// Details of the error, such as the resource it concerns.
    #[schema(value_type = Object)]
    pub details: Map<String, Value>,
    /// Time of the error.
    #[schema(format = DateTime)]
    pub timestamp: String,
}

impl HealingResults {
    /// The message of the error for which the repository could not be had.
    pub(super) fn error_of_repository(&self) -> Option<&str> {
        let codes = [ErrorCode::RepoCloneFailed, ErrorCode::RepoNotFound, ErrorCode::RepoAccessDenied];
        let error = self.error.as_ref().filter(|_| self.stop_reason == StopReason::Infra)?;
        codes.iter().any(|code| code.name() == error.code).then_some(&error.message)
    }

    /// The results in a stored document; `None` when it holds none, because the run ended before it had any.
    pub fn of(document: &Value) -> Option<Self> {
        let results: autoheal_repo::results::HealingResults = serde_json::from_value(document.clone()).ok()?;
        Some(Self {
            repository: results.repository,
            team_name: results.team_name,
            leader_name: results.leader_name,
            branch_name: results.branch_name,
            total_failures: results.total_failures,
            fixes_applied: results.fixes_applied,
            iterations: results.iterations,
            ci_status: results.ci_status.into(),
            total_time: results.total_time,
            fixes: results
                .fixes
                .into_iter()
                .map(|fix| Fix {
                    file: fix.file,
                    bug_type: fix.bug_type,
                    line: fix.line,
                    commit_message: fix.commit_message,
                    status: match fix.status {
                        FixStatus::Fixed => FixOutcome::Fixed,
                        FixStatus::Failed => FixOutcome::Failed,
                    },
                    summary: fix.summary,
                    origin: fix.origin.map(FixOrigin::name),
                    diff: fix.diff,
                    also_allowed: fix.also_allowed,
                })
                .collect(),
            iteration_history: results
                .iteration_history
                .into_iter()
                .map(|round| IterationStatus {
                    iteration: round.iteration,
                    status: round.status.into(),
                    timestamp: round.timestamp,
                    failure_count: round.failure_count,
                })
                .collect(),
            commit_count: results.commit_count,
            retry_limit: results.retry_limit,
            outcome: results.outcome,
            stop_reason: results.stop_reason,
            commands: results.commands,
            not_run: results.not_run,
            flaky: results.flaky.into_iter().map(FlakyTest::of).collect(),
            warnings: results.warnings,
            refused: results
                .refused
                .into_iter()
                .map(|change| RefusedChange {
                    file: change.file,
                    line: change.line.max(1),
                    fixer: change.fixer,
                    description: change.description,
                    reason: change.reason,
                })
                .collect(),
            next: Some(results.stop_reason.next()).filter(|next| !next.is_empty()),
            explanation: results.stop_reason.explanation(),
            pull_request: results.pull_request,
            error: results.error.map(|error| ResultError {
                code: error.code.name(),
                message: error.message,
                details: error.details,
                timestamp: error.timestamp,
            }),
        })
    }
}
