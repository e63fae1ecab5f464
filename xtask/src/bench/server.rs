//! Latency of the real binary, and the cost of many followers of a run, measured by the bench of the crate that has the binary.

use std::path::Path;

use super::of_crate::{self, WithSmoke};

/// Size of the load: rate, duration and clients.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of requests per second
    #[arg(long, default_value_t = 1000)]
    rate: u32,
    /// Duration of the measurement, in seconds
    #[arg(long, default_value_t = 10)]
    seconds: u32,
    /// Number of clients that follow one run
    #[arg(long, default_value_t = 500)]
    clients: u32,
    #[command(flatten)]
    common: WithSmoke,
}

/// Runs the bench `server` of the command.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let arguments = [
        ("--rate", options.rate.to_string()),
        ("--seconds", options.seconds.to_string()),
        ("--clients", options.clients.to_string()),
    ];
    of_crate::run_or_smoke(root, "autoheal-cli", "server", &arguments, &options.common)
}
