//! The patch agent: tries candidates in the workspace, keeps what meets the acceptance rule, takes everything else back.
//!
//! A candidate is cheap to refuse and dear to accept: it is first tried on the failing tests, or with the suite stopped at
//! its first failure; only one that gets through is run in full and judged. When several get through without turning
//! everything green, the one that leaves the most tests passing is kept, not the one that came first.
//!
//! # Layout
//!
//! - `trial`: one proposal's candidates, tried and judged
//! - `prepare`: what a candidate would write, and why it is not even tried
//! - `must_fail`: whether the healed test can still fail

mod must_fail;
mod prepare;
mod trial;

use std::collections::{BTreeSet, VecDeque};

use autoheal_code::{Candidate, Sources, fix};
use autoheal_engine::diagnostics::Key;
use autoheal_engine::workflow::{FixRecord, Record, StepContext, StepError};
use serde_json::json;

use crate::change::{hash_of, unified_diff};
use crate::check_result::TestState;
use crate::checkout::Checkout;
use crate::commit_message::LIFT;
use crate::drift;
use crate::earlier;
use crate::model;
use crate::project::lists_dependencies;
use crate::protected::standing::Standings;
use crate::search;
use crate::session::Session;
use crate::settings::HealSettings;
use crate::state::{
    AcceptedFix, Exhausted, FileText, HealState, Observed, PatchLogEntry, PatchStatus, PatchVerdict, Proposal,
};
use crate::test_setup::interpreters_for;

use trial::{Kept, Trial};

/// Fixers that know nothing of what is right, or only what a message says. Their changes were looked at more closely than a rule's, so they may
/// heal one of several faults of logic; and a test that they turn off is no test that they repair.
const EXAMINED: [&str; 3] = [model::FIXER, search::FIXER, fix::TOLD_NAMES];

/// Checkout and settings for finding or creating another interpreter when a candidate changes what is
/// installed.
#[derive(Clone, Copy)]
pub(crate) struct Installer<'a> {
    pub(crate) checkout: &'a Checkout,
    pub(crate) settings: &'a HealSettings,
}

impl Installer<'_> {
    /// Gives the session the interpreters that its tree asks for.
    async fn reinstall(
        self,
        state: &mut HealState,
        session: &mut Session,
        context: &StepContext,
    ) -> Result<(), StepError> {
        let setup = session.setup().clone();
        let interpreters = interpreters_for(&setup, state, self.checkout, self.settings, context).await?;
        session.use_interpreters(interpreters, context.run, &self.settings.sandbox).await
    }
}

/// Works through the proposals in order.
pub(crate) async fn run(
    state: &mut HealState,
    session: &mut Session,
    installer: Installer<'_>,
    context: &StepContext,
) -> Result<(), StepError> {
    let mut refused = BTreeSet::new();
    let mut proposals: VecDeque<Proposal> = state.plan.proposals.clone().into();
    while let Some(proposal) = proposals.pop_front() {
        let Some(observed) = state.diagnosis.current.clone() else { break };
        let key = proposal.target.key();
        if !observed.result.keys().contains(&key) {
            continue;
        }
        let standings = Standings::of(session.sources(), &session.setup().protected_tests);
        let mut trial = Trial {
            standings,
            state,
            session,
            installer,
            context,
            before: &observed.result,
            target: &proposal.target,
            key: &key,
            refused: &mut refused,
            unfailing: BTreeSet::new(),
            seen: None,
        };
        let kept = trial.best_of(&proposal).await?;
        let (seen, unfailing) = (trial.seen, trial.unfailing);
        let kept = kept.filter(|kept| {
            let is_ambiguous = is_ambiguous(state, kept);
            if is_ambiguous {
                refuse_ambiguous(state, context, &key, kept);
            }
            !is_ambiguous
        });
        if let Some(kept) = kept {
            // Of what concerns the same text, what is left comes up again in the next round.
            proposals.retain_mut(|other| follows(other, &kept.candidate, session.sources()));
            refused.clear();
            accept(state, session, installer, context, &proposal, kept).await?;
        } else {
            note_attempt(state, &proposal, seen);
            // One bad change may blind a test; where no other is right, that file is what makes it fail.
            for file in &unfailing {
                state.tried.add_judge(&key, file, &state.fixes);
            }
            match proposal.candidates.first().map(|candidate| candidate.fixer.as_str()) {
                // The rules have not had their turn.
                Some(drift::FIXER) => state.warn(drift::REFUSED.to_owned()),
                Some(LIFT) => drift::keep(state, &key, context),
                _ => state.tried.exhausted.push(Exhausted { key, accepted: state.fixes.accepted.len() }),
            }
        }
    }
    state.plan.proposals.clear();
    state.plan.patch_verdict = match state.delivery.branch.as_ref().map_or(0, |delivered| delivered.accepted) {
        delivered if delivered < state.fixes.accepted.len() => PatchVerdict::Accepted,
        _ => PatchVerdict::NothingAccepted,
    };
    Ok(())
}

/// Moves the candidates of a proposal to where their text is after an accepted one. Returns whether all of them could be moved: which is
/// likeliest is known of all of them only.
fn follows(proposal: &mut Proposal, accepted: &Candidate, sources: &Sources) -> bool {
    let mut applied = accepted.files.iter();
    applied.all(|edit| {
        let text = sources.text(&edit.file).unwrap_or_default();
        proposal.candidates.iter_mut().all(|candidate| candidate.follow(edit, text))
    })
}

