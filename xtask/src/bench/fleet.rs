//! A fleet of sources in a month of changes, simulated by the bench of the crate that heals them.

use std::path::{Path, PathBuf, absolute};

use super::of_crate::{self, WithSmoke};

/// Size, duration and seed of the simulation.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of sources
    #[arg(long, default_value_t = 100)]
    sources: usize,
    /// Number of days
    #[arg(long, default_value_t = 30)]
    days: u64,
    /// Seed of the random changes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write every event and wrong set of values to this file, as JSON
    #[arg(long, value_name = "FILE")]
    details: Option<PathBuf>,
    #[command(flatten)]
    common: WithSmoke,
}

/// Runs the bench `fleet` of the sources.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut arguments = vec![
        ("--sources", options.sources.to_string()),
        ("--days", options.days.to_string()),
        ("--seed", options.seed.to_string()),
    ];
    if let Some(file) = &options.details {
        arguments.push(("--details", absolute(file)?.display().to_string()));
    }
    of_crate::run_or_smoke(root, "autoheal-source", "fleet", &arguments, &options.common)
}
