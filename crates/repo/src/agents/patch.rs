//! The patch agent: tries candidates in the workspace, keeps what meets the acceptance rule, takes everything else back.
//!
//! A candidate is cheap to refuse and dear to accept: it is first tried on the failing tests, or with the suite stopped at
//! its first failure; only one that gets through is run in full and judged. When several get through without turning
//! everything green, the one that leaves the most tests passing is kept, not the one that came first.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_code::edit::EditError;
use autoheal_code::{Candidate, Sources, language};
use autoheal_engine::diagnostics::{Category, Finding, Key, Location};
use autoheal_engine::workflow::{FixRecord, Record, StepContext, StepError};
use serde_json::json;

use crate::acceptance::{Rejection, judge, judge_skips};
use crate::change::{hash_of, unified_diff};
use crate::checkout::Checkout;
use crate::installation::interpreter_for;
use crate::look::{Look, TestState};
use crate::model;
use crate::project::lists_dependencies;
use crate::protected::keeps_configuration;
use crate::search;
use crate::session::{Scope, Session};
use crate::state::{
    AcceptedFix, Exhausted, FileText, HealState, Observed, PatchLogEntry, PatchStatus, PatchVerdict, Proposal,
};
use crate::workflow::HealSettings;

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

/// A suite faster than this, with failures in one place, is run whole and stopped at its first failure, instead of its
/// failing tests first.
const FAST_SUITE: Duration = Duration::from_secs(3);

/// What another interpreter is found or made with, when a candidate changes what is installed.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) checkout: &'a Checkout,
    pub(crate) settings: &'a HealSettings,
}

impl Machine<'_> {
    /// Gives the session the interpreter that its tree asks for.
    async fn refit(self, state: &mut HealState, session: &mut Session, context: &StepContext) -> Result<(), StepError> {
        let setup = session.setup().clone();
        let interpreter = interpreter_for(&setup, state, self.checkout, self.settings, context).await?;
        session.use_interpreter(interpreter, context.run, &self.settings.sandbox).await
    }
}

/// Works through the proposals in order.
pub(crate) async fn run(
    state: &mut HealState,
    session: &mut Session,
    machine: Machine<'_>,
    context: &StepContext,
) -> Result<(), StepError> {
    let mut touched = BTreeSet::new();
    let mut refused = BTreeSet::new();
    for proposal in state.proposals.clone() {
        let Some(observed) = state.current.clone() else { break };
        let key = proposal.target.key();
        if !observed.look.keys().contains(&key) {
            continue;
        }
        // The candidates were made for the text as it was: what is left of this failure comes up again in the next round.
        if proposal.candidates.iter().flat_map(files_of).any(|file| touched.contains(file)) {
            continue;
        }
        let mut trial = Trial {
            state,
            session,
            machine,
            context,
            before: &observed.look,
            target: &proposal.target,
            key: &key,
            refused: &mut refused,
            seen: None,
        };
        if let Some(kept) = trial.best_of(&proposal).await? {
            touched.extend(files_of(&kept.candidate).map(str::to_owned));
            refused.clear();
            accept(state, session, machine, context, &proposal, kept).await?;
        } else {
            let seen = trial.seen.take();
            note_attempt(state, &proposal, seen);
            state.exhausted.push(Exhausted { key, accepted: state.accepted.len() });
        }
    }
    state.proposals.clear();
    state.patch_verdict = match state.delivered.as_ref().map_or(0, |delivered| delivered.accepted) {
        delivered if delivered < state.accepted.len() => PatchVerdict::Accepted,
        _ => PatchVerdict::NothingAccepted,
    };
    Ok(())
}

/// Why a model's change was not kept, for the model's next try.
fn note_attempt(state: &mut HealState, proposal: &Proposal, seen: Option<String>) {
    if !proposal.candidates.iter().any(|candidate| candidate.fixer == model::FIXER) {
        return;
    }
    let (key, accepted) = (proposal.target.key(), state.accepted.len());
    let on_this_tree = |entry: &&PatchLogEntry| entry.target.as_ref() == Some(&(key.clone(), accepted));
    let entry = state.patch_log.iter().rev().filter(on_this_tree).find(|entry| entry.fixer == model::FIXER);
    let reason = entry.map_or("it was tried before", |entry| entry.reason.as_str());
    let seen = seen.map(|seen| format!("; with it the tests say: {seen}")).unwrap_or_default();
    if let Some(attempt) = state.model_attempts.iter_mut().rev().find(|attempt| attempt.key == key) {
        attempt.outcome = format!("which was taken back: {reason}{seen}");
    }
}

