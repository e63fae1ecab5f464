//! Merge requests and the notes on them. Their addresses are made here: a response names none that is shown.

use std::borrow::Cow;

use reqwest::Method;
use serde::Deserialize;
use serde_json::json;

use super::GitLab;
use crate::host::change_request::{ChangeState, Comment};
use crate::host::{ApiOperation, ChangeRequest, ChangeRequestText, HostError, RepositoryName};

/// Maximum length of a title, in characters.
const LONGEST_TITLE: usize = 255;

#[derive(Debug, Deserialize)]
struct MergeRequest {
    iid: u64,
    #[serde(default)]
    title: String,
    #[serde(default)]
    description: Option<String>,
    /// `opened`, `closed`, `locked` while it is merged, `merged`.
    state: String,
    target_branch: String,
    #[serde(default)]
    sha: Option<String>,
    #[serde(default)]
    source_project_id: Option<u64>,
    #[serde(default)]
    target_project_id: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct Note {
    id: u64,
    #[serde(default)]
    body: String,
}

impl GitLab {
    pub(super) async fn merge_requests(
        &self,
        repository: &RepositoryName,
        branch: &str,
    ) -> Result<Vec<ChangeRequest>, HostError> {
        let query = [("source_branch", branch), ("order_by", "created_at"), ("sort", "desc"), ("per_page", "100")];
        let url = self.url(repository, &["merge_requests"], &query)?;
        let requests: Vec<MergeRequest> = self.connection.list(ApiOperation::ChangeRequest, &url, None).await?;
        // A fork may have a branch of the same name.
        let own = requests.into_iter().filter(|request| request.source_project_id == request.target_project_id);
        Ok(own.map(|request| self.of_merge_request(repository, request)).collect())
    }

    pub(super) async fn create_merge_request(
        &self,
        repository: &RepositoryName,
        text: &ChangeRequestText,
        body: &str,
    ) -> Result<ChangeRequest, HostError> {
        let url = self.url(repository, &["merge_requests"], &[])?;
        let request = json!({
            "source_branch": text.head, "target_branch": text.base, "title": title(&text.title),
            "description": without_orders(body),
        });
        let opened = self.connection.send(ApiOperation::ChangeRequest, &Method::POST, &url, &request).await?;
        Ok(self.of_merge_request(repository, opened))
    }

    pub(super) async fn update_merge_request(
        &self,
        repository: &RepositoryName,
        number: u64,
        new_title: &str,
        body: &str,
    ) -> Result<ChangeRequest, HostError> {
        let url = self.url(repository, &["merge_requests", &number.to_string()], &[])?;
        let request = json!({ "title": title(new_title), "description": without_orders(body) });
        let updated = self.connection.send(ApiOperation::ChangeRequest, &Method::PUT, &url, &request).await?;
        Ok(self.of_merge_request(repository, updated))
    }

    fn of_merge_request(&self, repository: &RepositoryName, request: MergeRequest) -> ChangeRequest {
        ChangeRequest {
            number: request.iid,
            page: self.merge_request_page(repository, request.iid),
            state: match request.state.as_str() {
                "merged" => ChangeState::Merged,
                "closed" => ChangeState::Closed,
                _ => ChangeState::Open,
            },
            body: request.description.unwrap_or_default(),
            title: request.title,
            base: request.target_branch,
            tip: request.sha.unwrap_or_default(),
        }
    }

    fn merge_request_page(&self, repository: &RepositoryName, number: u64) -> String {
        format!("{}/-/merge_requests/{number}", self.site.page(repository))
    }

    pub(super) async fn notes(&self, repository: &RepositoryName, number: u64) -> Result<Vec<Comment>, HostError> {
        let query = [("order_by", "created_at"), ("sort", "asc"), ("per_page", "100")];
        let url = self.url(repository, &["merge_requests", &number.to_string(), "notes"], &query)?;
        let notes: Vec<Note> = self.connection.list(ApiOperation::Comment, &url, None).await?;
        Ok(notes.into_iter().map(|note| self.of_note(repository, number, note)).collect())
    }

    pub(super) async fn write_note(
        &self,
        repository: &RepositoryName,
        number: u64,
        replaced: Option<u64>,
        body: &str,
    ) -> Result<Comment, HostError> {
        let (merge_request, replaced) = (number.to_string(), replaced.map(|id| id.to_string()));
        let mut parts = vec!["merge_requests", &merge_request, "notes"];
        parts.extend(replaced.as_deref());
        let url = self.url(repository, &parts, &[])?;
        let method = if replaced.is_some() { Method::PUT } else { Method::POST };
        let request = json!({ "body": without_orders(body) });
        let written = self.connection.send(ApiOperation::Comment, &method, &url, &request).await?;
        Ok(self.of_note(repository, number, written))
    }

    fn of_note(&self, repository: &RepositoryName, number: u64, note: Note) -> Comment {
        let page = format!("{}#note_{}", self.merge_request_page(repository, number), note.id);
        Comment { id: note.id, page, body: note.body }
    }
}

fn title(text: &str) -> String {
    text.chars().take(LONGEST_TITLE).collect()
}

/// Returns the text without lines that GitLab would execute (quick actions, such as `/merge`): the text comes from a repository, and the
/// action would be executed with the token of this program.
fn without_orders(text: &str) -> Cow<'_, str> {
    let is_order = |line: &str| line.trim_start().starts_with('/');
    if !text.lines().any(is_order) {
        return text.into();
    }
    let lines =
        text.split('\n').map(|line| if is_order(line) { line.replacen('/', "&#47;", 1) } else { line.to_owned() });
    lines.collect::<Vec<_>>().join("\n").into()
}

#[cfg(test)]
mod tests {
    use super::without_orders;

    #[test]
    fn no_line_is_an_order() {
        assert_eq!(without_orders("- `a/b`\n+/merge\n"), "- `a/b`\n+/merge\n");
        assert_eq!(without_orders("x\n/merge\n\t /close a/b\n"), "x\n&#47;merge\n\t &#47;close a/b\n");
    }
}
