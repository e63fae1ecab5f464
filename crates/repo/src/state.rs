//! State that the agents share and that a checkpoint stores.
//!
//! Content, never only a path: the base commit and the accepted patches are enough to make the workspace again on another
//! machine. Each field is written by one agent, named beside it.

mod hints;
mod model;
mod runs;
mod search;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use autoheal_code::Candidate;
use autoheal_engine::diagnostics::{Category, DiagnosticsLog, Finding, Key};
use autoheal_engine::error_code::CodedError;
use autoheal_engine::{ErrorCode, Timestamp, budget};
use autoheal_llm::ChatError;
use serde::{Deserialize, Serialize};

use crate::flaky::FlakyTest;
use crate::hosting::watch::{CiLook, CiVerdict};
use crate::look::Look;
use crate::request::HealRequest;
use crate::setup::Setup;
use crate::stop_reason::StopReason;

pub use hints::Hints;
pub use model::{ModelAttempt, ModelEnd, ModelError, ModelStep};
pub use runs::{TestRuns, Trials};
pub use search::Search;

/// The shared state of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HealState {
    /// Request that started the run.
    pub request: HealRequest,
    /// Start time of the run.
    pub started_at: Timestamp,
    /// Rounds after the first; changed by `monitor`.
    pub retry_count: u32,
    /// Starting point of the work; set by `analyze`.
    pub origin: Option<Origin>,
    /// Commands and interpreter of the repository's tests; set by `analyze`.
    pub setup: Option<Setup>,
    /// Test files, relative; set by `discover`.
    pub test_files: Vec<String>,
    /// The first look of the run; set by `diagnose`.
    pub baseline: Option<Look>,
    /// The latest look and the tree it was taken of; set by `diagnose` and `patch`.
    pub current: Option<Observed>,
    /// Everything seen so far; changed by `diagnose` and `patch`.
    pub log: DiagnosticsLog,
    /// Diagnostics of language servers, kept apart from what is to be healed; changed by `diagnose`.
    #[serde(default)]
    pub hints: Hints,
    /// Changes of the diagnostics over time, for the report's timeline; changed by `diagnose` and `patch`.
    pub timeline: Vec<TimelineEntry>,
    /// Tests whose outcome depends on more than the program; set by `diagnose`.
    pub flaky: Vec<FlakyTest>,
    /// Failures to fix in this round; set by `plan`.
    pub targets: Vec<Finding>,
    /// Failures for which every candidate was tried, on the tree where that was; changed by `patch`.
    pub exhausted: Vec<Exhausted>,
    /// Repairs requested from a model in this round, when rules have nothing left; set by `plan`.
    #[serde(default)]
    pub model_steps: Vec<ModelStep>,
    /// Changes that a model has tried; changed by `fix` and `patch`.
    #[serde(default)]
    pub model_attempts: Vec<ModelAttempt>,
    /// Budget that models have used in the run; changed by `plan` and `fix`.
    #[serde(default)]
    pub model_usage: budget::Usage,
    /// Reason models are no longer used; set by `plan` and `fix`.
    #[serde(default)]
    pub model_end: Option<ModelEnd>,
    /// The error that kept a model from being asked; changed by `plan` and `fix`.
    #[serde(default)]
    pub model_error: Option<ModelError>,
    /// True if this round searches for candidates, when rules have nothing left; set by `plan`.
    #[serde(default)]
    pub is_searching: bool,
    /// True if the targets are to be repaired by lines of commits before the last one; set by `plan`.
    #[serde(default)]
    pub is_looking_back: bool,
    /// Failures for which lines of older commits were restored, on the tree where that was; changed by `fix`.
    #[serde(default)]
    pub looked_back: Vec<Exhausted>,
    /// Searches so far; changed by `fix`.
    #[serde(default)]
    pub searches: Vec<Search>,
    /// Files that turned out to judge a failure, and so are not what is at fault; changed by `patch`.
    #[serde(default)]
    pub judges: Vec<JudgeOf>,
    /// Number and duration of the trials of candidates, each with a test runner of its own; changed by `patch`.
    #[serde(default)]
    pub trials: Trials,
    /// Runs of the tests so far, those of a search not counted; changed by the workflow and by `monitor`.
    #[serde(default)]
    pub test_runs: TestRuns,
    /// Candidates per target; set by `fix`.
    pub proposals: Vec<Proposal>,
    /// Verdict of this round's `patch`: whether it accepted a fix.
    pub patch_verdict: PatchVerdict,
    /// Fixes accepted so far, in order; changed by `patch`.
    pub accepted: Vec<AcceptedFix>,
    /// Every patch operation; changed by `patch`.
    pub patch_log: Vec<PatchLogEntry>,
    /// Content hashes of what the files held before and after each accepted fix; changed by `patch`.
    pub visited: BTreeSet<String>,
    /// True if a candidate would have restored contents in `visited`: fixes that undo each other; set by `patch`.
    pub repeated: bool,
    /// The branch as it was last pushed; set by `commit`.
    pub delivered: Option<Delivered>,
    /// One entry per round; changed by `monitor`, and by `plan` when the run ends there.
    pub iteration_history: Vec<IterationStatus>,
    /// Result of the latest verification; set by `monitor`.
    pub monitor: Option<Look>,
    /// Every look at the CI of the host; changed by `monitor`.
    #[serde(default)]
    pub ci_looks: Vec<CiLook>,
    /// Verdict of the host's CI for the latest commit that was watched; set by `monitor`.
    #[serde(default)]
    pub ci_verdict: Option<CiVerdict>,
    /// Failures that only the CI of the host sees; set by `monitor`.
    #[serde(default)]
    pub ci_failures: CiFailures,
    /// Indices of accepted fixes that were reverted, and of the fixes that revert them; changed by `monitor`.
    #[serde(default)]
    pub withdrawn: BTreeSet<usize>,
    /// The page of the pull request; set by `commit`.
    #[serde(default)]
    pub pull_request: Option<String>,
    /// Time per agent in milliseconds; changed by the workflow.
    pub agent_millis: BTreeMap<String, u64>,
    /// Warnings for the user, in order; changed by any agent.
    pub warnings: Vec<String>,
    /// Reason the run ended.
    pub stop: Option<StopReason>,
    /// The error behind a stop, in the spec's format.
    pub error: Option<CodedError>,
}

