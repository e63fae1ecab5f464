//! Pull requests and comments.

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use super::GitHub;
use crate::host::change_request::{ChangeState, Comment};
use crate::host::{ApiOperation, ChangeRequest, ChangeRequestText, HostError, RepositoryName, page_on};

/// A pull request, as the API returns it.
#[derive(Debug, Deserialize)]
struct PullRequest {
    number: u64,
    html_url: String,
    /// `open` or `closed`.
    state: String,
    #[serde(default)]
    merged_at: Option<String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    title: String,
    head: PullEnd,
    base: PullEnd,
}

/// A branch of a pull request and where it was when the pull request last followed it.
#[derive(Debug, Deserialize)]
struct PullEnd {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
}

#[derive(Debug, Deserialize)]
struct RawComment {
    id: u64,
    html_url: String,
    #[serde(default)]
    body: Option<String>,
}

impl GitHub {
    pub(super) async fn pulls(
        &self,
        repository: &RepositoryName,
        branch: &str,
    ) -> Result<Vec<ChangeRequest>, HostError> {
        let head = format!("{}:{branch}", repository.owner);
        let query =
            [("state", "all"), ("head", &head), ("sort", "created"), ("direction", "desc"), ("per_page", "100")];
        let url = self.url(repository, &["pulls"], &query)?;
        let pulls: Vec<PullRequest> = self.connection.list(ApiOperation::ChangeRequest, &url, None).await?;
        Ok(pulls.into_iter().map(|pull| self.of_pull(repository, pull)).collect())
    }

    pub(super) async fn create_pull(
        &self,
        repository: &RepositoryName,
        text: &ChangeRequestText,
        body: &str,
    ) -> Result<ChangeRequest, HostError> {
        let url = self.url(repository, &["pulls"], &[])?;
        let request = json!({
            "title": text.title, "head": text.head, "base": text.base, "body": body, "maintainer_can_modify": true,
        });
        let pull = self.connection.send(ApiOperation::ChangeRequest, &Method::POST, &url, &request).await?;
        Ok(self.of_pull(repository, pull))
    }

    pub(super) async fn update_pull(
        &self,
        repository: &RepositoryName,
        number: u64,
        title: &str,
        body: &str,
    ) -> Result<ChangeRequest, HostError> {
        let url = self.url(repository, &["pulls", &number.to_string()], &[])?;
        let request = json!({ "title": title, "body": body });
        let pull = self.connection.send(ApiOperation::ChangeRequest, &Method::PATCH, &url, &request).await?;
        Ok(self.of_pull(repository, pull))
    }

    fn of_pull(&self, repository: &RepositoryName, pull: PullRequest) -> ChangeRequest {
        let state = match (pull.state.as_str(), pull.merged_at) {
            ("open", _) => ChangeState::Open,
            (_, Some(_)) => ChangeState::Merged,
            (_, None) => ChangeState::Closed,
        };
        ChangeRequest {
            page: page_on(&self.site, &pull.html_url, self.pull_page(repository, pull.number)),
            number: pull.number,
            state,
            body: pull.body.unwrap_or_default(),
            title: pull.title,
            base: pull.base.branch,
            tip: pull.head.sha,
        }
    }

    fn pull_page(&self, repository: &RepositoryName, number: u64) -> String {
        format!("{}/pull/{number}", self.site.page(repository))
    }

    pub(super) async fn comments_on(
        &self,
        repository: &RepositoryName,
        number: u64,
    ) -> Result<Vec<Comment>, HostError> {
        let url = self.url(repository, &["issues", &number.to_string(), "comments"], &[("per_page", "100")])?;
        let comments: Vec<RawComment> = self.connection.list(ApiOperation::Comment, &url, None).await?;
        Ok(comments.into_iter().map(|comment| self.of_comment(repository, number, comment)).collect())
    }

    pub(super) async fn comment_on(
        &self,
        repository: &RepositoryName,
        number: u64,
        replaced: Option<u64>,
        body: &str,
    ) -> Result<Comment, HostError> {
        let (method, url) = match replaced {
            Some(id) => (Method::PATCH, self.url(repository, &["issues", "comments", &id.to_string()], &[])?),
            None => (Method::POST, self.url(repository, &["issues", &number.to_string(), "comments"], &[])?),
        };
        let written = self.connection.send(ApiOperation::Comment, &method, &url, &json!({ "body": body })).await?;
        Ok(self.of_comment(repository, number, written))
    }

    fn of_comment(&self, repository: &RepositoryName, number: u64, comment: RawComment) -> Comment {
        let page = page_on(&self.site, &comment.html_url, self.pull_page(repository, number));
        Comment { id: comment.id, page, body: comment.body.unwrap_or_default() }
    }
}
