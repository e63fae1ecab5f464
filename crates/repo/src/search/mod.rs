//! Search for the repair of a logic error. Where rules have no candidates, small changes of suspicious lines are tried in a warm
//! process, likeliest first, by the hundred; for a test runner without such a process, as many as time permits. Changes that pass the
//! tests are proposed; the patch agent judges them like any other candidate.
//!
//! # Layout
//!
//! - `runner`: the conversation with the warm process
//! - `suite`: the tests that have to pass, and those that are worth watching
//! - `trial`: candidates through the runner, until the time is over
//! - `started`: the same with the tests started for each candidate; `schemata`: what can be known before, of hundreds in one build

mod runner;
mod schemata;
mod started;
mod suite;
mod trial;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use autoheal_code::fix;
use autoheal_code::logic;
use autoheal_code::search::{self, Evidence};
use autoheal_code::warm::TestRun;
use autoheal_code::{Candidate, FileEdit, Sources};
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::{Category, Finding, Key, Source};
use autoheal_engine::workflow::{StepContext, StepError};

use crate::check_result::millis;
use crate::earlier::{self, changed_lines};
use crate::flaky;
use crate::session::Session;
use crate::state::{HealState, Observed, Proposal, Search};
use crate::test_runner::TestRunner;
use crate::toolchains;

use runner::{Runner, RunnerError};
use schemata::Sorting;
use suite::{Suite, Watched};
use trial::{ENOUGH, Found, Trial};

/// The fixer's name in what was found.
pub(crate) const FIXER: &str = search::NAME;

/// Maximum number of candidates of a search: less likely ones would not be tried in the time that there is.
const MOST_CANDIDATES: usize = 4000;

/// Minimum remaining time for starting a search.
const SHORTEST: Duration = Duration::from_secs(2);

/// Maximum number of candidates for which it is not worth loading the tests, or building them with all of the candidates.
const FEW: usize = 6;

/// Time for trying the candidates of rules for one failure beforehand.
const SCREENING: Duration = Duration::from_secs(15);

/// Guesses of rules take for granted that the place of the error is the place of the fault: two bits, as costs are counted.
const BLIND: u32 = 200;

/// Share of the time that a failure gets while others wait for theirs.
const SHARE: f64 = 0.6;

/// Returns whether no search is made for this failure: it is not a test's, is not of a kind that search
/// repairs, was searched for on this very tree, or there is no time left for it.
pub(crate) fn is_beyond(state: &HealState, key: &Key) -> bool {
    let is_done = || on_this_tree(state).any(|search| search.key == *key && !search.is_misled);
    !can_be_tried(state, key) || is_done() || time_left(state) < SHORTEST
}

/// Returns whether changes can be tried for this failure: it is of a kind that a small change may repair, and
/// its tests can be run by themselves.
fn can_be_tried(state: &HealState, key: &Key) -> bool {
    let is_repairable = match key.category {
        Category::Logic | Category::TypeError => key.source == Source::Test,
        Category::Syntax | Category::Indentation | Category::Import | Category::Linting => false,
    };
    is_repairable && !selectors(state, key).is_empty()
}

/// Returns whether, as far as is known, there is a runner that tries changes for these tests.
fn may_be_warm(state: &HealState) -> bool {
    state.analysis.setup.as_ref().is_some_and(|setup| setup.suite().tests.runner != TestRunner::OPAQUE)
        && !on_this_tree(state).any(|search| search.is_never_warm)
}

fn selectors(state: &HealState, key: &Key) -> Vec<String> {
    state.diagnosis.current.as_ref().map(|observed| observed.result.selectors_of(key)).unwrap_or_default()
}

/// Returns whether the rules can be skipped for this failure: they know little about a fault of logic, and
/// search tries what they suggest.
pub(crate) fn stands_in_for_rules(state: &HealState, key: &Key) -> bool {
    let was_searched = || on_this_tree(state).any(|search| search.key == *key && search.rules_were_tried);
    key.category == Category::Logic && (!is_beyond(state, key) || was_searched())
}

