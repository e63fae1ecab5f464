//! The hunt: bounds are tried in environments of their own until the tests pass, for one offender after the other. A second one usually shows
//! only once the first is bounded. Where that leads nowhere, all dependencies together go back to the day when the repository was green.

mod days;

use std::collections::BTreeSet;
use std::time::Duration;

use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::{StepContext, StepError};

use super::candidate::{bound_of, in_short};
use super::suspects::{self, Case, Evidence};
use super::walk::{Break, Walk};
use super::{Releases, installed, may_have_drifted, releases};
use crate::check_result::{CheckResult, TestState};
use crate::flaky::FlakyTest;
use crate::session::Session;
use crate::setup::Interpreter;
use crate::state::{BoundOutcome, DriftReport, HealState, Offender, TriedBound};
use crate::test_scope::Scope;
use crate::toolchain::Search;
use crate::toolchain::package_manager::{Distribution, PackageManager};

/// Offenders that are bounded in one repository.
const MOST_OFFENDERS: usize = 4;

/// Distributions that are looked at because they came down with another one.
const MOST_DEEPER: usize = 2;

/// Tests that show the failure and are run in each environment.
const TESTS: usize = 3;

/// A few tests of the main suite that showed a failure; all if it is not known which.
pub(super) fn tests_of(session: &Session, result: &CheckResult, failure: &Finding) -> Scope {
    let mut own = session.setup().by_suite(&result.selectors_at(failure)).remove(&0).unwrap_or_default();
    own.truncate(TESTS);
    if own.is_empty() { Scope::All } else { Scope::Again(own) }
}

/// The part of the main suite that shows a failure: a few tests, or all where they do not fail alike by themselves.
pub(super) async fn scope_of(
    session: &mut Session,
    result: &CheckResult,
    failure: &Finding,
    limit: Duration,
    context: &StepContext,
) -> Result<Scope, StepError> {
    let scope = tests_of(session, result, failure);
    if scope == Scope::All {
        return Ok(scope);
    }
    let again = session.check_suite(0, &scope, limit, context).await?;
    Ok(if shows(&again, failure) { scope } else { Scope::All })
}

/// Returns whether a result holds a failure.
pub(super) fn shows(result: &CheckResult, failure: &Finding) -> bool {
    let key = failure.key();
    result.findings.iter().any(|finding| finding.key() == key)
}

/// Returns whether a run of tests found nothing.
pub(super) fn is_green(result: &CheckResult) -> bool {
    result.findings.is_empty() && result.cut_short.is_none() && result.count(TestState::Passed) > 0
}

/// A bound under which the failure is gone.
struct Found {
    breaks: Break,
    requirement: String,
    interpreter: Interpreter,
}

pub(super) struct Hunt<'a> {
    state: &'a mut HealState,
    session: &'a mut Session,
    manager: &'a dyn PackageManager,
    search: Search<'a>,
    releases: Releases,
    /// The interpreters as the hunt found them.
    original: Vec<Interpreter>,
    /// Environments that may be made at most, with those that were made before.
    most: u32,
    /// Tests that fail whatever is installed: they depend on something else.
    set_aside: Vec<FlakyTest>,
}

impl<'a> Hunt<'a> {
    pub(super) fn new(
        state: &'a mut HealState,
        session: &'a mut Session,
        manager: &'a dyn PackageManager,
        search: Search<'a>,
        releases: Releases,
        failure: &Finding,
    ) -> Self {
        let original = session.setup().interpreters();
        let most = search.settings.drift_environments;
        let is_other = |flaky: &&FlakyTest| flaky.depends_on_more() && flaky.key != failure.key();
        let set_aside = state.diagnosis.flaky.iter().filter(is_other).cloned().collect();
        Self { state, session, manager, search, releases, original, most, set_aside }
    }

    /// Goes back to the interpreters that were there.
    pub(super) async fn end(self) -> Result<(), StepError> {
        let Search { settings, context, .. } = self.search;
        self.session.use_interpreters(self.original, context.run, &settings.sandbox).await
    }

    /// Finds what to bound: by what the failure speaks against, else by the days on which the tests began to fail.
    pub(super) async fn follow(
        &mut self,
        failure: Finding,
        present: Vec<Distribution>,
        scope: Scope,
    ) -> Result<(), StepError> {
        let all = self.search.settings.drift_environments;
        self.most = if self.since().is_some() { all.div_ceil(2) } else { all };
        if self.by_suspects(failure.clone(), present.clone(), scope).await? {
            return Ok(());
        }
        self.most = all;
        if self.is_over() || !self.by_days(&failure, &present).await? {
            self.give_up();
        }
        Ok(())
    }