/// Fixers whose changes were looked at more closely than a rule's: they may heal one of several faults of logic.
const EXAMINED: [&str; 2] = [model::FIXER, search::FIXER];

/// What search found beside the one that is kept: how little a green suite says.
fn also_allowed(candidates: &[Candidate], kept: usize) -> Vec<String> {
    let others = candidates.iter().enumerate().filter(|(index, one)| *index != kept && one.fixer == search::FIXER);
    others.map(|(_, other)| line_and_description(other)).collect()
}

fn line_and_description(candidate: &Candidate) -> String {
    format!("line {}: {}", candidate.line, candidate.description)
}

fn changes_what_is_installed(files: &[FileText]) -> bool {
    files.iter().any(|file| lists_dependencies(&file.file))
}

fn files_of(candidate: &Candidate) -> impl Iterator<Item = &str> {
    candidate.files.iter().map(|edit| edit.file.as_str())
}

/// A candidate that met the rule, and what is known about it.
struct Kept {
    candidate: Candidate,
    files: Vec<FileText>,
    look: Look,
    tried_before: usize,
    runners_up: Vec<String>,
}

/// A candidate that got through its first trial without turning everything green.
struct Promising {
    candidate: Candidate,
    files: Vec<FileText>,
    passed: usize,
    tried_before: usize,
}

struct Trial<'a> {
    state: &'a mut HealState,
    session: &'a mut Session,
    machine: Machine<'a>,
    context: &'a StepContext,
    before: &'a Look,
    target: &'a Finding,
    key: &'a Key,
    /// What was tried on this tree for a failure at the same place, in vain: one fault shows in many messages.
    refused: &'a mut BTreeSet<(Option<String>, Option<Location>, String)>,
    /// The first failure of the latest trial.
    seen: Option<String>,
}