/// Records why a model's change was not kept, for the model's next attempt.
fn note_attempt(state: &mut HealState, proposal: &Proposal, seen: Option<String>) {
    if !proposal.candidates.iter().any(|candidate| candidate.fixer == model::FIXER) {
        return;
    }
    let (key, accepted) = (proposal.target.key(), state.fixes.accepted.len());
    let on_this_tree = |entry: &&PatchLogEntry| entry.target.as_ref() == Some(&(key.clone(), accepted));
    let entry = state.tried.patch_log.iter().rev().filter(on_this_tree).find(|entry| entry.fixer == model::FIXER);
    let reason = entry.map_or("it was tried before", |entry| entry.reason.as_str());
    let seen = seen.map(|seen| format!("; with it the tests say: {seen}")).unwrap_or_default();
    if let Some(attempt) = state.models.attempts.iter_mut().rev().find(|attempt| attempt.key == key) {
        attempt.outcome = format!("which was taken back: {reason}{seen}");
    }
}

/// Returns whether a change needs the user's decision: the request is strict, nothing but the checks vouches for the change, and others pass, too.
fn is_ambiguous(state: &HealState, kept: &Kept) -> bool {
    let is_only_checked = [search::FIXER, earlier::FIXER].contains(&kept.candidate.fixer.as_str());
    state.request.strict && is_only_checked && !kept.runners_up.is_empty()
}

fn others_pass(count: usize) -> String {
    if count == 1 { "1 other change passes".to_owned() } else { format!("{count} other changes pass") }
}

fn refuse_ambiguous(state: &mut HealState, context: &StepContext, key: &Key, kept: &Kept) {
    let others = others_pass(kept.runners_up.len());
    let reason = format!("{others}, and with --strict a change is delivered only when no other does");
    let (line, what) = (kept.candidate.line.max(1), &kept.candidate.description);
    state
        .warnings
        .push(format!("line {line}, {what}: {reason}; add a test that tells them apart, or leave --strict out"));
    log(state, context, Some(key), &kept.candidate, PatchStatus::Failed, &reason);
}

/// Returns whether files decide what is installed. A build that runs to install may be changed for other reasons.
fn changes_what_is_installed(files: &[FileText], candidate: &Candidate) -> bool {
    [drift::FIXER, LIFT].contains(&candidate.fixer.as_str()) || files.iter().any(|file| lists_dependencies(&file.file))
}

fn files_of(candidate: &Candidate) -> impl Iterator<Item = &str> {
    candidate.files.iter().map(|edit| edit.file.as_str())
}

fn log(
    state: &mut HealState,
    context: &StepContext,
    target: Option<&Key>,
    candidate: &Candidate,
    status: PatchStatus,
    reason: &str,
) {
    state.tried.patch_log.push(PatchLogEntry {
        target: target.map(|key| (key.clone(), state.fixes.accepted.len())),
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
    installer: Installer<'_>,
    context: &StepContext,
    proposal: &Proposal,
    kept: Kept,
) -> Result<(), StepError> {
    let undo = session.write(&kept.files)?;
    if changes_what_is_installed(&kept.files, &kept.candidate) {
        installer.reinstall(state, session, context).await?;
        if let Some(setup) = &mut state.analysis.setup {
            setup.use_interpreters(session.setup().interpreters());
            setup.linters.clone_from(&session.setup().linters);
        }
    }
    let diff: String = undo.iter().zip(&kept.files).map(|(old, new)| unified_diff(old, new)).collect();
    state.tried.visited.extend(undo.iter().chain(&kept.files).map(hash_of));
    let candidate = &kept.candidate;
    let origin = match candidate.fixer.as_str() {
        model::FIXER => Some("was written by a language model"),
        search::FIXER => Some("was found by search"),
        _ => None,
    };
    let number = state.fixes.accepted.len() + 1;
    if candidate.fixer == earlier::FIXER {
        let source = if state.plan.is_looking_back { "an older" } else { "the last" };
        let warning =
            format!("takes back a part of {source} commit; if that part was meant, adapt what checks it instead");
        state.warnings.push(format!("fix {number} {warning}"));
    }
    if let Some(origin) = origin {
        let others = match kept.runners_up.len() {
            0 => String::new(),
            count => format!("; {}, too", others_pass(count)),
        };
        let known = if kept.result.is_green() {
            "that the suite passes is all that is known about it"
        } else {
            "that its tests pass is all that is known about it, and others fail still"
        };
        state.warnings.push(format!("fix {number} {origin}: {known}, so read it with care{others}"));
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
            "passed": kept.result.count(TestState::Passed),
            "failed": kept.result.count(TestState::Failed),
            "tried_before": kept.tried_before,
        }),
        deployed_to: "PRODUCTION".to_owned(),
    }));
    let now = context.now();
    state.fixes.accepted.push(AcceptedFix {
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
    state.observe(&kept.result, &format!("after fix {}", state.fixes.accepted.len()), now);
    state.diagnosis.current = Some(Observed { result: kept.result, accepted: state.fixes.accepted.len() });
    Ok(())
}