fn on_this_tree(state: &HealState) -> impl Iterator<Item = &Search> {
    state.tried.searches.iter().filter(|search| search.accepted == state.fixes.of_program())
}

/// All searches for one repair share their time: one fault shows in many failures.
fn time_left(state: &HealState) -> Duration {
    let used = on_this_tree(state).map(|search| search.preparing_millis + search.trying_millis).sum();
    Duration::from_secs(state.request.limits.search_seconds).saturating_sub(Duration::from_millis(used))
}

fn run_time_left(state: &HealState, now: Timestamp) -> Duration {
    Duration::from_secs(state.request.limits.run_seconds).saturating_sub(now.since(state.started_at))
}

/// Runner that is kept from one failure of a step to the next: loading the tests and watching them takes as
/// long as trying many changes.
#[derive(Default)]
pub(crate) struct WarmRunnerPool(Option<Prepared>);

/// A runner that has loaded the tests, and what they do.
struct Prepared {
    /// The number of the suite that they are of.
    suite: usize,
    runner: Runner,
    runs: Vec<TestRun>,
    watched: Option<Watched>,
    /// Changes that leave a test failing which runs what they change: they repair nothing, whichever failure shows the fault.
    futile: HashSet<FileEdit>,
}

impl WarmRunnerPool {
    /// Stops the runner, if there is one.
    pub(crate) async fn close(self) -> Result<(), StepError> {
        let Some(prepared) = self.0 else { return Ok(()) };
        prepared.runner.close().await.or_else(|error| error.into_refusal().map(drop))
    }
}

impl Prepared {
    /// Loads the tests and runs each once.
    async fn start(session: &mut Session, time: Duration) -> Result<Self, RunnerError> {
        let began = Instant::now();
        let place = session.place();
        let words = toolchains::of(place.setup.language()).warm_words(&place).ok_or_else(no_runner)?;
        let conversation =
            session.converse(words, 2 * time).await.map_err(|error| RunnerError::Broken(told(&error)))?;
        let mut runner = Runner::start(conversation, time).await?;
        let runs = suite::observe(&mut runner, time.saturating_sub(began.elapsed())).await?;
        Ok(Self { suite: session.setup().at, runner, runs, watched: None, futile: HashSet::new() })
    }

    /// Leaves out tests, by their selectors: what they do says nothing about a change.
    fn leave_out(&mut self, selectors: &[String], session: &Session) {
        let setup = session.setup();
        let own = setup.by_suite(selectors).remove(&self.suite).unwrap_or_default();
        let toolchain = toolchains::of(setup.language());
        self.runs.retain(|run| !own.iter().any(|selector| toolchain.is_selected(selector, &run.test)));
    }
}

fn no_runner() -> RunnerError {
    RunnerError::Broken("this test runner cannot be kept loaded".to_owned())
}

/// Candidates for the target that the tests allow, likeliest first; those of rules come before all others, and what rules merely guess is
/// as likely as it says. What was done is written down in the state. Where nothing can be searched, guesses are what is left.
pub(crate) async fn candidates(
    state: &mut HealState,
    session: &mut Session,
    target: &Finding,
    mut of_rules: Vec<Candidate>,
    pool: &mut WarmRunnerPool,
    context: &StepContext,
) -> Result<Vec<Candidate>, StepError> {
    let mut record = Search::new(target.key(), state);
    let began = context.now();
    of_rules.retain(|one| !state.tried.changes_judge(&record.key, one));
    // What changes several files cannot be tried here.
    let (of_rules, several): (Vec<_>, Vec<_>) = of_rules.into_iter().partition(|one| one.files.len() == 1);
    let (guesses, of_rules): (Vec<_>, Vec<_>) = of_rules.into_iter().partition(|one| one.fixer == fix::LOCAL_REPAIR);
    let shown_by = |observed: &Observed| observed.result.selectors_in_place(target);
    let own_selectors = state.diagnosis.current.as_ref().map(shown_by).unwrap_or_default();
    let own_selectors = session.enter_suite_of(&own_selectors);
    let asked = Asked { target, selectors: &own_selectors, of_rules: &of_rules, guesses: &guesses };
    let found = search(state, session, asked, pool, &mut record, context).await;
    session.enter_suite_of(&[]);
    let mut found = match found {
        Ok(found) => found,
        Err(RunnerError::Hopeless(why)) => {
            record.refused = Some(why);
            guesses
        }
        Err(error) => {
            record.not_warm = Some(error.into_refusal()?);
            record.preparing_millis = millis(context.now().since(began)).saturating_sub(record.trying_millis);
            // Without knowing which tests run what, a change has to heal all of them.
            let all = session.setup().by_suite(&selectors(state, &record.key)).pop_first().unwrap_or_default().1;
            search_with_starts(state, session, Asked { selectors: &all, ..asked }, &mut record, context).await?
        }
    };
    found.extend(several);
    context.note("search", summary(&record));
    state.tried.searches.push(record);
    Ok(found)
}

