//! Messages to and from a language server: JSON-RPC 2.0 behind headers (Language Server Protocol 3.17, "Base Protocol").

use autoheal_sandbox::{Line, SandboxError, Session};
use serde_json::{Value, json};

/// The longest message that is read.
const LONGEST: usize = 8 << 20;

/// Maximum size of all messages of a server, in bytes: a longer conversation does not answer the requests.
const MOST_BYTES: usize = 64 << 20;
const MOST_MESSAGES: usize = 20_000;

/// The protocol has two headers.
const MOST_HEADERS: usize = 16;

/// Reason for which the conversation with a server ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The server ended, for this reason.
    #[error("it ended: {0}")]
    Ended(String),
    /// Its output does not follow the protocol.
    #[error("what it says cannot be read: {0}")]
    Unreadable(String),
    /// The server sends without end.
    #[error("it says more than anybody reads")]
    TooMuch,
    /// The server refused a request that it has to support.
    #[error("it refused `{method}`: {why}")]
    Refused {
        /// Method of the request.
        method: &'static str,
        /// Error message of the server.
        why: String,
    },
    /// Error of the sandbox that the server runs in.
    #[error("it could not be run: {0}")]
    Sandbox(#[from] SandboxError),
}

/// Message of a server.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    /// Request of the server, which waits for a response.
    Request { id: Value, method: String, params: Value },
    /// Notification of the server, without a response.
    Notification { method: String, params: Value },
    /// Response to the request with this number; an error with its code and its message.
    Response { id: u64, answer: Result<Value, (i64, String)> },
}

/// A server that runs.
pub(super) struct Wire {
    session: Box<dyn Session>,
    /// Of the message that is on its way. Kept here, so that nothing is lost when one is not waited for any longer.
    length: Option<usize>,
    headers: usize,
    is_body: bool,
    bytes_left: usize,
    messages_left: usize,
}

impl Wire {
    pub(super) fn new(session: Box<dyn Session>) -> Self {
        Self { session, length: None, headers: 0, is_body: false, bytes_left: MOST_BYTES, messages_left: MOST_MESSAGES }
    }

    pub(super) async fn request(&mut self, id: u64, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
    }

    pub(super) async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    pub(super) async fn respond(&mut self, id: Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result })).await;
    }

    pub(super) async fn refuse(&mut self, id: Value, method: &str) {
        const METHOD_NOT_FOUND: i64 = -32601;
        let error = json!({ "code": METHOD_NOT_FOUND, "message": format!("{method} is not known here") });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error })).await;
    }

    async fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.session.send(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await;
    }

    /// Receives the next message.
    pub(super) async fn receive(&mut self) -> Result<Message, Failure> {
        loop {
            if self.is_body {
                let length = self.length.unwrap_or_default();
                let body = text(self.session.bytes(length).await?)?;
                self.length = None;
                self.headers = 0;
                self.is_body = false;
                return message(&body);
            }
            let line = text(self.session.line().await?)?;
            self.header(&line)?;
        }
    }

    fn header(&mut self, line: &[u8]) -> Result<(), Failure> {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end_matches('\r');
        if line.is_empty() {
            let length = self.length.ok_or_else(|| Failure::Unreadable("a message without its length".to_owned()))?;
            self.bytes_left = self.bytes_left.checked_sub(length).ok_or(Failure::TooMuch)?;
            self.messages_left = self.messages_left.checked_sub(1).ok_or(Failure::TooMuch)?;
            self.is_body = true;
            return Ok(());
        }
        self.headers += 1;
        let (name, value) = line.split_once(':').filter(|_| self.headers <= MOST_HEADERS).ok_or_else(|| {
            Failure::Unreadable(format!("`{}` where a header has to be", line.chars().take(80).collect::<String>()))
        })?;
        if name.trim().eq_ignore_ascii_case("Content-Length") {
            let value = value.trim();
            let length = value.parse::<usize>().ok().filter(|length| *length <= LONGEST);
            let wrong =
                || Failure::Unreadable(format!("a message of `{}` bytes", value.chars().take(40).collect::<String>()));
            self.length = Some(length.ok_or_else(wrong)?);
        }
        Ok(())
    }

    pub(super) async fn close(self) -> Result<(), Failure> {
        Ok(self.session.close().await?)
    }
}

fn text(line: Line) -> Result<Vec<u8>, Failure> {
    match line {
        Line::Text(bytes) => Ok(bytes),
        Line::Ended(outcome) => {
            let said = String::from_utf8_lossy(&outcome.stderr);
            let last = said.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
            let last: String = last.chars().take(200).collect();
            let pause = if last.is_empty() { "" } else { ", " };
            Err(Failure::Ended(format!("{}{pause}{last}", outcome.end)))
        }
    }
}

fn message(body: &[u8]) -> Result<Message, Failure> {
    let unreadable = |why: &str| Failure::Unreadable(why.to_owned());
    let mut message: Value = serde_json::from_slice(body).map_err(|error| unreadable(&error.to_string()))?;
    let mut take = |name: &str| message.get_mut(name).map(Value::take);
    let (id, method, params) = (take("id"), take("method"), take("params").unwrap_or_default());
    match (id, method) {
        (Some(id @ (Value::Number(_) | Value::String(_))), Some(Value::String(method))) => {
            Ok(Message::Request { id, method, params })
        }
        (None, Some(Value::String(method))) => Ok(Message::Notification { method, params }),
        (Some(id), None) => {
            let id = id.as_u64().ok_or_else(|| unreadable("an answer to nothing that was asked"))?;
            let error = take("error").filter(|error| !error.is_null());
            let answer = error.map_or_else(
                || Ok(take("result").unwrap_or_default()),
                |error| {
                    let words = error.get("message").and_then(Value::as_str).unwrap_or_default();
                    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
                    Err((code, words.chars().take(200).collect()))
                },
            );
            Ok(Message::Response { id, answer })
        }
        (_, _) => Err(unreadable("neither a question nor an answer")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let read = |value: Value| message(value.to_string().as_bytes());
        let request = read(json!({ "id": "a", "method": "m", "params": [1] })).unwrap();
        assert_eq!(request, Message::Request { id: json!("a"), method: "m".to_owned(), params: json!([1]) });
        let told = read(json!({ "method": "m" })).unwrap();
        assert_eq!(told, Message::Notification { method: "m".to_owned(), params: Value::Null });
        let answer = read(json!({ "id": 7, "result": 1, "error": null })).unwrap();
        assert_eq!(answer, Message::Response { id: 7, answer: Ok(json!(1)) });
        let refusal = read(json!({ "id": 7, "error": { "code": -1, "message": "no" } })).unwrap();
        assert_eq!(refusal, Message::Response { id: 7, answer: Err((-1, "no".to_owned())) });
        for wrong in [
            json!([]),
            json!(1),
            json!({}),
            json!({ "id": "x" }),
            json!({ "id": {}, "method": "m" }),
            json!({ "method": 1 }),
        ] {
            assert!(read(wrong.clone()).is_err(), "{wrong}");
        }
        assert!(message(b"{").is_err());
    }
}
