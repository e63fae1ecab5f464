//! Search for the repair of a fault of logic: where rules know nothing, small changes of suspicious lines are tried by the
//! hundred in a warm process, likeliest first. What the tests allow is proposed; the patch agent judges it as any other candidate.
//!
//! # Layout
//!
//! - `runner`: the talk with the warm process
//! - `suite`: which tests have to pass, and which are worth watching
//! - `trial`: candidates through the runner, until the time is over

mod runner;
mod suite;
mod trial;

use std::time::Duration;

use autoheal_code::Candidate;
use autoheal_code::python::search::{self, Evidence, Lines};
use autoheal_engine::diagnostics::{Category, Finding, Key, Source};
use autoheal_engine::workflow::{StepContext, StepError};

use crate::session::Session;
use crate::state::{HealState, Proposal, Search};

use runner::{Runner, RunnerError};
use suite::Suite;
use trial::Trial;

/// The fixer's name in what was found.
pub(crate) const FIXER: &str = search::NAME;

/// More changes are not thought of: what is less likely than so many others is not tried in the time that there is.
const MOST_CANDIDATES: usize = 4000;

/// With less time nothing is begun.
const SHORTEST: Duration = Duration::from_secs(2);

/// So few candidates are not worth loading the tests for.
const FEW: usize = 6;

/// How long the candidates of rules for one failure are tried beforehand.
const SCREENING: Duration = Duration::from_secs(15);

/// How long one answer of the runner may take: it ends what takes too long by itself.
const PATIENCE: Duration = Duration::from_mins(10);

/// Whether nothing is searched for this failure: it is no test's, not of a kind that search repairs, was searched for on this very
/// tree, or there is no time left for that.
pub(crate) fn is_beyond(state: &HealState, key: &Key) -> bool {
    let is_done = || on_this_tree(state).any(|search| search.key == *key);
    !can_be_tried(state, key) || is_done() || time_left(state) < SHORTEST
}

/// Whether changes can be tried in a warm process for this failure.
fn can_be_tried(state: &HealState, key: &Key) -> bool {
    let is_repairable = match key.category {
        Category::Logic | Category::TypeError => key.source == Source::Test,
        Category::Syntax | Category::Indentation | Category::Import | Category::Linting => false,
    };
    let is_warm = state.setup.as_ref().is_some_and(|setup| setup.tests.runner.can_be_kept_warm());
    is_repairable && is_warm && !selectors(state, key).is_empty()
}

fn selectors(state: &HealState, key: &Key) -> Vec<String> {
    state.current.as_ref().map(|observed| observed.look.selectors_of(key)).unwrap_or_default()
}

/// Whether rules need not be asked about this failure: they say little about a fault of logic, and what they say is tried by search.
pub(crate) fn stands_in_for_rules(state: &HealState, key: &Key) -> bool {
    let was_searched = || on_this_tree(state).any(|search| search.key == *key && search.refused.is_none());
    key.category == Category::Logic && (!is_beyond(state, key) || was_searched())
}

fn on_this_tree(state: &HealState) -> impl Iterator<Item = &Search> {
    state.searches.iter().filter(|search| search.accepted == state.accepted.len())
}

/// All searches for one repair share their time: one fault shows in many failures.
fn time_left(state: &HealState) -> Duration {
    let used = on_this_tree(state).map(|search| search.preparing_millis + search.trying_millis).sum();
    Duration::from_secs(state.request.limits.search_seconds).saturating_sub(Duration::from_millis(used))
}

/// Candidates for the target that the tests allow, likeliest first; those of rules come before all others. What was done is written down
/// in the state.
pub(crate) async fn candidates(
    state: &mut HealState,
    session: &mut Session,
    target: &Finding,
    of_rules: Vec<Candidate>,
    context: &StepContext,
) -> Result<Vec<Candidate>, StepError> {
    let mut record = Search::new(target.key(), state);
    let found = match search(state, session, target, of_rules, &mut record, context).await {
        Ok(found) => found,
        Err(error) => {
            record.refused = Some(error.into_refusal()?);
            Vec::new()
        }
    };
    context.note("search", summary(&record));
    state.searches.push(record);
    Ok(found)
}

/// One line for a person.
pub(crate) fn summary(search: &Search) -> String {
    let seconds = |millis: u64| Duration::from_millis(millis).as_secs_f64();
    match &search.refused {
        Some(why) => format!("nothing was searched for: {why}"),
        None => format!(
            "{} of {} changes tried in {:.1} s after {:.1} s of preparation, {} with the project loaded anew; the tests allow {} of them",
            search.tried,
            search.candidates,
            seconds(search.trying_millis),
            seconds(search.preparing_millis),
            search.loaded_anew,
            search.plausible
        ),
    }
}

