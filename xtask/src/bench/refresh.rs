//! A thousand sources refreshed by the real binary, measured by the bench of the crate that has it.

use std::path::Path;

use super::of_crate::{self, WithSmoke};

/// Size of the load: sources and concurrency.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of sources
    #[arg(long, default_value_t = 1000)]
    sources: usize,
    /// Number of tasks that the worker runs at once
    #[arg(long, default_value_t = 4)]
    concurrency: usize,
    #[command(flatten)]
    common: WithSmoke,
}

/// Runs the bench `refresh` of the command.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let arguments = [("--sources", options.sources.to_string()), ("--concurrency", options.concurrency.to_string())];
    of_crate::run_or_smoke(root, "autoheal-cli", "refresh", &arguments, &options.common)
}