    /// Bounds one offender after the other, as long as each lets the tests get further. Returns whether they pass at last.
    async fn by_suspects(
        &mut self,
        mut failure: Finding,
        mut present: Vec<Distribution>,
        mut scope: Scope,
    ) -> Result<bool, StepError> {
        let mut requirements: Vec<String> = Vec::new();
        for _ in 0..MOST_OFFENDERS {
            let Some(found) = self.offender(&failure, &present, &scope, &mut requirements).await? else { break };
            self.enter(found.interpreter).await?;
            let seen = self.run(&Scope::All).await?;
            if is_green(&seen) {
                self.leave_out_innocent(&mut requirements).await?;
                self.report(|report| report.is_complete = true);
                return Ok(true);
            }
            let Some(next) = seen.findings.iter().find(|finding| suspects::may_be_to_blame(finding)) else { break };
            if next.key() == failure.key() {
                break;
            }
            failure = next.clone();
            scope = scope_of(self.session, &seen, &failure, self.limit(), self.search.context).await?;
            present = installed(self.session, self.manager, self.search).await?;
        }
        Ok(false)
    }

    fn give_up(&mut self) {
        let limit = self.search.settings.drift_environments;
        self.report(|report| {
            if report.reason.is_empty() {
                let bounds = report.tried.iter().filter_map(|tried| tried.bounds.last()).cloned().collect::<Vec<_>>();
                report.reason = format!("tried in vain: {}", bounds.join(", "));
            }
            let is_of_then = |tried: &&TriedBound| tried.as_of.is_some() && tried.as_of == report.since;
            let failed =
                report.tried.iter().find(is_of_then).is_some_and(|tried| tried.outcome == BoundOutcome::Failed);
            if let Some(day) = report.since.as_ref().filter(|_| failed) {
                report.reason = format!("{}; the tests fail with all dependencies as of {day}, too", report.reason);
            }
            if report.environments >= limit {
                report.reason = format!("{limit} environments were tried, which is the limit; {}", report.reason);
            }
        });
    }

    /// Finds the distribution of which an older release lets the tests get further, and where it broke.
    async fn offender(
        &mut self,
        failure: &Finding,
        present: &[Distribution],
        scope: &Scope,
        requirements: &mut Vec<String>,
    ) -> Result<Option<Found>, StepError> {
        let stated = self.manager.stated(self.search);
        let mut suspected = suspects::of(failure, &self.case(present, &stated));
        self.learn_releases(suspected.iter().map(|(_, one)| one.name.clone())).await?;
        let since = self.since();
        // Where no date says how far back to go, what the error names is worth more steps than what it does not.
        let is_unbounded = |one: &Distribution| {
            let known = self.releases.get(&one.name).cloned().unwrap_or_default();
            !Walk::new(known, &one.version, since.as_deref()).has_floor()
        };
        suspected.retain(|(evidence, one)| may_have_drifted(*evidence, one, &self.releases, since.as_deref()));
        let first = suspected.iter().map(|(evidence, one)| (*evidence == Evidence::Named && is_unbounded(one), *one));
        let passes: Vec<(bool, &Distribution)> = first.chain(suspected.iter().map(|(_, one)| (true, *one))).collect();
        for (is_thorough, suspect) in passes {
            if let Some(found) = self.walk(failure, suspect, present, scope, requirements, is_thorough).await? {
                let (suspect, found) = self.deeper(suspect, found, failure, present, scope, requirements).await?;
                let offender = self.offender_of(suspect, &found.breaks, failure);
                self.search.context.note("drift", offender.sentence());
                self.report(|report| {
                    // A release that let the tests get further may break them at another place: the older bound counts.
                    if let Some(at) = report.offenders.iter().position(|known| known.package == offender.package) {
                        report.offenders.remove(at);
                        requirements.remove(at);
                    }
                    report.offenders.push(offender);
                });
                requirements.push(found.requirement.clone());
                return Ok(Some(found));
            }
            if self.is_over() {
                return Ok(None);
            }
        }
        Ok(None)
    }

