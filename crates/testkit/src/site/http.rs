//! The site's answers: GET and HEAD, POST as if it were GET, connections that stay open, conditional requests.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};

use super::change::Instead;
use super::state::{Reply, State};
use crate::http::{read_request, write};

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
