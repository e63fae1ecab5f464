//! A small HTTP/1.1 server: GET and HEAD, POST as if it were GET, connections that stay open, conditional requests.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::change::Instead;
use super::state::{Reply, State};

/// The longest request that is read, in bytes.
const REQUEST_LIMIT: u64 = 64 << 10;

/// A request as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `HEAD` or `POST`.
    pub method: String,
    /// The path.
    pub path: String,
    /// What follows the `?`.
    pub query: Option<String>,
    /// The headers, their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// What was posted.
    pub body: Vec<u8>,
}

/// Takes connections until it is dropped.
pub(super) async fn serve(listener: TcpListener, state: Arc<State>) {
    loop {
        // A connection that fails is its client's concern.
        if let Ok((stream, _)) = listener.accept().await {
            let state = Arc::clone(&state);
            tokio::spawn(async move {
                let _: io::Result<()> = converse(stream, &state).await;
            });
        }
    }
}

async fn converse(stream: TcpStream, state: &State) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while let Some(request) = read_request(&mut stream).await? {
        let is_head = request.method == "HEAD";
        let tag = request.headers.get("if-none-match").cloned();
        let closes = request.headers.get("connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let (delay, reply) = state.reply(request);
        if let Some(delay) = delay {
            tokio::time::sleep(delay).await;
        }
        match reply {
            Reply::Page { content_type, text } => {
                let etag = etag(&text);
                let headers = [("Content-Type".to_owned(), content_type.to_owned()), ("ETag".to_owned(), etag.clone())];
                if tag.as_deref() == Some(etag.as_str()) {
                    write(&mut stream, 304, &headers[1..], b"", true).await?;
                } else {
                    write(&mut stream, 200, &headers, text.as_bytes(), is_head).await?;
                }
            }
            Reply::Instead(Instead::Status { status, headers, times: _ }) => {
                let text = format!("<!doctype html><title>{status}</title><h1>{status}</h1><p>It is not to be.</p>");
                let mut headers = headers;
                headers.push(("Content-Type".to_owned(), "text/html; charset=utf-8".to_owned()));
                write(&mut stream, status, &headers, text.as_bytes(), is_head).await?;
            }
            Reply::Instead(Instead::Redirect { status, to }) => {
                write(&mut stream, status, &[("Location".to_owned(), to)], b"", is_head).await?;
            }
            Reply::Instead(Instead::Raw(answer)) => {
                write(&mut stream, 200, &answer.headers, &answer.body, is_head).await?;
            }
            Reply::Instead(Instead::Endless { piece, pause }) => return go_on(&mut stream, &piece, pause).await,
        }
        if closes {
            break;
        }
    }
    Ok(())
}

async fn read_request(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let mut limited = stream.take(REQUEST_LIMIT);
    let mut first = String::new();
    limited.read_line(&mut first).await?;
    let mut words = first.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let (path, query) = target.split_once('?').map_or((target, None), |(path, query)| (path, Some(query.to_owned())));
    let (method, path, headers) = (method.to_owned(), path.to_owned(), BTreeMap::new());
    let mut request = Request { method, path, query, headers, body: Vec::new() };
    loop {
        let mut line = String::new();
        limited.read_line(&mut line).await?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => request.headers.insert(name.to_ascii_lowercase(), value.trim().to_owned()),
            None => break,
        };
    }
    let length = request.headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    limited.take(length).read_to_end(&mut request.body).await?;
    Ok(Some(request))
}

async fn write(
    stream: &mut BufReader<TcpStream>,
    status: u16,
    headers: &[(String, String)],
    body: &[u8],
    without_body: bool,
) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} Status\r\n");
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if status != 304 {
        let _ = write!(head, "Content-Length: {}\r\n", body.len());
    }
    head.push_str("\r\n");
    let mut bytes = head.into_bytes();
    if !without_body {
        bytes.extend_from_slice(body);
    }
    stream.write_all(&bytes).await?;
    stream.flush().await
}

/// Sends one piece after the other until the client hangs up.
async fn go_on(stream: &mut BufReader<TcpStream>, piece: &[u8], pause: Duration) -> io::Result<()> {
    let head = b"HTTP/1.1 200 Status\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head).await?;
    let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
    chunk.extend_from_slice(piece);
    chunk.extend_from_slice(b"\r\n");
    loop {
        stream.write_all(&chunk).await?;
        stream.flush().await?;
        tokio::time::sleep(pause).await;
    }
}

/// Changes when the page does. FNV-1a is enough for that.
fn etag(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("\"{hash:016x}\"")
}
