//! Candidates through the runner, likeliest first, until the time is over or enough of them are allowed by the tests.

use std::collections::{BTreeSet, VecDeque};
use std::time::Duration;

use autoheal_code::logic;
use autoheal_code::warm::{Answer, Request, Tried, Try, TryEnd, Way};
use autoheal_code::{Candidate, Sources};
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepContext;

use super::runner::{Runner, RunnerError};
use super::suite::{Suite, Watched};
use crate::check_result::millis;
use crate::state::Search;

/// Number of tries that are queued at the runner: it must not wait for us, and must not have much to do when the time is over.
const AHEAD: usize = 8;

/// Number of passing changes that suffices: one is kept, and the others show how little a pass means.
pub(super) const ENOUGH: usize = 8;

/// Minimum number of further tries after the first change that passes. At least as many as before are tried, to see how many others pass.
const FURTHER: usize = 100;

/// Minimum further time after the first change that passes, if there are tries that take long: of tries as they mostly are, [`FURTHER`] fit
/// in. It may take as long as before.
const FURTHER_TIME: Duration = Duration::from_secs(30);

/// Number of tries between two progress reports.
const TOLD: usize = 100;

/// Candidates to try, and the deadline.
pub(super) struct Trial<'a> {
    pub(super) suite: &'a Suite,
    /// Lines that the failing tests run; `None`: failures other than the target's are ignored.
    pub(super) watched: Option<&'a Watched>,
    pub(super) candidates: &'a [Candidate],
    pub(super) sources: &'a Sources,
    pub(super) target: &'a Finding,
    pub(super) deadline: Timestamp,
    /// Number of passing changes after which no further one is tried.
    pub(super) enough: usize,
}

/// Candidates that are still to be tried.
struct Queue<'a> {
    /// Tries without a new load of the project, likeliest first.
    quick: VecDeque<Try<'a>>,
    /// The project has to be loaded anew for these, which takes as long as a hundred of the others.
    slow: VecDeque<Try<'a>>,
    /// They took longer than there was reason to expect.
    late: Vec<Try<'a>>,
    /// Number of tries with the runner that load the project anew.
    loading: usize,
    /// Number from which on candidates are no longer tried.
    last: usize,
}

impl<'a> Queue<'a> {
    fn new(candidates: &'a [Candidate]) -> Self {
        let quick = candidates.iter().enumerate().filter_map(|(number, one)| Try::of(number, one)).collect();
        let (slow, late, last) = (VecDeque::new(), Vec::new(), candidates.len());
        Self { quick, slow, late, loading: 0, last }
    }

    /// Returns the next try for the runner. Loading takes up one of its slots while quick tries are left.
    fn next(&mut self) -> Option<Try<'a>> {
        let last = self.last;
        let is_wanted = |next: &mut Try<'a>| next.number < last;
        let is_quick_left = self.quick.front().is_some_and(|next| next.number < last);
        let slow = if self.loading == 0 || !is_quick_left { self.slow.pop_front_if(is_wanted) } else { None };
        let next = slow.or_else(|| self.quick.pop_front_if(is_wanted))?;
        self.loading += usize::from(next.fresh);
        Some(next)
    }

    /// Takes note of an answer; whether the try is over.
    fn ended(&mut self, tried: &Tried, candidates: &'a [Candidate]) -> bool {
        let is_fresh = tried.way == Way::Fresh;
        self.loading = self.loading.saturating_sub(usize::from(is_fresh));
        let again = || candidates.get(tried.number).and_then(|one| Try::of(tried.number, one));
        match tried.outcome {
            TryEnd::Unfit => self.slow.extend(again().map(|again| Try { fresh: true, ..again })),
            TryEnd::Timeout | TryEnd::Died => self.late.extend(again().map(|again| Try { fresh: is_fresh, ..again })),
            TryEnd::Failed | TryEnd::Passed | TryEnd::Broke => {}
        }
        tried.outcome != TryEnd::Unfit
    }

    /// Begins again with what took too long.
    fn give_more_time(&mut self) {
        let (slow, quick): (Vec<_>, Vec<_>) = std::mem::take(&mut self.late).into_iter().partition(|late| late.fresh);
        self.slow.extend(slow);
        self.quick.extend(quick);
    }
}

