//! A thousand sources refreshed by the real binary, measured by the bench of the crate that has it.

use std::path::{Path, PathBuf};

use crate::process;

/// What to refresh.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many sources
    #[arg(long, default_value_t = 1000)]
    sources: usize,
    /// How many tasks the worker runs at once
    #[arg(long, default_value_t = 4)]
    concurrency: usize,
    /// Write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Cargo's profile to build with
    #[arg(long, default_value = "bench")]
    profile: String,
}

/// Runs the bench `refresh` of the command.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut command = process::command(root, "cargo");
    command.args(["bench", "--package", "autoheal-cli", "--bench", "refresh", "--profile", &options.profile, "--"]);
    command.args(["--sources", &options.sources.to_string(), "--concurrency", &options.concurrency.to_string()]);
    if let Some(file) = &options.json {
        command.arg("--json").arg(std::path::absolute(file)?);
    }
    process::run(&mut command)
}
