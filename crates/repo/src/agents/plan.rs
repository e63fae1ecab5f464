//! The planner of `diagnostics-log.md`: picks what to fix next from the log, and refuses to go round when nothing changed.

use autoheal_code::Sources;
use autoheal_engine::StopReason;
use autoheal_engine::diagnostics::{Finding, Importers, Key, Source, by_priority, summarize};
use autoheal_engine::workflow::StepContext;

use crate::flaky::{self, Healer};
use crate::model::{self, ModelPlanner, NoAdvice};
use crate::search;
use crate::state::{Diagnosis, Exhausted, Fixes, HealState, ModelEnd, ModelStep, Observed, Plan};

/// Maximum number of failures that one round works on: each costs trials, and fixing the first often resolves
/// the others.
const TARGETS_PER_ROUND: usize = 8;

/// Maximum number of diagnostics in the summary for the user.
const SUMMARY_ENTRIES: usize = 5;

/// A model may try one failure so often on one tree.
const MODEL_ATTEMPTS: usize = 3;

/// Chooses the targets of this round, or ends the run. Failures for which rules have no candidates left are searched. When search
/// has none left, lines of older commits are restored. A model is asked last.
pub(crate) async fn run(
    state: &mut HealState,
    sources: &Sources,
    planner: Option<ModelPlanner<'_>>,
    importers: &Importers,
    context: &StepContext,
) {
    state.plan = Plan::default();
    if let Some(reason) = reason_to_end(state, context) {
        end(state, reason, context);
        return;
    }
    let (mut targets, linted) = choose(state, importers, Healer::Rules);
    if targets.is_empty() {
        (targets, _) = choose(state, importers, Healer::Search);
        state.plan.is_searching = !targets.is_empty();
    }
    // Strictly taken, that it was so once is no reason where search found other changes.
    if targets.is_empty() && !state.request.strict {
        (targets, _) = choose(state, importers, Healer::History);
        state.plan.is_looking_back = !targets.is_empty();
    }
    if targets.is_empty() {
        targets = linted;
    }
    if let Some(planner) = planner.filter(|_| targets.is_empty() && state.models.end.is_none()) {
        targets = ask_model(state, planner, sources, context).await;
    }
    let Some(primary) = targets.first() else {
        end(state, why_nothing_is_left(state), context);
        return;
    };
    context.note("diagnostics", summarize(&state.diagnosis.log, importers, SUMMARY_ENTRIES));
    context.note("plan", format!("fix this first: {}", primary.headline()));
    state.plan.targets = targets;
}

/// Asks a model for the next failures to repair, where there is a choice. Its plan is optional: without one, the model that writes
/// the code repairs the most urgent failure.
async fn ask_model(
    state: &mut HealState,
    planner: ModelPlanner<'_>,
    sources: &Sources,
    context: &StepContext,
) -> Vec<Finding> {
    let (urgent, linted) = choose(state, planner.prompt_context.importers, Healer::Model);
    let choice = if urgent.is_empty() { linted } else { urgent };
    let Some(most_urgent) = choice.first() else { return Vec::new() };
    let answer = if model::is_decided(&choice, sources) {
        Ok(vec![ModelStep::new(most_urgent.clone())])
    } else {
        model::steps(planner, state, &choice, sources, context).await
    };
    match answer {
        Ok(steps) => {
            if steps.is_empty() {
                context.note("plan", "the language model sees nothing that is worth a try");
            }
            state.plan.model_steps = steps;
        }
        Err(NoAdvice::Ended(error)) => state.give_up_models(&error),
        Err(error @ (NoAdvice::Answer(_) | NoAdvice::Prompt(_))) => {
            context.note("plan", format!("without a plan: {error}"));
            state.plan.model_steps = vec![ModelStep::new(most_urgent.clone())];
        }
    }
    model::join_by_file(&mut state.plan.model_steps, &choice);
    state.plan.model_steps.iter().map(|step| step.target.clone()).collect()
}

/// The run is over before anything is chosen: green, or the baseline could not be had.
fn reason_to_end(state: &HealState, context: &StepContext) -> Option<StopReason> {
    if state.stop.is_some() {
        return state.stop;
    }
    if state.is_out_of_time(context.now()) {
        return Some(StopReason::Budget);
    }
    let observed = state.diagnosis.current.as_ref()?;
    if !observed.result.is_clean() {
        return None;
    }
    // Green after accepted fixes that the monitor called red is not green: what it saw is in the log, and no target is left.
    Some(if state.fixes.accepted.is_empty() { state.reason_of_idleness() } else { StopReason::NoProgress })
}

