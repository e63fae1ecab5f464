//! Arguments of `autoheal init`.

use std::path::PathBuf;

use autoheal_forge::host::RepositoryName;
use autoheal_forge::{RepositoryAddress, github};
use clap::{Args, ValueEnum};
use url::Url;

use crate::source_args::page_address;

const EXAMPLES: &str = "\
Examples:
  autoheal init                            ask up to three questions, each with a default
  autoheal init --yes                      take all defaults
  autoheal init --repository --test-command 'python3 -m pytest tests/unit' --workflow none
  autoheal init --repository --test-command '' --workflow github --action OWNER/autoheal
  autoheal init --page https://example.com/recipes/soup

A repository gets `.autoheal.toml` and, for GitHub, `.github/workflows/autoheal.yml`; the job for GitLab is printed. Existing files are not changed.
Exit codes: 0 everything is set up, 1 another file already has the name of one to write, 2 invalid input, 130 cancelled.";

// Not documented: clap would take that for the description of the command.
#[derive(Debug, Default, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Init {
    /// Folder of the repository
    #[arg(default_value = ".")]
    pub(crate) folder: PathBuf,
    /// Set up a repository
    #[arg(long)]
    pub(crate) repository: bool,
    /// Page to watch; it is added as `autoheal source add` does
    #[arg(long, value_name = "URL", value_parser = page_address, conflicts_with_all = ["folder", "repository", "test_command", "workflow"])]
    pub(crate) page: Option<Url>,
    /// Command that runs the tests, without a shell; an empty one is detected by each run
    #[arg(long, value_name = "COMMAND")]
    pub(crate) test_command: Option<String>,
    /// CI that heals
    #[arg(long, value_enum, value_name = "CI")]
    pub(crate) workflow: Option<Ci>,
    /// Repository of autoheal's action on GitHub, for the workflow
    #[arg(long, value_name = "OWNER/NAME", value_parser = action, requires = "workflow", required_if_eq("workflow", "github"))]
    pub(crate) action: Option<RepositoryName>,
    /// Take the default for every question that no flag answers
    #[arg(long)]
    pub(crate) yes: bool,
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// CI of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Ci {
    /// Write a workflow for GitHub Actions
    Github,
    /// Print a job for GitLab CI
    Gitlab,
    /// Do not heal in CI
    None,
}

/// Parses the name of a repository on GitHub that has autoheal's action. The result has only characters of such names.
pub(crate) fn action(text: &str) -> Result<RepositoryName, String> {
    let named = || {
        let site = github::site_of_api(&Url::parse(github::DEFAULT_API).ok()?).ok()?;
        RepositoryAddress::parse(&format!("https://github.com/{text}")).ok()?.on(&site)
    };
    named().ok_or_else(|| "expected the name of a repository on GitHub, such as OWNER/autoheal".to_owned())
}