/// Returns a summary of the search in one line, for the user.
pub(crate) fn summary(search: &Search) -> String {
    let seconds = |millis: u64| Duration::from_millis(millis).as_secs_f64();
    if let Some(why) = &search.refused {
        return format!("nothing was searched for: {why}");
    }
    let how = match &search.not_warm {
        Some(_) if search.builds > 0 => {
            format!("{} builds with many of them, {} alone", search.builds, search.loaded_anew)
        }
        Some(why) => format!("the tests started for each, because {why}"),
        None => format!("{} with the project loaded anew", search.loaded_anew),
    };
    format!(
        "{} of {} changes tried in {:.1} s after {:.1} s of preparation, {how}; the tests allow {} of them{}",
        search.tried,
        search.candidates,
        seconds(search.trying_millis),
        seconds(search.preparing_millis),
        search.plausible,
        end_of(search)
    )
}

/// Describes the reason for which a search was cut short; empty if the time or the candidates ran out.
fn end_of(search: &Search) -> String {
    search.cut_short.as_ref().map_or_else(String::new, |why| format!("; then {why}"))
}

/// Target of a search, with what rules know and what they guess.
#[derive(Clone, Copy)]
struct Asked<'a> {
    target: &'a Finding,
    /// Its tests, as the runner of their suite calls them.
    selectors: &'a [String],
    of_rules: &'a [Candidate],
    guesses: &'a [Candidate],
}

/// Returns the time that the search for this failure may take.
fn time_for(state: &HealState, now: Timestamp) -> Duration {
    let others = state.diagnosis.log.current().filter(|entry| !is_beyond(state, &entry.finding.key())).count();
    let time = time_left(state).min(run_time_left(state, now));
    if others > 1 { time.mul_f64(SHARE) } else { time }
}

