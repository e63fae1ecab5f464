//! Interaction of a run with the host of its repository, beyond git: the CI that runs there, the pull
//! request, the status of the commit.
//!
//! Everything here may be repeated: a pull request is found by its branch, a comment by its mark, and a
//! status is set once.
//!
//! # Layout
//!
//! - [`watch`]: the checks of a commit, observed until there is a verdict
//! - `poll`: queries CI until then
//! - `logs`: findings from the logs of failed jobs
//! - `trial`: fixes that only CI can judge
//! - `delivery`: the pull request, the comment, the status
//! - `summary`: their texts

pub(crate) mod delivery;
pub(crate) mod logs;
pub(crate) mod poll;
pub(crate) mod summary;
pub(crate) mod trial;
pub mod watch;

use std::sync::Arc;

use autoheal_engine::workflow::StepError;
use autoheal_forge::RepositoryAddress;
use autoheal_forge::github::{GitHub, GitHubError, RepositoryName};

/// A repository on GitHub, and the way to its API.
#[derive(Clone)]
pub(crate) struct Hosted {
    pub(crate) github: Arc<GitHub>,
    pub(crate) repository: RepositoryName,
}

impl Hosted {
    /// The repository at this address; `None`: it is not on the GitHub that the settings name.
    pub(crate) fn at(github: &Arc<GitHub>, address: &RepositoryAddress) -> Option<Self> {
        let repository = github.host().repository(address)?;
        Some(Self { github: Arc::clone(github), repository })
    }
}

pub(crate) fn api_error(error: &GitHubError) -> StepError {
    let (code, message) = (error.code(), error.to_string());
    if error.is_passing() { StepError::Passing { code, message } } else { StepError::Permanent { code, message } }
}
