//! Releases of a distribution, and their order in series.

use serde::{Deserialize, Serialize};

/// A release that a package index offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Release {
    /// Version as the index writes it.
    pub version: String,
    /// Time of its first file in RFC 3339, if the index tells.
    #[serde(default)]
    pub released: Option<String>,
}

impl Release {
    /// The day of the release, if the index tells.
    pub(crate) fn day(&self) -> Option<&str> {
        self.released.as_deref().and_then(|time| time.get(..10))
    }

    /// The version with its day, for the user.
    pub(crate) fn dated(&self) -> String {
        let day = self.day().map(|day| format!(" (released {day})")).unwrap_or_default();
        format!("{}{day}", self.version)
    }
}

/// Width of a series of releases, the widest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// Releases that promise to fit each other: 2.x, 0.18.x.
    Major,
    /// Releases with the same features: 2.3.x.
    Minor,
    /// A single release.
    Patch,
}

impl Level {
    pub(crate) const ALL: [Self; 3] = [Self::Major, Self::Minor, Self::Patch];
}

/// The numbers of a version, without its epoch and what follows them.
pub(crate) fn numbers(version: &str) -> Vec<u64> {
    let release = version.rsplit('!').next().unwrap_or_default().trim_start_matches(['v', '=']);
    release.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect()
}

/// Returns the series that a version belongs to.
pub(crate) fn series(version: &str, level: Level) -> Vec<u64> {
    let numbers = numbers(version);
    // Before 1.0 every second number may break what uses it.
    let significant = if numbers.first() == Some(&0) { 2 } else { 1 };
    let length = match level {
        Level::Major => significant,
        Level::Minor => significant + 1,
        Level::Patch => return numbers,
    };
    (0..length).map(|index| numbers.get(index).copied().unwrap_or_default()).collect()
}

/// Returns the shortest version that is later than the last good release and not later than the first bad one: the end of the bound `<2`.
pub(crate) fn bound_between(last_good: &str, first_bad: &str) -> String {
    let (good, bad) = (numbers(last_good), numbers(first_bad));
    let at = |numbers: &[u64], length: usize| -> Vec<u64> {
        (0..length).map(|index| numbers.get(index).copied().unwrap_or_default()).collect()
    };
    let has_epoch = last_good.contains('!') || first_bad.contains('!');
    let length = (1..=bad.len()).find(|length| at(&bad, *length) > at(&good, *length)).filter(|_| !has_epoch);
    let shortest = length.map(|length| at(&bad, length).iter().map(ToString::to_string).collect::<Vec<_>>().join("."));
    // Two releases with the same numbers differ in what follows them.
    shortest.unwrap_or_else(|| first_bad.to_owned())
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1.26.20", "2.0.0", "2")]
    #[case("2.2.3", "2.3.0", "2.3")]
    #[case("0.18.1", "0.19", "0.19")]
    #[case("4.8.0", "4.9.0", "4.9")]
    #[case("2.1", "2.1.1", "2.1.1")]
    #[case("2023.3", "2024.1", "2024")]
    #[case("1.0", "1.0.post1", "1.0.post1")]
    #[case("1!1.0", "1!2.0", "1!2.0")]
    fn a_bound_is_as_short_as_can_be(#[case] last_good: &str, #[case] first_bad: &str, #[case] expected: &str) {
        assert_eq!(bound_between(last_good, first_bad), expected);
    }

    #[rstest]
    #[case("2.3.8", Level::Major, &[2])]
    #[case("2", Level::Minor, &[2, 0])]
    #[case("0.18.1", Level::Major, &[0, 18])]
    #[case("0.18.1", Level::Minor, &[0, 18, 1])]
    #[case("1!2.0rc1", Level::Patch, &[2])]
    #[case("v20.1.0", Level::Minor, &[20, 1])]
    fn releases_belong_to_series(#[case] version: &str, #[case] level: Level, #[case] expected: &[u64]) {
        assert_eq!(series(version, level), expected);
    }
}
