//! State of the host.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::plan::CiPlan;

/// One request to the API and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// `GET`, `POST` or `PATCH`.
    pub method: String,
    /// The path below the API's address: `/repos/octo/shop/pulls`.
    pub path: String,
    /// The parameters after the `?`, decoded.
    pub query: Vec<(String, String)>,
    /// The request's headers, their names in lower case; of the authorization only its kind.
    pub headers: BTreeMap<String, String>,
    /// Body of the request.
    pub body: Option<Value>,
    /// HTTP status of the response.
    pub status: u16,
    /// Body of the response; `None` without a body.
    pub answer: Option<Value>,
}

/// A response that replaces the ordinary one, once.
#[derive(Debug, Clone)]
pub struct Fault {
    /// Text that the request's path contains.
    pub path: String,
    /// HTTP method of the request.
    pub method: String,
    /// HTTP status of the response.
    pub status: u16,
    /// Headers of the response.
    pub headers: Vec<(String, String)>,
    /// The `message` of the body.
    pub message: String,
}

impl Fault {
    /// Creates a fault: the next `method` request whose path contains `path` gets `status`.
    pub fn new(method: &str, path: &str, status: u16) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { path, method, status, headers: Vec::new(), message: "Server Error".to_owned() }
    }

    /// Returns the fault with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the fault with another message.
    #[must_use]
    pub fn saying(mut self, message: &str) -> Self {
        message.clone_into(&mut self.message);
        self
    }
}

/// A pull request, as the fake GitHub stores it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pull {
    /// Number of the pull request.
    pub number: u64,
    /// The branch that it comes from.
    pub head: String,
    /// The branch that it is for.
    pub base: String,
    /// Title of the pull request.
    pub title: String,
    /// Description of the pull request, in Markdown.
    pub body: String,
    /// True if it is open.
    pub is_open: bool,
    /// The tip of its branch when it was merged; `None`: it was not.
    pub merged: Option<String>,
}

/// A comment on a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Id of the comment.
    pub id: u64,
    /// Number of the pull request.
    pub pull: u64,
    /// Text of the comment, in Markdown.
    pub body: String,
}

/// A status of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// Hash of the commit.
    pub commit: String,
    /// Name of the CI that reports it.
    pub context: String,
    /// `success`, `failure`, `error` or `pending`.
    pub state: String,
    /// Short description of the state.
    pub description: String,
}

/// Progress of CI for a commit.
#[derive(Debug)]
pub(super) struct Progress {
    pub(super) plan: CiPlan,
    pub(super) first_run: u64,
    pub(super) polls: u32,
    pub(super) is_dispatched: bool,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) exchanges: Vec<Exchange>,
    pub(super) faults: VecDeque<Fault>,
    pub(super) log_requests: Vec<(String, bool)>,
    pub(super) pulls: Vec<Pull>,
    pub(super) comments: Vec<Comment>,
    pub(super) statuses: Vec<Status>,
    pub(super) dispatches: Vec<String>,
    /// Progress of CI, by commit hash.
    pub(super) ci: BTreeMap<String, Progress>,
    /// The logs of jobs, by the job's number.
    pub(super) logs: BTreeMap<u64, String>,
    pub(super) last_number: u64,
    pub(super) requests: u64,
}

impl State {
    pub(super) fn number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }
}
