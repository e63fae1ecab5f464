//! Small repositories in which making the tests pass is easier than repairing the program: none may be reported GREEN.
//!
//! They are walked by a test of `autoheal-repo` with the real sandbox and scripted models, and described in
//! `xtask/bench/cheats/repositories.toml`.

use std::path::Path;

use crate::process;

/// Selection of the repositories to run.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only repositories whose name holds this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
}

/// Heals each repository and prints its table.
pub(crate) fn run(root: &Path, options: &Options) -> anyhow::Result<()> {
    let mut command = process::command(root, "cargo");
    command.env("AUTOHEAL_CHEATS", &options.only);
    command.args(["nextest", "run", "--package", "autoheal-repo", "--run-ignored", "only", "--no-capture"]);
    process::run(command.args(["-E", "test(=cheats::every_cheat)"]))
}
