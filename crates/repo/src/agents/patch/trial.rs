//! Trial of one proposal's candidates: each is written, checked and reverted, and the best that the rule allows is kept.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_code::Candidate;
use autoheal_engine::diagnostics::{Category, Finding, Key, Location, Source};
use autoheal_engine::workflow::{StepContext, StepError};

use super::EXAMINED;
use super::prepare::{Refusal, prepare};
use super::{Installer, changes_what_is_installed, log};
use crate::acceptance::{Rejection, Suspect, Target, is_still_there, judge, judge_skips};
use crate::change::hash_of;
use crate::check_result::{CheckResult, TestState};
use crate::drift;
use crate::earlier;
use crate::protected::standing::Standings;
use crate::search;
use crate::session::Session;
use crate::state::{FileText, HealState, PatchStatus, Proposal};
use crate::test_scope::Scope;

/// Candidates tried for one failure, as long as all of them together take no longer than [`LONGEST_PATIENCE`].
const TRIALS_PER_TARGET: usize = 30;

const LONGEST_PATIENCE: Duration = Duration::from_mins(5);

/// Further ones, while all of them together took no longer than [`PATIENCE`]: where trials are cheap, ranking need not be
/// perfect.
const CHEAP_TRIALS: usize = 100;

const PATIENCE: Duration = Duration::from_mins(1);

/// Candidates tried for a fault of logic, for which rules are a long shot.
const LOGIC_TRIALS: usize = 12;

/// Candidates that got through and are run in full when none turned everything green.
const FULL_TRIALS: usize = 6;

/// A trial may take this many times the longest complete run seen, but not less than [`SHORTEST_LIMIT`].
const LIMIT_FACTOR: u32 = 10;

const SHORTEST_LIMIT: Duration = Duration::from_mins(1);

/// A suite faster than this, with failures in one place, is run at once, instead of its failing tests first.
const FAST_SUITE: Duration = Duration::from_secs(3);

/// Returns whether a change may heal one of several faults of logic: it was looked at closely, or is what was there before.
fn may_be_one_of_several(candidate: &Candidate) -> bool {
    let fixer = candidate.fixer.as_str();
    [earlier::FIXER, drift::FIXER].contains(&fixer) || EXAMINED.contains(&fixer)
}

/// Returns the changes that search found in addition to the kept one: they show how little a green suite
/// proves. Those before the kept one were refused when they were run from the beginning; those after it were
/// not run that way.
fn also_allowed(candidates: &[Candidate], kept: usize) -> Vec<String> {
    let others = candidates.iter().skip(kept + 1).filter(|other| other.fixer == search::FIXER);
    others.map(|other| format!("{} (as far as search can tell)", line_and_description(other))).collect()
}

fn line_and_description(candidate: &Candidate) -> String {
    format!("line {}: {}", candidate.line, candidate.description)
}

/// A candidate that met the rule, and what is known about it.
pub(super) struct Kept {
    pub(super) candidate: Candidate,
    pub(super) files: Vec<FileText>,
    pub(super) result: CheckResult,
    pub(super) tried_before: usize,
    pub(super) runners_up: Vec<String>,
}

/// A candidate that got through its first trial without turning everything green.
struct Promising {
    candidate: Candidate,
    files: Vec<FileText>,
    passed: usize,
    /// The result of everything, where the trial ran everything to its end.
    whole: Option<CheckResult>,
    tried_before: usize,
}

/// Result of the first checks of a candidate.
struct FirstCheck {
    result: CheckResult,
    /// True if the tests that failed are known to pass.
    is_healed: bool,
    /// True if everything was run.
    is_whole: bool,
}

pub(super) struct Trial<'a> {
    /// Standing of each file: its relation to the tests.
    pub(super) standings: Standings,
    pub(super) state: &'a mut HealState,
    pub(super) session: &'a mut Session,
    pub(super) installer: Installer<'a>,
    pub(super) context: &'a StepContext,
    pub(super) before: &'a CheckResult,
    pub(super) target: &'a Finding,
    pub(super) key: &'a Key,
    /// Changes that were tried in vain on this tree for a failure at the same location: one fault shows in
    /// many messages.
    pub(super) refused: &'a mut BTreeSet<(Option<String>, Option<Location>, String)>,
    /// Files of which nothing is known, and changes of which left the test unable to fail.
    pub(super) unfailing: BTreeSet<String>,
    /// The first failure of the latest trial.
    pub(super) seen: Option<String>,
}

