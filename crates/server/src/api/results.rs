//! What a healing came to, as the spec's front end reads it: the names of `results.json` in camel case.

use autoheal_engine::ErrorCode;
use autoheal_engine::diagnostics::Category;
use autoheal_repo::StopReason;
use autoheal_repo::results::FixStatus;
use autoheal_repo::state::CiStatus;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::schema;

/// What a healing came to.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HealingResults {
    /// The repository as a URI.
    pub repository: String,
    /// As given.
    pub team_name: String,
    /// As given.
    pub leader_name: String,
    /// The branch that the fixes are on, or would be.
    #[schema(pattern = "^[A-Z0-9_]+_AI_Fix$")]
    pub branch_name: String,
    /// Distinct failures that were seen.
    pub total_failures: u32,
    /// Accepted edits.
    pub fixes_applied: u32,
    /// Rounds.
    #[schema(minimum = 1)]
    pub iterations: u32,
    /// Green, or not.
    pub ci_status: Verdict,
    /// `4m 22s`.
    #[schema(pattern = r"^\d+m \d+s$")]
    pub total_time: String,
    /// One for each accepted edit and each failure that is left.
    pub fixes: Vec<Fix>,
    /// One for each round.
    pub iteration_history: Vec<IterationStatus>,
    /// Commits that were made.
    pub commit_count: u32,
    /// How many rounds might have followed the first.
    pub retry_limit: u32,
    /// Why it ended.
    #[schema(schema_with = schema::stop_reason)]
    pub stop_reason: StopReason,
    /// The commands that decided what green is.
    pub commands: Vec<String>,
    /// What CI decides by and was not run here.
    pub not_run: Vec<String>,
    /// Tests whose outcome depends on more than the program; none of them was edited into passing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub flaky: Vec<FlakyTest>,
    /// What a person should know.
    pub warnings: Vec<String>,
    /// The page of the pull request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<String>,
    /// The error behind a verdict that is not green.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ResultError>,
}

/// The spec's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Verdict {
    /// Green.
    Passed,
    /// Anything else.
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

/// What became of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub enum FixOutcome {
    /// It was repaired.
    Fixed,
    /// It is left.
    Failed,
}

/// An accepted edit, or a failure that is left.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    /// Relative to the repository's root.
    pub file: String,
    /// The kind of fault.
    #[schema(schema_with = schema::category)]
    pub bug_type: Category,
    /// From 1.
    #[schema(minimum = 1)]
    pub line: u32,
    /// Of its commit, or of the one it would have had.
    #[schema(pattern = r"^\[AI-AGENT\]")]
    pub commit_message: String,
    /// What became of it.
    pub status: FixOutcome,
    /// In one line.
    pub summary: String,
}

/// A test whose outcome depends on more than the program.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlakyTest {
    /// How the test runner is told to run it.
    pub test: String,
    /// What it depends on.
    #[schema(schema_with = schema::flaky_kind)]
    pub kind: &'static str,
    /// What was seen, a sentence each.
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

/// How a round ended.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct IterationStatus {
    /// From 1.
    #[schema(minimum = 1)]
    pub iteration: u32,
    /// With what.
    pub status: Verdict,
    /// When.
    #[schema(format = DateTime)]
    pub timestamp: String,
    /// Distinct failures left.
    pub failure_count: u32,
}

/// The error behind a verdict that is not green.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultError {
    /// One of the spec's fifteen.
    #[schema(schema_with = schema::error_code)]
    pub code: &'static str,
    /// What happened.
    pub message: String,
    /// What it happened to.
    #[schema(value_type = Object)]
    pub details: Map<String, Value>,
    /// When.
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
            stop_reason: results.stop_reason,
            commands: results.commands,
            not_run: results.not_run,
            flaky: results.flaky.into_iter().map(FlakyTest::of).collect(),
            warnings: results.warnings,
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
