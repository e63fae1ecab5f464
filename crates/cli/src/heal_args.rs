//! Arguments of everything that heals a repository.

use autoheal_repo::request::CiMode;
use autoheal_sandbox::Choice;
use clap::{Args, ValueEnum};

// How a repository is healed, wherever it lies. Not documented: clap would tell that as what the command does.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct How {
    /// First half of the branch's name `TEAM_LEADER_AI_Fix` [default: autoheal]
    #[arg(long, value_name = "NAME")]
    pub(crate) team: Option<String>,
    /// Second half of the branch's name [default: bot]
    #[arg(long, value_name = "NAME")]
    pub(crate) leader: Option<String>,
    /// Maximum number of rounds after the first [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) retry_limit: Option<u32>,
    /// Sandbox for the repository's own code: auto, docker, bubblewrap, or none [default: auto]
    #[arg(long, value_name = "KIND")]
    pub(crate) sandbox: Option<Choice>,
    /// Command that runs the tests, instead of the detected one; run without a shell
    #[arg(long, value_name = "COMMAND")]
    pub(crate) test_command: Option<String>,
    /// Command that installs what the tests need, instead of the detected one; run without a shell
    #[arg(long, value_name = "COMMAND")]
    pub(crate) install_command: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Ci {
    /// Best verification that is available
    Auto,
    /// Local checks, and then the CI of the host
    #[value(alias = "github")]
    #[serde(alias = "github")]
    Host,
    /// Local checks of the branch, in a fresh clone and a fresh sandbox
    Local,
    /// No verification
    None,
}

impl From<Ci> for CiMode {
    fn from(ci: Ci) -> Self {
        match ci {
            Ci::Auto => Self::Auto,
            Ci::Host => Self::Host,
            Ci::Local => Self::Local,
            Ci::None => Self::None,
        }
    }
}
