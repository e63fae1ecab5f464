//! What the host remembers.

use std::collections::{BTreeMap, VecDeque};

use serde_json::Value;

use super::ci::CiPlan;

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
    /// What was sent.
    pub body: Option<Value>,
    /// The status of the answer.
    pub status: u16,
    /// What was answered; `None` where an answer has no body.
    pub answer: Option<Value>,
}

/// An answer that stands for the ordinary one, once.
#[derive(Debug, Clone)]
pub struct Fault {
    /// What the request's path holds.
    pub path: String,
    /// Its method.
    pub method: String,
    /// The status.
    pub status: u16,
    /// Headers.
    pub headers: Vec<(String, String)>,
    /// The `message` of the body.
    pub message: String,
}

impl Fault {
    /// The next `method` request whose path holds `path` gets `status`.
    pub fn new(method: &str, path: &str, status: u16) -> Self {
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { path, method, status, headers: Vec::new(), message: "Server Error".to_owned() }
    }

    /// The same with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The same with other words.
    #[must_use]
    pub fn saying(mut self, message: &str) -> Self {
        message.clone_into(&mut self.message);
        self
    }
}

/// A pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pull {
    /// Its number.
    pub number: u64,
    /// The branch that it comes from.
    pub head: String,
    /// The branch that it is for.
    pub base: String,
    /// Its title.
    pub title: String,
    /// Its text.
    pub body: String,
    /// Whether it is open; a closed one was not merged.
    pub is_open: bool,
}

/// A comment on a pull request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// Its number.
    pub id: u64,
    /// The pull request.
    pub pull: u64,
    /// Its text.
    pub body: String,
}

/// A status of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status {
    /// The commit.
    pub commit: String,
    /// Who says it.
    pub context: String,
    /// `success`, `failure`, `error` or `pending`.
    pub state: String,
    /// A few words.
    pub description: String,
}

/// What CI has done for a commit so far.
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
    /// By commit.
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