impl Trial<'_> {
    async fn best_of(&mut self, proposal: &Proposal) -> Result<Option<Kept>, StepError> {
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
            let look = self.first_look(&files).await?;
            if look.is_green() && self.judge(candidate, &look).is_ok() {
                return Ok(Some(Kept {
                    candidate: candidate.clone(),
                    files,
                    look,
                    tried_before: index,
                    runners_up: also_allowed(&proposal.candidates, index),
                }));
            }
            if look.keys().contains(self.key) {
                self.log(candidate, PatchStatus::Failed, "the failure is still there");
            } else if is_logic && !EXAMINED.contains(&candidate.fixer.as_str()) {
                // Code that runs says little about what it should do: less than everything green is no evidence.
                self.log(candidate, PatchStatus::Failed, "a fault of logic is healed only when everything turns green");
            } else {
                promising.push(Promising {
                    candidate: candidate.clone(),
                    files,
                    passed: look.count(TestState::Passed),
                    tried_before: index,
                });
            }
        }
        self.best_of_promising(promising).await
    }

    async fn best_of_promising(&mut self, mut promising: Vec<Promising>) -> Result<Option<Kept>, StepError> {
        promising.sort_by_key(|promising| (Reverse(promising.passed), promising.candidate.cost));
        let mut kept: Vec<Kept> = Vec::new();
        for promising in promising.into_iter().take(FULL_TRIALS) {
            let limit = Duration::from_secs(self.state.request.limits.test_seconds);
            let look = self.look_at(&promising.files, &Scope::All, limit).await?;
            if let Err(rejection) = self.judge(&promising.candidate, &look) {
                self.log(&promising.candidate, PatchStatus::Failed, &rejection.to_string());
                continue;
            }
            let green = look.is_green();
            kept.push(Kept {
                candidate: promising.candidate,
                files: promising.files,
                look,
                tried_before: promising.tried_before,
                runners_up: Vec::new(),
            });
            if green {
                break;
            }
        }
        kept.sort_by_key(|kept| {
            let failed = kept.look.count(TestState::Failed);
            (Reverse(kept.look.count(TestState::Passed)), failed, kept.candidate.cost)
        });
        let mut kept = kept.into_iter();
        let Some(mut best) = kept.next() else { return Ok(None) };
        for other in kept {
            self.log(&other.candidate, PatchStatus::Failed, "another candidate left more tests passing, or is smaller");
            best.runners_up.push(line_and_description(&other.candidate));
        }
        Ok(Some(best))
    }

    fn judge(&self, candidate: &Candidate, look: &Look) -> Result<(), Rejection> {
        judge(self.before, look, self.key)?;
        if candidate.fixer == model::FIXER { judge_skips(self.before, look) } else { Ok(()) }
    }

    fn prepare(&mut self, candidate: &Candidate) -> Option<Vec<FileText>> {
        match prepare(candidate, self.session.sources(), self.state) {
            Ok(files) => Some(files),
            Err(refusal) => {
                self.state.repeated |= refusal == Refusal::Repeated;
                self.log(candidate, PatchStatus::Failed, &refusal.to_string());
                None
            }
        }
    }

    async fn first_look(&mut self, files: &[FileText]) -> Result<Look, StepError> {
        let longest = [self.state.baseline.as_ref(), Some(self.before)]
            .into_iter()
            .flatten()
            .map(Look::duration)
            .max()
            .unwrap_or_default();
        let limit = longest
            .saturating_mul(LIMIT_FACTOR)
            .max(SHORTEST_LIMIT)
            .min(Duration::from_secs(self.state.request.limits.test_seconds));
        let places: BTreeSet<_> = self.before.findings.iter().map(|finding| &finding.file).collect();
        if places.len() > 1 || longest >= FAST_SUITE {
            let failing = self.before.failing_selectors(self.key);
            if !failing.is_empty() {
                let look = self.look_at(files, &Scope::Only(failing), limit).await?;
                if !look.findings.is_empty() {
                    return Ok(look);
                }
            }
        }
        self.look_at(files, &Scope::UntilFirstFailure, limit).await
    }

    async fn look_at(&mut self, files: &[FileText], scope: &Scope, limit: Duration) -> Result<Look, StepError> {
        let undo = self.session.write(files)?;
        let look = if changes_what_is_installed(files) {
            let interpreter = self.session.setup().interpreter.clone();
            let look = self.look_refitted(scope, limit).await;
            self.session.use_interpreter(interpreter, self.context.run, &self.machine.settings.sandbox).await?;
            look
        } else {
            self.session.look(scope, limit, self.context).await
        };
        // Also on an error: the workspace must never keep what was not accepted.
        self.session.write(&undo)?;
        let look = look?;
        self.state.trials.count += 1;
        self.state.trials.millis += look.millis;
        self.seen = look.findings.first().map(|finding| format!("{}: {}", finding.headline(), finding.message));
        Ok(look)
    }

    async fn look_refitted(&mut self, scope: &Scope, limit: Duration) -> Result<Look, StepError> {
        match self.machine.refit(self.state, self.session, self.context).await {
            Ok(()) => self.session.look(scope, limit, self.context).await,
            Err(StepError::Permanent { message, .. }) => {
                Ok(Look { cut_short: Some(format!("failing installation: {message}")), ..Look::default() })
            }
            Err(error) => Err(error),
        }
    }

    fn log(&mut self, candidate: &Candidate, status: PatchStatus, reason: &str) {
        log(self.state, self.context, Some(self.key), candidate, status, reason);
    }
}

fn log(
    state: &mut HealState,
    context: &StepContext,
    target: Option<&Key>,
    candidate: &Candidate,
    status: PatchStatus,
    reason: &str,
) {
    state.patch_log.push(PatchLogEntry {
        target: target.map(|key| (key.clone(), state.accepted.len())),
        file: files_of(candidate).next().unwrap_or_default().to_owned(),
        line: candidate.line.max(1),
        fixer: candidate.fixer.clone(),
        description: candidate.description.clone(),
        status,
        reason: reason.to_owned(),
        at: context.now(),
    });
}