impl HealState {
    /// The version of this shape: raised when an older checkpoint could not be read rightly.
    pub const VERSION: u32 = 3;

    /// The state a run begins with.
    pub fn new(request: HealRequest, started_at: Timestamp) -> Self {
        Self {
            request,
            started_at,
            retry_count: 0,
            origin: None,
            setup: None,
            test_files: Vec::new(),
            baseline: None,
            current: None,
            log: DiagnosticsLog::default(),
            hints: Hints::default(),
            timeline: Vec::new(),
            flaky: Vec::new(),
            targets: Vec::new(),
            exhausted: Vec::new(),
            model_steps: Vec::new(),
            model_attempts: Vec::new(),
            model_usage: budget::Usage::default(),
            model_end: None,
            model_error: None,
            is_searching: false,
            is_looking_back: false,
            looked_back: Vec::new(),
            searches: Vec::new(),
            judges: Vec::new(),
            trials: Trials::default(),
            test_runs: TestRuns::default(),
            proposals: Vec::new(),
            patch_verdict: PatchVerdict::NothingAccepted,
            accepted: Vec::new(),
            patch_log: Vec::new(),
            visited: BTreeSet::new(),
            repeated: false,
            delivered: None,
            iteration_history: Vec::new(),
            monitor: None,
            ci_looks: Vec::new(),
            ci_verdict: None,
            ci_failures: CiFailures::default(),
            withdrawn: BTreeSet::new(),
            pull_request: None,
            agent_millis: BTreeMap::new(),
            warnings: Vec::new(),
            stop: None,
            error: None,
        }
    }

    /// Returns whether a candidate changes a file that judges this failure.
    pub(crate) fn changes_judge(&self, key: &Key, candidate: &Candidate) -> bool {
        let is_judge = |file: &str| self.judges.iter().any(|judge| judge.key == *key && judge.file == file);
        candidate.files.iter().any(|edit| is_judge(&edit.file))
    }

    /// Number of accepted fixes that may change what tests do: all but those of what only a linter says.
    pub(crate) fn fixes_of_program(&self) -> usize {
        self.accepted.iter().filter(|fix| fix.category != Category::Linting).count()
    }

