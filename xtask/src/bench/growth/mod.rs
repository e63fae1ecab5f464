//! Time and memory by the size of each input that a stranger chooses: in proportion, or the bench fails.
//!
//! Texts that are made to be hard to parse are the `parsers` bench, a fleet on PostgreSQL is the `scale` bench.
//!
//! # Layout
//!
//! - `pages`: what grows with a page
//! - `repositories`: what grows with a repository, and with what its tests print
//! - `records`: what grows with the database

use std::fmt::{self, Display, Formatter};
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use autoheal_testkit::figures::{self, Figure, Goal};
use peak_alloc::PeakAlloc;

use super::curve::{NOISE, exponent, processor_time};

mod pages;
mod records;
mod repositories;

/// Counts the memory in use.
#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Number of sizes of an input; each is twice the one before.
const SIZES: u32 = 5;

/// Number of times the work is done at a size: the shortest time and the smallest peak count.
const REPEATS: usize = 3;

/// Work that takes longer is done once at a size.
const SLOW: Duration = Duration::from_millis(500);

/// Peaks below are more noise than data.
const LITTLE_MEMORY: usize = 256 << 10;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Two small sizes, and only whether all of the input is handled
    #[arg(long)]
    smoke: bool,
    /// Only what contains this in its name
    #[arg(long, default_value = "")]
    only: String,
    /// Write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The largest exponent that passes
    #[arg(long, default_value_t = 1.15)]
    goal: f64,
}

/// Something that grows, and what is done with it.
struct Subject {
    what: &'static str,
    /// The smallest size that is measured.
    from: usize,
    /// Makes an input of a size, which is not measured.
    prepare: fn(usize) -> anyhow::Result<Work>,
}

/// Works on an input, and returns how much of it was handled, in the unit of its size.
type Work = Box<dyn FnMut() -> anyhow::Result<usize>>;

/// Measurements of a subject.
struct Growth {
    what: &'static str,
    /// Size, time and peak of memory in bytes.
    points: Vec<(usize, Duration, usize)>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut output = std::io::stdout();
    let mut figures = Vec::new();
    let mut failed = Vec::new();
    let all = [pages::SUBJECTS, repositories::SUBJECTS, records::SUBJECTS].into_iter().flatten();
    let chosen: Vec<_> = all.filter(|subject| subject.what.contains(&options.only)).collect();
    ensure!(!chosen.is_empty(), "nothing is called like that; leave --only out to see all");
    for subject in chosen {
        let sizes = if options.smoke { vec![8, 16] } else { (0..SIZES).map(|power| subject.from << power).collect() };
        let growth = measure(subject, &sizes).with_context(|| format!("{} cannot be measured", subject.what))?;
        writeln!(output, "{growth}")?;
        if !options.smoke {
            let fitted = growth.figures(options.goal);
            if fitted.iter().any(|figure| figure.is_met() == Some(false)) {
                failed.push(subject.what);
            }
            figures.extend(fitted);
        }
    }
    if let Some(file) = &options.json {
        figures::write(file, &figures)?;
    }
    ensure!(failed.is_empty(), "these grow faster than their size: {}", failed.join("; "));
    Ok(())
}

fn measure(subject: &Subject, sizes: &[usize]) -> anyhow::Result<Growth> {
    let mut points = Vec::new();
    for &size in sizes {
        let mut work = (subject.prepare)(size)?;
        let mut best: Option<(Duration, usize)> = None;
        for _ in 0..REPEATS {
            MEMORY.reset_peak_usage();
            let (start, before) = (processor_time()?, MEMORY.current_usage());
            let handled = work()?;
            let time = processor_time()?.saturating_sub(start);
            let peak = MEMORY.peak_usage().saturating_sub(before);
            ensure!(handled >= size, "of {size}, only {handled} were handled");
            best = Some(best.map_or((time, peak), |best| (best.0.min(time), best.1.min(peak))));
            if time > SLOW {
                break;
            }
        }
        let (time, peak) = best.context("nothing was measured")?;
        points.push((size, time, peak));
    }
    Ok(Growth { what: subject.what, points })
}

impl Growth {
    /// The exponent of time.
    fn of_time(&self) -> Option<f64> {
        let long = self.points.iter().filter(|(_, time, _)| *time > NOISE);
        exponent(&long.map(|(size, time, _)| (*size, time.as_secs_f64())).collect::<Vec<_>>())
    }

    /// The exponent of memory.
    fn of_memory(&self) -> Option<f64> {
        let much = self.points.iter().filter(|(_, _, peak)| *peak > LITTLE_MEMORY);
        let points = much.filter_map(|(size, _, peak)| Some((*size, f64::from(u32::try_from(*peak).ok()?))));
        exponent(&points.collect::<Vec<_>>())
    }

    fn figures(&self, goal: f64) -> Vec<Figure> {
        let fitted = [("time", self.of_time()), ("memory", self.of_memory())];
        let figure = |(of, exponent): (&str, Option<f64>)| {
            Some(Figure::new(format!("{of}: {}", self.what), exponent?, "").with_goal(Goal::AtMost(goal)))
        };
        fitted.into_iter().filter_map(figure).collect()
    }
}

impl Display for Growth {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:<44}", self.what)?;
        for (size, time, peak) in &self.points {
            write!(formatter, "  {size}: {:.1} ms {} KiB", time.as_secs_f64() * 1e3, peak >> 10)?;
        }
        for (name, exponent) in [("time", self.of_time()), ("memory", self.of_memory())] {
            match exponent {
                Some(exponent) => write!(formatter, "  {name} ^{exponent:.2}")?,
                None => write!(formatter, "  {name}: too little to fit")?,
            }
        }
        Ok(())
    }
}
