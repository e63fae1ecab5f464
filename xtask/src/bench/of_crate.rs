//! Benches that live in the crate they measure, run by cargo.

use std::path::{Path, PathBuf};

use crate::process;

/// Options of all these benches.
#[derive(clap::Args)]
pub(crate) struct Common {
    /// Write the figures to this file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Cargo's profile to build with
    #[arg(long, default_value = "bench")]
    profile: String,
}

/// Runs the bench `bench` of `package` with these arguments.
pub(super) fn run(
    root: &Path,
    package: &str,
    bench: &str,
    arguments: &[(&str, String)],
    common: &Common,
) -> anyhow::Result<()> {
    let mut command = process::command(root, "cargo");
    command.args(["bench", "--package", package, "--bench", bench, "--profile", &common.profile]);
    if package == "autoheal-cli" {
        // The benches need no page.
        command.args(["--features", "without-dashboard"]);
    }
    command.arg("--");
    for (name, value) in arguments {
        command.arg(name).arg(value);
    }
    if let Some(file) = &common.json {
        command.arg("--json").arg(std::path::absolute(file)?);
    }
    process::run(&mut command)
}