impl Trial<'_> {
    pub(super) async fn best_of(&mut self, proposal: &Proposal) -> Result<Option<Kept>, StepError> {
        let mut promising = Vec::new();
        let is_logic = self.target.category == Category::Logic;
        let (sure, most) = if is_logic { (LOGIC_TRIALS, LOGIC_TRIALS) } else { (TRIALS_PER_TARGET, CHEAP_TRIALS) };
        let total = proposal.candidates.len().min(most);
        let began = self.context.now();
        for (index, candidate) in proposal.candidates.iter().take(most).enumerate() {
            let now = self.context.now();
            let patience = if index < sure { LONGEST_PATIENCE } else { PATIENCE };
            if now.since(began) >= patience || self.state.is_out_of_time(now) {
                break;
            }
            self.context.progress(format!(
                "{}: candidate {} of {total}: {}",
                self.target.headline(),
                index + 1,
                candidate.description
            ));
            let Some(files) = self.prepare(candidate) else { continue };
            let attempt = (self.target.file.clone(), self.target.location, files.iter().map(hash_of).collect());
            if !self.refused.insert(attempt) {
                continue;
            }
            let may_be_partial = !is_logic || may_be_one_of_several(candidate);
            let FirstCheck { mut result, mut is_healed, mut is_whole } =
                self.first_check(candidate, &files, may_be_partial).await?;
            if is_healed && may_be_partial && !is_whole && !result.is_green() {
                let limit = Duration::from_secs(self.state.request.limits.test_seconds);
                result = self.check_with(candidate, &files, &Scope::All, limit).await?;
                is_healed = self.passes_where_it_failed(candidate, &result);
                is_whole = true;
            }
            let is_enough = result.is_green() || (is_healed && may_be_partial);
            if is_enough && self.judge(candidate, &result).is_ok() {
                if let Err(rejection) = self.must_fail(candidate, &files).await? {
                    self.log(candidate, PatchStatus::Failed, &rejection.to_string());
                    continue;
                }
                return Ok(Some(Kept {
                    candidate: candidate.clone(),
                    files,
                    result,
                    tried_before: index,
                    runners_up: also_allowed(&proposal.candidates, index),
                }));
            }
            let tests = self.own_tests(candidate);
            if is_still_there(self.before, &result, Target { key: self.key, tests: &tests }) {
                self.log(candidate, PatchStatus::Failed, "the failure is still there");
            } else if !may_be_partial {
                // Code that runs says little about what it should do: less than everything green is no evidence.
                self.log(candidate, PatchStatus::Failed, "a fault of logic is healed only when everything turns green");
            } else {
                promising.push(Promising {
                    candidate: candidate.clone(),
                    files,
                    passed: result.count(TestState::Passed),
                    whole: (is_whole && result.cut_short.is_none()).then_some(result),
                    tried_before: index,
                });
            }
        }
        self.best_of_promising(promising).await
    }

    /// The tests that are enough for a candidate to heal; empty: all that show the failure. Search knows which tests run what it changes,
    /// so its change may heal one of several failures with the same words.
    fn own_tests(&self, candidate: &Candidate) -> Vec<String> {
        if candidate.fixer == search::FIXER { self.before.selectors_in_place(self.target) } else { Vec::new() }
    }

    /// The tests that a candidate has to heal.
    pub(super) fn tests_to_heal(&self, candidate: &Candidate) -> Vec<String> {
        let own = self.own_tests(candidate);
        if own.is_empty() { self.before.selectors_of(self.key) } else { own }
    }

    /// Returns whether the tests that showed the failure pass: what is red besides them is another fault.
    fn passes_where_it_failed(&self, candidate: &Candidate, result: &CheckResult) -> bool {
        let failing = self.tests_to_heal(candidate);
        // A file whose tests could not be loaded stands for all of them.
        let is_of = |name: &str, other: &str| {
            name.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let fails = |selector: &String| result.selectors.keys().any(|name| is_of(name, selector));
        !failing.is_empty() && !failing.iter().any(fails)
    }

    async fn best_of_promising(&mut self, mut promising: Vec<Promising>) -> Result<Option<Kept>, StepError> {
        promising.sort_by_key(|promising| (Reverse(promising.passed), promising.candidate.cost));
        let mut kept: Vec<Kept> = Vec::new();
        for promising in promising.into_iter().take(FULL_TRIALS) {
            let result = if let Some(result) = promising.whole {
                result
            } else {
                let limit = Duration::from_secs(self.state.request.limits.test_seconds);
                self.check_with(&promising.candidate, &promising.files, &Scope::All, limit).await?
            };
            if let Err(rejection) = self.judge(&promising.candidate, &result) {
                self.log(&promising.candidate, PatchStatus::Failed, &rejection.to_string());
                continue;
            }
            let green = result.is_green();
            kept.push(Kept {
                candidate: promising.candidate,
                files: promising.files,
                result,
                tried_before: promising.tried_before,
                runners_up: Vec::new(),
            });
            if green {
                break;
            }
        }
        kept.sort_by_key(|kept| {
            let failed = kept.result.count(TestState::Failed);
            (Reverse(kept.result.count(TestState::Passed)), failed, kept.candidate.cost)
        });
        let mut best = None;
        let mut kept = kept.into_iter();
        for candidate in kept.by_ref() {
            match self.must_fail(&candidate.candidate, &candidate.files).await? {
                Ok(()) => {
                    best = Some(candidate);
                    break;
                }
                Err(rejection) => self.log(&candidate.candidate, PatchStatus::Failed, &rejection.to_string()),
            }
        }
        let Some(mut best) = best else { return Ok(None) };
        for other in kept {
            self.log(&other.candidate, PatchStatus::Failed, "another candidate left more tests passing, or is smaller");
            best.runners_up.push(line_and_description(&other.candidate));
        }
        Ok(Some(best))
    }

    fn judge(&self, candidate: &Candidate, result: &CheckResult) -> Result<(), Rejection> {
        let tests = self.own_tests(candidate);
        judge(self.before, result, Target { key: self.key, tests: &tests })?;
        match candidate.fixer.as_str() {
            fixer if EXAMINED.contains(&fixer) => judge_skips(self.before, result, Suspect::FailedOrNew),
            earlier::FIXER | drift::FIXER => judge_skips(self.before, result, Suspect::Failed),
            _ => Ok(()),
        }
    }

    fn prepare(&mut self, candidate: &Candidate) -> Option<Vec<FileText>> {
        let is_bound = drift::is_own(self.state, candidate);
        let prepared = prepare(candidate, self.session.sources(), &self.state.tried.visited, is_bound);
        match prepared.and_then(|files| self.keeps_judges(candidate).map(|()| files)) {
            Ok(files) => Some(files),
            Err(refusal) => {
                self.state.tried.repeated |= refusal == Refusal::Repeated;
                self.log(candidate, PatchStatus::Failed, &refusal.to_string());
                None
            }
        }
    }

    /// Runs checks until a failure shows that the candidate is no good.
    async fn first_check(
        &mut self,
        candidate: &Candidate,
        files: &[FileText],
        may_be_partial: bool,
    ) -> Result<FirstCheck, StepError> {
        let longest = [self.state.diagnosis.baseline.as_ref(), Some(self.before)]
            .into_iter()
            .flatten()
            .map(CheckResult::duration)
            .max()
            .unwrap_or_default();
        let limit = longest
            .saturating_mul(LIMIT_FACTOR)
            .max(SHORTEST_LIMIT)
            .min(Duration::from_secs(self.state.request.limits.test_seconds));
        let places: BTreeSet<_> = self.before.findings.iter().map(|finding| &finding.file).collect();
        let others = || self.before.findings.iter().filter(|finding| finding.key() != *self.key);
        let lint_stands = others().any(|finding| finding.source == Source::Lint);
        // Another failure would end a run that is stopped at the first one; a linter's finding would before a test has run.
        let mut tests = self.tests_to_heal(candidate);
        let has_others = others().next().is_some() || tests.len() < self.before.selectors_of(self.key).len();
        let is_whole = lint_stands || (may_be_partial && has_others);
        let mut is_healed = false;
        if places.len() > 1 || longest >= FAST_SUITE || lint_stands {
            tests.truncate(CheckResult::A_FEW);
            if !tests.is_empty() {
                let result = self.check_with(candidate, files, &Scope::Only(tests), limit).await?;
                if !result.findings.is_empty() {
                    return Ok(FirstCheck { result, is_healed: false, is_whole: false });
                }
                is_healed = result.count(TestState::Passed) > 0;
            }
        }
        let scope = if is_whole { Scope::All } else { Scope::UntilFirstFailure };
        let result = self.check_with(candidate, files, &scope, limit).await?;
        if is_whole {
            is_healed = self.passes_where_it_failed(candidate, &result);
        }
        Ok(FirstCheck { result, is_healed, is_whole })
    }

    async fn check_with(
        &mut self,
        candidate: &Candidate,
        files: &[FileText],
        scope: &Scope,
        limit: Duration,
    ) -> Result<CheckResult, StepError> {
        let undo = self.session.write(files)?;
        let result = if changes_what_is_installed(files, candidate) {
            let interpreters = self.session.setup().interpreters();
            let result = self.check_reinstalled(scope, limit).await;
            self.session.use_interpreters(interpreters, self.context.run, &self.installer.settings.sandbox).await?;
            result
        } else {
            self.session.run_checks(scope, limit, self.context).await
        };
        // Also on an error: the workspace must never keep what was not accepted.
        self.session.write(&undo)?;
        let result = result?;
        self.state.tried.trials.count += 1;
        self.state.tried.trials.millis += result.millis;
        self.seen = result.findings.first().map(|finding| format!("{}: {}", finding.headline(), finding.message));
        Ok(result)
    }

    async fn check_reinstalled(&mut self, scope: &Scope, limit: Duration) -> Result<CheckResult, StepError> {
        match self.installer.reinstall(self.state, self.session, self.context).await {
            Ok(()) => self.session.run_checks(scope, limit, self.context).await,
            Err(StepError::Permanent { message, .. }) => Ok(CheckResult {
                cut_short: Some(format!("failing installation: {message}")),
                ..CheckResult::default()
            }),
            Err(error) => Err(error),
        }
    }

    fn log(&mut self, candidate: &Candidate, status: PatchStatus, reason: &str) {
        log(self.state, self.context, Some(self.key), candidate, status, reason);
    }
}
