//! Arguments of `autoheal ci`.

use std::path::PathBuf;

use clap::Args;

use crate::heal_args::SuiteCommands;

const EXAMPLES: &str = "\
Examples, as steps of a workflow after the failed one (docs/ci.md has a complete workflow):
  - run: autoheal ci                                  create a branch in the checkout, and a patch with --patch
    if: failure()
  - run: autoheal ci --push --pull-request            push the branch and open a pull request; in a separate job
    env: { GITHUB_TOKEN: \"${{ secrets.AUTOHEAL_TOKEN }}\" }

Annotations and the job summary list the changes and the remaining failures. The exit code is that of `autoheal heal`.";

// Not documented: clap would take that for the description of the command.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CiJob {
    /// Push the branch to GitHub instead of leaving it in the checkout; stop if the branch has moved since the event
    #[arg(long, help_heading = "Delivery")]
    pub(crate) push: bool,
    /// Open a pull request for the branch
    #[arg(long, requires = "push", help_heading = "Delivery")]
    pub(crate) pull_request: bool,
    /// File for the changes, for `git apply`; not written if nothing changed
    #[arg(long, value_name = "FILE", help_heading = "Delivery")]
    pub(crate) patch: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) suite: SuiteCommands,
}
