//! Pull requests and comments.

use std::collections::BTreeSet;

use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ApiOperation, GitHub, GitHubError, RepositoryName};

/// The longest text of a pull request or comment that GitHub takes, in characters.
const LONGEST_TEXT: usize = 65_000;

/// Stands in what this program writes, so that it finds it again; browsers do not show it.
const MARK: &str = "<!-- autoheal -->";

/// A pull request, as the API returns it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullRequest {
    /// Number of the pull request in its repository.
    pub number: u64,
    /// URL of the pull request's page.
    pub html_url: String,
    /// State of the pull request, `open` or `closed`.
    pub state: String,
    /// Time of the merge; `None`: it is not merged.
    #[serde(default)]
    pub merged_at: Option<String>,
    /// Description of the pull request, in Markdown.
    #[serde(default)]
    pub body: Option<String>,
    /// Title of the pull request.
    #[serde(default)]
    pub title: String,
    /// Branch that holds its commits.
    pub head: PullEnd,
    /// Branch that is to receive them.
    pub base: PullEnd,
}

/// A branch of a pull request and where it was when the pull request last followed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PullEnd {
    /// Name of the branch.
    #[serde(rename = "ref")]
    pub branch: String,
    /// Hash of the branch's commit.
    pub sha: String,
}

impl PullRequest {
    /// Returns whether the pull request is open.
    pub fn is_open(&self) -> bool {
        self.state == "open"
    }

    /// Returns whether a reviewer refused these commits: the pull request was closed without a merge, and its tip is one of them.
    pub fn is_refused(&self, commits: &BTreeSet<String>) -> bool {
        !self.is_open() && self.merged_at.is_none() && commits.contains(&self.head.sha)
    }

    /// Returns whether this program wrote the pull request, and for the branch `base`.
    fn is_ours(&self, base: &str) -> bool {
        self.base.branch == base && self.body.as_deref().is_some_and(|body| body.starts_with(MARK))
    }
}

/// A pull request to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestText {
    /// The branch that holds the commits.
    pub head: String,
    /// The branch that they are for.
    pub base: String,
    /// Title of the pull request, one line.
    pub title: String,
    /// Description of the pull request, in Markdown.
    pub body: String,
    /// The commits that it offers, by their ids.
    pub commits: BTreeSet<String>,
}

/// Outcome of opening a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// A new pull request was opened.
    New(PullRequest),
    /// There was one, and it says what is new.
    Updated(PullRequest),
    /// A reviewer closed an earlier pull request with the same commits: no other is opened.
    Refused(PullRequest),
    /// One is open from this branch that is not ours, or is for another branch: it is left as it is, and no other is opened.
    Left(PullRequest),
}

#[derive(Debug, Deserialize)]
struct Comment {
    id: u64,
    html_url: String,
    #[serde(default)]
    body: Option<String>,
}

impl GitHub {
    /// The pull requests from a branch of this repository, the newest first.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`].
    pub async fn pull_requests(
        &self,
        repository: &RepositoryName,
        branch: &str,
    ) -> Result<Vec<PullRequest>, GitHubError> {
        let head = format!("{}:{branch}", repository.owner);
        let query =
            [("state", "all"), ("head", &head), ("sort", "created"), ("direction", "desc"), ("per_page", "100")];
        let url = self.url(repository, &["pulls"], &query)?;
        self.connection.list(ApiOperation::PullRequest, &url, None).await
    }

    /// Opens a pull request, or updates our open one from this branch. There is never a second one. A user's own pull request is left
    /// unchanged, and refused commits are not offered again.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`].
    pub async fn open_pull_request(
        &self,
        repository: &RepositoryName,
        text: &PullRequestText,
    ) -> Result<Opened, GitHubError> {
        let body = marked(&text.body);
        if let Some(known) = self.known(repository, text, &body).await? {
            return Ok(known);
        }
        let url = self.url(repository, &["pulls"], &[])?;
        let request = json!({
            "title": text.title, "head": text.head, "base": text.base, "body": body, "maintainer_can_modify": true,
        });
        match self.connection.send(ApiOperation::PullRequest, &Method::POST, &url, &request).await {
            Ok(opened) => Ok(Opened::New(opened)),
            // Another process of ours was faster, or the answer to an earlier try was lost.
            Err(refused @ GitHubError::Refused { .. }) => match self.known(repository, text, &body).await? {
                Some(known) => Ok(known),
                None => Err(refused),
            },
            Err(error) => Err(error),
        }
    }

    async fn known(
        &self,
        repository: &RepositoryName,
        text: &PullRequestText,
        body: &str,
    ) -> Result<Option<Opened>, GitHubError> {
        let known = self.pull_requests(repository, &text.head).await?;
        let mut open: Vec<&PullRequest> = known.iter().filter(|pull| pull.is_open()).collect();
        open.sort_by_key(|pull| !pull.is_ours(&text.base));
        if let Some(&open) = open.first() {
            if !open.is_ours(&text.base) {
                return Ok(Some(Opened::Left(open.clone())));
            }
            if open.body.as_deref() == Some(body) && open.title == text.title {
                return Ok(Some(Opened::Updated(open.clone())));
            }
            let url = self.url(repository, &["pulls", &open.number.to_string()], &[])?;
            let request = json!({ "title": text.title, "body": body });
            let updated = self.connection.send(ApiOperation::PullRequest, &Method::PATCH, &url, &request).await?;
            return Ok(Some(Opened::Updated(updated)));
        }
        Ok(known.into_iter().find(|pull| pull.is_refused(&text.commits)).map(Opened::Refused))
    }

    /// Says something on a pull request; what this program said there before is replaced. The comment's page.
    ///
    /// # Errors
    ///
    /// See [`GitHubError`].
    pub async fn comment(
        &self,
        repository: &RepositoryName,
        pull_request: u64,
        text: &str,
    ) -> Result<String, GitHubError> {
        let doing = ApiOperation::Comment;
        let number = pull_request.to_string();
        let parts = ["issues", &number, "comments"];
        let listed = self.url(repository, &parts, &[("per_page", "100")])?;
        let comments: Vec<Comment> = self.connection.list(doing, &listed, None).await?;
        let is_ours = |comment: &&Comment| comment.body.as_deref().is_some_and(|body| body.starts_with(MARK));
        let body = json!({ "body": marked(text) });
        for ours in comments.iter().filter(is_ours) {
            let url = self.url(repository, &["issues", "comments", &ours.id.to_string()], &[])?;
            match self.connection.send::<Comment>(doing, &Method::PATCH, &url, &body).await {
                Ok(written) => return Ok(written.html_url),
                // Anybody can write our mark; what is not ours cannot be changed.
                Err(GitHubError::Forbidden { .. } | GitHubError::NotFound { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let url = self.url(repository, &parts, &[])?;
        let written: Comment = self.connection.send(doing, &Method::POST, &url, &body).await?;
        Ok(written.html_url)
    }
}

/// The text with our mark, cut to what GitHub takes.
fn marked(text: &str) -> String {
    let mut body = format!("{MARK}\n{text}");
    if body.chars().count() > LONGEST_TEXT {
        body = body.chars().take(LONGEST_TEXT).collect();
        body.push_str("\n\n(cut here: the rest is too long)");
    }
    body
}
