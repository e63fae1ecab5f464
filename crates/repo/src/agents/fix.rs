//! The fix agent: asks every fixer about every target, searches, or asks a model, as the plan says. It changes nothing; what is right is for the
//! patch agent to find out.

use std::cmp::Reverse;
use std::time::Duration;

use autoheal_code::fix;
use autoheal_code::report::{checkers, ruff};
use autoheal_code::{Candidate, FixContext, Sources, languages, tampering};
use autoheal_engine::diagnostics::{Category, Finding, Source};
use autoheal_engine::workflow::{StepContext, StepError};
use autoheal_forge::CommitId;

use crate::change::change_of;
use crate::checkout::Checkout;
use crate::drift;
use crate::earlier::{self, Place};
use crate::lint::formatting;
use crate::model::{self, ModelPlanner, NoAdvice};
use crate::search::{self, WarmRunnerPool};
use crate::session::Session;
use crate::state::{Diagnosis, Exhausted, HealState, ModelAttempt, Proposal};
use crate::suite;

/// Collects the candidates of every target, likeliest first.
pub(crate) async fn run(
    state: &mut HealState,
    session: &mut Session,
    checkout: &Checkout,
    planner: Option<ModelPlanner<'_>>,
    context: &StepContext,
) -> Result<(), StepError> {
    if state.is_out_of_time(context.now()) {
        // The last try of this step was ended from outside: the plan says so.
        return Ok(());
    }
    let proposals = drift::take_proposals(state);
    if !proposals.is_empty() {
        state.plan.proposals = proposals;
    } else if let Some(planner) = planner.filter(|_| !state.plan.model_steps.is_empty()) {
        ask_model(state, session, planner, context).await?;
    } else if state.plan.is_searching {
        search_for(state, session, context).await?;
    } else if state.plan.is_looking_back {
        look_back(state, session, checkout).await;
    } else {
        ask_fixers(state, session, context).await?;
    }
    for proposal in &state.plan.proposals {
        context.note("candidates", format!("{}: {}", proposal.target.headline(), proposal.candidates.len()));
    }
    Ok(())
}

/// One change per failure of the plan. The outcome is recorded for the next question.
async fn ask_model(
    state: &mut HealState,
    session: &mut Session,
    planner: ModelPlanner<'_>,
    context: &StepContext,
) -> Result<(), StepError> {
    let mut asked = Vec::new();
    for step in state.plan.model_steps.clone() {
        let shown = detailed(state, session, &step.target, context).await?.unwrap_or_else(|| step.target.clone());
        asked.push((step, shown));
    }
    let sources = session.sources();
    let answers = model::answers(planner, state, &asked, sources, context).await;
    for ((step, _), answer) in asked.into_iter().zip(answers) {
        let (change, outcome, gave_up) = match &answer {
            Ok(Some(candidate)) => (change_of(candidate, sources), ModelAttempt::PENDING.to_owned(), false),
            Ok(None) => (String::new(), "none: the model does not see what is wrong".to_owned(), true),
            Err(NoAdvice::Ended(error)) => {
                state.give_up_models(error);
                continue;
            }
            Err(error) => (String::new(), error.to_string(), false),
        };
        // A model that gives up has given up on all failures of the question.
        let others = step.with.iter().filter(|_| gave_up);
        let keys = std::iter::once(&step.target).chain(others).map(Finding::key);
        let accepted = state.fixes.accepted.len();
        let attempt = |key| ModelAttempt { key, accepted, change: change.clone(), outcome: outcome.clone(), gave_up };
        state.models.attempts.extend(keys.map(attempt));
        let candidates = answer.ok().flatten().into_iter().collect();
        state.plan.proposals.push(Proposal { target: step.target, candidates });
    }
    Ok(())
}

/// Returns a failure with its values whole, where its test runner shortens them by default: the test is run once more.
async fn detailed(
    state: &HealState,
    session: &mut Session,
    target: &Finding,
    context: &StepContext,
) -> Result<Option<Finding>, StepError> {
    let is_shortened = |text: &str| text.contains("...") || text.contains("-vv");
    let text = target.stack.as_deref().unwrap_or(&target.message);
    let selectors = state.diagnosis.current.as_ref().map(|observed| observed.result.selectors_at(target));
    let Some(selector) = selectors.unwrap_or_default().into_iter().next().filter(|_| is_shortened(text)) else {
        return Ok(None);
    };
    let limit = Duration::from_secs(state.request.limits.test_seconds);
    let own = session.enter_suite_of(&[selector]);
    let found = suite::detailed(session, own, limit, context).await;
    session.enter_suite_of(&[]);
    let is_it = |finding: &Finding| finding.category == target.category && finding.file == target.file;
    Ok(found?.into_iter().find(is_it))
}

