//! HTTP: which part of the host answers what.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

use serde_json::{Value, json};

use super::{Answer, Body, Exchange, Fault, GROUPS, NAME, Shared};
use crate::git_http::{self, password, read_body, read_headers, respond, run_backend};

/// Headers in which a token may come.
const TOKEN_HEADERS: [&str; 3] = ["private-token", "job-token", "authorization"];

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
        if let Some(rest) = target.strip_prefix("/api/v4") {
            return self.answer_api(&mut stream, method, rest, headers, &body);
        }
        let password = headers.get("authorization").and_then(|value| password(value));
        if password.as_deref() != Some(self.behaviour.token.as_str()) {
            return respond(
                &mut stream,
                401,
                "WWW-Authenticate: Basic realm=\"GitLab\"\r\n",
                b"HTTP Basic: Access denied",
            );
        }
        if !target.starts_with(&format!("/{GROUPS}/{NAME}.git/")) && !target.starts_with(&format!("/{GROUPS}/{NAME}/"))
        {
            let said =
                b"The project you were looking for could not be found or you don't have permission to view it.\n";
            return respond(&mut stream, 404, "Content-Type: text/plain\r\n", said);
        }
        if target.contains("git-receive-pack") && !self.behaviour.may_push {
            let said = b"You are not allowed to push code to this project.\n";
            return respond(&mut stream, 403, "Content-Type: text/plain\r\n", said);
        }
        // A project is found with `.git` at its end and without.
        let plain = format!("/{GROUPS}/{NAME}/");
        let target = target.strip_prefix(&plain).map_or(target.clone(), |rest| format!("/{GROUPS}/{NAME}.git/{rest}"));
        let request = git_http::Request { method, target, password };
        let (status, headers, body) = run_backend(&self.root, &request, &headers, &body)?;
        respond(&mut stream, status, &headers, &body)
    }

    fn answer_api(
        &self,
        stream: &mut TcpStream,
        method: String,
        target: &str,
        mut headers: BTreeMap<String, String>,
        body: &[u8],
    ) -> io::Result<()> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let query: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
        let sent: Option<Value> = serde_json::from_slice(body).ok();
        let (header, prefix) = self.behaviour.header;
        let is_known = headers.get(header) == Some(&format!("{prefix}{}", self.behaviour.token));
        for name in TOKEN_HEADERS {
            if let Some(value) = headers.get_mut(name) {
                "***".clone_into(value);
            }
        }
        let answer = match self.fault(&method, path) {
            Some(fault) => fault,
            None if !is_known => Answer::new(401, json!({ "message": "401 Unauthorized" })),
            None => self.route(&method, path, &query, sent.as_ref()),
        };
        let (text, shown, kind) = match answer.body {
            Body::Document(document) => (document.to_string(), Some(document), "application/json"),
            Body::Text(text) => (text.clone(), Some(Value::String(text)), "text/plain"),
            Body::Empty => (String::new(), None, "text/plain"),
        };
        let (path, status) = (path.to_owned(), answer.status);
        self.state().exchanges.push(Exchange { method, path, query, headers, body: sent, status, answer: shown });
        let mut head = format!("Content-Type: {kind}\r\nRateLimit-Limit: 600\r\nRateLimit-Observed: 1\r\n");
        for (name, value) in &answer.headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        respond(stream, answer.status, &head, text.as_bytes())
    }

    fn fault(&self, method: &str, path: &str) -> Option<Answer> {
        let mut state = self.state();
        let is_meant = |fault: &Fault| fault.method == method && path.contains(&fault.path);
        let index = state.faults.iter().position(is_meant)?;
        let fault = state.faults.remove(index)?;
        let body = if fault.status < 400 { Body::Empty } else { Body::Document(json!({ "message": fault.message })) };
        Some(Answer { status: fault.status, headers: fault.headers, body })
    }
}
