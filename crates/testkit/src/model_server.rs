//! A provider of language models with scripted responses, in the real wire formats. It records the requests.

#![expect(clippy::expect_used, clippy::missing_panics_doc, reason = "a test fails by panicking")]

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

use crate::background::{Background, loopback};
pub use crate::http::Request;
use crate::http::{read_request, write};
use crate::model_stream::streamed;
pub use crate::model_stream::{End, Plan};

/// An answer to one request.
#[derive(Debug, Clone, PartialEq)]
pub struct Scripted {
    /// HTTP status of the response.
    pub status: u16,
    /// Headers in addition to those of the body.
    pub headers: Vec<(String, String)>,
    /// Body of the response.
    pub body: Vec<u8>,
    /// Delay of the response.
    pub delay: Duration,
    /// Name of the form that a request must ask for; `None`: the response answers any request.
    pub form: Option<String>,
    /// Text that a request must contain; `None`: the response answers any request.
    pub about: Option<String>,
    /// The stream of the response, if the request asks for one.
    pub stream: Plan,
}

impl Scripted {
    /// An answer with a document.
    pub fn new(status: u16, body: &Value) -> Self {
        Self::raw(status, body.to_string())
    }

    /// Makes a response whose body is not a JSON document.
    pub fn raw(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let (headers, delay, stream) = (Vec::new(), Duration::ZERO, Plan::default());
        Self { status, headers, body: body.into(), delay, form: None, about: None, stream }
    }

    /// Returns the response with a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Returns the response with a delay.
    #[must_use]
    pub const fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Returns the response with another stream.
    #[must_use]
    pub fn streamed(mut self, plan: Plan) -> Self {
        self.stream = plan;
        self
    }

    /// Returns the response for requests alone that ask for the form of this name.
    #[must_use]
    pub fn of_form(mut self, name: &str) -> Self {
        self.form = Some(name.to_owned());
        self
    }

    /// Returns the response for requests alone that contain a text.
    #[must_use]
    pub fn about(mut self, text: &str) -> Self {
        self.about = Some(text.to_owned());
        self
    }

    /// A text, as `OpenAI` answers; 10 tokens in, 5 out.
    pub fn openai(text: &str) -> Self {
        Self::new(
            200,
            &json!({
                "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini",
                "choices": [{
                    "index": 0, "finish_reason": "stop", "logprobs": null,
                    "message": { "role": "assistant", "content": text, "refusal": null, "annotations": [] },
                }],
                "usage": {
                    "prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15,
                    "prompt_tokens_details": { "cached_tokens": 4, "audio_tokens": 0 },
                },
            }),
        )
    }

    /// A text, as Anthropic answers.
    pub fn anthropic(text: &str) -> Self {
        Self::new(
            200,
            &json!({
                "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5",
                "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn", "stop_sequence": null,
                "usage": {
                    "input_tokens": 6, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 4, "output_tokens": 5,
                },
            }),
        )
    }

    /// A text, as Gemini answers.
    pub fn gemini(text: &str) -> Self {
        Self::new(
            200,
            &json!({
                "candidates": [{
                    "index": 0, "finishReason": "STOP",
                    "content": { "role": "model", "parts": [{ "text": "let me see", "thought": true }, { "text": text }] },
                }],
                "usageMetadata": {
                    "promptTokenCount": 10, "candidatesTokenCount": 3, "thoughtsTokenCount": 2, "totalTokenCount": 15,
                    "cachedContentTokenCount": 4,
                },
                "modelVersion": "gemini-2.0-flash",
            }),
        )
    }

    /// A text, as Ollama answers.
    pub fn ollama(text: &str) -> Self {
        Self::new(
            200,
            &json!({
                "model": "llama3.2", "created_at": "2026-01-01T00:00:00Z", "done": true, "done_reason": "stop",
                "message": { "role": "assistant", "content": text }, "prompt_eval_count": 10, "eval_count": 5,
            }),
        )
    }
}

#[derive(Debug, Default)]
struct Script {
    answers: VecDeque<Scripted>,
    requests: Vec<Request>,
    /// Number of responses that the client did not wait for.
    abandoned: usize,
    /// Number of requests that are being answered, and the highest so far.
    open: (usize, usize),
}

impl Script {
    /// The next answer to a request with this body.
    fn next(&mut self, body: &str) -> Option<Scripted> {
        let has_form = |name: &String| body.contains(&format!("\"name\":\"{name}\""));
        let fits = |answer: &Scripted| {
            answer.form.as_ref().is_none_or(has_form) && answer.about.as_ref().is_none_or(|text| body.contains(text))
        };
        let first = self.answers.iter().position(fits)?;
        let kind = |answer: &Scripted| (answer.form.clone(), answer.about.clone());
        let of_first = self.answers.get(first).map(kind);
        let is_last = self.answers.iter().skip(first + 1).all(|answer| Some(kind(answer)) != of_first);
        if is_last { self.answers.get(first).cloned() } else { self.answers.remove(first) }
    }
}

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    script: Arc<Mutex<Script>>,
    _server: Background,
}