    /// Records that a file judges this failure. The search for it on this tree may run again, without that file.
    pub(crate) fn add_judge(&mut self, key: &Key, file: &str) {
        let judge = JudgeOf { key: key.clone(), file: file.to_owned() };
        if self.judges.contains(&judge) {
            return;
        }
        self.judges.push(judge);
        let accepted = self.fixes_of_program();
        for search in self.searches.iter_mut().filter(|search| search.key == *key && search.accepted == accepted) {
            search.is_misled = true;
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

    /// The number of the round that is under way, from 1.
    pub fn round(&self) -> u32 {
        self.retry_count.saturating_add(1)
    }

    /// Stops the use of language models in this run, and warns the user of it.
    pub(crate) fn give_up_models(&mut self, error: &ChatError) {
        let (end, code) = match error {
            ChatError::Exhausted(_) => (ModelEnd::Budget, None),
            ChatError::TimedOut { .. } => (ModelEnd::Unavailable, Some(ErrorCode::LlmTimeout)),
            ChatError::Unavailable { .. }
            | ChatError::RateLimited { .. }
            | ChatError::Down { .. }
            | ChatError::Unauthorized { .. }
            | ChatError::Rejected { .. }
            | ChatError::Malformed { .. }
            | ChatError::NotRecorded { .. }
            | ChatError::Ledger(_) => (ModelEnd::Unavailable, Some(ErrorCode::LlmApiError)),
        };
        self.model_error = code.map(|code| ModelError { code, message: error.to_string() });
        let code = code.map(|code| format!("{code}: ")).unwrap_or_default();
        self.warnings.push(format!("{code}no language model is asked any more: {error}"));
        self.model_end = Some(end);
    }

    /// Ends the run; the first reason stands.
    pub fn stop_with(&mut self, reason: StopReason) {
        self.stop.get_or_insert(reason);
    }

    /// Ends the round with its verdict; a round has one entry.
    pub fn close_round(&mut self, passed: bool, failure_count: usize, at: Timestamp) {
        let iteration = self.round();
        if self.iteration_history.last().is_some_and(|last| last.iteration == iteration) {
            return;
        }
        self.iteration_history.push(IterationStatus {
            iteration,
            status: if passed { CiStatus::Passed } else { CiStatus::Failed },
            timestamp: at.to_rfc3339(),
            failure_count: u32::try_from(failure_count).unwrap_or(u32::MAX),
        });
    }

    /// Takes the monitor's look: ends the run when it is green or the rounds are used up, else begins the next round
    /// (spec `should_retry`; Properties 9 and 10).
    pub fn conclude_round(&mut self, look: Look, now: Timestamp) {
        self.observe(&look, "the branch, cloned fresh", now);
        let green = look.is_green();
        self.close_round(green, look.keys().len(), now);
        self.monitor = Some(look);
        if green {
            self.stop_with(if self.is_wholly_checked() { StopReason::Green } else { StopReason::PartlyChecked });
        } else if self.retry_count >= self.request.retry_limit {
            self.stop_with(StopReason::Attempts);
        } else {
            self.retry_count += 1;
        }
    }

    /// Returns whether everything that decides CI was run here and is green, or CI itself reported success.
    fn is_wholly_checked(&self) -> bool {
        self.not_run().is_empty() || self.ci_verdict == Some(CiVerdict::Green)
    }

    /// Returns the parts of CI that are not known to pass: steps that are not run here, and linters with findings from before the last commit.
    pub(crate) fn not_run(&self) -> Vec<String> {
        let Some(setup) = &self.setup else { return Vec::new() };
        let look = self.monitor.as_ref().or(self.current.as_ref().map(|observed| &observed.look));
        let is_old = |finding: &&Finding| setup.old_findings.advice.contains(&finding.key());
        let left = look.map_or(0, |look| look.advice.iter().filter(is_old).count()) + setup.old_findings.uncounted;
        let old = (left > 0).then(|| {
            format!("linters: {left} of their findings are older than the last commit, and CI is red with them")
        });
        setup.not_run.iter().cloned().chain(old).collect()
    }

    /// The reason of a run that found nothing red and changed nothing.
    pub(crate) fn reason_of_idleness(&self) -> StopReason {
        let is_continued = self.origin.as_ref().is_some_and(|origin| origin.start_commit != origin.base_commit);
        match self.is_wholly_checked() {
            _ if is_continued => StopReason::Unmerged,
            true => StopReason::NothingToDo,
            false => StopReason::PartlyChecked,
        }
    }

    /// Returns the accepted fixes that were not reverted.
    pub fn kept(&self) -> impl Iterator<Item = &AcceptedFix> {
        self.accepted.iter().enumerate().filter(|(index, _)| !self.withdrawn.contains(index)).map(|(_, fix)| fix)
    }

    /// Adds the failures that only CI reports for this tree to the results of its checks.
    pub fn add_ci_failures(&self, look: &mut Look) {
        if self.ci_failures.accepted == self.accepted.len() {
            let known = look.keys();
            let unknown = self.ci_failures.findings.iter().filter(|finding| !known.contains(&finding.key()));
            look.findings.extend(unknown.cloned());
        }
    }

    /// Warns of something, once.
    pub fn warn(&mut self, warning: String) {
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Takes a look into the log and the timeline.
    pub fn observe(&mut self, look: &Look, what: &str, now: Timestamp) {
        let before: Vec<Finding> = self.log.current().map(|entry| entry.finding.clone()).collect();
        let after: Vec<Finding> = look.all_findings().cloned().collect();
        self.log.observe(&after, now);
        self.timeline.push(TimelineEntry {
            at: now,
            round: self.round(),
            what: what.to_owned(),
            delta: autoheal_engine::diagnostics::delta(&before, &after),
            open: look.keys().len(),
        });
    }
}

/// Failures that the CI of the host sees and the checks here do not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CiFailures {
    /// Findings of these failures.
    pub findings: Vec<Finding>,
    /// Number of accepted fixes in the tree; about any other tree the findings say nothing.
    pub accepted: usize,
}

/// Starting point of the work: its commits and its branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The commit the clone's default branch was at; with uncommitted changes taken along, the commit that holds them.
    pub base_commit: String,
    /// The commit that the fixes are put on: the base, or the tip of our own branch when that is continued.
    pub start_commit: String,
    /// The branch that the fixes go to.
    pub branch: String,
    /// Commit of that branch at the remote when the run began; `None`: the remote did not have the branch, or the run does not push.
    pub remote_tip: Option<String>,
}

/// A look and what it was taken of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// Result of the checks.
    pub look: Look,
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
    pub delta: autoheal_engine::diagnostics::Delta,
    /// Number of distinct failures left.
    pub open: usize,
}

