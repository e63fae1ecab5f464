//! GitHub over its REST API: a thin typed client, for github.com and GitHub Enterprise alike.
//!
//! The token goes to the API's own origin and nowhere else, in a header. Answers are data from outside: bodies are bounded, words that
//! are not known are kept apart from those that are, and nothing that an answer says is followed to another origin but the log of a job,
//! without the token.
//!
//! # Layout
//!
//! - `connection`: one request and its answer; waiting when GitHub asks for it, trying again where that is safe
//! - [`error`]: what can go wrong, with the spec's code for it
//! - `limits`, `pages`: what headers say about waiting, and where the next page is
//! - [`ci`]: workflow runs, their jobs and logs, and what other CI says about a commit
//! - [`pull`]: pull requests and comments

pub mod ci;
mod connection;
pub mod error;
mod limits;
mod pages;
pub mod pull;

use std::fmt;
use std::time::Duration;

use secrecy::SecretString;
use serde::Deserialize;
use url::Url;

use crate::RepositoryAddress;
use connection::Connection;
pub use error::{ApiOperation, GitHubError};

/// Address of GitHub's API, the token, time limits and retries.
#[derive(Debug, Clone)]
pub struct GitHubSettings {
    /// The address of the API: `https://api.github.com`, or `https://HOST/api/v3`.
    pub api: Url,
    /// Token that authenticates requests; `None`: requests are anonymous.
    pub token: Option<SecretString>,
    /// Time limit of one request.
    pub timeout: Duration,
    /// Number of tries of a repeatable request, when the network or the server fails.
    pub tries: usize,
    /// The first wait between them; each further one is twice as long.
    pub first_wait: Duration,
    /// Total time that one request waits when GitHub reports that a rate limit is exceeded.
    pub patience: Duration,
}

impl GitHubSettings {
    /// The API of github.com.
    pub const DEFAULT_API: &'static str = "https://api.github.com";

    /// One minute for a request, four tries, 15 minutes of patience.
    pub fn new(api: Url, token: Option<SecretString>) -> Self {
        Self {
            api,
            token,
            timeout: Duration::from_mins(1),
            tries: 4,
            first_wait: Duration::from_secs(1),
            patience: Duration::from_mins(15),
        }
    }
}

/// A GitHub host: its API, and the origin from which repositories are cloned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitHubHost {
    api: Url,
    web: Url,
}

impl GitHubHost {
    /// Returns the host whose API is at `api`: `https://api.github.com` for github.com, `https://HOST/api/v3` for GitHub Enterprise.
    /// Plain `http` is accepted on the loopback interface only.
    ///
    /// # Errors
    ///
    /// [`GitHubError::Address`] for any other URL.
    pub fn of_api(api: &Url) -> Result<Self, GitHubError> {
        let refused = || GitHubError::Address { given: api.to_string() };
        let is_loopback = match api.host() {
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
            Some(url::Host::Domain(domain)) => domain == "localhost",
            None => false,
        };
        let is_plain = api.username().is_empty() && api.password().is_none() && api.query().is_none();
        let is_allowed = api.scheme() == "https" || (api.scheme() == "http" && is_loopback);
        if !is_plain || !is_allowed || api.fragment().is_some() {
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
        Ok(Self { api: api.clone(), web })
    }

    /// The repository on this host that an address names.
    pub fn repository(&self, address: &RepositoryAddress) -> Option<RepositoryName> {
        match address {
            RepositoryAddress::GitHub { owner, name } => {
                let is_here = self.web.host_str() == Some("github.com");
                is_here.then(|| RepositoryName { owner: owner.clone(), name: name.clone() })
            }
            RepositoryAddress::Server(url) => {
                (url.origin() == self.web.origin().ascii_serialization()).then(|| url.owner_and_name()).flatten()
            }
            RepositoryAddress::Path(_) => None,
        }
    }

    /// Returns the base URL of the API.
    pub const fn api(&self) -> &Url {
        &self.api
    }

    /// Returns the origin from which repositories are cloned and pages are read.
    pub const fn web(&self) -> &Url {
        &self.web
    }
}

/// A repository by its owner and its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RepositoryName {
    /// The user or organisation.
    pub owner: String,
    /// The repository, without `.git`.
    pub name: String,
}

impl fmt::Display for RepositoryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

/// Client of the API of GitHub or GitHub Enterprise.
#[derive(Debug)]
pub struct GitHub {
    host: GitHubHost,
    connection: Connection,
}

/// Entry of a repository in the API, as far as it is needed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct RepositoryEntry {
    /// Its current `OWNER/NAME`: a renamed repository answers with its new name.
    pub full_name: String,
    /// The branch that a clone checks out.
    pub default_branch: String,
    /// True if the repository is archived, and so read-only.
    #[serde(default)]
    pub archived: bool,
    /// Permissions of the token; absent without a token.
    #[serde(default)]
    pub permissions: Option<Permissions>,
}

/// Permissions of the token on a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Permissions {
    /// True if the token may push.
    #[serde(default)]
    pub push: bool,
}

impl GitHub {
    /// A client.
    ///
    /// # Errors
    ///
    /// [`GitHubError::Address`], or [`GitHubError::Tls`] when no secure connection can be made from here.
    pub fn new(settings: GitHubSettings) -> Result<Self, GitHubError> {
        let host = GitHubHost::of_api(&settings.api)?;
        Ok(Self { host, connection: Connection::new(settings)? })
    }

    /// Returns the host that requests go to.
    pub const fn host(&self) -> &GitHubHost {
        &self.host
    }

    /// Returns whether requests carry a token.
    pub fn has_token(&self) -> bool {
        self.connection.has_token()
    }

    /// A repository's own entry.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`].
    pub async fn entry(&self, repository: &RepositoryName) -> Result<RepositoryEntry, GitHubError> {
        self.connection.get(ApiOperation::ReadRepository, &self.url(repository, &[], &[])?).await
    }

    /// `/repos/OWNER/NAME` and the parts after it, each of them escaped.
    fn url(&self, repository: &RepositoryName, parts: &[&str], query: &[(&str, &str)]) -> Result<Url, GitHubError> {
        let mut url = self.host.api.clone();
        let given = url.to_string();
        url.path_segments_mut()
            .map_err(|()| GitHubError::Address { given })?
            .pop_if_empty()
            .extend(["repos", &repository.owner, &repository.name])
            .extend(parts);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}
