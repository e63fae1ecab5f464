//! HTTP: which part of the host answers what.

use std::collections::hash_map::DefaultHasher;
use std::fmt::Write as _;
use std::hash::{Hash as _, Hasher as _};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::state::{Exchange, Fault};
use super::{Answer, NAME, OWNER, Shared};
use crate::git_http::{self, password, read_body, read_headers, respond, run_backend};

/// Number of requests an hour that the headers promise.
const LIMIT: u64 = 5000;

impl Shared {
    pub(super) fn answer(&self, stream: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut stream = stream;
        let mut first = String::new();
        reader.read_line(&mut first)?;
        let mut words = first.split_whitespace().map(str::to_owned);
        let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(()) };
        let headers = read_headers(&mut reader)?;
        if headers.get("expect").is_some_and(|value| value.eq_ignore_ascii_case("100-continue")) {
            stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let body = read_body(&mut reader, &headers)?;
        if let Some(rest) = target.strip_prefix("/api/v3") {
            return self.answer_api(&mut stream, method, rest, headers, &body);
        }
        let password = headers.get("authorization").and_then(|value| password(value));
        // A repository is found with `.git` at its end and without.
        let plain = format!("/{OWNER}/{NAME}/");
        let target = target.strip_prefix(&plain).map_or(target.clone(), |rest| format!("/{OWNER}/{NAME}.git/{rest}"));
        if password.as_deref() != Some(self.behaviour.token.as_str()) {
            return respond(&mut stream, 401, "WWW-Authenticate: Basic realm=\"GitHub\"\r\n", b"");
        }
        if target.contains("git-receive-pack") && !self.behaviour.may_push {
            let said = format!("remote: Permission to {OWNER}/{NAME}.git denied to autoheal-bot.\n");
            return respond(&mut stream, 403, "Content-Type: text/plain\r\n", said.as_bytes());
        }
        if !target.starts_with(&format!("/{OWNER}/{NAME}.git/")) {
            return respond(&mut stream, 404, "Content-Type: text/plain\r\n", b"Repository not found.\n");
        }
        let request = git_http::Request { method, target, password };
        let (status, headers, body) = run_backend(&self.root, &request, &headers, &body)?;
        respond(&mut stream, status, &headers, &body)
    }

    /// Responds as the host of the logs: any client with the URL of a log may read it.
    pub(super) fn answer_for_logs(&self, mut stream: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let mut first = String::new();
        reader.read_line(&mut first)?;
        let headers = read_headers(&mut reader)?;
        let Some(path) = first.split_whitespace().nth(1) else { return Ok(()) };
        let mut state = self.state();
        state.log_requests.push((path.to_owned(), headers.contains_key("authorization")));
        let job = path.strip_prefix("/job/").and_then(|rest| rest.split('?').next()?.parse().ok());
        let log = job.and_then(|job: u64| state.logs.get(&job).cloned());
        drop(state);
        match log {
            Some(log) => respond(&mut stream, 200, "Content-Type: text/plain\r\n", log.as_bytes()),
            None => respond(&mut stream, 404, "", b""),
        }
    }

    fn answer_api(
        &self,
        stream: &mut TcpStream,
        method: String,
        target: &str,
        mut headers: std::collections::BTreeMap<String, String>,
        body: &[u8],
    ) -> io::Result<()> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let sent: Option<Value> = serde_json::from_slice(body).ok();
        let token = headers.remove("authorization");
        let answer = match self.fault(&method, path) {
            Some(fault) => fault,
            None if token.as_deref() != Some(&format!("Bearer {}", self.behaviour.token)) => {
                let said = if token.is_some() { "Bad credentials" } else { "Requires authentication" };
                Answer::new(401, message(said))
            }
            None => self.route(&method, path, &query, sent.as_ref()),
        };
        if token.is_some() {
            headers.insert("authorization".to_owned(), "Bearer ***".to_owned());
        }
        let mut text = answer.body.as_ref().map(Value::to_string).unwrap_or_default();
        let mut lines: Vec<(String, String)> = answer.headers;
        let mut status = answer.status;
        let mut shown = answer.body;
        if status == 200 && method == "GET" {
            let mut hasher = DefaultHasher::new();
            text.hash(&mut hasher);
            let etag = format!("W/\"{:016x}\"", hasher.finish());
            if headers.get("if-none-match") == Some(&etag) {
                (status, shown) = (304, None);
                text.clear();
            }
            lines.push(("ETag".to_owned(), etag));
        }
        let mut state = self.state();
        // An unchanged response does not count against the rate limit.
        state.requests += u64::from(status != 304);
        let remaining = LIMIT.saturating_sub(state.requests);
        let (headers_sent, path) = (headers, path.to_owned());
        let exchange = Exchange { method, path, query, headers: headers_sent, body: sent, status, answer: shown };
        state.exchanges.push(exchange);
        drop(state);
        if !lines.iter().any(|(name, _)| name.eq_ignore_ascii_case("x-ratelimit-remaining")) {
            lines.push(("X-RateLimit-Limit".to_owned(), LIMIT.to_string()));
            lines.push(("X-RateLimit-Remaining".to_owned(), remaining.to_string()));
            lines.push(("X-RateLimit-Reset".to_owned(), "4102444800".to_owned()));
        }
        lines.push(("X-GitHub-Media-Type".to_owned(), "github.v3; format=json".to_owned()));
        lines.push(("Content-Type".to_owned(), "application/json; charset=utf-8".to_owned()));
        let mut head = String::new();
        for (name, value) in &lines {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        respond(stream, status, &head, text.as_bytes())
    }

    fn fault(&self, method: &str, path: &str) -> Option<Answer> {
        let mut state = self.state();
        let is_meant = |fault: &Fault| fault.method == method && path.contains(&fault.path);
        let index = state.faults.iter().position(is_meant)?;
        let fault = state.faults.remove(index)?;
        let mut answer = Answer::new(fault.status, message(&fault.message));
        answer.headers = fault.headers;
        Some(answer)
    }
}

/// Returns the body of an error in GitHub's format.
pub(super) fn message(text: &str) -> Value {
    json!({ "message": text, "documentation_url": "https://docs.github.com/rest" })
}
