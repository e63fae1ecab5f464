//! GitHub over its REST API: a thin typed client, for github.com and GitHub Enterprise alike.
//!
//! # Layout
//!
//! - `ci`: workflow runs, their jobs and logs, and what other CI says about a commit
//! - [`logs`]: the format of a job's log
//! - `pull`: pull requests and comments

mod ci;
pub mod logs;
mod pull;

use async_trait::async_trait;
use reqwest::header::{HeaderMap, LINK};
use secrecy::SecretString;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::host::change_request::Comment;
use crate::host::connection::{Connection, ConnectionSettings, Credentials, Dialect};
use crate::host::limits::RateLimits;
use crate::host::{
    ApiOperation, ChangeRequest, ChangeRequestText, CodeHost, CommitChecks, HostError, HostKind, HostSite, Job, JobLog,
    NameForm, RepositoryName, StartableCi, StatusState, pages,
};
use crate::site::is_plain_base;
use crate::{BranchName, CommitId, HostToken};

/// The API of github.com.
pub const DEFAULT_API: &str = "https://api.github.com";

/// The user that goes with a token for git; GitHub wants one and ignores which.
const TOKEN_USER: &str = "x-access-token";

/// The API of GitHub, in the version that this client speaks.
static DIALECT: Dialect = Dialect {
    host: HostKind::GitHub,
    headers: &[("accept", "application/vnd.github+json"), ("x-github-api-version", "2022-11-28")],
    next_page,
    rate_limits: RateLimits {
        statuses: &[403, 429],
        remaining: "x-ratelimit-remaining",
        reset: "x-ratelimit-reset",
        message: Some("secondary rate limit"),
    },
    messages,
};

fn next_page(headers: &HeaderMap, here: &Url) -> Option<Url> {
    pages::next(headers.get(LINK)?.to_str().ok()?, here)
}

fn messages(document: &Value) -> Vec<String> {
    let errors = document["errors"].as_array().into_iter().flatten();
    let words = errors.filter_map(|error| error["message"].as_str().or_else(|| error.as_str()));
    document["message"].as_str().into_iter().chain(words).map(str::to_owned).collect()
}

/// Returns the site of the GitHub whose API is at `api`: `https://api.github.com` for github.com, `https://HOST/api/v3` for GitHub
/// Enterprise. Plain `http` is accepted on the loopback interface only.
///
/// # Errors
///
/// [`HostError::Address`] for any other URL.
pub fn site_of_api(api: &Url) -> Result<HostSite, HostError> {
    let refused = || HostError::address(HostKind::GitHub, api);
    if !is_plain_base(api) {
        return Err(refused());
    }
    let path = api.path().trim_end_matches('/');
    let web = if api.host_str() == Some("api.github.com") && path.is_empty() {
        Url::parse("https://github.com").map_err(|_| refused())?
    } else if path == "/api/v3" {
        let mut web = api.clone();
        web.set_path("");
        web
    } else {
        return Err(refused());
    };
    Ok(HostSite::new(web, NameForm::OwnerAndName))
}

/// Client of the API of GitHub or GitHub Enterprise.
#[derive(Debug)]
pub struct GitHub {
    site: HostSite,
    api: Url,
    connection: Connection,
}

/// Entry of a repository in the API, as far as it is needed.
#[derive(Debug, Deserialize)]
struct RepositoryEntry {
    /// The branch that a clone checks out.
    default_branch: String,
}

impl GitHub {
    /// A client of the API at `api`: `https://api.github.com`, or `https://HOST/api/v3`. Without a token, requests are anonymous.
    ///
    /// # Errors
    ///
    /// [`HostError::Address`], or [`HostError::Tls`] when no secure connection can be made from here.
    pub fn new(api: Url, token: Option<SecretString>, settings: ConnectionSettings) -> Result<Self, HostError> {
        let site = site_of_api(&api)?;
        let credentials = token.map(|secret| Credentials { header: "authorization", prefix: "Bearer ", secret });
        let connection = Connection::new(&DIALECT, api.clone(), credentials, settings)?;
        Ok(Self { site, api, connection })
    }

