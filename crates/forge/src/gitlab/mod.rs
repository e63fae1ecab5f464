//! GitLab over its REST API: a thin typed client, for gitlab.com and self-hosted instances alike.
//!
//! # Layout
//!
//! - [`token`]: kinds of tokens, and the header of each
//! - `ci`: pipelines, their jobs and logs, and statuses of other CI
//! - [`logs`]: the format of a job's log
//! - `merge_request`: merge requests and notes

mod ci;
pub mod logs;
mod merge_request;
pub mod token;

use async_trait::async_trait;
use reqwest::header::{HeaderMap, LINK};
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use crate::host::change_request::Comment;
use crate::host::connection::{Connection, ConnectionSettings, Dialect};
use crate::host::limits::RateLimits;
use crate::host::{
    ApiOperation, ChangeRequest, ChangeRequestText, CodeHost, CommitChecks, HostError, HostKind, HostSite, Job, JobLog,
    NameForm, RepositoryName, StartableCi, StatusState, pages,
};
use crate::site::is_plain_base;
use crate::{BranchName, CommitId, HostToken};
pub use token::{GitLabToken, TokenKind};

/// The public instance.
pub const DEFAULT_URL: &str = "https://gitlab.com";

/// The file that defines CI.
const CI_FILE: &str = ".gitlab-ci.yml";

/// The API of GitLab, version 4.
static DIALECT: Dialect = Dialect {
    host: HostKind::GitLab,
    headers: &[("accept", "application/json")],
    next_page,
    rate_limits: RateLimits {
        statuses: &[429],
        remaining: "ratelimit-remaining",
        reset: "ratelimit-reset",
        message: None,
    },
    messages,
};

/// The next page of a list: by `Link`, else by `X-Next-Page`, which proxies pass on that drop the first.
fn next_page(headers: &HeaderMap, here: &Url) -> Option<Url> {
    if let Some(link) = headers.get(LINK) {
        return pages::next(link.to_str().ok()?, here);
    }
    let page: u32 = headers.get("x-next-page")?.to_str().ok()?.trim().parse().ok()?;
    let others: Vec<(String, String)> = here.query_pairs().filter(|(name, _)| name != "page").map(own).collect();
    let mut next = here.clone();
    next.query_pairs_mut().clear().extend_pairs(others).append_pair("page", &page.to_string());
    Some(next)
}

fn own((name, value): (std::borrow::Cow<'_, str>, std::borrow::Cow<'_, str>)) -> (String, String) {
    (name.into_owned(), value.into_owned())
}

