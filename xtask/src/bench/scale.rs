//! A fleet of up to a million sources, simulated by the bench of the crate that has the binary.

use std::path::Path;

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
    #[command(flatten)]
    common: WithSmoke,
}

/// Runs the bench `scale` of the command.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let sources: Vec<String> = options.sources.iter().map(ToString::to_string).collect();
    let arguments = [
        ("--sources", sources.join(",")),
        ("--workers", options.workers.to_string()),
        ("--seconds", options.seconds.to_string()),
        ("--interval", options.interval.to_string()),
    ];
    of_crate::run_or_smoke(root, "autoheal-cli", "scale", &arguments, &options.common)
}
