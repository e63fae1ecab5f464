//! The hunt through the days: everything as it was when the repository was green, then on to the first day on which the tests fail.
//!
//! It finds what no bound on a single distribution shows: two releases that broke the tests in one place, or one whose older releases need older
//! ones of something else as well.

use autoheal_engine::diagnostics::Finding;
use autoheal_engine::workflow::StepError;

use super::{Hunt, MOST_OFFENDERS, is_green};
use crate::drift::calendar::{Calendar, between};
use crate::drift::walk::Break;
use crate::state::{BoundOutcome, Offender, TriedBound};
use crate::test_scope::Scope;
use crate::toolchain::package_manager::Distribution;

/// Distributions that are taken back to a day together: each costs a request to an index.
const MOST_DISTRIBUTIONS: usize = 80;

/// Result of the tests with the distributions of a day.
enum Seen {
    Green,
    /// The first failure, if the tests ran at all.
    Red(Option<Finding>),
}

/// The first day on which the tests fail.
struct RedDay {
    /// The last day before it on which something was released, or from which the repository was green.
    before: String,
    day: String,
    failure: Option<Finding>,
}

impl Hunt<'_> {
    /// Finds what to bound by the days on which the tests began to fail, and reports it; `false`: that is not how the tests broke. `failure`: what
    /// they show today. `present`: the distributions of today.
    pub(super) async fn by_days(&mut self, failure: &Finding, present: &[Distribution]) -> Result<bool, StepError> {
        let Some(since) = self.since() else { return Ok(false) };
        let complaints = self.manager.complaints();
        let dated: Vec<&Distribution> =
            present.iter().filter(|one| !one.is_project && !complaints.installs(&one.key)).collect();
        if dated.len() > MOST_DISTRIBUTIONS {
            return Ok(false);
        }
        self.learn_releases(dated.iter().map(|one| one.name.clone())).await?;
        let mut calendar = Calendar::of(dated.into_iter(), &self.releases);
        if calendar.on(Some(&since)).is_empty()
            || !matches!(self.on_day(&calendar, Some(&since), present).await?, Seen::Green)
        {
            return Ok(false);
        }
        let (mut green, mut failure) = (since, failure.clone());
        let mut offenders: Vec<Offender> = Vec::new();
        while offenders.len() < MOST_OFFENDERS {
            let Some(red) = self.first_red_day(&calendar, &green, present).await? else { return Ok(false) };
            failure = red.failure.clone().unwrap_or(failure);
            let to_blame = self.released_on(&calendar, &red, present).await?;
            if to_blame.is_empty() {
                return Ok(false);
            }
            for (name, breaks) in to_blame {
                calendar.exclude(&name, &breaks.first_bad);
                offenders.retain(|known| known.package != name);
                let to_blame = present.iter().filter(|one| one.name == name);
                offenders.extend(to_blame.map(|one| self.offender_of(one, &breaks, &failure)));
            }
            match self.on_day(&calendar, None, present).await? {
                Seen::Green => return self.settle(offenders).await.map(|()| true),
                Seen::Red(next) => failure = next.unwrap_or(failure),
            }
            if self.is_over() {
                return Ok(false);
            }
            // The tests may still fail on the day itself: several releases of one distribution may have come on it.
            green = red.before;
        }
        Ok(false)
    }

    /// Reports bounds under which the tests pass.
    async fn settle(&mut self, offenders: Vec<Offender>) -> Result<(), StepError> {
        for offender in &offenders {
            self.search.context.note("drift", offender.sentence());
        }
        let bound = |offender: &Offender| self.manager.up_to(&offender.package, &offender.last_good.version);
        let mut requirements: Vec<String> = offenders.iter().map(bound).collect();
        self.report(|report| report.offenders = offenders);
        self.leave_out_innocent(&mut requirements).await?;
        self.report(|report| report.is_complete = true);
        Ok(())
    }

    /// The first day after a green one on which the tests fail: they fail today. `None`: it is not known.
    async fn first_red_day(
        &mut self,
        calendar: &Calendar,
        green: &str,
        present: &[Distribution],
    ) -> Result<Option<RedDay>, StepError> {
        let events = calendar.events_after(green);
        let (mut good, mut bad, mut failure) = (0, events.len(), None);
        while let Some((place, event)) = between(&events, good, bad).and_then(|at| Some((at, events.get(at - 1)?))) {
            if self.is_over() {
                return Ok(None);
            }
            match self.on_day(calendar, Some(&event.day), present).await? {
                Seen::Green => good = place,
                Seen::Red(seen) => (bad, failure) = (place, seen),
            }
        }
        let day = |place: usize| place.checked_sub(1).and_then(|at| events.get(at)).map(|event| event.day.clone());
        let before = day(good).unwrap_or_else(|| green.to_owned());
        Ok(day(bad).map(|day| RedDay { before, day, failure }))
    }

    /// The releases of a red day that turned the tests red: one, if without it they pass.
    async fn released_on(
        &mut self,
        calendar: &Calendar,
        red: &RedDay,
        present: &[Distribution],
    ) -> Result<Vec<(String, Break)>, StepError> {
        let mut released = calendar.released(&red.before, &red.day);
        if released.len() < 2 {
            return Ok(released);
        }
        for (at, (name, breaks)) in released.iter().enumerate() {
            if self.is_over() {
                return Ok(Vec::new());
            }
            let then = calendar.on(Some(&red.day)).into_iter().map(|(other, release)| {
                let release = if other == name { &breaks.last_good } else { release };
                self.manager.up_to(other, &release.version)
            });
            let mut bounds: Vec<String> = then.collect();
            let own = self.manager.up_to(name, &breaks.last_good.version);
            if !bounds.contains(&own) {
                bounds.push(own.clone());
            }
            if matches!(self.with(&bounds, vec![own], Some(&red.day), present).await?, Seen::Green) {
                return Ok(vec![released.swap_remove(at)]);
            }
        }
        Ok(released)
    }

    /// Runs the tests with the distributions of a day; `None`: of today, except what is excluded.
    async fn on_day(
        &mut self,
        calendar: &Calendar,
        day: Option<&str>,
        present: &[Distribution],
    ) -> Result<Seen, StepError> {
        let up_to = |day| -> Vec<String> {
            calendar.on(day).into_iter().map(|(name, release)| self.manager.up_to(name, &release.version)).collect()
        };
        let (bounds, own) = (up_to(day), up_to(None));
        self.with(&bounds, own, day, present).await
    }

    /// Runs the tests with bounds, until the first failure. `own`: those of them that do not follow from the day.
    async fn with(
        &mut self,
        bounds: &[String],
        own: Vec<String>,
        day: Option<&str>,
        present: &[Distribution],
    ) -> Result<Seen, StepError> {
        let tried = |outcome| TriedBound { bounds: own, as_of: day.map(str::to_owned), outcome };
        self.search.context.progress(match day {
            Some(day) => format!("does it pass with the dependencies of {day}?"),
            None => format!("does it pass with {}?", bounds.join(" ")),
        });
        let Some(interpreter) = self.environment(bounds, present).await? else {
            self.report(|report| report.tried.push(tried(BoundOutcome::NotInstalled)));
            return Ok(Seen::Red(None));
        };
        self.enter(interpreter).await?;
        let result = self.run(&Scope::UntilFirstFailure).await?;
        let is_green = is_green(&result);
        let outcome = if is_green { BoundOutcome::Passed } else { BoundOutcome::Failed };
        self.report(|report| report.tried.push(tried(outcome)));
        Ok(if is_green { Seen::Green } else { Seen::Red(result.findings.into_iter().next()) })
    }
}
