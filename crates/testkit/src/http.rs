//! HTTP/1.1 as far as tests need it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

/// The longest request that is read, in bytes.
const REQUEST_LIMIT: u64 = 8 << 20;

/// A request as it came in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `HEAD` or `POST`.
    pub method: String,
    /// Path of the URL, without the query.
    pub path: String,
    /// Query string, without the `?`.
    pub query: Option<String>,
    /// The headers, their names in lower case.
    pub headers: BTreeMap<String, String>,
    /// Body of the request.
    pub body: Vec<u8>,
}

/// The next request of a connection; `None` at its end.
pub(crate) async fn read_request(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
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

/// Sends a response.
pub(crate) async fn write(
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
