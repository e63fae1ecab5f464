//! What the agents share, and what a checkpoint holds.
//!
//! Content, never only a path: the base commit and the accepted patches are enough to make the workspace again on another
//! machine. Each field is written by one agent, named beside it.

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
use crate::hints::Hints;
use crate::hosting::watch::{CiLook, CiVerdict};
use crate::look::Look;
use crate::request::HealRequest;
use crate::setup::Setup;
use crate::stop_reason::StopReason;

pub use search::Search;

/// The shared state of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HealState {
    /// What was asked.
    pub request: HealRequest,
    /// When the run began.
    pub started_at: Timestamp,
    /// Rounds after the first; changed by `monitor`.
    pub retry_count: u32,
    /// Where the work starts; set by `analyze`.
    pub origin: Option<Origin>,
    /// How the repository is tested; set by `analyze`.
    pub setup: Option<Setup>,
    /// Test files, relative; set by `discover`.
    pub test_files: Vec<String>,
    /// The first look of the run; set by `diagnose`.
    pub baseline: Option<Look>,
    /// The latest look and the tree it was taken of; set by `diagnose` and `patch`.
    pub current: Option<Observed>,
    /// Everything seen so far; changed by `diagnose` and `patch`.
    pub log: DiagnosticsLog,
    /// What language servers say, beside what is to be healed; changed by `diagnose`.
    #[serde(default)]
    pub hints: Hints,
    /// How the diagnostics changed, for the report's timeline; changed by `diagnose` and `patch`.
    pub timeline: Vec<TimelineEntry>,
    /// Tests whose outcome depends on more than the program; set by `diagnose`.
    pub flaky: Vec<FlakyTest>,
    /// What to fix in this round; set by `plan`.
    pub targets: Vec<Finding>,
    /// Failures for which every candidate was tried, on the tree where that was; changed by `patch`.
    pub exhausted: Vec<Exhausted>,
    /// What a model is asked to repair in this round, when rules have nothing left; set by `plan`.
    #[serde(default)]
    pub model_steps: Vec<ModelStep>,
    /// What a model has tried; changed by `fix` and `patch`.
    #[serde(default)]
    pub model_attempts: Vec<ModelAttempt>,
    /// What models have cost the run; changed by `plan` and `fix`.
    #[serde(default)]
    pub model_usage: budget::Usage,
    /// Why no model is asked any more; set by `plan` and `fix`.
    #[serde(default)]
    pub model_end: Option<ModelEnd>,
    /// The error that kept a model from being asked; changed by `plan` and `fix`.
    #[serde(default)]
    pub model_error: Option<ModelError>,
    /// Whether this round's candidates are searched for, when rules have nothing left; set by `plan`.
    #[serde(default)]
    pub is_searching: bool,
    /// What was searched for; changed by `fix`.
    #[serde(default)]
    pub searches: Vec<Search>,
    /// Files that turned out to judge a failure, and so are not what is at fault; changed by `patch`.
    #[serde(default)]
    pub judges: Vec<JudgeOf>,
    /// What trying candidates took, each with a test runner of its own; changed by `patch`.
    #[serde(default)]
    pub trials: Trials,
    /// Candidates per target; set by `fix`.
    pub proposals: Vec<Proposal>,
    /// Whether this round's `patch` accepted something.
    pub patch_verdict: PatchVerdict,
    /// What was accepted so far, in order; changed by `patch`.
    pub accepted: Vec<AcceptedFix>,
    /// Every patch operation; changed by `patch`.
    pub patch_log: Vec<PatchLogEntry>,
    /// Content hashes of what the files held before and after each accepted fix; changed by `patch`.
    pub visited: BTreeSet<String>,
    /// Whether a candidate would have led back to one of them: fixes that undo each other; set by `patch`.
    pub repeated: bool,
    /// The branch as it was last pushed; set by `commit`.
    pub delivered: Option<Delivered>,
    /// One entry per round; changed by `monitor`, and by `plan` when the run ends there.
    pub iteration_history: Vec<IterationStatus>,
    /// What the latest monitor saw; set by `monitor`.
    pub monitor: Option<Look>,
    /// Every look at the CI of the host; changed by `monitor`.
    #[serde(default)]
    pub ci_looks: Vec<CiLook>,
    /// What the CI of the host came to, for the latest commit that was watched; set by `monitor`.
    #[serde(default)]
    pub ci_verdict: Option<CiVerdict>,
    /// What only the CI of the host sees; set by `monitor`.
    #[serde(default)]
    pub ci_failures: CiFailures,
    /// Which of the accepted fixes were taken back, and which of them take others back; changed by `monitor`.
    #[serde(default)]
    pub withdrawn: BTreeSet<usize>,
    /// The page of the pull request; set by `commit`.
    #[serde(default)]
    pub pull_request: Option<String>,
    /// Time per agent in milliseconds; changed by the workflow.
    pub agent_millis: BTreeMap<String, u64>,
    /// What a person should know, in order; changed by any agent.
    pub warnings: Vec<String>,
    /// Why the run is over.
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
            searches: Vec::new(),
            judges: Vec::new(),
            trials: Trials::default(),
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

    /// Records that a file judges this failure. The search for it on this tree may run again, without that file.
    pub(crate) fn add_judge(&mut self, key: &Key, file: &str) {
        let judge = JudgeOf { key: key.clone(), file: file.to_owned() };
        if self.judges.contains(&judge) {
            return;
        }
        self.judges.push(judge);
        let accepted = self.accepted.len();
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

    /// No model is asked any more, which a person should know.
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

    /// Everything that CI decides by was run here and is green, or CI itself said so.
    fn is_wholly_checked(&self) -> bool {
        self.not_run().is_empty() || self.ci_verdict == Some(CiVerdict::Green)
    }

    /// What CI decides by and is not known to be green: what is not run here, and what linters said before the last commit, too.
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

    /// The accepted fixes that were not taken back.
    pub fn kept(&self) -> impl Iterator<Item = &AcceptedFix> {
        self.accepted.iter().enumerate().filter(|(index, _)| !self.withdrawn.contains(index)).map(|(_, fix)| fix)
    }

    /// Adds what only CI sees of this tree to a look at it.
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
    /// Which.
    pub findings: Vec<Finding>,
    /// How many accepted fixes the tree had: of another tree they say nothing.
    pub accepted: usize,
}

