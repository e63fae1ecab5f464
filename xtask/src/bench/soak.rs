//! A server and three workers under load for a chosen duration: every tenth input is hostile, and a worker is killed each minute.
//!
//! It runs a test of `autoheal-cli`, which `./test` runs for two minutes; here the test also enforces its latency goal.

use std::path::Path;

use crate::process;

/// The length of the load, and the program under it.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Minutes of load; what is under way then is waited for
    #[arg(long, default_value_t = 30)]
    minutes: u64,
    /// Cargo's profile to build with
    #[arg(long, default_value = "release")]
    profile: String,
}

/// Runs it, and prints what became of every input.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut command = process::command(root, "cargo");
    command.env("AUTOHEAL_SOAK_MINUTES", options.minutes.to_string());
    command.args(["nextest", "run", "--workspace", "--all-features", "--no-capture"]);
    command.args(["--cargo-profile", &options.profile, "-E", "package(autoheal-cli) & test(/^soak::/)"]);
    process::run(&mut command)
}
