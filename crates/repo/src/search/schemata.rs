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

/// Maximum time of the tests without a change.
const LONGEST: Duration = Duration::from_secs(10);

/// Share of the time that is left to the trials of what is found here.
const FOR_TRIALS: f64 = 0.2;

/// Candidates that are sorted by what the failing tests do with them, build after build, likeliest first.
pub(super) struct Sorting<'a> {
    target: &'a Finding,
    /// The tests that fail, as their runner calls them.
    selectors: &'a [String],
    candidates: &'a [Candidate],
    deadline: Timestamp,
    /// Numbers from 1 of the candidates that were in no build.
    open: BTreeSet<usize>,
    most: usize,
    /// A failing test still fails, or the compiler refuses them; by their numbers from 0.
    failed: BTreeSet<usize>,
    /// The failing tests pass; by their numbers from 0.
    passed: BTreeSet<usize>,
    builds: usize,
}

impl<'a> Sorting<'a> {
    /// `selectors`: the tests that fail, as their runner calls them. `deadline`: that of the whole search.
    pub(super) fn new(
        target: &'a Finding,
        selectors: &'a [String],
        candidates: &'a [Candidate],
        now: Timestamp,
        deadline: Timestamp,
    ) -> Self {
        let deadline = now.plus(deadline.since(now).mul_f64(1.0 - FOR_TRIALS));
        let open = (1..=candidates.len()).collect();
        let (failed, passed) = (BTreeSet::new(), BTreeSet::new());
        Self { target, selectors, candidates, deadline, open, most: FIRST, failed, passed, builds: 0 }
    }

    /// Sorts the candidates of the next build. Returns those, by their numbers from 0, that let the failing tests pass; `None`: nothing more
    /// can be learnt so.
    pub(super) async fn next(
        &mut self,
        session: &mut Session,
        context: &StepContext,
    ) -> Result<Option<BTreeSet<usize>>, StepError> {
        let Some(batch) = self.take_batch(session) else { return Ok(None) };
        let Some(ends) = self.run_batch(batch, session, &context.without_records()).await? else { return Ok(None) };
        self.most = MOST;
        let passed = self.take(&ends);
        self.passed.extend(&passed);
        context.progress(format!(
            "{}: {} of {} changes tried in {} builds, {} to try alone",
            self.target.headline(),
            self.count(),
            self.candidates.len(),
            self.builds,
            self.passed.len()
        ));
        Ok(Some(passed))
    }

    /// Candidates, by their numbers from 0, that leave a failing test failing.
    pub(super) fn failed(&self) -> &BTreeSet<usize> {
        &self.failed
    }

    /// Candidates, by their numbers from 0, that no build could try: they are to be tried alone.
    pub(super) fn unsorted(&self) -> impl Iterator<Item = usize> {
        (0..self.candidates.len()).filter(|number| !self.failed.contains(number) && !self.passed.contains(number))
    }

    /// Number of candidates that are sorted.
    pub(super) fn count(&self) -> usize {
        self.failed.len() + self.passed.len()
    }

    /// Number of builds so far.
    pub(super) fn builds(&self) -> usize {
        self.builds
    }

    /// The texts with the next candidates that fit into one build; `None`: none is left.
    fn take_batch(&mut self, session: &Session) -> Option<Vec<Schema>> {
        let sources = session.sources();
        let longer = |schema: &Schema| schema.text.len().saturating_sub(sources.text(&schema.file).map_or(0, str::len));
        let mut count = self.most;
        loop {
            let next: BTreeSet<usize> = self.open.iter().copied().take(count).collect();
            if next.is_empty() {
                return None;
            }
            let files = schemata(self.candidates, &next, sources);
            if files.iter().map(longer).sum::<usize>() > MOST_TEXT && next.len() > 1 {
                count = next.len() / 2;
                continue;
            }
            self.open.retain(|number| !next.contains(number));
            // Candidates without a place in a text are left to their own trials.
            if files.iter().flat_map(Schema::changes).next().is_some() {
                return Some(files);
            }
        }
    }

    /// Builds the changes and runs the tests with each. Returns the ends of their runs; `None`: nothing more can be learnt so.
    async fn run_batch(
        &mut self,
        mut files: Vec<Schema>,
        session: &mut Session,
        context: &StepContext,
    ) -> Result<Option<BTreeMap<usize, Vec<RunEnd>>>, StepError> {
        for _ in 0..MOST_BUILDS {
            let time = self.deadline.since(context.now());
            if time.is_zero() {
                return Ok(None);
            }
            let mut batch: BTreeSet<usize> = files.iter().flat_map(Schema::changes).collect();
            let changes: Vec<usize> = std::iter::once(UNCHANGED).chain(batch.iter().copied()).collect();
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
            self.builds += 1;
            match result {
                SchemataResult::Refused(places) => {
                    let mut left_out = BTreeSet::new();
                    for (file, byte) in &places {
                        let Some(schema) = files.iter().find(|schema| schema.file == *file) else { continue };
                        let refused = schema.change_at(*byte);
                        self.failed.extend(refused.map(|number| number - 1));
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
                    files = schemata(self.candidates, &batch, session.sources());
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

    /// Takes note of the ends of the runs, and returns the candidates that passed. Nothing is known of a change whose runs took too long, or
    /// did not all end.
    fn take(&mut self, ends: &BTreeMap<usize, Vec<RunEnd>>) -> BTreeSet<usize> {
        let programs = ends.get(&UNCHANGED).map_or(0, Vec::len);
        let mut passed = BTreeSet::new();
        for (number, ends) in ends.iter().filter(|(number, _)| **number != UNCHANGED) {
            if ends.contains(&RunEnd::Failed) {
                self.failed.insert(number - 1);
            } else if ends.len() == programs && ends.iter().all(|end| *end == RunEnd::Passed) {
                passed.insert(number - 1);
            }
        }
        passed
    }
}