fn why_nothing_is_left(state: &HealState) -> StopReason {
    if state.diagnosis.is_green() && state.fixes.accepted.is_empty() {
        // What is left is advice that no rule knows how to follow.
        state.reason_of_idleness()
    } else if !state.diagnosis.flaky.is_empty()
        && state.diagnosis.log.current().all(|entry| flaky::of(&state.diagnosis, &entry.finding.key()).is_some())
    {
        StopReason::Flaky
    } else if state.models.end == Some(ModelEnd::Budget) {
        StopReason::Budget
    } else if state.tried.repeated {
        StopReason::RepeatedPatch
    } else {
        StopReason::NoProgress
    }
}

fn end(state: &mut HealState, reason: StopReason, context: &StepContext) {
    let left = state.diagnosis.log.current().count();
    state.stop_with(reason);
    state.rounds.close(reason.is_success(), left, context.now());
    context.note("verdict", format!("{}: {}", reason.name(), reason.explanation()));
}

/// The most urgent failures of the program that are neither flaky nor beyond this healer, and what only a linter says. That comes last: tests
/// have to be able to judge what is done about it, and it is no target before.
fn choose(state: &HealState, importers: &Importers, healer: Healer) -> (Vec<Finding>, Vec<Finding>) {
    let beyond = match healer {
        Healer::Rules => is_exhausted,
        Healer::Search => search::is_beyond,
        Healer::History => is_looked_back_for,
        Healer::Model => is_beyond_models,
    };
    let (linted, urgent): (Vec<Finding>, Vec<Finding>) = by_priority(&state.diagnosis.log, importers)
        .into_iter()
        .map(|entry| &entry.finding)
        .filter(|finding| {
            let key = finding.key();
            let lacks_file =
                state.analysis.setup.as_ref().is_some_and(|setup| setup.external_files.are_lacked_by(finding));
            !lacks_file && !flaky::is_left_alone(&state.diagnosis, &key, healer) && !beyond(state, &key)
        })
        .cloned()
        .partition(is_only_linted);
    let linted = if tests_can_judge(&state.diagnosis) { linted } else { Vec::new() };
    (urgent.into_iter().take(TARGETS_PER_ROUND).collect(), linted.into_iter().take(TARGETS_PER_ROUND).collect())
}

/// Returns whether the finding is a linter's and its file can be parsed.
fn is_only_linted(finding: &Finding) -> bool {
    finding.source == Source::Lint && !finding.category.hides_others()
}

/// Returns whether every file can be read and imported, so that the tests run the code that is changed.
fn tests_can_judge(diagnosis: &Diagnosis) -> bool {
    let findings = diagnosis.current.iter().flat_map(|observed| &observed.result.findings);
    !findings.into_iter().any(|finding| finding.category.hides_others() && finding.source == Source::Test)
}

/// Every candidate of the rules was tried on this very tree, or is tried by search.
fn is_exhausted(state: &HealState, key: &Key) -> bool {
    search::stands_in_for_rules(state, key) || is_on_this_tree(&state.tried.exhausted, &state.fixes, key)
}

fn is_on_this_tree(done: &[Exhausted], fixes: &Fixes, key: &Key) -> bool {
    done.iter().any(|exhausted| exhausted.key == *key && exhausted.accepted == fixes.accepted.len())
}

/// Returns whether lines of older commits were restored for a failure on this very tree.
fn is_looked_back_for(state: &HealState, key: &Key) -> bool {
    is_on_this_tree(&state.tried.looked_back, &state.fixes, key)
}

/// Returns whether models do not work on a failure: it is mere advice, or a model made all its attempts on this very tree, or gave up.
fn is_beyond_models(state: &HealState, key: &Key) -> bool {
    let is_red = |observed: &Observed| observed.result.findings.iter().any(|finding| finding.key() == *key);
    if !state.diagnosis.current.as_ref().is_some_and(is_red) {
        return true;
    }
    let attempts = state.models.attempts.iter();
    let attempts = attempts.filter(|attempt| attempt.key == *key && attempt.accepted == state.fixes.accepted.len());
    attempts.clone().count() >= MODEL_ATTEMPTS || attempts.into_iter().any(|attempt| attempt.gave_up)
}
