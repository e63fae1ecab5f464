//! Candidates with the test runner started for each: much slower than the runner that tries changes, and possible with every runner that
//! can run selected tests.

use std::collections::VecDeque;
use std::time::Duration;

use autoheal_code::Candidate;
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};

use super::FEW;
use super::schemata::Sorting;
use super::trial::{ENOUGH, Found};
use crate::acceptance::judge;
use crate::check_result::{CheckResult, millis};
use crate::session::Session;
use crate::state::{FileText, Search};
use crate::test_scope::Scope;

/// Reason for which no candidate is worth a try.
const NOT_THERE: &str = "the failing tests do not always fail";

/// Maximum duration of one try, as a multiple of the duration of the whole suite: a change may make a loop endless.
const PATIENCE: u32 = 3;

/// Minimum for the time limit of one try, in case the machine is busy.
const SHORTEST_LIMIT: Duration = Duration::from_secs(2);

/// Minimum number of further tries after the first change that passes. At least as many as before are tried, to see how many others pass.
const FURTHER: usize = 10;

/// Minimum number of changes that are sorted in builds when one of them passes: as many again as before are sorted, to see how many others pass.
const FEWEST_SORTED: usize = 200;

/// Number of tries between two progress reports.
const TOLD: usize = 10;

/// Candidates to try, and the deadline.
pub(super) struct Trial<'a> {
    /// The tree as it is.
    pub(super) before: &'a CheckResult,
    pub(super) candidates: &'a [Candidate],
    /// Hundreds of them in one build, where that is possible.
    pub(super) sorting: Sorting<'a>,
    pub(super) target: &'a Finding,
    pub(super) deadline: Timestamp,
}

impl Trial<'_> {
    /// Tries the candidates, likeliest first; those that let the failing tests pass before all others.
    pub(super) async fn run(
        mut self,
        session: &mut Session,
        record: &mut Search,
        context: &StepContext,
    ) -> Result<Found, StepError> {
        let began = context.now();
        // Hundreds of tries are not kept with the run.
        let context = &context.without_records();
        let mut found = Found::default();
        let mut is_sorting = self.candidates.len() > FEW;
        let mut queue: VecDeque<usize> = (0..if is_sorting { 0 } else { self.candidates.len() }).collect();
        let (mut tried, mut last, mut most_sorted) = (0, usize::MAX, usize::MAX);
        if !self.still_fails(session, context).await? {
            record.refused = Some(NOT_THERE.to_owned());
            return Ok(found);
        }
        while tried < last && !self.time_left(context).is_zero() {
            let Some(number) = queue.pop_front() else {
                if !is_sorting || self.sorting.count() >= most_sorted {
                    break;
                }
                if let Some(passed) = self.sorting.next(session, context).await? {
                    queue.extend(passed);
                } else {
                    is_sorting = false;
                    queue.extend(self.sorting.unsorted());
                }
                continue;
            };
            if tried.is_multiple_of(TOLD) {
                let (headline, allowed) = (self.target.headline(), found.plausible.len());
                context.progress(format!("{headline}: change {} tried alone, {allowed} allowed", tried + 1));
            }
            let Some(candidate) = self.candidates.get(number) else { continue };
            let Some(files) = texts_of(candidate, session) else { continue };
            let undo = session.write(&files)?;
            let is_allowed = self.is_allowed(session, context).await;
            // Also on an error: the tree never keeps what was not accepted.
            session.write(&undo)?;
            found.ended.insert(number);
            tried += 1;
            if is_allowed? {
                if !self.still_fails(session, context).await? {
                    record.refused = Some(NOT_THERE.to_owned());
                    found.plausible.clear();
                    break;
                }
                found.plausible.insert(number);
                let enough = found.plausible.len() >= ENOUGH;
                most_sorted = most_sorted.min((2 * self.sorting.count()).max(FEWEST_SORTED));
                last = if enough { 0 } else { last.min(tried + tried.max(FURTHER)) };
            }
        }
        found.ended.extend(self.sorting.failed());
        record.tried = found.ended.len();
        record.loaded_anew = tried;
        record.builds = self.sorting.builds();
        record.plausible = found.plausible.len();
        record.trying_millis = millis(context.now().since(began));
        Ok(found)
    }

    fn time_left(&self, context: &StepContext) -> Duration {
        self.deadline.since(context.now())
    }

    /// Returns the maximum time of a check: a change may make a loop endless, and no check may outlast the
    /// search.
    fn limit(&self, context: &StepContext) -> Duration {
        let limit = self.before.duration().saturating_mul(PATIENCE).max(SHORTEST_LIMIT);
        limit.min(self.time_left(context))
    }

    /// Returns whether the failure shows without any change: otherwise no effect of a change is evidence. Tests that are ended too early say
    /// nothing against it.
    async fn still_fails(&self, session: &mut Session, context: &StepContext) -> Result<bool, StepError> {
        let look = self.look_at_target(session, context).await?;
        Ok(look.cut_short.is_some() || look.keys().contains(&self.target.key()))
    }

    async fn look_at_target(&self, session: &mut Session, context: &StepContext) -> Result<CheckResult, StepError> {
        let failing = self.before.failing_selectors(&self.target.key());
        session.run_checks(&Scope::Only(failing), self.limit(context), context).await
    }

    /// The failing tests first, then everything.
    async fn is_allowed(&self, session: &mut Session, context: &StepContext) -> Result<bool, StepError> {
        let key = self.target.key();
        let look = self.look_at_target(session, context).await?;
        if look.cut_short.is_some() || look.keys().contains(&key) {
            return Ok(false);
        }
        let look = session.run_checks(&Scope::All, self.limit(context), context).await?;
        Ok(judge(self.before, &look, &key).is_ok())
    }
}

/// The files as the candidate would leave them.
fn texts_of(candidate: &Candidate, session: &Session) -> Option<Vec<FileText>> {
    let sources = session.sources();
    let text_of = |edit: &autoheal_code::FileEdit| {
        let before = sources.text(&edit.file)?;
        let text = edit.apply(before).ok()?;
        sources.permits(edit, &text).then(|| FileText { file: edit.file.clone(), text })
    };
    candidate.files.iter().map(text_of).collect()
}
