//! The releases of all distributions on one line of time: what the newest of each was on a day.

use super::Releases;
use super::release::{Level, Release, series};
use super::walk::Break;
use crate::toolchain::package_manager::Distribution;

/// A day on which the newest release of a distribution changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) day: String,
    /// The widest series that began.
    level: Level,
}

/// The releases of distributions up to those that are installed, by day.
#[derive(Debug, Default)]
pub(crate) struct Calendar {
    packages: Vec<Package>,
}

#[derive(Debug)]
struct Package {
    name: String,
    /// Releases up to the newest that is admitted, the oldest version first.
    releases: Vec<Release>,
    /// True if later ones are excluded on every day.
    is_bounded: bool,
}

impl Package {
    /// The newest release of a day.
    fn on(&self, day: &str) -> Option<usize> {
        self.releases.iter().rposition(|release| release.day().is_some_and(|released| released <= day))
    }

    fn newest(&self) -> Option<usize> {
        self.releases.len().checked_sub(1)
    }

    fn series(&self, at: Option<usize>, level: Level) -> Option<Vec<u64>> {
        Some(series(&self.releases.get(at?)?.version, level))
    }
}

impl Calendar {
    /// The releases of distributions up to the installed ones. One of which the index does not know the installed release is left as it is.
    pub(crate) fn of<'d>(distributions: impl Iterator<Item = &'d Distribution>, releases: &Releases) -> Self {
        let package = |one: &Distribution| {
            let known = releases.get(&one.name)?;
            let installed = known.iter().position(|release| release.version == one.version)?;
            Some(Package { name: one.name.clone(), releases: known.get(..=installed)?.to_vec(), is_bounded: false })
        };
        Self { packages: distributions.filter_map(package).collect() }
    }

    /// Returns the distributions that were older on a day than they are now, each with its release of then; `None`: those that are bounded.
    pub(crate) fn on(&self, day: Option<&str>) -> Vec<(&str, &Release)> {
        let then = |package: &'_ Package| {
            let newest = package.newest()?;
            let then = day.and_then(|day| package.on(day)).unwrap_or(newest);
            (then < newest || package.is_bounded).then_some(then)
        };
        self.packages
            .iter()
            .filter_map(|package| Some((package.name.as_str(), package.releases.get(then(package)?)?)))
            .collect()
    }

    /// Returns the days after one on which something changed, the oldest first.
    pub(crate) fn events_after(&self, day: &str) -> Vec<Event> {
        let mut days: Vec<&str> =
            self.packages.iter().flat_map(|package| &package.releases).filter_map(Release::day).collect();
        days.retain(|other| *other > day);
        days.sort_unstable();
        days.dedup();
        let mut events = Vec::new();
        let mut before = day;
        for day in days {
            let changed = |package: &&Package| package.on(before) != package.on(day);
            let began = |package: &Package| {
                let differs = |level: &Level| {
                    package.series(package.on(before), *level) != package.series(package.on(day), *level)
                };
                Level::ALL.into_iter().find(differs).unwrap_or(Level::Patch)
            };
            if let Some(level) = self.packages.iter().filter(changed).map(began).min() {
                events.push(Event { day: day.to_owned(), level });
                before = day;
            }
        }
        events
    }

    /// Returns what was released between two days: of each distribution the release that began the widest series, and the one before it.
    pub(crate) fn released(&self, after: &str, until: &str) -> Vec<(String, Break)> {
        let broken = |package: &Package| {
            let from = package.on(after).map_or(0, |at| at + 1);
            let is_new = |at: &usize| {
                let day = package.releases.get(*at).and_then(Release::day);
                day.is_some_and(|day| day > after && day <= until)
            };
            let new: Vec<usize> = (from..=package.on(until)?).filter(is_new).collect();
            let begins =
                |at: &usize, level| package.series(Some(*at), level) != package.series(at.checked_sub(1), level);
            let widest = Level::ALL.into_iter().find_map(|level| new.iter().find(|at| begins(at, level)));
            let bad = *widest.or(new.first())?;
            let release = |at: usize| package.releases.get(at).cloned();
            Some((package.name.clone(), Break { last_good: release(bad.checked_sub(1)?)?, first_bad: release(bad)? }))
        };
        self.packages.iter().filter_map(broken).collect()
    }

    /// Excludes a release, and what came after it, on every day.
    pub(crate) fn exclude(&mut self, name: &str, broken: &Release) {
        for package in self.packages.iter_mut().filter(|package| package.name == name) {
            let length = package.releases.iter().position(|release| release == broken);
            package.releases.truncate(length.unwrap_or(package.releases.len()));
            package.is_bounded = true;
        }
    }
}