async fn search(
    state: &HealState,
    session: &mut Session,
    Asked { target, selectors, of_rules, guesses }: Asked<'_>,
    pool: &mut WarmRunnerPool,
    record: &mut Search,
    context: &StepContext,
) -> Result<Vec<Candidate>, RunnerError> {
    let began = context.now();
    let time = time_for(state, began);
    let deadline = began.plus(time);
    if let Some(other) = pool.0.take_if(|prepared| prepared.suite != session.setup().at) {
        other.runner.close().await?;
    }
    let mut prepared = if let Some(prepared) = pool.0.take() {
        prepared
    } else {
        let suite_time =
            state.diagnosis.current.as_ref().map(|observed| observed.result.duration()).unwrap_or_default();
        if suite_time > time / 2 {
            let seconds = suite_time.as_secs_f64();
            return Err(RunnerError::Hopeless(format!(
                "the suite takes {seconds:.0} s; --search-seconds gives more time"
            )));
        }
        if !may_be_warm(state) {
            return Err(no_runner());
        }
        context.progress(format!("{}: loading the tests to search for a change", target.headline()));
        record.is_never_warm = true;
        let mut prepared = Prepared::start(session, time).await?;
        prepared.leave_out(&flaky::tests_left_alone(&state.diagnosis), session);
        prepared
    };
    record.is_never_warm = false;
    let suite = match Suite::new(toolchains::of(session.setup().language()), &prepared.runs, selectors) {
        Ok(suite) => suite,
        Err(error) => {
            // The next failure may be another matter.
            pool.0 = Some(prepared);
            return Err(error);
        }
    };
    let Prepared { runner, watched, futile, .. } = &mut prepared;
    let watched = match watched {
        Some(watched) => watched,
        none @ None => none.insert(suite.watch(runner, deadline.since(context.now())).await?),
    };
    let hinted = state.diagnosis.lsp.lines(state.fixes.accepted.len());
    let evidence = Evidence { coverage: watched.coverage.clone(), changed: changed_lines(session), hinted };
    let sources = session.sources();
    let (mut candidates, elsewhere): (Vec<_>, Vec<_>) = of_rules.iter().cloned().partition(|one| watched.ran(one));
    let first_rules = 0..candidates.len();
    let mut changes = likeliest_first(searched(state, target, session, &evidence), guesses, sources);
    changes.retain(|one| !one.files.iter().any(|edit| futile.contains(edit)));
    candidates.extend(changes);
    let last_rules = candidates.len()..candidates.len() + elsewhere.len();
    candidates.extend(elsewhere);
    record.set_candidates(&candidates);
    record.preparing_millis = millis(context.now().since(began));
    let trial = Trial {
        suite: &suite,
        watched: Some(watched),
        candidates: &candidates,
        sources,
        target,
        deadline,
        enough: ENOUGH,
    };
    let Found { plausible, ended } = trial.run(runner, record, context).await?;
    record.rules_were_tried = first_rules.chain(last_rules).all(|number| ended.contains(&number));
    let failed = ended.difference(&plausible).filter_map(|number| candidates.get(*number));
    let futile_now =
        failed.filter(|one| logic::region(one, sources).is_some_and(|place| suite.all_ran(watched, &place)));
    futile.extend(futile_now.flat_map(|one| one.files.iter().cloned()));
    if runner.is_idle() {
        pool.0 = Some(prepared);
    } else {
        // What it says next is about these.
        prepared.runner.close().await?;
    }
    Ok(plausible.into_iter().filter_map(|number| candidates.get(number).cloned()).collect())
}

/// The same with the tests started for each change. Which lines tests run is not known then.
async fn search_with_starts(
    state: &HealState,
    session: &mut Session,
    Asked { target, selectors, of_rules, guesses }: Asked<'_>,
    record: &mut Search,
    context: &StepContext,
) -> Result<Vec<Candidate>, StepError> {
    let now = context.now();
    let used = Duration::from_millis(record.preparing_millis);
    let deadline = now.plus(time_for(state, now).saturating_sub(used));
    let Some(observed) = &state.diagnosis.current else { return Ok(Vec::new()) };
    let hinted = state.diagnosis.lsp.lines(state.fixes.accepted.len());
    let evidence = Evidence { changed: changed_lines(session), hinted, ..Evidence::default() };
    let mut candidates = of_rules.to_vec();
    let sources = session.sources();
    candidates.extend(likeliest_first(searched(state, target, session, &evidence), guesses, sources));
    record.set_candidates(&candidates);
    record.preparing_millis += millis(context.now().since(now));
    let sorting = Sorting::new(target, selectors, &candidates, context.now(), deadline);
    let trial = started::Trial { before: &observed.result, candidates: &candidates, sorting, target, deadline };
    let found = trial.run(session, record, context).await?;
    record.rules_were_tried = (0..of_rules.len()).all(|number| found.ended.contains(&number));
    Ok(found.plausible.into_iter().filter_map(|number| candidates.get(number).cloned()).collect())
}

