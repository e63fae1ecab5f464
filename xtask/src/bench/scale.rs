//! A fleet of up to a million sources, simulated by the bench of the crate that has the binary.

use std::path::{Path, PathBuf, absolute};

use super::of_crate::{self, WithSmoke};

/// Size of the simulation.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Numbers of sources, one fleet each
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000])]
    sources: Vec<u32>,
    /// Number of simulated workers, each with four slots
    #[arg(long, default_value_t = 20)]
    workers: usize,
    /// Seconds for which runs are observed when nothing is overdue
    #[arg(long, default_value_t = 120)]
    seconds: u64,
    /// Hours between two runs of a source
    #[arg(long, default_value_t = 6)]
    interval: u64,
    /// Write a picture of the runs that wait to this file, as SVG
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    common: WithSmoke,
}

/// Runs the bench `scale` of the command.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let sources: Vec<String> = options.sources.iter().map(ToString::to_string).collect();
    let mut arguments = vec![
        ("--sources", sources.join(",")),
        ("--workers", options.workers.to_string()),
        ("--seconds", options.seconds.to_string()),
        ("--interval", options.interval.to_string()),
    ];
    if let Some(file) = &options.plot {
        // Cargo starts a bench in the folder of its crate.
        arguments.push(("--plot", absolute(file)?.display().to_string()));
    }
    of_crate::run_or_smoke(root, "autoheal-cli", "scale", &arguments, &options.common)
}
