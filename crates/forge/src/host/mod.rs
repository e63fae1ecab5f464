//! Services that host repositories, behind one trait.
//!
//! A token goes only to its host's own origin, in a header. Responses are data from outside: bodies are bounded, unknown words do not
//! mean success, and no address in a response is followed to another origin, except the log of a job at GitHub, without the token.
//!
//! # Layout
//!
//! - [`kind`]: the hosts that this program knows, and their words
//! - [`error`]: errors, with the spec's code for each
//! - [`ci`]: checks of a commit, jobs, statuses
//! - [`change_request`]: pull requests and merge requests, and which of them may be changed
//! - [`job_log`]: the text of a job's log without what a runner adds
//! - [`connection`]: requests and responses; waits when the host asks for it, tries again where that is safe
//! - `limits`, `pages`: what headers say about waiting, and where the next page is

pub mod change_request;
pub mod ci;
pub mod connection;
pub mod error;
pub mod job_log;
pub mod kind;
pub(crate) mod limits;
pub(crate) mod pages;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use url::Url;

pub use crate::site::{HostSite, NameForm, RepositoryName};
pub use change_request::{ChangeRequest, ChangeRequestText, Opened};
pub use ci::{Check, CheckState, CommitChecks, Job, StartableCi, StatusState};
pub use error::{ApiCall, ApiOperation, HostError};
pub use job_log::JobLog;
pub use kind::HostKind;

use crate::{BranchName, CommitId, HostToken, RepositoryAddress};
use change_request::{Comment, Known, decide, marked};

/// A service that hosts repositories and runs CI for their commits. Every operation may be repeated.
///
/// # Errors
///
/// Each operation returns [`HostError`].
#[async_trait]
pub trait CodeHost: fmt::Debug + Send + Sync {
    /// The host's kind, with the words for messages.
    fn kind(&self) -> HostKind;

    /// Address of the host, and the form of its repositories' names.
    fn site(&self) -> &HostSite;

    /// The token for git, with the origin that may see it.
    fn git_token(&self) -> Option<HostToken>;

    /// The file that defines CI, where that is one file; `None`: workflows define it.
    fn ci_file(&self) -> Option<&'static str>;

    /// Name of the branch that a clone checks out.
    async fn default_branch(&self, repository: &RepositoryName) -> Result<String, HostError>;

    /// Everything that CI does for a commit. Statuses that this program set are left out.
    async fn checks(&self, repository: &RepositoryName, commit: &CommitId) -> Result<CommitChecks, HostError>;

    /// The jobs of a run, each as its latest attempt.
    async fn jobs(&self, repository: &RepositoryName, run: u64) -> Result<Vec<Job>, HostError>;

    /// The log of a job; of a long one its beginning and its end. [`HostError::NotFound`] for a log that is not kept.
    async fn job_log(&self, repository: &RepositoryName, job: u64) -> Result<JobLog, HostError>;

    /// The CI that can be started by hand. `files`: paths of the workflows that have a trigger for that, where workflows define CI.
    async fn startable(&self, repository: &RepositoryName, files: &[String]) -> Result<Vec<StartableCi>, HostError>;

    /// Starts CI on a branch.
    async fn start(
        &self,
        repository: &RepositoryName,
        startable: &StartableCi,
        branch: &BranchName,
    ) -> Result<(), HostError>;

    /// Starts the failed jobs of a run again, on the same commit. The run keeps its id.
    async fn rerun_failed_jobs(&self, repository: &RepositoryName, run: u64) -> Result<(), HostError>;

    /// Sets the status of a commit, unless it has that status already.
    async fn set_status(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
        state: StatusState,
        description: &str,
    ) -> Result<(), HostError>;

    /// The change requests from a branch of this repository, the newest first.
    async fn change_requests(&self, repository: &RepositoryName, branch: &str)
    -> Result<Vec<ChangeRequest>, HostError>;

