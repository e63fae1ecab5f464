//! Differences between one run of tests and CI's: the table of variations. To add a variation, add a field
//! here, and its effect on a language's tools in `toolchain`.

use std::fmt;

use autoheal_code::vary;

use crate::folders::Folders;

/// Differences between one run and CI's.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Conditions {
    /// It is noted on what the tests depend.
    pub(crate) is_watched: bool,
    /// Whatever is random comes from this number, the order of sets, too.
    pub(crate) seed: Option<u32>,
    /// The clock begins at this moment.
    pub(crate) clock: Option<Moment>,
    /// Time zone of the run.
    pub(crate) zone: Option<&'static str>,
    /// Order in which concurrent work proceeds.
    pub(crate) threads: Option<Threads>,
    /// The tests of a runner that takes no list run in another order, by this number.
    pub(crate) shuffle: Option<u32>,
    /// The tests of the list run in just this order.
    pub(crate) is_listed: bool,
    /// The tree is that of the commit before.
    pub(crate) is_before: bool,
}

impl Conditions {
    /// Returns the variables that set them for the tests of any language.
    pub(crate) fn variables(&self, folders: &Folders) -> Vec<(String, String)> {
        let tree = if self.is_before { folders.before() } else { folders.tree() };
        let varied = [
            (vary::TREE, Some(tree.display().to_string())),
            (vary::TOUCHED, self.is_watched.then(|| folders.touched().display().to_string())),
            (vary::CLOCK, self.clock.map(Moment::seconds)),
            (vary::SEED, self.seed.map(|seed| seed.to_string())),
            (vary::THREADS, self.threads.map(|threads| threads.word().to_owned())),
            (vary::ORDER, self.shuffle.map(|_| "reversed".to_owned())),
            ("TZ", self.zone.map(str::to_owned)),
        ];
        varied.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// Order in which concurrent work proceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Threads {
    /// The started work: each thread, process or timer is waited for.
    First,
    /// The code that started it: each thread, process or timer begins late.
    Late,
}

impl Threads {
    /// The word for it.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Late => "late",
        }
    }
}

/// Seeds that are tried.
pub(crate) const SEEDS: std::ops::RangeInclusive<u32> = 1..=16;

/// Time zones that are tried: the ends of the earth first, then where people write tests.
pub(crate) const ZONES: [&str; 14] = [
    "Pacific/Kiritimati",
    "America/Los_Angeles",
    "Asia/Kolkata",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Tokyo",
    "Europe/London",
    "Australia/Sydney",
    "Asia/Shanghai",
    "America/Chicago",
    "America/Sao_Paulo",
    "America/Denver",
    "Europe/Moscow",
    "Pacific/Pago_Pago",
];

/// A moment that is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moment {
    /// In seconds since 1970.
    pub(crate) second: i64,
    /// Date and time in UTC, for the user.
    pub(crate) text: &'static str,
}

impl Moment {
    /// The seconds with a fraction that is another for each moment.
    pub(crate) fn seconds(self) -> String {
        format!("{}.{:06}", self.second, self.second.wrapping_mul(7_919).rem_euclid(1_000_000))
    }
}

/// Moments that are tried: each in another year, at another time of the day and on another day of the week, odd and even seconds, among them
/// ends of months and of a year, a leap day, midnight and a weekend.
pub(crate) const MOMENTS: [Moment; 12] = [
    Moment { second: 1_750_156_201, text: "2025-06-17 10:30:01" },
    Moment { second: 1_709_208_000, text: "2024-02-29 12:00:00" },
    Moment { second: 1_704_067_170, text: "2023-12-31 23:59:30" },
    Moment { second: 1_646_438_405, text: "2022-03-05 00:00:05" },
    Moment { second: 1_769_875_223, text: "2026-01-31 16:00:23" },
    Moment { second: 1_815_126_306, text: "2027-07-09 09:45:06" },
    Moment { second: 1_620_062_047, text: "2021-05-03 17:14:07" },
    Moment { second: 1_603_602_128, text: "2020-10-25 05:02:08" },
    Moment { second: 1_555_405_559, text: "2019-04-16 09:05:59" },
    Moment { second: 1_534_716_011, text: "2018-08-19 22:00:11" },
    Moment { second: 1_844_297_233, text: "2028-06-11 00:47:13" },
    Moment { second: 1_922_283_600, text: "2030-11-30 15:40:00" },
];

impl Conditions {
    pub(crate) fn seed(seed: u32) -> Self {
        Self { seed: Some(seed), ..Self::default() }
    }

    pub(crate) fn clock(moment: Moment) -> Self {
        Self { clock: Some(moment), ..Self::default() }
    }

    pub(crate) fn zone(zone: &'static str) -> Self {
        Self { zone: Some(zone), ..Self::default() }
    }

    pub(crate) fn threads(threads: Threads) -> Self {
        Self { threads: Some(threads), ..Self::default() }
    }

    pub(crate) fn listed() -> Self {
        Self { is_listed: true, ..Self::default() }
    }
}

/// Formats the conditions for the user, to follow the word "with".
impl fmt::Display for Conditions {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(seed) = self.seed {
            write!(out, "seed {seed}")
        } else if let Some(moment) = self.clock {
            write!(out, "the clock at {} UTC", moment.text)
        } else if let Some(zone) = self.zone {
            write!(out, "TZ={zone}")
        } else if let Some(threads) = self.threads {
            out.write_str(match threads {
                Threads::First => "each thread, process or timer that is started being waited for",
                Threads::Late => "each thread, process or timer beginning late",
            })
        } else {
            out.write_str("nothing changed")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_is_the_second_that_it_says() {
        for moment in MOMENTS {
            let parsed = autoheal_engine::Timestamp::from_millis(moment.second * 1000).to_rfc3339();
            assert!(parsed.starts_with(&moment.text.replace(' ', "T")), "{parsed} {}", moment.text);
        }
    }
}