/// Searches for changes that the tests allow, target by target, up to the first failure for which there are
/// any.
async fn search_for(state: &mut HealState, session: &mut Session, context: &StepContext) -> Result<(), StepError> {
    let all_findings = all_findings(&state.diagnosis);
    let lsp_errors = state.diagnosis.lsp.as_errors(state.fixes.accepted.len());
    let places = earlier::places(session);
    session.probe(&all_findings, context).await?;
    let mut pool = WarmRunnerPool::default();
    for target in state.plan.targets.clone() {
        // The time may be over.
        if search::is_beyond(state, &target.key()) {
            continue;
        }
        let of_rules = candidates(session, &target, &all_findings, &lsp_errors, &places);
        let candidates = search::candidates(state, session, &target, of_rules, &mut pool, context).await?;
        let is_found = !candidates.is_empty();
        state.plan.proposals.push(Proposal { target, candidates });
        if is_found {
            // What repairs one failure often repairs the next.
            break;
        }
    }
    pool.close().await
}

/// Restores lines of commits before the last one, for the failures that nothing else heals.
async fn look_back(state: &mut HealState, session: &mut Session, checkout: &Checkout) {
    let done =
        state.plan.targets.iter().map(|target| Exhausted { key: target.key(), accepted: state.fixes.accepted.len() });
    state.tried.looked_back.extend(done);
    let Some(base) = state.analysis.origin.as_ref().and_then(|origin| CommitId::parse(&origin.base_commit).ok()) else {
        return;
    };
    let recent = earlier::places(session);
    let sources = session.sources();
    let places = earlier::older_places(sources, recent, checkout, &base).await;
    for target in state.plan.targets.clone() {
        let mut candidates = restorations(&places, &target, sources);
        candidates.retain(|candidate| !sources.touches_test(candidate));
        state.plan.proposals.push(Proposal { target, candidates });
    }
}

async fn ask_fixers(state: &mut HealState, session: &mut Session, context: &StepContext) -> Result<(), StepError> {
    let all_findings = all_findings(&state.diagnosis);
    let lsp_errors = state.diagnosis.lsp.as_errors(state.fixes.accepted.len());
    let places = earlier::places(session);
    if state.plan.targets.iter().any(asks_for_names) {
        session.probe(&all_findings, context).await?;
    }
    if state.plan.targets.iter().any(|target| target.source == Source::Lint) && session.lint_outputs().is_empty() {
        // A session that was opened again after a stop has not heard the linter yet.
        crate::lint::run(session, context).await?;
    }
    let mut proposals: Vec<Proposal> = state
        .plan
        .targets
        .iter()
        .map(|target| {
            let mut candidates = candidates(session, target, &all_findings, &lsp_errors, &places);
            if !search::is_beyond(state, &target.key()) {
                // Search has better guesses, too, and weighs them all.
                candidates.retain(|candidate| candidate.fixer != fix::LOCAL_REPAIR);
            }
            Proposal { target: target.clone(), candidates }
        })
        .collect();
    for proposal in proposals.iter_mut().filter(|proposal| formatting::is_target(&proposal.target)) {
        proposal.candidates = formatting::candidates(session, &proposal.target, context).await?;
    }
    search::screen(state, session, &mut proposals, context).await?;
    if proposals.iter().all(|proposal| proposal.target.source == Source::Lint) {
        // What is taken away needs no other fix, and is not formatted.
        proposals.sort_by_key(|proposal| {
            let target = &proposal.target;
            (target.category, formatting::is_target(target), Reverse(bytes_taken(proposal)))
        });
    }
    state.plan.proposals = proposals;
    Ok(())
}

/// Number of bytes that the likeliest candidate replaces.
fn bytes_taken(proposal: &Proposal) -> usize {
    let edits =
        proposal.candidates.first().into_iter().flat_map(|candidate| &candidate.files).flat_map(|file| &file.edits);
    edits.map(|edit| edit.end - edit.start).sum()
}

fn all_findings(diagnosis: &Diagnosis) -> Vec<Finding> {
    diagnosis.current.iter().flat_map(|observed| observed.result.all_findings()).cloned().collect()
}

/// Returns whether the fixers of the target need to know what the interpreter can import. Text that does not
/// parse is repaired by its looks.
fn asks_for_names(target: &Finding) -> bool {
    match target.category {
        Category::Syntax | Category::Indentation => false,
        Category::Linting => as_runtime_error(target).is_some() && !formatting::is_target(target),
        Category::Import | Category::TypeError | Category::Logic => true,
    }
}

