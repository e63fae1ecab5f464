//! What a run has to do with the place that hosts its repository, beyond git: the CI that runs there, the pull request, the status of
//! the commit.
//!
//! Everything here may be done again: a pull request is found by its branch, a comment by its mark, a status is said once.
//!
//! # Layout
//!
//! - [`watch`]: what CI says, look after look, until there is a verdict
//! - `poll`: asks until then
//! - `logs`: what is wrong, from the logs of red jobs
//! - `trial`: fixes that only CI can judge
//! - `delivery`: the pull request, the comment, the status
//! - `summary`: what they say

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