impl ModelServer {
    /// A server that gives these answers, one after the other, and the last one of a form for ever.
    pub async fn start(answers: impl IntoIterator<Item = Scripted>) -> Self {
        let script = Arc::new(Mutex::new(Script { answers: answers.into_iter().collect(), ..Script::default() }));
        let shared = Arc::clone(&script);
        let serve = move |listener| accept(listener, shared);
        let (address, server) = Background::start("model", loopback(), serve).await;
        Self { address, script, _server: server }
    }

    /// Returns the base URL of the server.
    pub fn url(&self) -> Url {
        format!("http://{}", self.address).parse().expect("an address is a URL")
    }

    /// Returns the requests so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).requests.clone()
    }

    /// Returns the number of responses whose connection the client ended before they did.
    pub fn abandoned(&self) -> usize {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).abandoned
    }

    /// Returns the highest number of requests that were being answered at the same time.
    pub fn most_at_once(&self) -> usize {
        self.script.lock().unwrap_or_else(PoisonError::into_inner).open.1
    }

    /// Returns the JSON documents of the requests, in order.
    pub fn documents(&self) -> Vec<Value> {
        self.requests().iter().map(|request| serde_json::from_slice(&request.body).unwrap_or_default()).collect()
    }
}

async fn accept(listener: TcpListener, script: Arc<Mutex<Script>>) {
    loop {
        // A connection that fails is its client's concern.
        if let Ok((stream, _)) = listener.accept().await {
            let script = Arc::clone(&script);
            tokio::spawn(async move {
                let _: io::Result<()> = converse(stream, &script).await;
            });
        }
    }
}

async fn converse(stream: TcpStream, script: &Mutex<Script>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await? {
        let in_stream = wants_stream(&request);
        let answer = {
            let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
            let body = String::from_utf8_lossy(&request.body).into_owned();
            script.requests.push(request);
            script.open = (script.open.0 + 1, script.open.1.max(script.open.0 + 1));
            script.next(&body)
        };
        let answer = answer.unwrap_or_else(|| Scripted::raw(500, "there is no script"));
        let is_read = send(&mut stream, answer, in_stream).await;
        let mut script = script.lock().unwrap_or_else(PoisonError::into_inner);
        script.open.0 -= 1;
        if !is_read? {
            script.abandoned += 1;
            return Ok(());
        }
    }
    Ok(())
}

/// Sends an answer. Returns false if the client is gone.
async fn send(stream: &mut BufReader<TcpStream>, answer: Scripted, in_stream: bool) -> io::Result<bool> {
    if is_gone_after(stream, answer.delay).await {
        return Ok(false);
    }
    let may_stream = in_stream && answer.status == 200 && !answer.stream.is_whole;
    let events = may_stream.then(|| streamed(&serde_json::from_slice(&answer.body).unwrap_or_default())).flatten();
    if let Some((media_type, events)) = events {
        return send_stream(stream, &answer, media_type, events).await;
    }
    let mut headers = answer.headers;
    headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    write(stream, answer.status, &headers, &answer.body, false).await?;
    Ok(true)
}

fn wants_stream(request: &Request) -> bool {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
    body["stream"] == true || request.path.ends_with(":streamGenerateContent")
}

/// Waits, and returns whether the client has ended the connection meanwhile.
async fn is_gone_after(stream: &mut BufReader<TcpStream>, time: Duration) -> bool {
    if time.is_zero() {
        return false;
    }
    tokio::select! {
        () = tokio::time::sleep(time) => false,
        read = stream.fill_buf() => read.map_or(true, <[u8]>::is_empty),
    }
}

/// Sends the events as a chunked body, each in two parts that may divide a character. Returns false if the client is gone.
async fn send_stream(
    stream: &mut BufReader<TcpStream>,
    answer: &Scripted,
    media_type: &str,
    mut events: Vec<String>,
) -> io::Result<bool> {
    let plan = &answer.stream;
    match &plan.end {
        End::Complete => {}
        End::Early(count) | End::Severed(count) => events.truncate(*count),
        End::Failed(count, error) => {
            events.truncate(*count);
            let is_lines = media_type.starts_with("application/");
            events.push(if is_lines { format!("{error}\n") } else { format!("data: {error}\n\n") });
        }
    }
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {media_type}\r\nTransfer-Encoding: chunked\r\n\r\n");
    stream.write_all(head.as_bytes()).await?;
    for event in events {
        let (first, second) = event.as_bytes().split_at(event.len() / 2 + 1);
        for part in [first, second].into_iter().filter(|part| !part.is_empty()) {
            stream.write_all(format!("{:x}\r\n", part.len()).as_bytes()).await?;
            stream.write_all(&[part, b"\r\n"].concat()).await?;
            stream.flush().await?;
        }
        if is_gone_after(stream, plan.pace).await {
            return Ok(false);
        }
    }
    if matches!(plan.end, End::Severed(_)) {
        return Err(io::ErrorKind::ConnectionAborted.into());
    }
    stream.write_all(b"0\r\n\r\n").await?;
    stream.flush().await?;
    Ok(true)
}