/// Small changes of suspicious lines, but for what is known to judge the target. Those that bring a line of the commit before back come first.
fn searched(state: &HealState, target: &Finding, session: &Session, evidence: &Evidence) -> Vec<Candidate> {
    let key = target.key();
    let mut candidates = logic::candidates(target, session.sources(), evidence, MOST_CANDIDATES);
    candidates.retain(|one| !state.tried.changes_judge(&key, one));
    earlier::weigh(&mut candidates, session);
    candidates.sort_by_key(|candidate| candidate.cost);
    candidates
}

/// Both, by their likelihood, each text once.
fn likeliest_first(mut searched: Vec<Candidate>, guesses: &[Candidate], sources: &Sources) -> Vec<Candidate> {
    let result = |candidate: &Candidate| match candidate.files.as_slice() {
        [file] => file.apply(sources.text(&file.file)?).ok(),
        _ => None,
    };
    let is_near = |one: &Candidate, other: &Candidate| {
        one.line == other.line && one.files.first().map(|edit| &edit.file) == other.files.first().map(|edit| &edit.file)
    };
    let texts: Vec<Option<String>> = guesses.iter().map(result).collect();
    searched.retain(|one| {
        let mut same = guesses.iter().zip(&texts).filter(|(guess, _)| is_near(one, guess));
        !same.any(|(_, text)| *text == result(one))
    });
    searched.extend(guesses.iter().map(|guess| Candidate { cost: guess.cost + BLIND, ..guess.clone() }));
    // Stable, as what is equally likely keeps its order.
    searched.sort_by_key(|candidate| candidate.cost);
    searched
}

/// Puts the first candidate that the tests allow before the others, and what they do not allow behind them, where there is much to try:
/// trying costs a fraction here of what it costs the patch agent, who judges as ever.
pub(crate) async fn screen(
    state: &HealState,
    session: &mut Session,
    proposals: &mut [Proposal],
    context: &StepContext,
) -> Result<(), StepError> {
    let is_warm = may_be_warm(state);
    let is_worth_it =
        |proposal: &Proposal| is_warm && proposal.candidates.len() > FEW && can_be_tried(state, &proposal.target.key());
    let mut proposals: Vec<&mut Proposal> = proposals.iter_mut().filter(|proposal| is_worth_it(proposal)).collect();
    let is_slow = state.diagnosis.current.as_ref().is_some_and(|observed| observed.result.duration() > SCREENING);
    if proposals.is_empty() || is_slow || state.request.limits.search_seconds == 0 {
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
    let Prepared { mut runner, runs, .. } = Prepared::start(session, SCREENING).await?;
    for proposal in proposals {
        let (target, candidates) = (&proposal.target, &proposal.candidates);
        let suite = Suite::new(toolchains::of(session.setup().language()), &runs, &selectors(state, &target.key()))?;
        let deadline = context.now().plus(SCREENING);
        let sources = session.sources();
        // The first that the tests allow is the first that the patch agent tries.
        let trial = Trial { suite: &suite, watched: None, candidates, sources, target, deadline, enough: 1 };
        let mut record = Search::new(target.key(), state);
        let Found { plausible, ended } = trial.run(&mut runner, &mut record, context).await?;
        let (headline, tried, count) = (target.headline(), record.tried, plausible.len());
        let end = end_of(&record);
        context.note("search", format!("{headline}: of {tried} candidates the tests allow {count}{end}"));
        let mut ranked: Vec<(usize, Candidate)> = proposal.candidates.drain(..).enumerate().collect();
        ranked.sort_by_key(|(number, _)| (!plausible.contains(number), ended.contains(number)));
        proposal.candidates = ranked.into_iter().map(|(_, candidate)| candidate).collect();
        if !runner.is_idle() {
            // What it says next is about these.
            break;
        }
    }
    runner.close().await
}

fn told(error: &StepError) -> String {
    match error {
        StepError::Passing { message, .. } | StepError::Permanent { message, .. } => message.clone(),
        StepError::LeaseLost => "the run belongs to another worker".to_owned(),
    }
}