/// Returns the messages of an error: a text, a list, or lists of texts by field; `OAuth` has two other fields.
fn messages(document: &Value) -> Vec<String> {
    fn collect(value: &Value, found: &mut Vec<String>) {
        match value {
            Value::String(text) => found.push(text.clone()),
            Value::Array(values) => values.iter().for_each(|value| collect(value, found)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    let mut texts = Vec::new();
                    collect(value, &mut texts);
                    found.extend(texts.into_iter().map(|text| format!("{name} {text}")));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = Vec::new();
    for field in ["message", "error", "error_description"] {
        collect(&document[field], &mut found);
    }
    found
}

/// Returns the site of the GitLab at `url`: `https://gitlab.com`, or that of a self-hosted instance, which may lie below a path. Plain
/// `http` is accepted on the loopback interface only.
///
/// # Errors
///
/// [`HostError::Address`] for any other URL.
pub fn site_of(url: &Url) -> Result<HostSite, HostError> {
    let is_api = url.path().trim_end_matches('/').ends_with("/api/v4");
    if !is_plain_base(url) || is_api {
        return Err(HostError::address(HostKind::GitLab, url));
    }
    Ok(HostSite::new(url.clone(), NameForm::GroupsAndName))
}

/// Client of the API of a GitLab.
#[derive(Debug)]
pub struct GitLab {
    site: HostSite,
    connection: Connection,
    token_user: &'static str,
}

/// A project, as far as it is needed.
#[derive(Debug, Deserialize)]
struct Project {
    default_branch: Option<String>,
}

impl GitLab {
    /// A client of the GitLab at `url`, such as `https://gitlab.com`. Without a token, requests are anonymous.
    ///
    /// # Errors
    ///
    /// [`HostError::Address`], or [`HostError::Tls`] when no secure connection can be made from here.
    pub fn new(url: &Url, token: Option<GitLabToken>, settings: ConnectionSettings) -> Result<Self, HostError> {
        let site = site_of(url)?;
        let token_user = token.as_ref().map_or("", |token| token.kind.user());
        let credentials = token.map(GitLabToken::into_credentials);
        let connection = Connection::new(&DIALECT, site.web().clone(), credentials, settings)?;
        Ok(Self { site, connection, token_user })
    }

    /// `/api/v4/projects/GROUP%2FNAME` and the parts after it, each of them escaped.
    fn url(&self, repository: &RepositoryName, parts: &[&str], query: &[(&str, &str)]) -> Result<Url, HostError> {
        let mut url = self.site.web().clone();
        url.path_segments_mut()
            .map_err(|()| HostError::address(HostKind::GitLab, self.site.web()))?
            .pop_if_empty()
            .extend(["api", "v4", "projects", &repository.to_string()])
            .extend(parts);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        Ok(url)
    }
}

#[async_trait]
impl CodeHost for GitLab {
    fn kind(&self) -> HostKind {
        HostKind::GitLab
    }

    fn site(&self) -> &HostSite {
        &self.site
    }

    fn git_token(&self) -> Option<HostToken> {
        self.connection.token().map(|secret| HostToken::new(self.site.web(), self.token_user, secret.clone()))
    }

    fn ci_file(&self) -> Option<&'static str> {
        Some(CI_FILE)
    }

    async fn default_branch(&self, repository: &RepositoryName) -> Result<String, HostError> {
        let url = self.url(repository, &[], &[])?;
        let project: Project = self.connection.get(ApiOperation::ReadRepository, &url).await?;
        // Absent for a project without commits, and where the token may not read the code.
        project.default_branch.ok_or_else(|| {
            self.connection.not_shown(ApiOperation::ReadRepository, "the project names no default branch")
        })
    }

    async fn checks(&self, repository: &RepositoryName, commit: &CommitId) -> Result<CommitChecks, HostError> {
        self.checks_of(repository, commit).await
    }

    async fn jobs(&self, repository: &RepositoryName, run: u64) -> Result<Vec<Job>, HostError> {
        self.jobs_below(repository, run).await
    }

    async fn job_log(&self, repository: &RepositoryName, job: u64) -> Result<JobLog, HostError> {
        Ok(logs::read(&self.trace(repository, job).await?, repository))
    }

    async fn startable(&self, _: &RepositoryName, _: &[String]) -> Result<Vec<StartableCi>, HostError> {
        Ok(vec![StartableCi { id: 0, name: "a pipeline".to_owned() }])
    }

    async fn start(&self, repository: &RepositoryName, _: &StartableCi, branch: &BranchName) -> Result<(), HostError> {
        self.start_pipeline(repository, branch).await
    }

    async fn rerun_failed_jobs(&self, repository: &RepositoryName, run: u64) -> Result<(), HostError> {
        self.retry(repository, run).await
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
        self.merge_requests(repository, branch).await
    }

    async fn create_change_request(
        &self,
        repository: &RepositoryName,
        text: &ChangeRequestText,
        body: &str,
    ) -> Result<ChangeRequest, HostError> {
        self.create_merge_request(repository, text, body).await
    }

    async fn update_change_request(
        &self,
        repository: &RepositoryName,
        number: u64,
        title: &str,
        body: &str,
    ) -> Result<ChangeRequest, HostError> {
        self.update_merge_request(repository, number, title, body).await
    }

    async fn comments(&self, repository: &RepositoryName, number: u64) -> Result<Vec<Comment>, HostError> {
        self.notes(repository, number).await
    }

    async fn write_comment(
        &self,
        repository: &RepositoryName,
        number: u64,
        replaced: Option<u64>,
        body: &str,
    ) -> Result<Comment, HostError> {
        self.write_note(repository, number, replaced, body).await
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn next_of(headers: &[(&'static str, &str)], here: &str) -> Option<String> {
        let map = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        next_page(&map, &Url::parse(here).unwrap()).map(|url| url.to_string())
    }

    #[test]
    fn the_next_page_is_named_by_either_header() {
        let here = "https://gitlab.example/api/v4/projects/a%2Fb/pipelines?sha=1&page=1&per_page=100";
        let next = "https://gitlab.example/api/v4/projects/a%2Fb/pipelines?sha=1&per_page=100&page=2";
        assert_eq!(next_of(&[("x-next-page", "2")], here).as_deref(), Some(next));
        assert_eq!(next_of(&[("link", &format!("<{next}>; rel=\"next\""))], here).as_deref(), Some(next));
        for none in ["", "two", "-1", "https://evil.example"] {
            assert_eq!(next_of(&[("x-next-page", none)], here), None, "{none}");
        }
        let elsewhere = [("link", "<https://evil.example/api/v4/x?page=2>; rel=\"next\""), ("x-next-page", "2")];
        assert_eq!(next_of(&elsewhere, here), None);
        assert_eq!(next_of(&[], here), None);
    }

    #[test]
    fn errors_are_read_in_all_their_forms() {
        for (document, expected) in [
            (json!({ "message": "404 Project Not Found" }), "404 Project Not Found"),
            (json!({ "message": ["Another open merge request exists"] }), "Another open merge request exists"),
            (json!({ "message": { "base": ["is too old", "is no branch"] } }), "base is too old; base is no branch"),
            (
                json!({ "error": "insufficient_scope", "error_description": "needs api", "scope": "api" }),
                "insufficient_scope; needs api",
            ),
            (json!("text"), ""),
        ] {
            assert_eq!(messages(&document).join("; "), expected);
        }
    }

    #[test]
    fn a_host_is_known_by_its_address() {
        let site = |text: &str| site_of(&Url::parse(text).unwrap());
        assert_eq!(site("https://gitlab.com").unwrap().web().as_str(), "https://gitlab.com/");
        assert_eq!(site("https://example.org/gitlab").unwrap().web().as_str(), "https://example.org/gitlab/");
        assert_eq!(site("http://127.0.0.1:8080").unwrap().web().as_str(), "http://127.0.0.1:8080/");
        for wrong in [
            "http://gitlab.example",
            "https://gitlab.example/api/v4",
            "https://user:secret@gitlab.example",
            "https://gitlab.example?private_token=secret",
            "ftp://gitlab.example",
        ] {
            let error = site(wrong).unwrap_err().to_string();
            assert!(error.contains("write https://HOST") && !error.contains("secret"), "{wrong}: {error}");
        }
    }
}