async fn accept(
    state: &mut HealState,
    session: &mut Session,
    machine: Machine<'_>,
    context: &StepContext,
    proposal: &Proposal,
    kept: Kept,
) -> Result<(), StepError> {
    let undo = session.write(&kept.files)?;
    if changes_what_is_installed(&kept.files) {
        machine.refit(state, session, context).await?;
        if let Some(setup) = &mut state.setup {
            setup.interpreter = session.setup().interpreter.clone();
        }
    }
    let diff: String = undo.iter().zip(&kept.files).map(|(old, new)| unified_diff(old, new)).collect();
    state.visited.extend(undo.iter().chain(&kept.files).map(hash_of));
    let candidate = &kept.candidate;
    let origin = match candidate.fixer.as_str() {
        model::FIXER => Some("was written by a language model"),
        search::FIXER => Some("was found by search"),
        _ => None,
    };
    if let Some(origin) = origin {
        let number = state.accepted.len() + 1;
        let others = match kept.runners_up.len() {
            0 => String::new(),
            count => format!(", and {count} other changes are allowed by the tests, too"),
        };
        state.warnings.push(format!(
            "fix {number} {origin}: that the suite passes is all that is known about it, so read it with care{others}"
        ));
    }
    let file = files_of(candidate).next().unwrap_or_default().to_owned();
    log(state, context, Some(&proposal.target.key()), candidate, PatchStatus::Applied, "");
    context.note(
        "patch",
        format!(
            "{} error in {file} line {} → Fix: {}",
            candidate.category,
            candidate.line.max(1),
            candidate.description
        ),
    );
    context.record(Record::Fix(FixRecord {
        target: state.request.repository.clone(),
        error_type: candidate.category.name().to_owned(),
        diagnosis: json!({ "finding": proposal.target }),
        patch: diff.clone(),
        validation: json!({
            "passed": kept.look.count(TestState::Passed),
            "failed": kept.look.count(TestState::Failed),
            "tried_before": kept.tried_before,
        }),
        deployed_to: "PRODUCTION".to_owned(),
    }));
    let now = context.now();
    state.accepted.push(AcceptedFix {
        target: proposal.target.clone(),
        category: candidate.category,
        file,
        line: candidate.line.max(1),
        description: candidate.description.clone(),
        fixer: candidate.fixer.clone(),
        files: kept.files,
        diff,
        tried_before: kept.tried_before,
        runners_up: kept.runners_up,
        at: now,
    });
    state.observe(&kept.look, &format!("after fix {}", state.accepted.len()), now);
    state.current = Some(Observed { look: kept.look, accepted: state.accepted.len() });
    Ok(())
}

/// Why a candidate is not even tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Refusal {
    #[error("it would change a protected file")]
    Protected,
    #[error("it does not fit the file: {0}")]
    DoesNotFit(#[from] EditError),
    #[error("it would change how tests or linters run")]
    Configuration,
    #[error("syntax validation failed: {0}")]
    Syntax(String),
    #[error("it would undo an earlier fix")]
    Repeated,
}

