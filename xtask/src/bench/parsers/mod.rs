//! The time that parsers take for texts that are made to be hard, by the texts' length: in proportion, or the bench fails.
//!
//! # Layout
//!
//! - `readers`: what reads a text, by the kind of text
//! - `measure`: the time of one reader for one family of texts, at sizes that double
//! - `plot`: the same as a picture

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use autoheal_testkit::figures::{self, Figure, Goal};
use autoheal_testkit::pills::{Pill, documents, javascript, pages, python};

mod measure;
mod plot;
mod readers;

use measure::Curve;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Small sizes, and only whether each text is read to its end without a crash
    #[arg(long)]
    smoke: bool,
    /// Only families whose name contains this
    #[arg(long, default_value = "")]
    family: String,
    /// The longest text, in KiB
    #[arg(long, default_value_t = 2_048)]
    longest: usize,
    /// Folder for `parsers.csv` and `parsers.svg`
    #[arg(long, value_name = "DIR")]
    plot: Option<PathBuf>,
    /// Write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The largest exponent of time by length that passes
    #[arg(long, default_value_t = 1.3)]
    goal: f64,
    /// The most seconds that one text may take
    #[arg(long, default_value_t = 10.0)]
    budget: f64,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let sizes = if options.smoke { vec![4 << 10, 32 << 10] } else { doubling(64 << 10, options.longest << 10) };
    let budget = Duration::from_secs_f64(options.budget);
    let pills = [python(), javascript(), pages(), documents()];
    let chosen = pills.into_iter().flatten().filter(|pill| pill.name.contains(&options.family));
    let mut output = std::io::stdout();
    let mut curves = Vec::new();
    for pill in chosen {
        for reader in readers::of(pill) {
            let curve = measure::curve(pill, reader, &sizes, budget)?;
            writeln!(output, "{curve}")?;
            curves.push(curve);
        }
    }
    ensure!(!curves.is_empty(), "no family is called like that; leave --family out to see all");
    if let Some(folder) = &options.plot {
        draw(folder, &curves)?;
    }
    if options.smoke {
        writeln!(output, "{} curves: each text was read to its end", curves.len())?;
        return Ok(());
    }
    let failed: Vec<&Curve> = curves.iter().filter(|curve| !curve.passes(options.goal, budget)).collect();
    let worst = curves.iter().filter_map(Curve::exponent).fold(0.0_f64, f64::max);
    writeln!(output, "{} curves, largest exponent {worst:.2}, {} fail", curves.len(), failed.len())?;
    if let Some(file) = &options.json {
        let worst = Figure::new("largest exponent of a parser's time by the length of its text", worst, "");
        figures::write(file, &[worst.with_goal(Goal::AtMost(options.goal))])?;
    }
    for curve in &failed {
        writeln!(output, "FAILED {curve}")?;
    }
    ensure!(failed.is_empty(), "{} parsers take more than time in proportion to the text, or too long", failed.len());
    Ok(())
}

fn draw(folder: &Path, curves: &[Curve]) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    std::fs::write(folder.join("parsers.csv"), plot::csv(curves))?;
    std::fs::write(folder.join("parsers.svg"), plot::svg(curves))?;
    Ok(())
}

fn doubling(from: usize, to: usize) -> Vec<usize> {
    std::iter::successors(Some(from), |size| Some(size * 2)).take_while(|size| *size <= to.max(from)).collect()
}

/// A way to read a text.
#[derive(Clone, Copy)]
pub(crate) struct Reader {
    name: &'static str,
    read: fn(&Pill, &str),
}