    /// Opens a change request. `body` replaces the text's own.
    async fn create_change_request(
        &self,
        repository: &RepositoryName,
        text: &ChangeRequestText,
        body: &str,
    ) -> Result<ChangeRequest, HostError>;

    /// Changes title and description of a change request.
    async fn update_change_request(
        &self,
        repository: &RepositoryName,
        number: u64,
        title: &str,
        body: &str,
    ) -> Result<ChangeRequest, HostError>;

    /// The comments on a change request, the oldest first.
    async fn comments(&self, repository: &RepositoryName, number: u64) -> Result<Vec<Comment>, HostError>;

    /// Writes a comment on a change request. With `replaced`, the comment of that id gets the text instead.
    async fn write_comment(
        &self,
        repository: &RepositoryName,
        number: u64,
        replaced: Option<u64>,
        body: &str,
    ) -> Result<Comment, HostError>;

    /// Opens a change request, or updates our open one from this branch. There is never a second one. A user's own change request is
    /// left unchanged, and refused commits are not offered again.
    async fn open_change_request(
        &self,
        repository: &RepositoryName,
        text: &ChangeRequestText,
    ) -> Result<Opened, HostError> {
        let body = marked(&text.body);
        let known = match decide(self.change_requests(repository, &text.head).await?, text, &body) {
            Some(known) => known,
            None => match self.create_change_request(repository, text, &body).await {
                Ok(opened) => return Ok(Opened::New(opened)),
                // Another process of ours was faster, or the answer to an earlier try was lost.
                Err(refused @ HostError::Refused { .. }) => {
                    decide(self.change_requests(repository, &text.head).await?, text, &body).ok_or(refused)?
                }
                Err(error) => return Err(error),
            },
        };
        match known {
            Known::Outdated(open) => {
                self.update_change_request(repository, open.number, &text.title, &body).await.map(Opened::Updated)
            }
            Known::Kept(opened) => Ok(opened),
        }
    }

    /// Says something on a change request; what this program said there before is replaced. Returns the comment's page.
    async fn comment(&self, repository: &RepositoryName, number: u64, text: &str) -> Result<String, HostError> {
        let body = marked(text);
        for ours in self.comments(repository, number).await?.into_iter().filter(Comment::has_mark) {
            match self.write_comment(repository, number, Some(ours.id), &body).await {
                Ok(written) => return Ok(written.page),
                // Other users can also write the mark; this program cannot change their texts.
                Err(HostError::Forbidden { .. } | HostError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.write_comment(repository, number, None, &body).await.map(|written| written.page)
    }
}

/// The hosts that the settings name.
#[derive(Debug, Clone, Default)]
pub struct CodeHosts(Vec<Arc<dyn CodeHost>>);

impl CodeHosts {
    /// A set of hosts. Of two at one place the first one counts.
    pub fn new(hosts: impl IntoIterator<Item = Arc<dyn CodeHost>>) -> Self {
        Self(hosts.into_iter().collect())
    }

    /// The host on which a repository lies, and its name there; `None`: it is on none of them.
    pub fn of(&self, address: &RepositoryAddress) -> Option<(Arc<dyn CodeHost>, RepositoryName)> {
        self.0.iter().find_map(|host| Some((Arc::clone(host), address.on(host.site())?)))
    }

    /// Addresses of the hosts.
    pub fn sites(&self) -> Vec<HostSite> {
        self.0.iter().map(|host| host.site().clone()).collect()
    }

    /// The tokens for git.
    pub fn git_tokens(&self) -> Vec<HostToken> {
        self.0.iter().filter_map(|host| host.git_token()).collect()
    }
}

/// The page at `given`, where that is at the host's own origin; else `own`. A response must not put another site's link into a report.
pub(crate) fn page_on(site: &HostSite, given: &str, own: String) -> String {
    let is_own = Url::parse(given).is_ok_and(|url| url.origin() == site.web().origin() && url.username().is_empty());
    if is_own { given.to_owned() } else { own }
}
