//! Benches that live in the crate they measure, run by cargo.

use std::path::{Path, PathBuf};

use crate::process;

/// Options of all these benches.
#[derive(clap::Args)]
pub(crate) struct Common {
    /// Write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Cargo's profile to build with; `bench` by default, `dev` with `--smoke`
    #[arg(long)]
    profile: Option<String>,
}

/// Options of the benches that have a form of seconds.
#[derive(clap::Args)]
pub(crate) struct WithSmoke {
    /// Measure little, for the sake of the assertions: sizes are chosen by the bench, and no goal must be met
    #[arg(long)]
    smoke: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the bench `bench` of `package` with these arguments.
pub(super) fn run(
    root: &Path,
    package: &str,
    bench: &str,
    arguments: &[(&str, String)],
    common: &Common,
) -> anyhow::Result<()> {
    let words = arguments.iter().flat_map(|(name, value)| [(*name).to_owned(), value.clone()]).collect();
    start(root, package, bench, words, common, "bench")
}

/// Runs the bench `bench` of `package` with these arguments, or its form of seconds.
pub(super) fn run_or_smoke(
    root: &Path,
    package: &str,
    bench: &str,
    arguments: &[(&str, String)],
    options: &WithSmoke,
) -> anyhow::Result<()> {
    if options.smoke {
        start(root, package, bench, vec!["--smoke".to_owned()], &options.common, "dev")
    } else {
        run(root, package, bench, arguments, &options.common)
    }
}

fn start(
    root: &Path,
    package: &str,
    bench: &str,
    mut words: Vec<String>,
    common: &Common,
    profile: &str,
) -> anyhow::Result<()> {
    let mut command = process::command(root, "cargo");
    let profile = common.profile.as_deref().unwrap_or(profile);
    command.args(["bench", "--package", package, "--bench", bench, "--profile", profile]);
    if package == "autoheal-cli" {
        // The benches need no page.
        command.args(["--features", "without-dashboard"]);
    }
    if let Some(file) = &common.json {
        words.extend(["--json".to_owned(), std::path::absolute(file)?.to_string_lossy().into_owned()]);
    }
    process::run(command.arg("--").args(words))
}
