//! Interaction of a run with the host of its repository, beyond git: the CI that runs there, the change
//! request (a pull request or merge request), the status of the commit.
//!
//! Everything here may be repeated: a change request is found by its branch, a comment by its mark, and a
//! status is set once.
//!
//! # Layout
//!
//! - [`watch`]: the checks of a commit, observed until there is a verdict
//! - `expected`: CI that a push is expected to start
//! - `poll`: queries CI until then
//! - `logs`: findings from the logs of failed jobs
//! - `trial`: fixes that only CI can judge
//! - `delivery`: the change request, the comment, the status
//! - `summary`: their texts

pub(crate) mod delivery;
pub(crate) mod expected;
pub(crate) mod logs;
pub(crate) mod poll;
pub(crate) mod summary;
pub(crate) mod trial;
pub mod watch;

use std::sync::Arc;

use autoheal_engine::workflow::StepError;
use autoheal_forge::RepositoryAddress;
use autoheal_forge::host::{CodeHost, CodeHosts, HostError, RepositoryName};

/// A repository on a code host, and the way to its API.
#[derive(Clone)]
pub(crate) struct Hosted {
    pub(crate) host: Arc<dyn CodeHost>,
    pub(crate) repository: RepositoryName,
}

impl Hosted {
    /// The repository at this address; `None`: it is on none of the hosts that the settings name.
    pub(crate) fn at(hosts: &CodeHosts, address: &RepositoryAddress) -> Option<Self> {
        hosts.of(address).map(|(host, repository)| Self { host, repository })
    }
}

pub(crate) fn api_error(error: &HostError) -> StepError {
    let (code, message) = (error.code(), error.to_string());
    if error.is_passing() { StepError::Passing { code, message } } else { StepError::Permanent { code, message } }
}
