//! Candidates through the runner, likeliest first, until the time is over or enough of them are allowed by the tests.

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_code::Candidate;
use autoheal_code::warm::{Answer, Request, Tried, Try, TryEnd, Way};
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepContext;

use super::millis;
use super::runner::{Runner, RunnerError};
use super::suite::{Suite, Watched};
use crate::state::Search;

/// So many tries are with the runner at a time: it must not wait for us, and must not have much to do when the time is over.
const AHEAD: usize = 8;

/// So many changes that the tests allow are enough: one is kept, the others tell how little that means.
const ENOUGH: usize = 8;

/// After the first that the tests allow, the search goes on for as long as it took to find it, and no less than this.
const FURTHER: Duration = Duration::from_secs(3);

/// A person is told after so many tries.
const TOLD: usize = 100;

/// What is tried, and until when.
pub(super) struct Trial<'a> {
    pub(super) suite: &'a Suite,
    pub(super) watched: &'a Watched,
    pub(super) candidates: &'a [Candidate],
    pub(super) target: &'a Finding,
    pub(super) deadline: Timestamp,
}

impl Trial<'_> {
    /// The candidates that the tests allow, likeliest first.
    pub(super) async fn run(
        &self,
        runner: &mut Runner,
        record: &mut Search,
        context: &StepContext,
    ) -> Result<Vec<Candidate>, RunnerError> {
        let Suite { first, rest, passing, .. } = self.suite;
        let (seconds, rest_seconds) = self.suite.limits();
        runner.send(&Request::Plan { first, rest, passing, seconds, rest_seconds }).await?;
        let began = context.now();
        let mut deadline = self.deadline;
        let mut waiting = self.candidates.iter().enumerate().filter_map(|(number, one)| Try::of(number, one));
        let mut is_over = false;
        let mut with_runner = 0_usize;
        let mut plausible: BTreeSet<usize> = BTreeSet::new();
        loop {
            while with_runner < AHEAD && !is_over {
                match waiting.next() {
                    Some(next) => {
                        runner.send(&Request::Try(next)).await?;
                        with_runner += 1;
                    }
                    None => is_over = true,
                }
            }
            let left = deadline.since(context.now());
            if with_runner == 0 || left.is_zero() {
                break;
            }
            let tried = match runner.answer_within(left).await? {
                Some(Answer::Tried(tried)) => tried,
                Some(other) => {
                    return Err(RunnerError::Unreadable(format!("{other:?} instead of what became of a try")));
                }
                None => break,
            };
            with_runner -= 1;
            record.tried += 1;
            record.loaded_anew += usize::from(tried.way == Way::Fresh);
            if self.is_plausible(&tried) && plausible.insert(tried.number) {
                if plausible.len() == 1 {
                    let now = context.now();
                    let further = now.since(began).max(FURTHER);
                    deadline = deadline.min(now.plus(further));
                }
                is_over |= plausible.len() >= ENOUGH;
            }
            if record.tried.is_multiple_of(TOLD) {
                let (headline, total) = (self.target.headline(), self.candidates.len());
                let found = plausible.len();
                context.progress(format!("{headline}: {} of {total} changes tried, {found} allowed", record.tried));
            }
        }
        record.trying_millis = millis(context.now().since(began));
        record.plausible = plausible.len();
        // Their numbers are their rank.
        Ok(plausible.into_iter().filter_map(|number| self.candidates.get(number).cloned()).collect())
    }

    /// Whether it explains everything that it can: no test that runs the changed line fails any more. A test that fails still and never
    /// gets there is another fault's.
    fn is_plausible(&self, tried: &Tried) -> bool {
        if tried.outcome != TryEnd::Passed {
            return false;
        }
        let Some(candidate) = self.candidates.get(tried.number) else { return false };
        let runs_it = |test: &String| {
            let lines = self.watched.failing.get(test);
            lines.is_none_or(|lines| {
                candidate
                    .files
                    .iter()
                    .any(|edit| lines.get(&edit.file).is_some_and(|lines| lines.contains(&candidate.line)))
            })
        };
        tried.still.iter().all(|test| !self.suite.needed.contains(test) && !runs_it(test))
    }
}
