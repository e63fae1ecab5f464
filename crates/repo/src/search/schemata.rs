//! Candidates that one build holds by the hundred ([`autoheal_code::schemata`]). It is found out here which of them leave a failing test
//! failing; the others are tried one by one, as they will be in the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use autoheal_code::Candidate;
use autoheal_code::schemata::{Schema, schemata};
use autoheal_engine::Timestamp;
use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};

use crate::session::Session;
use crate::state::FileText;
use crate::toolchain::{RunEnd, SchemataResult};
use crate::toolchains;

/// Number of the program as it is.
const UNCHANGED: usize = 0;

/// Number of changes of the first build: the likeliest are often right.
const FIRST: usize = 60;

/// Number of changes of each further build.
const MOST: usize = 500;

/// Maximum length of the texts of a build, in bytes, as far as changes make them longer.
const MOST_TEXT: usize = 1 << 20;

/// Maximum number of builds for the same changes: each shows errors that those before it hid.
const MOST_BUILDS: usize = 10;

/// Number of changes after the first that lets the tests pass.
const FURTHER: usize = 100;

/// Maximum time of the tests without a change.
const LONGEST: Duration = Duration::from_secs(10);

/// Share of the time that is left to the trials of what is found here.
const FOR_TRIALS: f64 = 0.4;

/// Result for the candidates, by their numbers from 0.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    /// A failing test still fails, or the compiler refuses them.
    pub(super) failed: BTreeSet<usize>,
    /// The failing tests pass.
    pub(super) passed: BTreeSet<usize>,
    /// Number of builds.
    pub(super) builds: usize,
}

/// Candidates to sort, and the deadline of their trial.
pub(super) struct Sorting<'a> {
    pub(super) target: &'a Finding,
    /// The tests that fail, as their runner calls them.
    pub(super) selectors: &'a [String],
    pub(super) candidates: &'a [Candidate],
    pub(super) deadline: Timestamp,
}

impl Sorting<'_> {
    /// Sorts the candidates, likeliest first. What cannot be built with others is not sorted.
    pub(super) async fn run(&self, session: &mut Session, context: &StepContext) -> Result<Sorted, StepError> {
        let time = self.deadline.since(context.now()).mul_f64(1.0 - FOR_TRIALS);
        let deadline = context.now().plus(time);
        let context = &context.without_records();
        let mut sorted = Sorted::default();
        let mut open: BTreeSet<usize> = (1..=self.candidates.len()).collect();
        let (mut most, mut last) = (FIRST, self.candidates.len());
        while let Some(batch) = self.take_batch(&mut open, most, last, session)
            && let Some(ends) = self.run_batch(batch, &mut sorted, deadline, session, context).await?
        {
            sorted.take(&ends);
            if let Some(first) = sorted.passed.first() {
                last = first + first.max(&FURTHER);
            }
            let (tried, allowed) = (sorted.failed.len() + sorted.passed.len(), sorted.passed.len());
            let headline = self.target.headline();
            context.progress(format!(
                "{headline}: {tried} of {} changes tried in {} builds, {allowed} to try alone",
                self.candidates.len(),
                sorted.builds
            ));
            most = MOST;
        }
        Ok(sorted)
    }

    /// The next candidates that fit into one build, by their numbers from 1; `None`: none is left.
    fn take_batch(
        &self,
        open: &mut BTreeSet<usize>,
        most: usize,
        last: usize,
        session: &Session,
    ) -> Option<BTreeSet<usize>> {
        let sources = session.sources();
        let longer = |schema: &Schema| schema.text.len().saturating_sub(sources.text(&schema.file).map_or(0, str::len));
        let mut count = most;
        loop {
            let next: BTreeSet<usize> = open.range(..=last).copied().take(count).collect();
            if next.is_empty() {
                return None;
            }
            let files = schemata(self.candidates, &next, sources);
            if files.iter().map(longer).sum::<usize>() > MOST_TEXT && next.len() > 1 {
                count = next.len() / 2;
                continue;
            }
            open.retain(|number| !next.contains(number));
            let placed: BTreeSet<usize> = files.iter().flat_map(Schema::changes).collect();
            // What has no place in a text is left to a trial of its own.
            if !placed.is_empty() {
                return Some(placed);
            }
        }
    }

    /// Builds the changes and runs the tests with each. Returns the ends of their runs; `None`: nothing more can be learnt so.
    async fn run_batch(
        &self,
        mut batch: BTreeSet<usize>,
        sorted: &mut Sorted,
        deadline: Timestamp,
        session: &mut Session,
        context: &StepContext,
    ) -> Result<Option<BTreeMap<usize, Vec<RunEnd>>>, StepError> {
        for _ in 0..MOST_BUILDS {
            let time = deadline.since(context.now());
            if time.is_zero() {
                return Ok(None);
            }
            let files = schemata(self.candidates, &batch, session.sources());
            let changes: Vec<usize> = std::iter::once(UNCHANGED)
                .chain(files.iter().flat_map(Schema::changes).collect::<BTreeSet<_>>())
                .collect();
            let toolchain = toolchains::of(session.setup().language());
            let Some(words) = toolchain.schemata_words(&session.place(), self.selectors, &changes, LONGEST) else {
                return Ok(None);
            };
            let texts: Vec<FileText> =
                files.iter().map(|schema| FileText { file: schema.file.clone(), text: schema.text.clone() }).collect();
            let undo = session.write(&texts)?;
            let outcome = session.run(words, time, context).await;
            let result = toolchain.schemata_result(&session.place());
            // Also on an error: the tree never keeps what was not accepted.
            session.write(&undo)?;
            outcome?;
            sorted.builds += 1;
            match result {
                SchemataResult::Refused(places) => {
                    let mut left_out = BTreeSet::new();
                    for (file, byte) in &places {
                        let Some(schema) = files.iter().find(|schema| schema.file == *file) else { continue };
                        let refused = schema.change_at(*byte);
                        sorted.failed.extend(refused.map(|number| number - 1));
                        // The compiler may object to the switch, not to a change.
                        let around = schema.changes_around(*byte).filter(|_| refused.is_none());
                        left_out.extend(refused.into_iter().chain(around));
                    }
                    if left_out.is_empty() {
                        return Ok(None);
                    }
                    batch.retain(|number| !left_out.contains(number));
                    if batch.is_empty() {
                        return Ok(Some(BTreeMap::new()));
                    }
                }
                SchemataResult::Ran(ends) => {
                    let is_failing =
                        ends.get(&UNCHANGED).is_some_and(|ends| ends.iter().any(|end| *end != RunEnd::Passed));
                    return Ok(is_failing.then_some(ends));
                }
                SchemataResult::Unknown => return Ok(None),
            }
        }
        Ok(Some(BTreeMap::new()))
    }
}

impl Sorted {
    /// Takes note of the ends of the runs. Nothing is known of a change whose runs took too long, or did not all end.
    fn take(&mut self, ends: &BTreeMap<usize, Vec<RunEnd>>) {
        let programs = ends.get(&UNCHANGED).map_or(0, Vec::len);
        for (number, ends) in ends.iter().filter(|(number, _)| **number != UNCHANGED) {
            if ends.contains(&RunEnd::Failed) {
                self.failed.insert(number - 1);
            } else if ends.len() == programs && ends.iter().all(|end| *end == RunEnd::Passed) {
                self.passed.insert(number - 1);
            }
        }
    }
}
