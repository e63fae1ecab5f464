//! Candidates through the runner, likeliest first, until the time is over or enough of them are allowed by the tests.

use std::collections::{BTreeSet, VecDeque};

use autoheal_code::search;
use autoheal_code::warm::{Answer, Request, Tried, Try, TryEnd, Way};
use autoheal_code::{Candidate, Sources};
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepContext;

use super::runner::{Runner, RunnerError};
use super::suite::{Suite, Watched};
use crate::look::millis;
use crate::state::Search;

/// So many tries are with the runner at a time: it must not wait for us, and must not have much to do when the time is over.
const AHEAD: usize = 8;

/// So many changes that the tests allow are enough: one is kept, the others tell how little that means.
const ENOUGH: usize = 8;

/// After the first that the tests allow, as many again are tried, and no fewer than this: how many others there are is worth knowing.
const FURTHER: usize = 100;

/// A person is told after so many tries.
const TOLD: usize = 100;

/// What is tried, and until when.
pub(super) struct Trial<'a> {
    pub(super) suite: &'a Suite,
    /// What the failing tests run; `None`: other failures than the target's are nobody's concern.
    pub(super) watched: Option<&'a Watched>,
    pub(super) candidates: &'a [Candidate],
    pub(super) sources: &'a Sources,
    pub(super) target: &'a Finding,
    pub(super) deadline: Timestamp,
}

impl Trial<'_> {
    /// The numbers of the candidates that the tests allow, likeliest first.
    pub(super) async fn run(
        &self,
        runner: &mut Runner,
        record: &mut Search,
        context: &StepContext,
    ) -> Result<BTreeSet<usize>, RunnerError> {
        let Suite { first, rest, passing, .. } = self.suite;
        let (seconds, rest_seconds) = self.suite.limits();
        runner.send(&Request::Plan { first, rest, passing, seconds, rest_seconds }).await?;
        let began = context.now();
        let mut waiting: VecDeque<Try<'_>> =
            self.candidates.iter().enumerate().filter_map(|(number, one)| Try::of(number, one)).collect();
        let mut last = self.candidates.len();
        let mut with_runner = 0_usize;
        let mut plausible: BTreeSet<usize> = BTreeSet::new();
        loop {
            while with_runner < AHEAD
                && let Some(next) = waiting.pop_front_if(|next| next.number < last)
            {
                runner.send(&Request::Try(next)).await?;
                with_runner += 1;
            }
            let left = self.deadline.since(context.now());
            if with_runner == 0 || left.is_zero() {
                break;
            }
            let tried = match runner.answer_within(left).await {
                Ok(Some(Answer::Tried(tried))) => tried,
                Ok(Some(other)) => {
                    let why = RunnerError::Unreadable(format!("{other:?} instead of what became of a try"));
                    record.cut_short = Some(why.to_string());
                    break;
                }
                Ok(None) => break,
                Err(error @ RunnerError::Sandbox(_)) => return Err(error),
                // What was found by then is worth no less.
                Err(error @ (RunnerError::Broken(_) | RunnerError::Ended(_) | RunnerError::Unreadable(_))) => {
                    record.cut_short = Some(error.to_string());
                    break;
                }
            };
            with_runner -= 1;
            record.tried += 1;
            record.loaded_anew += usize::from(tried.way == Way::Fresh);
            if self.is_plausible(&tried) {
                plausible.insert(tried.number);
                last = last.min(tried.number + tried.number.max(FURTHER));
                if plausible.len() >= ENOUGH {
                    last = 0;
                }
            }
            if record.tried.is_multiple_of(TOLD) {
                let (headline, total) = (self.target.headline(), self.candidates.len());
                let found = plausible.len();
                context.progress(format!("{headline}: {} of {total} changes tried, {found} allowed", record.tried));
            }
        }
        record.trying_millis = millis(context.now().since(began));
        record.plausible = plausible.len();
        Ok(plausible)
    }

    /// Whether it explains everything that it can: no test that runs the changed function fails any more. A test that fails still and
    /// never gets there is another fault's.
    fn is_plausible(&self, tried: &Tried) -> bool {
        if tried.outcome != TryEnd::Passed || tried.still.iter().any(|test| self.suite.needed.contains(test)) {
            return false;
        }
        let Some(watched) = self.watched.filter(|_| !tried.still.is_empty()) else { return true };
        let candidate = self.candidates.get(tried.number);
        let Some((file, lines)) = candidate.and_then(|one| search::region(one, self.sources)) else { return false };
        tried.still.iter().all(|test| {
            let ran = watched.failing.get(test);
            ran.is_some_and(|ran| ran.get(&file).is_none_or(|ran| ran.range(lines.clone()).next().is_none()))
        })
    }
}