/// Returns the changes that rules suggest for the target, likeliest first. `lsp_errors`: errors that have not been
/// raised yet, and that may be the reason a test is red. `places`: those of the last commit.
fn candidates(
    session: &Session,
    target: &Finding,
    all_findings: &[Finding],
    lsp_errors: &[Finding],
    places: &[Place],
) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    if target.source == Source::Lint {
        let (outputs, sources) = (session.lint_outputs(), session.sources());
        candidates.extend(languages::linter_candidates(outputs, &session.prefixes(), sources, target));
    }
    let finding = match target.category {
        Category::Linting => {
            as_runtime_error(target).or_else(|| languages::reads_linters(target).then(|| target.clone()))
        }
        Category::Import | Category::TypeError if target.source == Source::Lint => {
            Some(as_runtime_error(target).unwrap_or_else(|| target.clone()))
        }
        Category::Syntax | Category::Indentation | Category::Import | Category::TypeError | Category::Logic => {
            Some(target.clone())
        }
    };
    if let Some(finding) = &finding {
        let (sources, environment) = (session.sources(), session.environment());
        let context = FixContext { finding, all_findings, sources, environment };
        // A linter's undefined name is met by tests, too; what a type checker says may be seen by nothing else.
        let fixers = if languages::is_of_checker(target) {
            languages::checker_fixers(target).to_vec()
        } else {
            languages::fixers(finding)
        };
        candidates.extend(fixers.iter().flat_map(|fixer| fixer.candidates(&context)));
    }
    if languages::is_of_checker(target) {
        candidates.retain(|candidate| keeps_checks(candidate, session.sources()));
    }
    if target.source == Source::Test && asks_for_names(target) {
        candidates.extend(lsp_errors.iter().flat_map(|error| of_lsp_error(session, error, all_findings)));
    }
    let restorations = restorations(places, target, session.sources());
    earlier::put_where_they_were(&mut candidates, &restorations, session.sources());
    earlier::weigh(&mut candidates, session);
    candidates.extend(restorations);
    // Stable, so that of two equally likely ones the earlier fixer's comes first.
    candidates.sort_by_key(|candidate| candidate.cost);
    let mut seen = std::collections::BTreeSet::new();
    candidates.retain(|candidate| session.sources().allows(candidate) && seen.insert(result_of(candidate, session)));
    candidates
}

/// Returns the restorations of these places; what a type checker found is not healed by fewer checks.
fn restorations(places: &[Place], target: &Finding, sources: &Sources) -> Vec<Candidate> {
    let mut restorations = earlier::restorations(places, target);
    restorations.retain(|candidate| !languages::is_of_checker(target) || keeps_checks(candidate, sources));
    restorations
}

/// Returns the changes that rules suggest for an error of a language server. That it is related to the target is a guess,
/// which costs two bits (200).
fn of_lsp_error(session: &Session, error: &Finding, all_findings: &[Finding]) -> Vec<Candidate> {
    const GUESSED: u32 = 200;
    const A_FEW: usize = 10;
    let (sources, environment) = (session.sources(), session.environment());
    let context = FixContext { finding: error, all_findings, sources, environment };
    let known = languages::fixers(error).into_iter().filter(|fixer| fixer.name() != fix::LOCAL_REPAIR);
    let mut candidates: Vec<Candidate> = known.flat_map(|fixer| fixer.candidates(&context)).collect();
    candidates.sort_by_key(|candidate| candidate.cost);
    candidates.truncate(A_FEW);
    for candidate in &mut candidates {
        candidate.cost = candidate.cost.saturating_add(GUESSED);
    }
    candidates
}

/// Returns the texts of the files after the change: two candidates that lead to the same text count as one.
fn result_of(candidate: &Candidate, session: &Session) -> Vec<(String, String)> {
    candidate
        .files
        .iter()
        .map(|edit| {
            let text = session.sources().text(&edit.file).unwrap_or_default();
            (edit.file.clone(), edit.apply(text).unwrap_or_default())
        })
        .collect()
}

/// Returns whether a change leaves the files as strictly checked as they were.
fn keeps_checks(candidate: &Candidate, sources: &Sources) -> bool {
    candidate.files.iter().all(|edit| {
        let before = sources.text(&edit.file).unwrap_or_default();
        edit.apply(before).is_ok_and(|after| tampering::loosened(&edit.file, before, &after).is_none())
    })
}

/// Restates a finding of a linter or type checker as the error that the interpreter would raise: the fixers
/// for that error serve both.
fn as_runtime_error(target: &Finding) -> Option<Finding> {
    if let Some(name) = ruff::undefined_name(&target.message) {
        let message = format!("NameError: name '{name}' is not defined");
        return Some(Finding { category: Category::TypeError, message, ..target.clone() });
    }
    if target.source == Source::Lint { checkers::as_runtime_error(target) } else { None }
}
