//! The walk back through the releases of one distribution: back from the newest series until one passes, then forward to where it broke.

use std::collections::BTreeMap;

use super::release::{Level, Release, series};

/// Steps back over series, each twice as far as the last, before a distribution counts as innocent.
const STEPS_BACK: usize = 4;

/// The same over minor series.
const MINOR_STEPS: usize = 4;

/// The ends of series that are tried one by one, when nothing is known of the day when the repository was green.
const MOST_SERIES: usize = 12;

/// A search for the newest release that passes, with few tries. Each try costs an environment.
///
/// The last releases of series are tried first, since that is where most breaks lie: of majors, then of minors, then of patches. It is taken
/// for granted that a break stays broken.
#[derive(Debug)]
pub(crate) struct Walk {
    /// Releases up to the one that is installed, the oldest first.
    releases: Vec<Release>,
    /// The release of the day when the repository was green, if that is known.
    floor: Option<usize>,
    /// True if the ends of minor series between are tried, too, where the steps back do not pass.
    is_thorough: bool,
    tried: BTreeMap<usize, bool>,
}

/// Result of a walk: two neighbours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Break {
    /// The newest release that passes.
    pub(crate) last_good: Release,
    /// The release after it.
    pub(crate) first_bad: Release,
}

impl Walk {
    /// A walk back from the release that is installed. `since`: the day from which the repository was green.
    pub(crate) fn new(mut releases: Vec<Release>, installed: &str, since: Option<&str>) -> Self {
        let length = releases.iter().position(|release| release.version == installed).map_or(0, |at| at + 1);
        releases.truncate(length);
        let of_then = |since: &str| releases.iter().rposition(|release| release.day().is_some_and(|day| day <= since));
        let floor = since.and_then(of_then);
        Self { floor, releases, is_thorough: false, tried: BTreeMap::new() }
    }

    /// Also tries the ends of minor series: a release in the middle of an older major may be the only one that fits.
    pub(crate) fn thorough(self) -> Self {
        Self { is_thorough: true, ..self }
    }

    /// Returns whether the dates of the releases tell how far back the walk has to go.
    pub(crate) const fn has_floor(&self) -> bool {
        self.floor.is_some()
    }

    /// Returns the release to try next; `None`: the walk is over.
    pub(crate) fn next(&self) -> Option<(usize, &Release)> {
        let at = match self.good() {
            None => self.back(),
            Some(good) => self.between(good),
        }?;
        self.releases.get(at).map(|release| (at, release))
    }

    /// Records whether a release passes.
    pub(crate) fn tell(&mut self, at: usize, passes: bool) {
        self.tried.insert(at, passes);
    }

    /// Returns what is known: narrowest when the walk is over.
    pub(crate) fn found(&self) -> Option<Break> {
        let good = self.good()?;
        let release = |at: usize| self.releases.get(at).cloned();
        Some(Break { last_good: release(good)?, first_bad: release(self.bad_after(good))? })
    }

    /// The newest release that passes.
    fn good(&self) -> Option<usize> {
        self.tried.iter().rev().find(|(_, passes)| **passes).map(|(at, _)| *at)
    }

    /// The oldest release after a good one that is known to fail: at last the one that is installed.
    fn bad_after(&self, good: usize) -> usize {
        let failing = self.tried.range(good..).find(|(_, passes)| !**passes);
        failing.map_or(self.releases.len().saturating_sub(1), |(at, _)| *at)
    }

    /// Steps back: to the series before the newest, then to what there was when the repository was green. Where that day is not known, over
    /// series, further each time.
    fn back(&self) -> Option<usize> {
        let newest = self.releases.len().checked_sub(1)?;
        let from = self.floor.unwrap_or_default();
        let level = Level::ALL.into_iter().find(|level| self.series(from, *level) != self.series(newest, *level))?;
        let ends: Vec<usize> = self.ends(level, from, newest).rev().collect();
        let mut steps: Vec<usize> = match self.floor {
            Some(floor) => ends.first().into_iter().chain(ends.last()).copied().chain([floor]).collect(),
            None => (0..STEPS_BACK).filter_map(|step| ends.get((1 << step) - 1)).copied().collect(),
        };
        if self.is_thorough {
            if self.floor.is_none() {
                steps.extend(ends.iter().take(MOST_SERIES));
            }
            let minors: Vec<usize> = self.ends(Level::Minor, from, newest).rev().collect();
            steps.extend((0..MINOR_STEPS).filter_map(|step| minors.get((1 << step) - 1)));
        }
        steps.retain(|step| !self.tried.contains_key(step));
        steps.into_iter().next()
    }

    /// Halves what lies between the newest release that passes and the first that fails after it.
    fn between(&self, good: usize) -> Option<usize> {
        let bad = self.bad_after(good);
        for level in Level::ALL {
            let ends: Vec<usize> = self.ends(level, good + 1, bad).collect();
            if let Some(middle) = ends.get(ends.len() / 2) {
                return Some(*middle);
            }
            // Most breaks lie at the start of a series.
            let first = good + 1;
            if first < bad && self.series(first, level) != self.series(good, level) {
                return Some(first);
            }
        }
        None
    }

    /// The last releases of the series that end in `from..to`.
    fn ends(&self, level: Level, from: usize, to: usize) -> impl DoubleEndedIterator<Item = usize> {
        (from..to).filter(move |at| self.series(*at, level) != self.series(at + 1, level))
    }

