//! The time of one reader for one family of texts.

use std::fmt;
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use autoheal_testkit::pills::Pill;

use super::Reader;
use crate::bench::curve::{NOISE, exponent, processor_time};

/// The stack of tokio's workers.
const STACK: usize = 2 << 20;

/// A reader that is this fast for the longest text passes, whatever its exponent.
const FAST: Duration = Duration::from_millis(250);

/// Maximum number of times a text is read: the shortest time counts.
const REPEATS: usize = 3;

/// Measured times, by length in bytes.
pub(super) struct Curve {
    pub(super) family: &'static str,
    pub(super) reader: &'static str,
    pub(super) points: Vec<(usize, Duration)>,
}

/// Reads texts of the sizes; no longer ones after one that took more than the budget.
pub(super) fn curve(pill: &Pill, reader: &Reader, sizes: &[usize], budget: Duration) -> anyhow::Result<Curve> {
    let mut points = Vec::new();
    for size in sizes {
        let text = pill.text(*size);
        let time = shortest(pill, reader, &text)?;
        points.push((text.len(), time));
        if time > budget {
            break;
        }
    }
    Ok(Curve { family: pill.name, reader: reader.name, points })
}

fn shortest(pill: &Pill, reader: &Reader, text: &str) -> anyhow::Result<Duration> {
    let mut times = Vec::new();
    for _ in 0..REPEATS {
        let time = std::thread::scope(|scope| {
            let small = std::thread::Builder::new().name(pill.name.to_owned()).stack_size(STACK);
            let run = small.spawn_scoped(scope, || {
                let start = processor_time()?;
                (reader.read)(pill, text);
                Ok::<_, anyhow::Error>(processor_time()?.saturating_sub(start))
            });
            run.context("cannot start a thread")?
                .join()
                .map_err(|_| anyhow!("{} panicked at {}", reader.name, pill.name))?
        })?;
        times.push(time);
        if time > FAST {
            break;
        }
    }
    times.into_iter().min().context("nothing was measured")
}

impl Curve {
    /// Returns the exponent of the growth of the time with the length; `None` if there are too few points.
    pub(super) fn exponent(&self) -> Option<f64> {
        let long = self.points.iter().filter(|(_, time)| *time > NOISE);
        exponent(&long.map(|(size, time)| (*size, time.as_secs_f64())).collect::<Vec<_>>())
    }

    pub(super) fn passes(&self, goal: f64, budget: Duration) -> bool {
        let longest = self.points.last().map_or(Duration::ZERO, |(_, time)| *time);
        longest <= budget && (longest <= FAST || self.exponent().is_none_or(|exponent| exponent <= goal))
    }
}

impl fmt::Display for Curve {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:<34} {:<10}", self.family, self.reader)?;
        for (_, time) in &self.points {
            write!(formatter, " {:>8.1}", time.as_secs_f64() * 1e3)?;
        }
        match self.exponent() {
            Some(exponent) => write!(formatter, " ms  ^{exponent:.2}"),
            None => write!(formatter, " ms"),
        }
    }
}
