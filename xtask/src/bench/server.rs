//! How fast the real binary answers, and what many followers of a run cost, measured by the bench of the crate that has it.

use std::path::Path;

use super::of_crate::{self, Common};

/// What to ask.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many requests a second
    #[arg(long, default_value_t = 1000)]
    rate: u32,
    /// For how long, in seconds
    #[arg(long, default_value_t = 10)]
    seconds: u32,
    /// How many follow one run
    #[arg(long, default_value_t = 500)]
    clients: u32,
    #[command(flatten)]
    common: Common,
}

/// Runs the bench `server` of the command.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let arguments = [
        ("--rate", options.rate.to_string()),
        ("--seconds", options.seconds.to_string()),
        ("--clients", options.clients.to_string()),
    ];
    of_crate::run(root, "autoheal-cli", "server", &arguments, &options.common)
}