    fn series(&self, at: usize, level: Level) -> Option<Vec<u64>> {
        self.releases.get(at).map(|release| series(&release.version, level))
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    fn releases(versions: &[&str]) -> Vec<Release> {
        let numbered = versions.iter().enumerate();
        let released = |number: usize| Some(format!("{}-01-01T00:00:00Z", 2000 + number));
        numbered
            .map(|(number, version)| Release { version: (*version).to_owned(), released: released(number) })
            .collect()
    }

    /// Walks with a program that fails from `first_bad` on. Returns the versions that were tried, and the last good one.
    fn walked(versions: &[&str], first_bad: &str, since: Option<&str>) -> (Vec<String>, Option<Break>) {
        let mut walk = Walk::new(releases(versions), versions.last().unwrap(), since);
        let broken = versions.iter().position(|version| *version == first_bad).unwrap();
        let mut tried = Vec::new();
        while let Some((at, release)) = walk.next() {
            tried.push(release.version.clone());
            walk.tell(at, at < broken);
            assert!(tried.len() < 30, "{tried:?}");
        }
        let found = walk.found();
        (tried, found)
    }

    const MANY: &[&str] = &[
        "1.0", "1.1", "1.2.0", "1.2.1", "2.0.0", "2.0.1", "2.1.0", "2.2.0", "2.2.3", "2.3.0", "2.3.1", "2.3.8",
        "3.0.0", "3.1.0", "3.1.9",
    ];

    #[rstest]
    #[case(MANY, "3.0.0", "2.3.8", &["2.3.8", "3.0.0"])]
    #[case(MANY, "2.3.0", "2.2.3", &["2.3.8", "1.2.1", "2.0.0", "2.1.0", "2.2.3", "2.3.0"])]
    #[case(MANY, "2.3.1", "2.3.0", &["2.3.8", "1.2.1", "2.0.0", "2.1.0", "2.2.3", "2.3.0", "2.3.1"])]
    #[case(&["0.17", "0.18.0", "0.18.1", "0.19", "0.20.1"], "0.19", "0.18.1", &["0.19", "0.18.1"])]
    #[case(&["1.0", "1.1", "1.2"], "1.2", "1.1", &["1.1"])]
    #[case(&["1.0.0", "1.0.1", "1.0.2"], "1.0.1", "1.0.0", &["1.0.1", "1.0.0"])]
    fn the_newest_release_that_passes_is_found(
        #[case] versions: &[&str],
        #[case] first_bad: &str,
        #[case] last_good: &str,
        #[case] expected: &[&str],
    ) {
        let (tried, found) = walked(versions, first_bad, None);
        let found = found.unwrap();
        assert_eq!((found.last_good.version.as_str(), found.first_bad.version.as_str()), (last_good, first_bad));
        assert_eq!(tried, expected);
    }

    #[test]
    fn every_break_is_found_in_few_tries() {
        // The last release of the oldest series is the first that could pass.
        for (at, first_bad) in MANY.iter().enumerate().skip(4) {
            let (tried, found) = walked(MANY, first_bad, None);
            assert_eq!(found.unwrap().last_good.version, MANY[at - 1], "{first_bad}");
            assert!(tried.len() <= 8, "{first_bad}: {tried:?}");
        }
    }

    #[test]
    fn an_innocent_distribution_costs_few_tries() {
        let majors: Vec<String> = (1..90).map(|major| format!("{major}.0")).collect();
        let majors: Vec<&str> = majors.iter().map(String::as_str).collect();
        let (tried, found) = walked(&majors, "1.0", None);
        assert_eq!(found, None);
        assert_eq!(tried, ["88.0", "87.0", "85.0", "81.0"]);
    }

    #[test]
    fn nothing_older_than_the_repository_is_tried() {
        // 1.2.0 is of 2002, 3.0.0 of 2012.
        for (since, expected) in [("2002-06-01", &["2.3.8", "1.2.1", "1.2.0"][..]), ("2012-06-01", &["3.0.0"][..])] {
            let (tried, found) = walked(MANY, "1.0", Some(since));
            assert_eq!((tried, found), (expected.iter().map(ToString::to_string).collect(), None));
        }
    }

    #[test]
    fn a_break_since_the_day_when_all_was_green_is_found_there() {
        let mut walk = Walk::new(releases(MANY), "3.1.9", Some("2012-06-01"));
        let (at, release) = walk.next().unwrap();
        assert_eq!(release.version, "3.0.0");
        walk.tell(at, true);
        let (at, release) = walk.next().unwrap();
        assert_eq!(release.version, "3.1.0");
        walk.tell(at, false);
        assert_eq!(walk.next(), None);
        assert_eq!(walk.found().unwrap().last_good.version, "3.0.0");
    }

    #[test]
    fn a_release_in_the_middle_of_an_older_major_may_be_the_only_one_that_fits() {
        let mut walk = Walk::new(releases(MANY), "3.1.9", Some("2002-06-01")).thorough();
        let mut tried = Vec::new();
        while let Some((at, release)) = walk.next() {
            tried.push(release.version.clone());
            walk.tell(at, release.version.starts_with("2.1") || release.version.starts_with("2.2."));
        }
        assert_eq!(walk.found().unwrap().last_good.version, "2.2.3", "{tried:?}");
        assert_eq!(tried.get(..4).map(<[String]>::len), Some(4));
    }

    #[test]
    fn without_a_day_a_thorough_walk_tries_each_series() {
        let majors: Vec<String> = (1..=13).map(|major| format!("{major}.0")).collect();
        let majors: Vec<&str> = majors.iter().map(String::as_str).collect();
        let mut walk = Walk::new(releases(&majors), "13.0", None).thorough();
        while let Some((at, _)) = walk.next() {
            walk.tell(at, at < 3);
        }
        assert_eq!(walk.found().unwrap().last_good.version, "3.0");
    }

    #[test]
    fn what_the_index_does_not_know_is_not_walked() {
        let walk = Walk::new(releases(&["1.0", "2.0"]), "2.1", None);
        assert!(walk.next().is_none() && walk.found().is_none());
    }
}
