//! Every bench that needs no data from outside, one after the other.

use std::io::Write as _;
use std::path::Path;

use clap::{Args as _, FromArgMatches as _};

use super::parsers;
use crate::process;

/// Benches that live in the crate they measure.
const OF_CRATES: [&str; 6] = ["queue", "fleet", "refresh", "server", "pages", "scale"];

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run the forms of seconds, built with the profile of the tests: for their assertions, not for their figures
    #[arg(long)]
    smoke: bool,
}

/// Runs them, and fails if one fails.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut command = process::command(root, "cargo");
    // The features and profile of the tests, so that nothing is built twice.
    command.args(["bench", "--workspace", "--all-features", "--no-fail-fast"]);
    command.args(OF_CRATES.iter().flat_map(|bench| ["--bench", bench]));
    let mut of_parsers = vec!["parsers"];
    if options.smoke {
        command.args(["--profile", "dev", "--", "--smoke"]);
        of_parsers.push("--smoke");
    } else {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let load = load.split(' ').next().unwrap_or_default();
        writeln!(
            std::io::stdout(),
            "{load} programs ran at once in the last minute: above 0.5, the figures are too low"
        )?;
    }
    process::run(&mut command)?;
    let matches = parsers::Options::augment_args(clap::Command::new("parsers")).try_get_matches_from(of_parsers)?;
    parsers::run(&parsers::Options::from_arg_matches(&matches)?)
}
