//! One failing test, run until it is known what changes its outcome.

mod healed;

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_code::stack::stack;
use autoheal_engine::Timestamp;
use autoheal_engine::workflow::{StepContext, StepError};

use super::conditions::{Conditions, MOMENTS, SEEDS, Threads, ZONES};
use super::order::Reduction;
use super::signs::{self, Sign};
use super::suspect::{SURE, Suspect, Tally};
use super::{FlakyKind, FlakyTest, Healing};
use crate::project::join;
use crate::session::Session;
use crate::suite::Rerun;
use crate::test_scope::Scope;
use crate::toolchain::Toolchain;
use crate::toolchains;

/// A whole suite that takes longer is not run again.
const QUICK: Duration = Duration::from_secs(20);

/// Maximum number of tests that fit on a command line.
const MOST_LISTED: usize = 1500;

/// The last commit and a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    /// The commit brought it.
    Brought,
    /// It may have, for it changed the program.
    Unclear,
    /// It did not: the test failed before, too, or no program was changed, or there is no commit before.
    Older,
}

impl Origin {
    /// Returns the healing that may be tried for a failure that is the same each time.
    const fn healing(self) -> Healing {
        match self {
            Self::Brought | Self::Unclear => Healing::Anything,
            Self::Older => Healing::Rules,
        }
    }
}

/// Runs tests of one suite again.
pub(super) struct Investigation<'a> {
    pub(super) session: &'a mut Session,
    pub(super) context: &'a StepContext,
    pub(super) number: usize,
    pub(super) limit: Duration,
    pub(super) deadline: Timestamp,
    /// Duration of the whole suite.
    pub(super) suite: Duration,
    pub(super) is_cut_short: bool,
}