async fn search(
    state: &HealState,
    session: &mut Session,
    target: &Finding,
    of_rules: Vec<Candidate>,
    record: &mut Search,
    context: &StepContext,
) -> Result<Vec<Candidate>, RunnerError> {
    let began = context.now();
    let time = time_left(state);
    context.progress(format!("{}: loading the tests to search for a change", target.headline()));
    let mut runner = start(session).await?;
    let runs = suite::observe(&mut runner, time).await?;
    let suite = Suite::new(&runs, &selectors(state, &target.key()))?;
    let watched = suite.watch(&mut runner, time).await?;
    let evidence = Evidence { coverage: watched.coverage.clone(), changed: changed_lines(session) };
    let mut candidates = of_rules;
    candidates.extend(search::candidates(target, session.sources(), &evidence, MOST_CANDIDATES));
    record.candidates = candidates.len();
    record.preparing_millis = millis(context.now().since(began));
    let deadline = began.plus(time);
    let trial = Trial { suite: &suite, watched: Some(&watched), candidates: &candidates, target, deadline };
    let found = trial.run(&mut runner, record, context).await?;
    runner.close().await?;
    Ok(found.into_iter().filter_map(|number| candidates.get(number).cloned()).collect())
}

/// Puts what the tests allow before what they do not, where there is much to try: trying costs a fraction here of what it costs the patch
/// agent, who judges as ever.
pub(crate) async fn screen(
    state: &HealState,
    session: &mut Session,
    proposals: &mut [Proposal],
    context: &StepContext,
) -> Result<(), StepError> {
    let is_worth_it =
        |proposal: &Proposal| proposal.candidates.len() > FEW && can_be_tried(state, &proposal.target.key());
    let mut proposals: Vec<&mut Proposal> = proposals.iter_mut().filter(|proposal| is_worth_it(proposal)).collect();
    if proposals.is_empty() || state.request.limits.search_seconds == 0 {
        return Ok(());
    }
    if let Err(error) = screen_all(state, session, &mut proposals, context).await {
        context.note("search", format!("candidates are not tried beforehand: {}", error.into_refusal()?));
    }
    Ok(())
}

async fn screen_all(
    state: &HealState,
    session: &mut Session,
    proposals: &mut [&mut Proposal],
    context: &StepContext,
) -> Result<(), RunnerError> {
    let mut runner = start(session).await?;
    let runs = suite::observe(&mut runner, SCREENING).await?;
    for proposal in proposals {
        let (target, candidates) = (&proposal.target, &proposal.candidates);
        let suite = Suite::new(&runs, &selectors(state, &target.key()))?;
        let deadline = context.now().plus(SCREENING);
        let trial = Trial { suite: &suite, watched: None, candidates, target, deadline };
        let mut record = Search::new(target.key(), state);
        let allowed = trial.run(&mut runner, &mut record, context).await?;
        let (headline, tried, count) = (target.headline(), record.tried, allowed.len());
        context.note("search", format!("{headline}: of {tried} candidates the tests allow {count}"));
        let mut ranked: Vec<(usize, Candidate)> = proposal.candidates.drain(..).enumerate().collect();
        ranked.sort_by_key(|(number, _)| !allowed.contains(number));
        proposal.candidates = ranked.into_iter().map(|(_, candidate)| candidate).collect();
    }
    runner.close().await
}

async fn start(session: &mut Session) -> Result<Runner, RunnerError> {
    let place = session.place();
    let Some(words) = place.setup.toolchain.warm_words(&place) else {
        return Err(RunnerError::Broken("changes cannot be tried with this test runner".to_owned()));
    };
    let conversation = session.converse(words, PATIENCE).await.map_err(|error| RunnerError::Broken(told(&error)))?;
    Runner::start(conversation).await
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn told(error: &StepError) -> String {
    match error {
        StepError::Passing { message, .. } | StepError::Permanent { message, .. } => message.clone(),
        StepError::LeaseLost => "the run belongs to another worker".to_owned(),
    }
}

/// The lines that the last commit changed, where its predecessor is known.
fn changed_lines(session: &Session) -> Lines {
    let Some(before) = session.tree_before() else { return Lines::new() };
    let mut changed = Lines::new();
    for (file, text) in session.sources().python().filter(|(file, _)| session.sources().is_editable(file)) {
        let Ok(old) = std::fs::read_to_string(before.join(file)) else { continue };
        if old == text {
            continue;
        }
        let diff = similar::TextDiff::from_lines(old.as_str(), text);
        let lines = diff
            .iter_all_changes()
            .filter(|change| change.tag() == similar::ChangeTag::Insert)
            .filter_map(|change| u32::try_from(change.new_index()? + 1).ok());
        changed.insert(file.to_owned(), lines.collect());
    }
    changed
}