    /// Looks whether a distribution that came down together with a bounded one is the offender: an older release may bring older ones of what it
    /// needs.
    async fn deeper<'d>(
        &mut self,
        suspect: &'d Distribution,
        found: Found,
        failure: &Finding,
        present: &'d [Distribution],
        scope: &Scope,
        requirements: &[String],
    ) -> Result<(&'d Distribution, Found), StepError> {
        self.enter(found.interpreter.clone()).await?;
        let with_bound = installed(self.session, self.manager, self.search).await?;
        let other_version = |one: &&Distribution| {
            let now = with_bound.iter().find(|other| other.key == one.key);
            one.key != suspect.key && now.is_some_and(|now| now.version != one.version)
        };
        let needed = |one: &&Distribution| suspect.needs(one);
        let moved: Vec<&Distribution> = present.iter().filter(needed).filter(other_version).take(MOST_DEEPER).collect();
        self.learn_releases(moved.iter().map(|one| one.name.clone())).await?;
        for one in moved {
            if let Some(own) = self.walk(failure, one, present, scope, requirements, false).await? {
                return Ok((one, own));
            }
        }
        Ok((suspect, found))
    }

    /// Walks through the releases of one distribution.
    async fn walk(
        &mut self,
        failure: &Finding,
        suspect: &Distribution,
        present: &[Distribution],
        scope: &Scope,
        requirements: &[String],
        is_thorough: bool,
    ) -> Result<Option<Found>, StepError> {
        let known = self.releases.get(&suspect.name).cloned().unwrap_or_default();
        let since = self.since();
        let mut walk = Walk::new(known, &suspect.version, since.as_deref());
        if is_thorough {
            walk = walk.thorough();
        }
        let mut best: Option<(String, Interpreter)> = None;
        while let Some((at, release)) = walk.next() {
            if self.is_over() {
                break;
            }
            let requirement = self.manager.up_to(&suspect.name, &release.version);
            self.search.context.progress(format!("does it pass with {requirement}?"));
            let bounds: Vec<String> = requirements.iter().cloned().chain([requirement.clone()]).collect();
            let known = self.state.drift.report.iter().flat_map(|report| &report.tried);
            let is_known = |tried: &TriedBound| tried.as_of.is_none() && tried.bounds == bounds;
            if known.into_iter().any(|tried| is_known(tried) && !tried.outcome.is_progress()) {
                walk.tell(at, false);
                continue;
            }
            let (outcome, interpreter) = self.try_bounds(&bounds, scope, failure, suspect, present).await?;
            let passes = outcome.is_progress();
            walk.tell(at, passes);
            if let Some(interpreter) = interpreter.filter(|_| passes) {
                best = Some((requirement, interpreter));
            }
        }
        let found = walk.found().zip(best);
        Ok(found.map(|(breaks, (requirement, interpreter))| Found { breaks, requirement, interpreter }))
    }

    /// Runs the failing tests in an environment with these bounds.
    async fn try_bounds(
        &mut self,
        bounds: &[String],
        scope: &Scope,
        failure: &Finding,
        suspect: &Distribution,
        present: &[Distribution],
    ) -> Result<(BoundOutcome, Option<Interpreter>), StepError> {
        let interpreter = self.environment(bounds, present).await?;
        let mut outcome = BoundOutcome::NotInstalled;
        if let Some(interpreter) = &interpreter {
            self.enter(interpreter.clone()).await?;
            let result = self.run(scope).await?;
            outcome = self.outcome(&result, failure, suspect, present);
        }
        self.report(|report| report.tried.push(TriedBound { bounds: bounds.to_vec(), as_of: None, outcome }));
        Ok((outcome, interpreter))
    }

    /// Makes the environment with these bounds; `None`: it cannot be made.
    async fn environment(
        &mut self,
        bounds: &[String],
        present: &[Distribution],
    ) -> Result<Option<Interpreter>, StepError> {
        self.report(|report| report.environments += 1);
        let Some(base) = self.original.first() else { return Ok(None) };
        let made = self.manager.with_bounds(self.search, self.state, base, present, bounds).await?;
        if let Err(reason) = &made {
            self.search.context.note("drift", format!("{} cannot be installed: {reason}", bounds.join(" ")));
        }
        Ok(made.ok())
    }

    /// Returns how far the tests got: the same failure, another one that is not about the bounded distribution, or none.
    fn outcome(
        &self,
        result: &CheckResult,
        failure: &Finding,
        suspect: &Distribution,
        present: &[Distribution],
    ) -> BoundOutcome {
        if result.cut_short.is_some() {
            return BoundOutcome::Failed;
        }
        let Some(first) = result.findings.first() else {
            return if result.count(TestState::Passed) > 0 { BoundOutcome::Passed } else { BoundOutcome::Failed };
        };
        if shows(result, failure) {
            return BoundOutcome::Failed;
        }
        let none = BTreeSet::new();
        let case = self.case(present, &none);
        let strongest = |finding: &Finding, is_it: &dyn Fn(&Distribution) -> bool| {
            suspects::of(finding, &case).into_iter().find(|(_, one)| is_it(one)).map(|(evidence, _)| evidence)
        };
        let is_suspect = |one: &Distribution| one.key == suspect.key;
        let is_about_it = match strongest(first, &is_suspect) {
            Some(Evidence::Named) => true,
            // An older release of what the error named may ask for an older one of what it needs: that is the next failure.
            Some(Evidence::OnTraceback) => {
                strongest(failure, &is_suspect) != Some(Evidence::Named)
                    || strongest(first, &|one| suspect.needs(one)) != Some(Evidence::Named)
            }
            Some(Evidence::Imported | Evidence::Related | Evidence::Runner) | None => false,
        };
        if result.count(TestState::Passed) > 0 || !is_about_it { BoundOutcome::MovedOn } else { BoundOutcome::Failed }
    }

    /// Leaves out bounds without which the tests pass, too: what came later may have been the whole cause.
    async fn leave_out_innocent(&mut self, requirements: &mut Vec<String>) -> Result<(), StepError> {
        let mut at = 0;
        while requirements.len() > 1 && at + 1 < requirements.len() && !self.is_over() {
            let mut fewer = requirements.clone();
            fewer.remove(at);
            let present = installed(self.session, self.manager, self.search).await?;
            let interpreter = self.environment(&fewer, &present).await?;
            let Some(interpreter) = interpreter else {
                at += 1;
                continue;
            };
            self.enter(interpreter).await?;
            let result = self.run(&Scope::All).await?;
            let is_green = is_green(&result);
            let outcome = if is_green { BoundOutcome::Passed } else { BoundOutcome::Failed };
            self.report(|report| report.tried.push(TriedBound { bounds: fewer.clone(), as_of: None, outcome }));
            if is_green {
                *requirements = fewer;
                self.report(|report| drop(report.offenders.remove(at)));
            } else {
                at += 1;
            }
        }
        Ok(())
    }

    /// The evidence of a run with these distributions.
    fn case<'d, 'c>(&'c self, installed: &'d [Distribution], direct: &'c BTreeSet<String>) -> Case<'d, 'c> {
        let command = &self.session.setup().main_suite.tests.words;
        Case { installed, direct, sources: self.session.sources(), command, complaints: self.manager.complaints() }
    }

    /// Describes an offender.
    fn offender_of(&self, suspect: &Distribution, breaks: &Break, failure: &Finding) -> Offender {
        let Break { last_good, first_bad } = breaks.clone();
        let bound = bound_of(&last_good.version, &first_bad.version);
        let message = failure.message.lines().next().unwrap_or_default();
        let removed = self.manager.complaints().removed(suspect, message).map(|name| format!("removed {name}"));
        let broke = removed.unwrap_or_else(|| format!("breaks the tests ({})", in_short(message)));
        Offender { package: suspect.name.clone(), bound, broke, last_good, first_bad }
    }

    async fn enter(&mut self, interpreter: Interpreter) -> Result<(), StepError> {
        let Search { settings, context, .. } = self.search;
        let mut interpreters = self.original.clone();
        if let Some(main) = interpreters.first_mut() {
            *main = interpreter;
        }
        self.session.use_interpreters(interpreters, context.run, &settings.sandbox).await
    }

    /// Runs tests of the main suite. Those that depend on something else find nothing.
    async fn run(&mut self, scope: &Scope) -> Result<CheckResult, StepError> {
        // Such a test would be the first failure, and hide the rest.
        let is_hidden = *scope == Scope::UntilFirstFailure && !self.set_aside.is_empty();
        let scope = if is_hidden { &Scope::All } else { scope };
        let mut result = self.session.check_suite(0, scope, self.limit(), self.search.context).await?;
        result.leave_out(|finding, tests| self.set_aside.iter().any(|flaky| flaky.shows(&finding.key(), tests)));
        Ok(result)
    }

    const fn limit(&self) -> Duration {
        Duration::from_secs(self.state.request.limits.test_seconds)
    }

    /// The day from which the repository is taken to have been green.
    fn since(&self) -> Option<String> {
        self.state.drift.report.as_ref().and_then(|report| report.since.clone())
    }

    /// Asks the registries for the releases of packages that are not known yet.
    async fn learn_releases(&mut self, names: impl Iterator<Item = String>) -> Result<(), StepError> {
        let unknown: Vec<String> = names.filter(|name| !self.releases.contains_key(name)).collect();
        if !unknown.is_empty() {
            let more = releases(self.session, self.state, self.manager, self.search, &unknown).await?;
            self.releases.extend(more);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        let made = self.state.drift.report.as_ref().map_or(0, |report| report.environments);
        made >= self.most || self.state.is_out_of_time(self.search.context.now())
    }

    fn report(&mut self, change: impl FnOnce(&mut DriftReport)) {
        change(self.state.drift.report.get_or_insert_default());
    }
}