/// Returns the place to try between a good and a bad one, where 0 is before all events and each other place is after an event; `None`: they are
/// neighbours. Wide series come first, since that is where most breaks lie.
pub(crate) fn between(events: &[Event], good: usize, bad: usize) -> Option<usize> {
    if bad <= good + 1 {
        return None;
    }
    let begins = |place: usize, level: Level| {
        place.checked_sub(1).and_then(|at| events.get(at)).is_some_and(|event| event.level <= level)
    };
    for level in Level::ALL {
        let inside: Vec<usize> = (good + 1..bad).filter(|place| begins(*place, level)).collect();
        if let Some(middle) = inside.get(inside.len() / 2) {
            return Some(*middle);
        }
        if begins(bad, level) {
            return Some(bad - 1);
        }
    }
    Some(good + (bad - good) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distribution(name: &str, version: &str) -> Distribution {
        Distribution { name: name.to_owned(), version: version.to_owned(), ..Distribution::default() }
    }

    fn calendar(packages: &[(&str, &[(&str, &str)])]) -> Calendar {
        let mut releases = Releases::new();
        let mut installed = Vec::new();
        for (name, versions) in packages {
            let release = |(version, day): &(&str, &str)| Release {
                version: (*version).to_owned(),
                released: Some(format!("{day}T00:00:00Z")),
            };
            releases.insert((*name).to_owned(), versions.iter().map(release).collect());
            installed.push(distribution(name, versions.last().unwrap().0));
        }
        Calendar::of(installed.iter(), &releases)
    }

    fn shop() -> Calendar {
        calendar(&[
            ("flask", &[("1.1", "2020-01-01"), ("2.0", "2021-05-11"), ("2.0.1", "2021-06-01")]),
            (
                "sqlalchemy",
                &[("1.4.0", "2021-01-01"), ("1.4.46", "2023-01-03"), ("1.4.54", "2024-09-05"), ("2.0.0", "2023-01-26")],
            ),
        ])
    }

    fn on(calendar: &Calendar, day: Option<&str>) -> String {
        let shown = |(name, release): &(&str, &Release)| format!("{name} {}", release.version);
        calendar.on(day).iter().map(shown).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn a_day_has_the_newest_releases_of_then() {
        let calendar = shop();
        assert_eq!(on(&calendar, Some("2021-05-10")), "flask 1.1, sqlalchemy 1.4.0");
        assert_eq!(on(&calendar, Some("2023-01-10")), "sqlalchemy 1.4.46");
        // A release of an older series does not take the place of a newer one.
        assert_eq!(on(&calendar, Some("2024-12-31")), "");
        assert_eq!(on(&calendar, None), "");
    }

    #[test]
    fn events_are_the_days_on_which_the_newest_release_changed() {
        let events = shop().events_after("2021-02-01");
        let shown: Vec<_> = events.iter().map(|event| (event.day.as_str(), event.level)).collect();
        assert_eq!(
            shown,
            [
                ("2021-05-11", Level::Major),
                ("2021-06-01", Level::Patch),
                ("2023-01-03", Level::Patch),
                ("2023-01-26", Level::Major)
            ]
        );
    }

    #[test]
    fn what_is_excluded_stays_so_on_every_day() {
        let mut calendar = shop();
        let released = calendar.released("2023-01-03", "2023-01-26");
        let [(name, Break { last_good, first_bad })] = released.as_slice() else { panic!("{released:?}") };
        assert_eq!(
            (name.as_str(), last_good.version.as_str(), first_bad.version.as_str()),
            ("sqlalchemy", "1.4.54", "2.0.0")
        );
        calendar.exclude(name, first_bad);
        assert_eq!(on(&calendar, None), "sqlalchemy 1.4.54");
        assert_eq!(on(&calendar, Some("2023-01-26")), "sqlalchemy 1.4.46");
        // Its later releases are events now.
        assert_eq!(calendar.events_after("2023-01-26").len(), 1);
    }

    #[test]
    fn the_first_bad_place_is_found_wherever_it_is() {
        let event = |number: usize| Event {
            day: format!("2021-01-{number:02}"),
            level: [Level::Major, Level::Patch, Level::Minor, Level::Patch][number % 4],
        };
        let events: Vec<Event> = (1..=40).map(event).collect();
        for first_bad in 1..=events.len() {
            let (mut good, mut bad, mut tried) = (0, events.len(), 0);
            while let Some(place) = between(&events, good, bad) {
                assert!(good < place && place < bad, "{good} {place} {bad}");
                if place < first_bad {
                    good = place;
                } else {
                    bad = place;
                }
                tried += 1;
            }
            assert_eq!(bad, first_bad);
            assert!(tried <= 8, "{tried} for {first_bad}");
        }
    }
}