/// Result of a trial, by the numbers of candidates.
#[derive(Default)]
pub(super) struct Found {
    /// Those that the tests allow.
    pub(super) plausible: BTreeSet<usize>,
    /// Those of which it is known whether the tests allow them.
    pub(super) ended: BTreeSet<usize>,
}

impl Trial<'_> {
    /// Tries the candidates, likeliest first.
    pub(super) async fn run(
        &self,
        runner: &mut Runner,
        record: &mut Search,
        context: &StepContext,
    ) -> Result<Found, RunnerError> {
        let Suite { first, rest, passing, .. } = self.suite;
        let rest_seconds = self.suite.limit_of_rest();
        let began = context.now();
        let mut queue = Queue::new(self.candidates);
        let mut found = Found::default();
        for seconds in self.suite.limits() {
            runner.send(&Request::Plan { first, rest, passing, seconds, rest_seconds }).await?;
            if let Err(error) = self.run_queue(&mut queue, &mut found, runner, record, context).await {
                // What was found by then is worth no less.
                record.cut_short = Some(error.into_cut()?);
                break;
            }
            if !found.plausible.is_empty() || self.deadline.since(context.now()).is_zero() {
                break;
            }
            queue.give_more_time();
        }
        record.trying_millis = millis(context.now().since(began));
        record.plausible = found.plausible.len();
        Ok(found)
    }

    /// Until nothing is left that is wanted, or the time is over.
    async fn run_queue<'a>(
        &'a self,
        queue: &mut Queue<'a>,
        found: &mut Found,
        runner: &mut Runner,
        record: &mut Search,
        context: &StepContext,
    ) -> Result<(), RunnerError> {
        let began = context.now();
        let mut deadline = self.deadline;
        loop {
            while runner.open() < AHEAD
                && let Some(next) = queue.next()
            {
                runner.send(&Request::Try(next)).await?;
            }
            let left = deadline.since(context.now());
            if runner.is_idle() || left.is_zero() {
                return Ok(());
            }
            let tried = match runner.answer_within(left).await? {
                Some(Answer::Tried(tried)) => tried,
                Some(other) => {
                    return Err(RunnerError::Unreadable(format!("{other:?} instead of what became of a try")));
                }
                None => return Ok(()),
            };
            if !queue.ended(&tried, self.candidates) {
                continue;
            }
            record.tried += usize::from(found.ended.insert(tried.number));
            record.loaded_anew += usize::from(tried.way == Way::Fresh);
            if self.is_plausible(&tried) {
                if found.plausible.is_empty() {
                    let now = context.now();
                    deadline = deadline.min(now.plus(now.since(began).max(FURTHER_TIME)));
                }
                found.plausible.insert(tried.number);
                let enough = found.plausible.len() >= self.enough;
                queue.last = if enough { 0 } else { queue.last.min(tried.number + tried.number.max(FURTHER)) };
            }
            if record.tried.is_multiple_of(TOLD) {
                let (headline, total) = (self.target.headline(), self.candidates.len());
                let allowed = found.plausible.len();
                context.progress(format!("{headline}: {} of {total} changes tried, {allowed} allowed", record.tried));
            }
        }
    }

    /// Returns whether a change explains every failure that it can: no test that runs the changed function
    /// still fails. A test that still fails and never runs that function fails because of another fault.
    fn is_plausible(&self, tried: &Tried) -> bool {
        if tried.outcome != TryEnd::Passed || tried.still.iter().any(|test| self.suite.needed.contains(test)) {
            return false;
        }
        let Some(watched) = self.watched.filter(|_| !tried.still.is_empty()) else { return true };
        let candidate = self.candidates.get(tried.number);
        let Some((file, lines)) = candidate.and_then(|one| logic::region(one, self.sources)) else { return false };
        tried.still.iter().all(|test| {
            let ran = watched.failing.get(test);
            ran.is_some_and(|ran| ran.get(&file).is_none_or(|ran| ran.range(lines.clone()).next().is_none()))
        })
    }
}
