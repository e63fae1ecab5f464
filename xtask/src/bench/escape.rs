//! Attempts to escape from the sandboxes, made by the bench `escape` of the crate that has them.

use std::path::Path;

use crate::process;

/// Options of the bench.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also try Docker with its default settings, and nsjail
    #[arg(long)]
    reference: bool,
    /// Cargo's profile to build with
    #[arg(long, default_value = "dev")]
    profile: String,
}

/// Runs the bench `escape` of the sandbox.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut command = process::command(root, "cargo");
    command.args(["bench", "--package", "autoheal-sandbox", "--bench", "escape", "--profile", &options.profile, "--"]);
    if options.reference {
        command.arg("--reference");
    }
    process::run(&mut command)
}
