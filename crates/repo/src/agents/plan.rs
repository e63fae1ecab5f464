//! The planner of `diagnostics-log.md`: picks what to fix next from the log, and refuses to go round when nothing changed.

use autoheal_engine::diagnostics::{Finding, Importers, by_priority, summarize};
use autoheal_engine::workflow::StepContext;

use crate::state::{HealState, PatchVerdict};
use crate::stop_reason::StopReason;

/// How many failures one round works on: each costs trials, and fixing the first often resolves the others.
const TARGETS_PER_ROUND: usize = 8;

/// How many diagnostics are told to a person at once.
const SUMMARY_ENTRIES: usize = 5;

/// Chooses the targets of this round, or ends the run.
pub(crate) fn run(state: &mut HealState, importers: &Importers, context: &StepContext) {
    state.targets.clear();
    state.proposals.clear();
    state.patch_verdict = PatchVerdict::NothingAccepted;
    if let Some(reason) = reason_to_end(state, context) {
        end(state, reason, context);
        return;
    }
    let targets = choose(state, importers);
    if targets.is_empty() {
        end(state, why_nothing_is_left(state), context);
        return;
    }
    context.note("diagnostics", summarize(&state.log, importers, SUMMARY_ENTRIES));
    if let Some(primary) = targets.first() {
        context.note("plan", format!("fix this first: {}", primary.headline()));
    }
    state.targets = targets;
}

/// The run is over before anything is chosen: green, or the baseline could not be had.
fn reason_to_end(state: &HealState, context: &StepContext) -> Option<StopReason> {
    if state.stop.is_some() {
        return state.stop;
    }
    if state.is_out_of_time(context.now()) {
        return Some(StopReason::Budget);
    }
    let observed = state.current.as_ref()?;
    if !observed.look.is_clean() {
        return None;
    }
    // Green after accepted fixes that the monitor called red is not green: what it saw is in the log, and no target is left.
    Some(if state.accepted.is_empty() { StopReason::NothingToDo } else { StopReason::NoProgress })
}

fn why_nothing_is_left(state: &HealState) -> StopReason {
    let is_green = state.current.as_ref().is_some_and(|observed| observed.look.is_green());
    if is_green && state.accepted.is_empty() {
        // What is left is advice that no rule knows how to follow.
        StopReason::NothingToDo
    } else if !state.flaky.is_empty() && state.log.current().all(|entry| state.flaky.contains(&entry.finding.key())) {
        StopReason::Flaky
    } else if state.repeated {
        StopReason::RepeatedPatch
    } else {
        StopReason::NoProgress
    }
}

fn end(state: &mut HealState, reason: StopReason, context: &StepContext) {
    let left = state.log.current().count();
    state.stop_with(reason);
    state.close_round(reason.is_success(), left, context.now());
    context.note("verdict", format!("{}: {}", reason.name(), reason.explanation()));
}

/// The most urgent failures that are neither flaky nor exhausted on this very tree.
fn choose(state: &HealState, importers: &Importers) -> Vec<Finding> {
    by_priority(&state.log, importers)
        .into_iter()
        .map(|entry| &entry.finding)
        .filter(|finding| {
            let key = finding.key();
            let exhausted = state
                .exhausted
                .iter()
                .any(|exhausted| exhausted.key == key && exhausted.accepted == state.accepted.len());
            !state.flaky.contains(&key) && !exhausted
        })
        .take(TARGETS_PER_ROUND)
        .cloned()
        .collect()
}