impl Investigation<'_> {
    /// The flaky ones of these. The first run again is unchanged, and always made.
    pub(super) async fn run(&mut self, suspects: &[Suspect]) -> Result<Vec<FlakyTest>, StepError> {
        let names: Vec<String> = suspects.iter().map(|suspect| suspect.selector.clone()).collect();
        let watched = Conditions { is_watched: true, ..Conditions::default() };
        let first = self.rerun(names, &watched).await?;
        let mut found = Vec::new();
        for suspect in suspects {
            // A test that the second run did not find is not one that passed.
            let Some(mut passed) = suspect.state_in(&first.result) else {
                found.extend(self.without_network(suspect));
                continue;
            };
            let mut noted = first.touched.clone();
            if suspects.len() > 1 && (passed || !noted.is_empty()) && self.has_time() {
                let own = self.rerun(vec![suspect.selector.clone()], &watched).await?;
                noted = own.touched;
                passed |= suspect.state_in(&own.result) == Some(true);
            }
            let signs = signs::of(&noted, &self.files_of(suspect), self.session.sources());
            let flaky = if passed {
                Some(self.inconstant(suspect, &signs, Tally { passed: 1, failed: 0 }).await?)
            } else {
                self.constant(suspect, &signs).await?
            };
            found.extend(flaky);
        }
        if self.is_cut_short {
            let note = "finding out on what the failing tests depend was cut short: it took longer than the tests do";
            self.context.note("warning", note);
        }
        Ok(found)
    }

    /// A test that does not run again by itself, and whose error says that it needs a network: as far as is known, the program is not at fault.
    fn without_network(&self, suspect: &Suspect) -> Option<FlakyTest> {
        signs::named(&suspect.finding).filter(|kind| *kind == FlakyKind::Network)?;
        let evidence = vec![format!("its error says so: {}", first_line(&suspect.finding.message))];
        Some(self.flaky(suspect, FlakyKind::Network, evidence, Healing::Rules))
    }

    /// A test that failed twice.
    async fn constant(&mut self, suspect: &Suspect, signs: &BTreeSet<Sign>) -> Result<Option<FlakyTest>, StepError> {
        let named = signs::named(&suspect.finding);
        let changes_program = !crate::earlier::changed_lines(self.session).is_empty();
        if signs.is_empty() && named.is_none() && changes_program {
            return Ok(None);
        }
        let origin = self.origin(suspect, &[], changes_program).await?;
        let lacks_network = signs.contains(&Sign::Network) || named == Some(FlakyKind::Network);
        if origin == Origin::Brought || origin == Origin::Unclear && !lacks_network {
            return Ok(None);
        }
        let told = first_line(&suspect.finding.message);
        if lacks_network {
            let seen =
                if signs.contains(&Sign::Network) { "it asks for a host elsewhere" } else { "its error says so" };
            let evidence = vec![format!("failed in 2 of 2 runs without a network: {told}"), seen.to_owned()];
            return Ok(Some(self.flaky(suspect, FlakyKind::Network, evidence, Healing::Rules)));
        }
        let mut unvaried = Tally { passed: 0, failed: 2 };
        let comes_and_goes = [Sign::Random, Sign::Threads, Sign::Speed, Sign::Clock, Sign::Files, Sign::Ports];
        if comes_and_goes.iter().any(|sign| signs.contains(sign)) {
            while unvaried.passed == 0 && unvaried.count() <= SURE && self.has_time() {
                unvaried.add(self.alone(suspect, &Conditions::default()).await?);
            }
            if unvaried.passed > 0 {
                return self
                    .inconstant(suspect, signs, Tally { failed: unvaried.failed - 1, ..unvaried })
                    .await
                    .map(Some);
            }
        }
        if let Some(kind) = named {
            let evidence = vec![format!("{}: {told}", unvaried.words(false))];
            return Ok(Some(self.flaky(suspect, kind, evidence, Healing::Rules)));
        }
        for (kind, tried) in self.variations(signs) {
            for conditions in tried {
                if self.alone(suspect, &conditions).await? != Some(true) {
                    continue;
                }
                let mut varied = Tally { passed: 1, failed: 0 };
                while varied.failed == 0 && varied.count() < SURE && self.has_time() {
                    varied.add(self.alone(suspect, &conditions).await?);
                }
                if !varied.is_always(true) {
                    continue;
                }
                unvaried.add(self.alone(suspect, &Conditions::default()).await?);
                if unvaried.passed > 0 {
                    return self.inconstant(suspect, signs, Tally { passed: 1, failed: 2 }).await.map(Some);
                }
                let evidence = vec![
                    format!("{} as it is", unvaried.words(false)),
                    format!("{} with {conditions}", varied.words(true)),
                ];
                // What is random or a race fails each time by accident only.
                let is_accident =
                    kind == FlakyKind::Concurrency || conditions.seed.is_some() && signs.contains(&Sign::Random);
                let healing = if is_accident { Healing::Never } else { origin.healing() };
                let mut flaky = self.flaky(suspect, kind, evidence, healing);
                flaky.reproduction = self.command_under(suspect, signs, &conditions, false);
                return Ok(Some(flaky));
            }
        }
        if changes_program {
            return Ok(None);
        }
        self.needs_others(suspect).await
    }

    /// The tools of the suite at hand.
    fn toolchain(&self) -> &'static dyn Toolchain {
        toolchains::of(self.session.setup().language())
    }

    /// Returns the variations to try for these signs, grouped by kind. Concurrency comes first: the duration
    /// of concurrent work may be random.
    fn variations(&self, signs: &BTreeSet<Sign>) -> Vec<(FlakyKind, Vec<Conditions>)> {
        let has = |sign| signs.contains(&sign);
        let mut variations = Vec::new();
        if has(Sign::Threads) {
            let both = [Threads::First, Threads::Late].map(Conditions::threads).to_vec();
            variations.push((FlakyKind::Concurrency, both));
        }
        if has(Sign::Random) || has(Sign::Hashes) && self.toolchain().has_hash_seed() {
            variations.push((FlakyKind::Randomness, SEEDS.map(Conditions::seed).collect()));
        }
        if has(Sign::Clock) {
            // In turn: the likeliest of both come first, should the time not be enough for all.
            let in_turn = MOMENTS.into_iter().zip(ZONES);
            let mut tried: Vec<Conditions> =
                in_turn.flat_map(|(moment, zone)| [Conditions::clock(moment), Conditions::zone(zone)]).collect();
            tried.extend(ZONES.into_iter().skip(MOMENTS.len()).map(Conditions::zone));
            variations.push((FlakyKind::Time, tried));
        }
        variations
    }

    /// A test that fails by itself and in CI's order, and passes after others.
    async fn needs_others(&mut self, suspect: &Suspect) -> Result<Option<FlakyTest>, StepError> {
        if self.suite > QUICK || !self.has_time() {
            return Ok(None);
        }
        let keeps_order = self.toolchain().keeps_order();
        let as_it_is =
            if keeps_order { Conditions::default() } else { Conditions { shuffle: Some(7), ..Conditions::default() } };
        let whole = self.rerun_all(&as_it_is).await?;
        if !keeps_order {
            if suspect.state_in(&whole.result) != Some(true)
                || suspect.state_in(&self.rerun_all(&as_it_is).await?.result) != Some(true)
            {
                return Ok(None);
            }
            let evidence = vec![
                "failed in 2 of 2 runs in its own order".to_owned(),
                "passed in 2 of 2 runs in another order".to_owned(),
            ];
            return Ok(Some(self.flaky(suspect, FlakyKind::Order, evidence, Healing::Rules)));
        }
        let mut order = distinct(whole.order);
        if order.len() < 2 || order.len() > MOST_LISTED || suspect.state_in(&whole.result) != Some(false) {
            return Ok(None);
        }
        order.reverse();
        order.retain(|name| *name != suspect.selector);
        order.push(suspect.selector.clone());
        if self.listed(suspect, &order).await? != Some(true) {
            return Ok(None);
        }
        order.pop();
        let setters = self.fewest(suspect, order, true).await?;
        let mut with = Tally::default();
        for _ in 0..SURE {
            with.add(self.after(suspect, &setters).await?);
        }
        if !with.is_always(true) {
            return Ok(None);
        }
        let evidence = vec![
            "failed in 3 of 3 runs alone and in its own order".to_owned(),
            format!("{} after {}", with.words(true), setters.join(", ")),
        ];
        let mut flaky = self.flaky(suspect, FlakyKind::Order, evidence, Healing::Rules);
        flaky.reproduction =
            format!("{} (and it passes with {})", flaky.reproduction, self.command(&suspect.after(&setters)));
        Ok(Some(flaky))
    }

    /// A test that passed at least once by itself. `alone`: its runs by itself so far.
    async fn inconstant(
        &mut self,
        suspect: &Suspect,
        signs: &BTreeSet<Sign>,
        mut alone: Tally,
    ) -> Result<FlakyTest, StepError> {
        // What is random passes and fails a few times in a row by accident.
        let sure = if signs.contains(&Sign::Random) { 2 * SURE } else { SURE };
        while alone.count() < 2 * SURE && self.has_time() {
            alone.add(self.alone(suspect, &Conditions::default()).await?);
            if alone.is_always(true) && alone.count() >= sure {
                break;
            }
        }
        let named = signs::named(&suspect.finding);
        let mut together = Tally { passed: 0, failed: 1 };
        if alone.failed == 0 && self.suite <= QUICK {
            // What shuffles by itself may need a few runs.
            for _ in 0..SURE {
                if !self.has_time() {
                    break;
                }
                let whole = self.rerun_all(&Conditions::default()).await?;
                let passed = suspect.state_in(&whole.result);
                together.add(passed);
                if passed == Some(false)
                    && let Some(flaky) = self.disturbed(suspect, distinct(whole.order), named, alone, sure).await?
                {
                    return Ok(flaky);
                }
            }
        }
        let evidence = if alone.failed == 0 {
            vec![format!("{} with all tests", together.words(false)), format!("{} alone", alone.words(true))]
        } else {
            vec![format!("{} alone, unchanged", alone.words(false))]
        };
        if let Some((kind, because, conditions)) = self.deciding(suspect, signs, alone).await? {
            let mut flaky = self.flaky(suspect, kind, evidence, Healing::Never);
            flaky.evidence.extend(because);
            flaky.reproduction = match conditions {
                Some(conditions) => self.command_under(suspect, signs, &conditions, true),
                None => repeated(&flaky.reproduction),
            };
            return Ok(flaky);
        }
        let (kind, why) = signs::likeliest(signs);
        let (kind, why) = named.map_or((kind, why.to_owned()), |kind| (kind, first_line(&suspect.finding.message)));
        let mut flaky = self.flaky(suspect, kind, evidence, Healing::Never);
        flaky.evidence.push(why);
        flaky.reproduction = repeated(&flaky.reproduction);
        Ok(flaky)
    }

    /// A test that passes by itself and failed after these. `sure`: the number of runs that are no accident.
    async fn disturbed(
        &mut self,
        suspect: &Suspect,
        order: Vec<String>,
        named: Option<FlakyKind>,
        alone: Tally,
        sure: usize,
    ) -> Result<Option<FlakyTest>, StepError> {
        let before: Vec<String> = order.into_iter().take_while(|name| *name != suspect.selector).collect();
        if before.is_empty() || before.len() > MOST_LISTED || self.after(suspect, &before).await? != Some(false) {
            return Ok(None);
        }
        let polluters = self.fewest(suspect, before, false).await?;
        let mut after = Tally::default();
        while after.passed == 0 && after.count() < sure && self.has_time() {
            after.add(self.after(suspect, &polluters).await?);
        }
        if after.passed > 0 || after.failed == 0 {
            return Ok(None);
        }
        let changes_program = !crate::earlier::changed_lines(self.session).is_empty();
        let origin = self.origin(suspect, &polluters, changes_program).await?;
        let told = first_line(&suspect.finding.message);
        let mut evidence = vec![
            format!("{} alone", alone.words(true)),
            format!("{} after {}", after.words(false), polluters.join(", ")),
        ];
        evidence.extend(named.is_some().then_some(told));
        let mut flaky = self.flaky(suspect, named.unwrap_or(FlakyKind::Order), evidence, origin.healing());
        flaky.reproduction = self.command(&suspect.after(&polluters));
        Ok(Some(flaky))
    }

    /// Finds the variation that makes the outcome stable and whose other values change it. Returns its kind,
    /// the evidence, and conditions under which the test fails.
    async fn deciding(
        &mut self,
        suspect: &Suspect,
        signs: &BTreeSet<Sign>,
        alone: Tally,
    ) -> Result<Option<(FlakyKind, Vec<String>, Option<Conditions>)>, StepError> {
        for (kind, tried) in self.variations(signs) {
            let found = if kind == FlakyKind::Concurrency {
                self.serialised(suspect, alone).await?
            } else {
                self.held_still(suspect, tried).await?
            };
            if let Some((because, conditions)) = found {
                return Ok(Some((kind, because, conditions)));
            }
        }
        Ok(None)
    }

    /// Checks whether the test passes each time when concurrent work runs one after the other. Returns the
    /// evidence; `None`: it does not, or no evidence was found.
    async fn serialised(
        &mut self,
        suspect: &Suspect,
        alone: Tally,
    ) -> Result<Option<(Vec<String>, Option<Conditions>)>, StepError> {
        // So often that a run without a failure is no accident: the rarer it fails, the oftener.
        let needed = (3 * alone.count()).div_ceil(alone.failed.max(1)).clamp(SURE, 8);
        let mut first = Tally::default();
        while first.failed == 0 && first.count() < needed && self.has_time() {
            let passed = self.alone(suspect, &Conditions::threads(Threads::First)).await?;
            if passed.is_none() {
                return Ok(None);
            }
            first.add(passed);
        }
        if !first.is_always(true) {
            return Ok(None);
        }
        let mut late = Tally::default();
        while late.failed == 0 && late.count() < needed && self.has_time() {
            late.add(self.alone(suspect, &Conditions::threads(Threads::Late)).await?);
        }
        if late.failed == 0 && alone.failed == 0 {
            return Ok(None);
        }
        let because = vec![
            format!("{} with {}", first.words(true), Conditions::threads(Threads::First)),
            format!("{} with {}", late.words(false), Conditions::threads(Threads::Late)),
        ];
        Ok(Some((because, None)))
    }

    /// Checks whether the outcome is stable for each of these conditions, and not the same for all. Returns
    /// the evidence and conditions under which the test fails; `None`: it is not, or no evidence was found.
    async fn held_still(
        &mut self,
        suspect: &Suspect,
        tried: Vec<Conditions>,
    ) -> Result<Option<(Vec<String>, Option<Conditions>)>, StepError> {
        let (mut passing, mut failing) = (None, None);
        for conditions in tried {
            match self.alone(suspect, &conditions).await? {
                Some(true) => passing = passing.or(Some(conditions)),
                Some(false) => failing = failing.or(Some(conditions)),
                None => return Ok(None),
            }
            if passing.is_some() && failing.is_some() {
                break;
            }
        }
        let (Some(passing), Some(failing)) = (passing, failing) else { return Ok(None) };
        let mut tallies = [Tally { passed: 1, failed: 0 }, Tally { passed: 0, failed: 1 }];
        for _ in 1..SURE {
            for (tally, conditions) in tallies.iter_mut().zip([&passing, &failing]) {
                tally.add(self.alone(suspect, conditions).await?);
            }
        }
        if !tallies[0].is_always(true) || !tallies[1].is_always(false) {
            return Ok(None);
        }
        let because = vec![
            format!("{} with {passing}", tallies[0].words(true)),
            format!("{} with {failing}", tallies[1].words(false)),
        ];
        Ok(Some((because, Some(failing))))
    }

    /// Finds out whether the last commit introduced a failure that shows after these tests.
    async fn origin(
        &mut self,
        suspect: &Suspect,
        others: &[String],
        changes_program: bool,
    ) -> Result<Origin, StepError> {
        if !changes_program {
            return Ok(Origin::Older);
        }
        if !self.toolchain().keeps_order() {
            return Ok(Origin::Unclear);
        }
        let conditions = Conditions { is_before: true, ..Conditions::listed() };
        let before = self.rerun(suspect.after(others), &conditions).await?;
        Ok(match suspect.state_in(&before.result) {
            Some(true) => Origin::Brought,
            Some(false) => Origin::Older,
            None => Origin::Unclear,
        })
    }

    async fn fewest(&mut self, suspect: &Suspect, tests: Vec<String>, passes: bool) -> Result<Vec<String>, StepError> {
        let mut reduction = Reduction::new(tests);
        while let Some(few) = reduction.next().filter(|_| self.has_time()) {
            let is_same = self.after(suspect, &few).await? == Some(passes);
            reduction.take(is_same);
        }
        Ok(reduction.fewest())
    }

    /// Runs the test after these others, and returns whether it passed.
    async fn after(&mut self, suspect: &Suspect, others: &[String]) -> Result<Option<bool>, StepError> {
        let names = suspect.after(others);
        self.listed(suspect, &names).await
    }

    async fn listed(&mut self, suspect: &Suspect, names: &[String]) -> Result<Option<bool>, StepError> {
        Ok(suspect.state_in(&self.rerun(names.to_vec(), &Conditions::listed()).await?.result))
    }

    /// Runs the test by itself, and returns whether it passed; `None` also when the time is over.
    async fn alone(&mut self, suspect: &Suspect, conditions: &Conditions) -> Result<Option<bool>, StepError> {
        if !self.has_time() {
            return Ok(None);
        }
        Ok(suspect.state_in(&self.rerun(vec![suspect.selector.clone()], conditions).await?.result))
    }

    async fn rerun(&mut self, names: Vec<String>, conditions: &Conditions) -> Result<Rerun, StepError> {
        self.rerun_scope(&Scope::Again(names), conditions).await
    }

    async fn rerun_all(&mut self, conditions: &Conditions) -> Result<Rerun, StepError> {
        self.rerun_scope(&Scope::All, conditions).await
    }

    async fn rerun_scope(&mut self, scope: &Scope, conditions: &Conditions) -> Result<Rerun, StepError> {
        // What they print has been kept with the run already.
        let context = self.context.without_records();
        self.session.rerun(self.number, scope, conditions, self.limit, &context).await
    }

    fn has_time(&mut self) -> bool {
        let has_time = self.context.now() < self.deadline;
        self.is_cut_short |= !has_time;
        has_time
    }

    /// The test's file, those on the error's stack, and those that the test's file names.
    fn files_of(&self, suspect: &Suspect) -> BTreeSet<String> {
        let sources = self.session.sources();
        let directory = self.session.setup().suites().nth(self.number).map_or("", |suite| suite.directory.as_str());
        let name = suspect.selector.split("::").next().unwrap_or_default();
        let dotted: Vec<&str> = name.split('.').collect();
        let modules = (1..=dotted.len()).map(|count| format!("{}.py", dotted[..count].join("/")));
        let named = modules.chain([name.to_owned()]).map(|file| join(directory, &file));
        let own: BTreeSet<String> = stack(&suspect.finding, sources)
            .into_iter()
            .map(|frame| frame.file)
            .chain(suspect.finding.file.clone())
            .chain(named)
            .filter(|file| sources.text(file).is_some())
            .collect();
        let text: String = own.iter().filter_map(|file| sources.text(file)).collect();
        let words: BTreeSet<&str> =
            text.split(|part: char| !part.is_alphanumeric() && part != '_' && part != '-').collect();
        let stem = |file: &str| {
            let name = file.rsplit('/').next().unwrap_or(file).to_owned();
            name.split('.').next().unwrap_or_default().to_owned()
        };
        let loaded = sources.iter().map(|(file, _)| file).filter(|file| words.contains(stem(file).as_str()));
        own.iter().cloned().chain(loaded.map(str::to_owned)).collect()
    }

    fn flaky(&self, suspect: &Suspect, kind: FlakyKind, evidence: Vec<String>, healing: Healing) -> FlakyTest {
        let test = suspect.selector.clone();
        let reproduction = self.command(std::slice::from_ref(&test));
        FlakyTest { key: suspect.key.clone(), test, kind, evidence, reproduction, healing }
    }

    fn command(&self, names: &[String]) -> String {
        let place = self.session.place();
        self.toolchain().own_command(&place, names)
    }

    /// A command that shows the failure; `fails`: it does so under these conditions, and otherwise as it is.
    fn command_under(&self, suspect: &Suspect, signs: &BTreeSet<Sign>, conditions: &Conditions, fails: bool) -> String {
        let command = self.command(std::slice::from_ref(&suspect.selector));
        let varied = if let Some(moment) = conditions.clock {
            format!("TZ=UTC faketime '{}' {command}", moment.text)
        } else if let Some(zone) = conditions.zone {
            format!("TZ={zone} {command}")
        } else if let Some(seed) = conditions.seed.filter(|_| !signs.contains(&Sign::Random)) {
            format!("PYTHONHASHSEED={seed} {command}")
        } else {
            return repeated(&command);
        };
        if fails {
            return varied;
        }
        let as_it_is = if conditions.seed.is_some() { "PYTHONHASHSEED=0 " } else { "TZ=UTC " };
        format!("{as_it_is}{command} (and it passes with {varied})")
    }
}

/// Runs a command until it fails.
fn repeated(command: &str) -> String {
    format!("for run in $(seq 20); do {command} || break; done")
}

fn distinct(names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}