/// A failure for which every candidate was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhausted {
    /// Key of the failure.
    pub key: Key,
    /// Number of accepted fixes in the tree: after a further one the failure is worth another try.
    pub accepted: usize,
}

/// A file that decides whether a test fails, as was seen when it was to be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeOf {
    /// Key of the test's failure.
    pub key: Key,
    /// Path of the file.
    pub file: String,
}

/// Candidates for one target, likeliest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// Failure that the candidates would repair.
    pub target: Finding,
    /// In ascending order of cost.
    pub candidates: Vec<Candidate>,
}

/// Verdict of a `patch` step: whether it accepted a fix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchVerdict {
    /// At least one fix was accepted.
    Accepted,
    /// No fix was accepted.
    NothingAccepted,
}

/// A file's whole text after a fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileText {
    /// Relative to the repository's root, with `/`.
    pub file: String,
    /// Content of the file after the fix.
    pub text: String,
}

/// A fix that met the acceptance rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedFix {
    /// Failure that the fix repaired.
    pub target: Finding,
    /// The bug type, for its commit.
    pub category: Category,
    /// The file of its first edit.
    pub file: String,
    /// The line of its first edit.
    pub line: u32,
    /// Description of the fix, as an imperative.
    pub description: String,
    /// The fixer it came from.
    pub fixer: String,
    /// The files after it.
    pub files: Vec<FileText>,
    /// The change as a unified diff.
    pub diff: String,
    /// Number of candidates tried before it.
    pub tried_before: usize,
    /// Others that met the rule too: what else the evidence allows.
    pub runners_up: Vec<String>,
    /// Time of acceptance: the date of its commit, so that committing again gives the same commit.
    pub at: Timestamp,
}

/// One patch operation (Property 35).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchLogEntry {
    /// The failure that it was to repair, and how many accepted fixes the tree had.
    #[serde(default)]
    pub target: Option<(Key, usize)>,
    /// The file of its first edit.
    pub file: String,
    /// The line of its first edit.
    pub line: u32,
    /// The fixer it came from.
    pub fixer: String,
    /// Description of the change.
    pub description: String,
    /// Outcome of the operation.
    pub status: PatchStatus,
    /// Reason the change was not kept; empty if it was.
    pub reason: String,
    /// Time of the operation.
    pub at: Timestamp,
}

impl PatchLogEntry {
    /// Prefix of the reason for a change that would not parse.
    pub(crate) const SYNTAX: &'static str = "syntax validation failed";

    /// Returns whether the change was reverted because the file would not have parsed.
    pub fn is_syntax_error(&self) -> bool {
        self.status == PatchStatus::Failed && self.reason.starts_with(Self::SYNTAX)
    }
}

/// Outcome of a patch operation (the spec's `Fix.status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatchStatus {
    /// The patch was kept.
    Applied,
    /// The patch was reverted.
    Failed,
}

/// The branch as it was pushed, or as it stands in the run's clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered {
    /// Commit at the branch's tip.
    pub commit: String,
    /// Number of accepted fixes on the branch.
    pub accepted: usize,
    /// True if the branch was pushed to the remote.
    pub pushed: bool,
}

/// One round (spec `IterationStatus`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationStatus {
    /// Number of the round, from 1.
    pub iteration: u32,
    /// Outcome of the round.
    pub status: CiStatus,
    /// Time of the outcome, RFC 3339.
    pub timestamp: String,
    /// Number of distinct failures left.
    pub failure_count: u32,
}

/// Verdict of a run or a round, as in the spec.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CiStatus {
    /// Success: the tree is green.
    Passed,
    /// Any outcome other than success.
    Failed,
}
