//! Arguments of `autoheal ci`.

use std::path::PathBuf;

use clap::Args;

use crate::heal_args::How;

const EXAMPLES: &str = "\
Examples, as steps of a workflow after the one that failed (docs/ci.md has a whole one):
  - run: autoheal ci                                  a branch in the checkout, and a patch when --patch names a file
    if: failure()
  - run: autoheal ci --push --pull-request            the branch at GitHub, and a pull request; in a job of its own
    env: { GITHUB_TOKEN: \"${{ secrets.AUTOHEAL_TOKEN }}\" }

Annotations and the job summary tell what was changed and what is left. The exit code is that of `autoheal heal`.";

/// Heals the checkout of a job of GitHub Actions.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CiJob {
    /// Push the branch to GitHub, instead of leaving it in the checkout; stops when the branch has moved since the event
    #[arg(long)]
    pub(crate) push: bool,
    /// Open a pull request for it
    #[arg(long, requires = "push")]
    pub(crate) pull_request: bool,
    /// Write the change here, for `git apply`; nothing is written where nothing was healed
    #[arg(long, value_name = "FILE")]
    pub(crate) patch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) how: How,
}
