//! A fleet of sources in a month of changes, simulated by the bench of the crate that heals them.

use std::path::{Path, PathBuf};

use crate::process;

/// What to simulate.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many sources
    #[arg(long, default_value_t = 100)]
    sources: usize,
    /// How many days
    #[arg(long, default_value_t = 30)]
    days: u64,
    /// What happens when, and to whom
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write every count, and every wrong set of values, to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Cargo's profile to build with
    #[arg(long, default_value = "bench")]
    profile: String,
}

/// Runs the bench `fleet` of the sources.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut command = process::command(root, "cargo");
    command.args(["bench", "--package", "autoheal-source", "--bench", "fleet", "--profile", &options.profile, "--"]);
    command.args(["--sources", &options.sources.to_string(), "--days", &options.days.to_string()]);
    command.args(["--seed", &options.seed.to_string()]);
    if let Some(file) = &options.json {
        command.arg("--json").arg(std::path::absolute(file)?);
    }
    process::run(&mut command)
}