/// Where the work starts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The commit the clone's default branch was at; with uncommitted changes taken along, the commit that holds them.
    pub base_commit: String,
    /// The commit that the fixes are put on: the base, or the tip of our own branch when that is continued.
    pub start_commit: String,
    /// The branch that the fixes go to.
    pub branch: String,
    /// What the remote had under that name when the run began.
    pub remote_tip: Option<String>,
}

/// A look and what it was taken of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observed {
    /// What was seen.
    pub look: Look,
    /// How many accepted fixes the tree had.
    pub accepted: usize,
}

/// How the diagnostics changed at one point of the run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimelineEntry {
    /// When.
    pub at: Timestamp,
    /// In which round.
    pub round: u32,
    /// What was looked at, for a person.
    pub what: String,
    /// What changed against the look before.
    pub delta: autoheal_engine::diagnostics::Delta,
    /// Distinct failures left.
    pub open: usize,
}

/// A failure for which every candidate was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exhausted {
    /// Which.
    pub key: Key,
    /// How many accepted fixes the tree had: after a further one it is worth another try.
    pub accepted: usize,
}

/// A file that decides whether a test fails, as was seen when it was to be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeOf {
    /// The test's failure.
    pub key: Key,
    /// The file.
    pub file: String,
}

/// A failure that a model is asked to repair.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStep {
    /// Which.
    pub target: Finding,
    /// Files that are shown beside those that the failure points at.
    pub files: Vec<String>,
    /// What the plan says to whom writes the code.
    pub approach: String,
}

/// What trying candidates took, each with a test runner of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Trials {
    /// How many.
    pub count: u64,
    /// How long the test runners took, in milliseconds.
    pub millis: u64,
}

/// What a model has tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelAttempt {
    /// For which failure.
    pub key: Key,
    /// How many accepted fixes the tree had: after a further one it may try anew.
    pub accepted: usize,
    /// The change as a unified diff; empty when the answer was none that could be applied.
    pub change: String,
    /// How it ended.
    pub outcome: String,
    /// The model has said that it sees nothing to repair.
    pub gave_up: bool,
}

/// Why no model is asked any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelEnd {
    /// Its budget is used up.
    Budget,
    /// It could not be asked.
    Unavailable,
}

/// The error that a model could not be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelError {
    /// The spec's code.
    pub code: ErrorCode,
    /// For a person.
    pub message: String,
}

/// Candidates for one target, likeliest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Proposal {
    /// What they would repair.
    pub target: Finding,
    /// In ascending order of cost.
    pub candidates: Vec<Candidate>,
}

/// Whether `patch` accepted something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PatchVerdict {
    /// At least one fix.
    Accepted,
    /// None.
    NothingAccepted,
}

/// A file's whole text after a fix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileText {
    /// Relative to the repository's root, with `/`.
    pub file: String,
    /// What it holds now.
    pub text: String,
}

/// A fix that met the acceptance rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedFix {
    /// What it repaired.
    pub target: Finding,
    /// The bug type, for its commit.
    pub category: Category,
    /// The file of its first edit.
    pub file: String,
    /// The line of its first edit.
    pub line: u32,
    /// What it does, as an imperative.
    pub description: String,
    /// The fixer it came from.
    pub fixer: String,
    /// The files after it.
    pub files: Vec<FileText>,
    /// The change as a unified diff.
    pub diff: String,
    /// How many candidates were tried before it.
    pub tried_before: usize,
    /// Others that met the rule too: what else the evidence allows.
    pub runners_up: Vec<String>,
    /// When it was accepted: its commit's date, so that committing again gives the same commit.
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
    /// What it would do.
    pub description: String,
    /// How it ended.
    pub status: PatchStatus,
    /// Why it was not kept; empty for one that was.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

impl PatchLogEntry {
    /// What the reason of one that would not parse begins with.
    pub(crate) const SYNTAX: &'static str = "syntax validation failed";

    /// Whether it was taken back because the file would not have parsed.
    pub fn is_syntax_error(&self) -> bool {
        self.status == PatchStatus::Failed && self.reason.starts_with(Self::SYNTAX)
    }
}

/// How a patch operation ended (the spec's `Fix.status`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatchStatus {
    /// It was kept.
    Applied,
    /// It was taken back.
    Failed,
}

/// The branch as it was pushed, or as it stands in the run's clone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delivered {
    /// The branch's tip.
    pub commit: String,
    /// How many accepted fixes it holds.
    pub accepted: usize,
    /// Whether it stands at the remote.
    pub pushed: bool,
}

/// One round (spec `IterationStatus`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IterationStatus {
    /// From 1.
    pub iteration: u32,
    /// What the round ended with.
    pub status: CiStatus,
    /// When, RFC 3339.
    pub timestamp: String,
    /// Distinct failures left.
    pub failure_count: u32,
}

/// The spec's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum CiStatus {
    /// Green.
    Passed,
    /// Anything else.
    Failed,
}
