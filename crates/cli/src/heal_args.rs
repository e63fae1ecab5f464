//! Arguments of everything that heals a repository.

use clap::Args;

// Not documented: clap would take that for the description of the command.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Tests and repairs")]
pub(crate) struct SuiteCommands {
    /// Command that runs the tests, without a shell [default: detected]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) test_command: Option<String>,
    /// Command that installs the dependencies of the tests, without a shell [default: detected]
    #[arg(long, value_name = "COMMAND")]
    pub(crate) install_command: Option<String>,
}
