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

use autoheal_code::python::search::{self, Evidence, Lines};
use autoheal_code::{Candidate, warm};
use autoheal_engine::diagnostics::{Category, Finding, Key, Source};
use autoheal_engine::workflow::{StepContext, StepError};

use crate::session::Session;
use crate::setup::TestRunner;
use crate::state::{HealState, Search};

use runner::{Runner, RunnerError};
use suite::Suite;
use trial::Trial;

/// The fixer's name in what was found.
pub(crate) const FIXER: &str = search::NAME;

/// More changes are not thought of: what is less likely than so many others is not tried in the time that there is.
const MOST_CANDIDATES: usize = 4000;

/// With less time nothing is begun.
const SHORTEST: Duration = Duration::from_secs(2);

/// How long one answer of the runner may take: it ends what takes too long by itself.
const PATIENCE: Duration = Duration::from_mins(10);

/// Whether nothing is searched for this failure: it is no test's, not of a kind that search repairs, was searched for on this very
/// tree, or there is no time left for that.
pub(crate) fn is_beyond(state: &HealState, key: &Key) -> bool {
    let is_repairable = match key.category {
        Category::Logic | Category::TypeError => key.source == Source::Test,
        Category::Syntax | Category::Indentation | Category::Import | Category::Linting => false,
    };
    let can_run = state.setup.as_ref().is_some_and(|setup| match setup.tests.runner {
        TestRunner::Pytest | TestRunner::Unittest => true,
        TestRunner::Opaque | TestRunner::Jest | TestRunner::Mocha | TestRunner::Vitest | TestRunner::NodeTest => false,
    });
    let can_be_run = || state.current.as_ref().is_some_and(|observed| !observed.look.selectors_of(key).is_empty());
    let is_done = || on_this_tree(state).any(|search| search.key == *key);
    !(is_repairable && can_run && can_be_run()) || is_done() || time_left(state) < SHORTEST
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
    let mut record = Search {
        key: target.key(),
        accepted: state.accepted.len(),
        candidates: 0,
        tried: 0,
        loaded_anew: 0,
        plausible: 0,
        preparing_millis: 0,
        trying_millis: 0,
        cold_millis: state.trials.millis.checked_div(state.trials.count),
        refused: None,
    };
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
    let Some(words) = words(session) else {
        return Err(RunnerError::Broken("changes cannot be tried with this test runner".to_owned()));
    };
    let conversation = session.converse(words, PATIENCE).await.map_err(|error| RunnerError::Broken(told(&error)))?;
    let mut runner = Runner::start(conversation).await?;
    let selectors =
        state.current.as_ref().map(|observed| observed.look.selectors_of(&target.key())).unwrap_or_default();
    let suite = Suite::observe(&mut runner, &selectors, time).await?;
    let watched = suite.watch(&mut runner, time).await?;
    let evidence = Evidence { coverage: watched.coverage.clone(), changed: changed_lines(session) };
    let mut candidates = of_rules;
    candidates.extend(search::candidates(target, session.sources(), &evidence, MOST_CANDIDATES));
    record.candidates = candidates.len();
    record.preparing_millis = millis(context.now().since(began));
    let trial = Trial { suite: &suite, watched: &watched, candidates: &candidates, target, deadline: began.plus(time) };
    let found = trial.run(&mut runner, record, context).await?;
    runner.close().await?;
    Ok(found)
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

/// The command that starts the runner.
fn words(session: &Session) -> Option<Vec<String>> {
    let tests = &session.setup().tests;
    let runner = match tests.runner {
        TestRunner::Pytest => "pytest",
        TestRunner::Unittest => "unittest",
        TestRunner::Opaque | TestRunner::Jest | TestRunner::Mocha | TestRunner::Vitest | TestRunner::NodeTest => {
            return None;
        }
    };
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let root = session.tree().display().to_string();
    let mut words = vec![
        session.place().program(),
        session.place().tool(warm::PYTHON_MAIN),
        runner.to_owned(),
        jobs.to_string(),
        root,
    ];
    words.extend(tests.arguments.iter().cloned());
    Some(words)
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
