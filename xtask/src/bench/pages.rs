//! Latency of the dashboard's pages with a large database, measured by the bench of the crate that has the binary.

use std::path::Path;

use super::of_crate::{self, WithSmoke};

/// Size of the database.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Number of sources
    #[arg(long, default_value_t = 1_000)]
    sources: u32,
    /// Number of runs
    #[arg(long, default_value_t = 100_000)]
    runs: u32,
    /// Number of sets of values
    #[arg(long, default_value_t = 1_000_000)]
    values: u32,
    /// Number of times that each request is sent
    #[arg(long, default_value_t = 40)]
    times: u32,
    /// Address of an empty PostgreSQL database; an SQLite file by default
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
    #[command(flatten)]
    common: WithSmoke,
}

/// Runs the bench `pages` of the command.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut arguments = vec![
        ("--sources", options.sources.to_string()),
        ("--runs", options.runs.to_string()),
        ("--values", options.values.to_string()),
        ("--times", options.times.to_string()),
    ];
    arguments.extend(options.database_url.iter().map(|url| ("--database-url", url.clone())));
    of_crate::run_or_smoke(root, "autoheal-cli", "pages", &arguments, &options.common)
}