    /// `/repos/OWNER/NAME` and the parts after it, each of them escaped.
    fn url(&self, repository: &RepositoryName, parts: &[&str], query: &[(&str, &str)]) -> Result<Url, HostError> {
        let mut url = self.api.clone();
        url.path_segments_mut()
            .map_err(|()| HostError::address(HostKind::GitHub, &self.api))?
            .pop_if_empty()
            .extend(["repos", &repository.owner, &repository.name])
            .extend(parts);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

#[async_trait]
impl CodeHost for GitHub {
    fn kind(&self) -> HostKind {
        HostKind::GitHub
    }

    fn site(&self) -> &HostSite {
        &self.site
    }

    fn git_token(&self) -> Option<HostToken> {
        self.connection.token().map(|secret| HostToken::new(self.site.web(), TOKEN_USER, secret.clone()))
    }

    fn ci_file(&self) -> Option<&'static str> {
        None
    }

    async fn default_branch(&self, repository: &RepositoryName) -> Result<String, HostError> {
        let url = self.url(repository, &[], &[])?;
        let entry: RepositoryEntry = self.connection.get(ApiOperation::ReadRepository, &url).await?;
        Ok(entry.default_branch)
    }

    async fn checks(&self, repository: &RepositoryName, commit: &CommitId) -> Result<CommitChecks, HostError> {
        self.checks_of(repository, commit).await
    }

    async fn jobs(&self, repository: &RepositoryName, run: u64) -> Result<Vec<Job>, HostError> {
        self.jobs_of(repository, run).await
    }

    async fn job_log(&self, repository: &RepositoryName, job: u64) -> Result<JobLog, HostError> {
        let log = self.log_of(repository, job).await?;
        Ok(JobLog { folders: logs::folders(&repository.name), ..logs::read(&log) })
    }

    async fn startable(&self, repository: &RepositoryName, files: &[String]) -> Result<Vec<StartableCi>, HostError> {
        self.workflows(repository, files).await
    }

    async fn start(
        &self,
        repository: &RepositoryName,
        startable: &StartableCi,
        branch: &BranchName,
    ) -> Result<(), HostError> {
        self.dispatch(repository, startable.id, branch).await
    }

    async fn rerun_failed_jobs(&self, repository: &RepositoryName, run: u64) -> Result<(), HostError> {
        self.rerun(repository, run).await
    }

    async fn set_status(
        &self,
        repository: &RepositoryName,
        commit: &CommitId,
        state: StatusState,
        description: &str,
    ) -> Result<(), HostError> {
        self.say(repository, commit, state, description).await
    }

    async fn change_requests(
        &self,
        repository: &RepositoryName,
        branch: &str,
    ) -> Result<Vec<ChangeRequest>, HostError> {
        self.pulls(repository, branch).await
    }

    async fn create_change_request(
        &self,
        repository: &RepositoryName,
        text: &ChangeRequestText,
        body: &str,
    ) -> Result<ChangeRequest, HostError> {
        self.create_pull(repository, text, body).await
    }

    async fn update_change_request(
        &self,
        repository: &RepositoryName,
        number: u64,
        title: &str,
        body: &str,
    ) -> Result<ChangeRequest, HostError> {
        self.update_pull(repository, number, title, body).await
    }

    async fn comments(&self, repository: &RepositoryName, number: u64) -> Result<Vec<Comment>, HostError> {
        self.comments_on(repository, number).await
    }

    async fn write_comment(
        &self,
        repository: &RepositoryName,
        number: u64,
        replaced: Option<u64>,
        body: &str,
    ) -> Result<Comment, HostError> {
        self.comment_on(repository, number, replaced, body).await
    }
}