/// The files after the candidate, if it applies, touches nothing protected, parses (spec `validate_syntax`) and leads nowhere
/// where the run has been. Nothing is written before all of that is known.
fn prepare(candidate: &Candidate, sources: &Sources, state: &HealState) -> Result<Vec<FileText>, Refusal> {
    let mut files = Vec::new();
    for edit in &candidate.files {
        let before = sources.text(&edit.file).filter(|_| sources.is_editable(&edit.file)).ok_or(Refusal::Protected)?;
        let text = edit.apply(before)?;
        if !keeps_configuration(&edit.file, before, &text) {
            return Err(Refusal::Configuration);
        }
        language::check(&edit.file, &text).map_err(Refusal::Syntax)?;
        files.push(FileText { file: edit.file.clone(), text });
    }
    if files.iter().all(|file| state.visited.contains(&hash_of(file))) {
        return Err(Refusal::Repeated);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::Arc;

    use autoheal_code::{Edit, FileEdit};
    use autoheal_engine::event::EventBody;
    use autoheal_engine::workflow::StepServices;
    use autoheal_engine::{RunId, Timestamp};
    use proptest::prelude::*;

    use super::*;
    use crate::HealRequest;
    use crate::tree;

    const TEXT: &str = "def area(width, height):\n    return width * height\n\n\nTABLE = {'a': [1, 2], 'b': (3,)}\n";

    const SCRIPT: &str =
        "export function area(width, height) {\n  return width * height;\n}\nconst table = { a: [1, 2], b: (3) };\n";

    fn text_of(file: &str) -> &'static str {
        if file == "a.py" { TEXT } else { SCRIPT }
    }

    struct Silent;

    impl StepServices for Silent {
        fn now(&self) -> Timestamp {
            Timestamp::from_millis(7)
        }

        fn emit(&self, _: EventBody) {}

        fn still_owner(&self) -> Pin<Box<dyn Future<Output = bool> + Send + '_>> {
            Box::pin(std::future::ready(true))
        }
    }

    fn context() -> StepContext {
        StepContext::new(RunId(uuid::Uuid::nil()), "patch_code", Arc::new(Silent))
    }

    fn candidate(start: usize, end: usize, replacement: &str, line: u32) -> Candidate {
        candidate_in("a.py", start, end, replacement, line)
    }

    fn candidate_in(file: &str, start: usize, end: usize, replacement: &str, line: u32) -> Candidate {
        Candidate {
            fixer: "test".to_owned(),
            category: Category::Syntax,
            line,
            description: "change something".to_owned(),
            cost: 100,
            files: vec![FileEdit::single(file, Edit::replace(start..end, replacement))],
        }
    }

    fn sources() -> Sources {
        let mut sources = Sources::new(vec![String::new()]);
        sources.insert("a.py", TEXT, false);
        sources.insert("a.js", SCRIPT, false);
        sources.insert("a.ts", SCRIPT, false);
        sources.insert("test_a.py", TEXT, true);
        sources
    }

    fn state() -> HealState {
        HealState::new(HealRequest::new("/some/repository"), Timestamp::from_millis(0))
    }

    fn range() -> impl Strategy<Value = (usize, usize)> {
        (0..TEXT.len(), 0..6_usize).prop_map(|(start, length)| (start, (start + length).min(TEXT.len())))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        // Feature: autoheal-ci-agent, Property 8: Syntax Validation Rollback
        #[test]
        fn what_does_not_parse_leaves_the_file_as_it_was(
            file in prop::sample::select(vec!["a.py", "a.js", "a.ts"]),
            (start, end) in range(),
            replacement in "[(){}:=a-z' ]{0,3}",
        ) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(file);
            std::fs::write(&path, text_of(file)).unwrap();
            let candidate = candidate_in(file, start, end, &replacement, 1);
            let mut state = state();
            match prepare(&candidate, &sources(), &state) {
                Ok(files) => {
                    prop_assert!(language::check(file, &files[0].text).is_ok());
                    let undo = tree::write(folder.path(), &files).unwrap();
                    prop_assert_eq!(&std::fs::read_to_string(&path).unwrap(), &files[0].text);
                    tree::write(folder.path(), &undo).unwrap();
                }
                Err(refusal) => {
                    log(&mut state, &context(), None, &candidate, PatchStatus::Failed, &refusal.to_string());
                    prop_assert_eq!(state.patch_log[0].status, PatchStatus::Failed);
                    prop_assert!(candidate.files[0].apply(text_of(file)).is_ok_and(|text| language::check(file, &text).is_err()));
                }
            }
            prop_assert_eq!(std::fs::read_to_string(&path).unwrap(), text_of(file));
        }

        // Feature: autoheal-ci-agent, Property 35: Patch Log Maintenance
        #[test]
        fn every_operation_is_logged(operations in prop::collection::vec((range(), 0_u32..90, any::<bool>()), 0..12)) {
            let mut state = state();
            for ((start, end), line, kept) in &operations {
                let status = if *kept { PatchStatus::Applied } else { PatchStatus::Failed };
                log(&mut state, &context(), None, &candidate(*start, *end, "", *line), status, "why");
            }
            prop_assert_eq!(state.patch_log.len(), operations.len());
            for (entry, (_, line, kept)) in state.patch_log.iter().zip(&operations) {
                prop_assert_eq!(&entry.file, "a.py");
                prop_assert_eq!(entry.line, (*line).max(1));
                prop_assert_eq!(entry.status == PatchStatus::Applied, *kept);
            }
        }
    }

    #[test]
    fn a_protected_file_is_never_changed() {
        let mut candidate = candidate(0, 0, "x = 1\n", 1);
        candidate.files[0].file = "test_a.py".to_owned();
        assert_eq!(prepare(&candidate, &sources(), &state()), Err(Refusal::Protected));
    }

    #[test]
    fn a_fix_that_undoes_an_earlier_one_is_seen() {
        let mut state = state();
        let before = FileText { file: "a.py".to_owned(), text: format!("x = 1\n{TEXT}") };
        state.visited.insert(hash_of(&before));
        assert_eq!(prepare(&candidate(0, 0, "x = 1\n", 1), &sources(), &state), Err(Refusal::Repeated));
    }
}
